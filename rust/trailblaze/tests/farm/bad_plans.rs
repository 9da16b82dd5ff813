//! Plans that cannot be: each with its reason, and nothing is written.

use crate::lab::{APP, MANIFEST, earlier_run, lab, refused, write_zip};
use crate::space::Space;

const SHIBA: [&str; 2] = ["--devices", "shiba-34"];

#[test]
fn limits_of_the_farm() {
    let space = lab();
    let refused = |farm: &str, args: &[&str], message: &str| {
        refused(&space, farm, &[&SHIBA[..], args].concat(), 3, message);
    };
    let auto = "hint: '--shards auto' finds how many are needed\n";
    refused(
        "firebase",
        &["--shards", "51"],
        &format!("error: 51 shards are more than this farm takes, 50\n{auto}"),
    );
    refused(
        "device-run",
        &["--shards", "21"],
        &format!("error: 21 shards are more than this farm takes, 20\n{auto}"),
    );
    refused(
        "firebase",
        &["--shards", "6"],
        "error: 6 shards are more than there are trails, 5\nhint: no shard may be empty\n",
    );
    refused(
        "firebase",
        &["--kind", "arm", "--shards", "201"],
        &format!("error: 201 shards are more than this farm takes, 200\n{auto}"),
    );
    let hint = "hint: virtual devices may have more; say it with --kind where the name does not\n";
    refused(
        "firebase",
        &["--minutes", "46"],
        &format!("error: 46 minutes are more than this farm gives, 45\n{hint}"),
    );
    refused(
        "firebase",
        &["--kind", "x86", "--minutes", "61"],
        &format!("error: 61 minutes are more than this farm gives, 60\n{hint}"),
    );
    refused(
        "device-run",
        &["--minutes", "181"],
        "error: 181 minutes are more than this farm gives, 180\nhint: ask for less, or leave it out\n",
    );
    refused(
        "firebase",
        &["--minutes", "1"],
        "error: --minutes 1 is too little: 1 minute is kept for the reports\nhint: ask for 2 or more\n",
    );
    earlier_run(&space, "2026-01-01T00-00-00Z-a", &[("tour", 40 * 60_000), ("cart/pay", 20 * 60_000)]);
    refused(
        "firebase",
        &[],
        "error: the trail 'tour' took 40.0 minutes, and a shard of 45 minutes is planned with 36.0\nhint: split the trail, \
         or leave it out with --filter\n",
    );
    refused(
        "firebase",
        &["--filter", "cart", "--filter", "sign", "--shards", "1"],
        "error: one shard is too few: shard 1 would take 80.0 minutes of 36.0\nhint: '--shards auto' finds how many are \
         needed\n",
    );
}

#[test]
fn what_another_farm_knows() {
    let space = lab();
    let refused = |farm: &str, args: &[&str], message: &str| {
        let devices = if farm == "aws" { ["--devices", "Google Pixel 8"] } else { SHIBA };
        refused(&space, farm, &[&devices[..], args].concat(), 2, message);
    };
    refused(
        "firebase",
        &["--project", "My Project"],
        "error: 'My Project' is no id of a project of Google Cloud\nhint: ids have small letters, digits and '-'; 'gcloud \
         projects list' lists them\n",
    );
    refused(
        "firebase",
        &["--standard"],
        "error: --standard is for AWS Device Farm only\nhint: leave it out\n",
    );
    refused(
        "firebase",
        &["--retries", "11"],
        "error: --retries is 11; the farm takes 10\nhint: take fewer\n",
    );
    refused(
        "aws",
        &["--retries", "1"],
        "error: AWS Device Farm runs no shard again by itself\nhint: '-e retries=1' lets the runner on the phone try again\n",
    );
    refused(
        "aws",
        &["--standard", "-e", "strict=true"],
        "error: the standard environment of AWS hands no options to the tests\nhint: leave out --standard: our own runner \
         takes them\n",
    );
    let alone = [
        "farm",
        "plan",
        "--farm",
        "aws",
        "--app",
        "app.apk",
        "--test",
        "test.apk",
        "--devices",
        "Google Pixel 8",
    ];
    let ran = space.run(&alone).exits(2);
    let hint = "hint: 'aws devicefarm list-projects --region us-west-2' lists them\n";
    assert_eq!(
        ran.stderr,
        format!("error: AWS Device Farm needs --project with the ARN of a project\n{hint}")
    );
    let device = "arn:aws:devicefarm:us-west-2::device:70D5B226";
    let unfinished = "arn:aws:devicefarm:us-west-2:123456789012:project:";
    for project in ["shop", device, unfinished, "arn:aws:devicefarm:us-west-2:1234:project:a"] {
        let ran = space.run(&[&alone[..], &["--project", project]].concat()).exits(2);
        assert_eq!(
            ran.stderr,
            format!("error: '{project}' is no ARN of a project of AWS Device Farm\n{hint}")
        );
    }
}

