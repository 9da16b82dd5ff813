//! Plans that cannot be: each with its reason, and nothing is written.

use crate::lab::{earlier_run, lab, plan};
use crate::space::Space;

#[track_caller]
fn refused(space: &Space, farm: &str, args: &[&str], code: i32, message: &str) {
    let ran = plan(space, farm, args).exits(code);
    assert_eq!(ran.stderr, message, "{ran}");
    assert_eq!(ran.stdout, "");
    assert!(!space.path("plan").exists(), "something was written: {:?}", space.files("plan"));
}

const SHIBA: [&str; 2] = ["--devices", "shiba-34"];

#[test]
fn farms_and_devices_that_nobody_knows() {
    let space = lab();
    let refused =
        |farm: &str, args: &[&str], code: i32, message: &str| refused(&space, farm, args, code, message);
    refused("fireball", &SHIBA, 2, "error: unknown farm 'fireball'\nhint: did you mean 'firebase'?\n");
    refused(
        "saucelabs",
        &SHIBA,
        2,
        "error: unknown farm 'saucelabs'\nhint: known farms: firebase, device-run, aws\n",
    );
    refused(
        "firebase",
        &["--devices", "shiba"],
        2,
        "error: 'shiba' is no device: it has no version\nhint: write MODEL-VERSION, such as 'shiba-34'; 'gcloud firebase \
         test android models list' lists them\n",
    );
    refused(
        "firebase",
        &["--devices", "model=shiba,os=34"],
        2,
        "error: 'model=shiba,os=34' is no device: 'os' is none of model, version, locale, orientation\nhint: write \
         MODEL-VERSION, such as 'shiba-34'; 'gcloud firebase test android models list' lists them\n",
    );
    refused(
        "device-run",
        &["--devices", "shiba-34,shiba-34"],
        2,
        "error: the device 'shiba-34' is named twice\n",
    );
    refused(
        "device-run",
        &["--devices", ","],
        2,
        "error: --devices names no device\nhint: write MODEL-VERSION, such as 'shiba-34'; 'gcloud beta device-run devices \
         list' lists them\n",
    );
    let pool = "arn:aws:devicefarm:us-west-2:123456789012:devicepool:a/b";
    refused(
        "aws",
        &["--devices", pool, "--devices", "Google Pixel 8"],
        2,
        "error: a device pool stands alone: it is a list of devices itself\n",
    );
    refused(
        "aws",
        &["--devices", "Google Pixel 8,arn:aws:devicefarm:us-west-2::device:70D5B226"],
        2,
        "error: devices are named by their models or by their ARNs, not by both\nhint: the farm takes only devices that fit \
         all it is told\n",
    );
    refused(
        "aws",
        &["--devices", "arn:aws:devicefarm:us-west-2:123456789012:run:a/b"],
        2,
        "error: 'arn:aws:devicefarm:us-west-2:123456789012:run:a/b' is no device: that ARN is not one of a device or a \
         device pool\nhint: write models such as 'Google Pixel 8', or the ARN of a device pool; 'aws devicefarm \
         list-devices' lists them\n",
    );
    refused(
        "aws",
        &["--devices", "Google Pixel 8", "--kind", "arm"],
        2,
        "error: AWS Device Farm has physical devices only\n",
    );
}