#[test]
fn apks_that_a_farm_would_refuse() {
    let space = lab();
    let refused = |farm: &str, app: &str, test: &str, message: &str| {
        let more: &[&str] = if farm == "aws" {
            &["--project", crate::lab::PROJECT, "--devices", "Google Pixel 8"]
        } else {
            &SHIBA
        };
        let args = ["farm", "plan", "--farm", farm, "--out", "plan", "--app", app, "--test", test];
        let ran = space.run(&[&args[..], more].concat()).exits(3);
        assert_eq!(ran.stderr, message, "{ran}");
        assert!(!space.path("plan").exists());
    };
    let file = "hint: give the file of an APK, or gs://BUCKET/FILE\n";
    let cannot = |name: &str, why: &str| format!("error: --app: {name} cannot be used: {why}\n{file}");
    refused("firebase", "none.apk", "test.apk", &cannot("none.apk", "it does not exist"));
    refused("firebase", "https://a.b/c.apk", "test.apk", &cannot("https://a.b/c.apk", "it does not exist"));
    refused("firebase", "trails", "test.apk", &cannot("trails", "it is a folder"));
    refused("firebase", "app.js", "test.apk", &cannot("app.js", "this is no zip archive, or it is cut off"));
    for bucket in ["gs://", "gs://b", "gs://b/", "gs:///app.apk"] {
        let message = format!("error: --app: {bucket} names no file\nhint: write gs://BUCKET/FILE\n");
        refused("firebase", bucket, "test.apk", &message);
    }
    let app = "hint: --app is the app under test, and --test what 'trailblaze apk pack' made\n";
    write_zip(&space, "zip.apk", &[("a", b"")]);
    refused(
        "firebase",
        "zip.apk",
        "test.apk",
        &format!("error: --app: zip.apk is no APK: it has no AndroidManifest.xml\n{app}"),
    );
    write_zip(&space, "broken.apk", &[("AndroidManifest.xml", &APP[..40])]);
    // What Android can read and we cannot is told, and left to the farm.
    let args = ["farm", "plan", "--farm", "firebase", "--app", "broken.apk", "--test", "test.apk"];
    let ran = space.run(&[&args[..], &SHIBA].concat()).exits(0);
    let told = "\n  what broken.apk needs cannot be looked up: the manifest: the binary XML is broken\n";
    assert!(ran.stderr.contains(told), "{ran}");
    refused(
        "firebase",
        "test.apk",
        "test.apk",
        &format!("error: --app: test.apk is a test APK: it has tests for dev.trailblaze.agent\n{app}"),
    );
    write_zip(&space, "app.aab", &[("BundleConfig.pb", b"")]);
    refused(
        "aws",
        "app.aab",
        "test.apk",
        "error: --app: app.aab is an app bundle, and AWS Device Farm takes APKs only\nhint: 'bundletool build-apks \
         --mode=universal' makes an APK of it\n",
    );
    refused(
        "aws",
        "gs://b/app.apk",
        "test.apk",
        "error: --app: AWS Device Farm takes a file, not gs://b/app.apk\nhint: fetch it with 'gcloud storage cp'\n",
    );
    let pack = "hint: 'trailblaze apk pack' makes it out of the workspace\n";
    let foreign =
        |name: &str, why: &str| format!("error: --test: {name} is no test APK of Trailblaze: {why}\n{pack}");
    refused("firebase", "app.apk", "app.apk", &foreign("app.apk", "the manifest has no <instrumentation>"));
    refused("firebase", "app.apk", "zip.apk", &foreign("zip.apk", "it has no AndroidManifest.xml"));
    write_zip(&space, "agent.apk", &[("AndroidManifest.xml", MANIFEST)]);
    refused("firebase", "app.apk", "agent.apk", &format!("error: --test: agent.apk holds no trails\n{pack}"));
    space.trail("new", &[]);
    refused(
        "firebase",
        "app.apk",
        "test.apk",
        "error: --test: test.apk does not hold the trail 'new'\nhint: it was packed from another workspace, or before the \
         trail was there; pack it again\n",
    );
}