#[test]
fn limits_of_the_farm() {
    let space = lab();
    let refused = |farm: &str, args: &[&str], message: &str| {
        refused(&space, farm, &[&SHIBA[..], args].concat(), 3, message);
    };
    refused("firebase", &["--shards", "51"], "error: 51 shards are more than this farm takes, 50\n");
    refused("device-run", &["--shards", "21"], "error: 21 shards are more than this farm takes, 20\n");
    refused(
        "firebase",
        &["--shards", "6"],
        "error: 6 shards are more than there are trails, 5\nhint: no shard may be empty\n",
    );
    refused(
        "firebase",
        &["--kind", "arm", "--shards", "201"],
        "error: 201 shards are more than this farm takes, 200\n",
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
    refused("firebase", &["--minutes", "1"], "error: 1 minutes are too few: 1 is kept for reports\n");
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
fn options_of_the_runner() {
    let space = lab();
    let refused = |farm: &str, args: &[&str], message: &str| {
        refused(&space, farm, &[&SHIBA[..], args].concat(), 3, message);
    };
    let long = format!("memory=text={}", "x".repeat(1_020));
    refused(
        "device-run",
        &["-e", &long],
        "error: the option 'memory' has 1025 bytes; the farm takes 1024\nhint: put it into the workspace, which is packed \
         into the APK\n",
    );
    let name = format!("{}=1", "k".repeat(65));
    refused(
        "device-run",
        &["-e", &name],
        &format!("error: the name of the option '{}' has 65 bytes; the farm takes 64\n", "k".repeat(65)),
    );
    let many: Vec<String> = (0..31).map(|number| format!("key{number}=1")).collect();
    let many: Vec<&str> = many.iter().flat_map(|pair| ["-e", pair.as_str()]).collect();
    refused("device-run", &many, "error: 33 options, two of them ours, are more than the farm takes, 32\n");
    refused(
        "firebase",
        &["-e", "class=a.B"],
        "error: the option 'class' is set by the plan\nhint: choose trails with --tag and --filter, and shards with \
         --shards\n",
    );
    refused(
        "firebase",
        &["-e", "secrets=pin=4711"],
        "error: secrets cannot stand in a plan: its files are kept and shown\nhint: let the app under test or a toolset \
         fetch them\n",
    );
    refused(
        "firebase",
        &["-e", "a b=1"],
        "error: 'a b' is no name of an option: letters, digits and '_.-', two at least\n",
    );
    refused("firebase", &["-e", "tags=a", "-e", "tags=b"], "error: the option 'tags' is given twice\n");
    refused("firebase", &["-e", "memory=a\nb"], "error: the option 'memory' has a line break in it\n");
}

#[test]
fn what_another_farm_knows() {
    let space = lab();
    let refused = |farm: &str, args: &[&str], message: &str| {
        refused(&space, farm, &[&SHIBA[..], args].concat(), 2, message);
    };
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
    let hint = "hint: 'aws devicefarm list-projects' lists them\n";
    assert_eq!(
        ran.stderr,
        format!("error: AWS Device Farm needs --project with the ARN of a project\n{hint}")
    );
    let ran = space.run(&[&alone[..], &["--project", "shop"]].concat()).exits(2);
    assert_eq!(ran.stderr, format!("error: 'shop' is no ARN of a project of AWS Device Farm\n{hint}"));
}

#[test]
fn apks_that_a_farm_would_refuse() {
    let space = lab();
    let refused = |farm: &str, app: &str, test: &str, message: &str| {
        let project: &[&str] = if farm == "aws" { &["--project", crate::lab::PROJECT] } else { &[] };
        let args = [
            "farm",
            "plan",
            "--farm",
            farm,
            "--devices",
            "shiba-34",
            "--out",
            "plan",
            "--app",
            app,
            "--test",
            test,
        ];
        let ran = space.run(&[&args[..], project].concat()).exits(3);
        assert_eq!(ran.stderr, message, "{ran}");
        assert!(!space.path("plan").exists());
    };
    refused("firebase", "none.apk", "test.apk", "error: --app: none.apk cannot be used: it does not exist\n");
    refused("firebase", "trails", "test.apk", "error: --app: trails cannot be used: it is a folder\n");
    refused(
        "firebase",
        "app.js",
        "test.apk",
        "error: --app: app.js cannot be used: this is no zip archive, or it is cut off\n",
    );
    space.write("zip.apk", trailblaze::archive::pack(&vec![("a".to_owned(), Vec::new())]).unwrap());
    refused(
        "firebase",
        "zip.apk",
        "test.apk",
        "error: --app: zip.apk is no APK: it has no AndroidManifest.xml\n",
    );
    space.write(
        "app.aab",
        trailblaze::archive::pack(&vec![("BundleConfig.pb".to_owned(), Vec::new())]).unwrap(),
    );
    refused(
        "aws",
        "app.aab",
        "test.apk",
        "error: --app: app.aab is an app bundle, and AWS Device Farm takes APKs only\n",
    );
    refused(
        "aws",
        "gs://b/app.apk",
        "test.apk",
        "error: --app: AWS Device Farm takes a file, not gs://b/app.apk\n",
    );
    let pack = "hint: 'trailblaze apk pack' makes it out of the workspace\n";
    refused("firebase", "app.apk", "app.apk", &format!("error: --test: app.apk holds no trails\n{pack}"));
    refused(
        "firebase",
        "app.apk",
        "zip.apk",
        &format!(
            "error: --test: zip.apk is no test APK of Trailblaze: it has no AndroidManifest.xml\n{pack}"
        ),
    );
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