#[test]
fn workspaces_without_a_trail() {
    let space = Space::lab();
    let devices = ["--app", "gs://b/app.apk", "--test", "gs://b/test.apk", "--devices", "shiba-34"];
    let plan =
        |args: &[&str]| space.run(&[&["farm", "plan", "--farm", "firebase"], &devices[..], args].concat());
    assert!(plan(&[]).exits(3).stderr.starts_with("error: no trails in .\n"));
    space.write("trails/shared.trail.yaml", "config: { title: Shared }\n");
    assert_eq!(
        plan(&[]).exits(3).stderr,
        "error: there is no trail to run: what was found has a 'config' and no steps\nhint: add steps under 'trail:'\n"
    );
    std::fs::remove_file(space.path("trails/shared.trail.yaml")).unwrap();
    space.trail("one", &[]);
    assert_eq!(
        plan(&["--tag", "smoke"]).exits(3).stderr,
        "error: no trail fits --tag and --filter\nhint: found 1 trail, without tags\n"
    );
    space.write("trails/broken.trail.yaml", "trail: [\n");
    let ran = plan(&[]).exits(3);
    assert!(ran.stderr.ends_with("error: nothing was planned because of the errors above\n"), "{ran}");
    assert!(!space.path(".trailblaze/farm").exists());
}

/// A plan takes the place of a plan, and of nothing else.
#[test]
fn folders_of_somebody_else() {
    let space = lab();
    let into = |out: &str| {
        let args = ["farm", "plan", "--farm", "aws", "--app", "app.apk", "--test", "test.apk", "--out", out];
        space.run(&[&args[..], &["--project", crate::lab::PROJECT, "--devices", "Google Pixel 8"]].concat())
    };
    let refused = |out: &str, name: &str| {
        let before = space.files("");
        let hint = "hint: '--out DIR' takes a new folder, or the one of an earlier plan\n";
        let message = format!("error: {out} holds '{name}', which no plan wrote\n{hint}");
        assert_eq!(into(out).exits(2).stderr, message);
        assert_eq!(space.files(""), before);
    };
    space.write("mine/plan.json", "{\"files\":[\"notes.txt\"],\"shards\":[]}");
    space.write("mine/notes.txt", "mine");
    refused("mine", "notes.txt");
    std::fs::remove_file(space.path("mine/notes.txt")).unwrap();
    refused("mine", "plan.json");
    assert_eq!(space.read("mine/plan.json"), "{\"files\":[\"notes.txt\"],\"shards\":[]}");
    refused("trails", "cart");
    // What lies beside a plan stays, and what a plan wrote gives way.
    space.write("new/.gitignore", "*");
    into("new").exits(0);
    for name in ["new/runs.txt", "new/results/notes.txt"] {
        space.write(name, "mine");
    }
    into("new").exits(0);
    assert_eq!(space.read("new/runs.txt"), "mine");
    let plan = space.read("new/plan.json").replace("\"fetch.sh\",", "").replace(",\n    \"fetch.sh\"", "");
    space.write("new/plan.json", plan);
    refused("new", "fetch.sh");
}

#[test]
fn signs_that_leave_nothing_to_stand_between() {
    let options = ["--devices", "shiba-34", "-e", "memory=a=1,2;b=|~@@%%"];
    let message = "error: the values of the options hold ',', ';', '|', '~', '@@' and '%%', and nothing is left to stand \
                   between them\nhint: write one of these signs in another way\n";
    refused(&lab(), "device-run", &options, 3, message);
}
