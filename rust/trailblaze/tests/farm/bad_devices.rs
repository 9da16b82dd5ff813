//! Devices that no farm has, or that take no test APK of ours.

use crate::lab::{APP, MANIFEST, lab, plan, refused};

#[test]
fn farms_that_nobody_knows() {
    let space = lab();
    let refused = |farm: &str, message: &str| refused(&space, farm, &["--devices", "shiba-34"], 2, message);
    refused("fireball", "error: unknown farm 'fireball'\nhint: did you mean 'firebase'?\n");
    refused("saucelabs", "error: unknown farm 'saucelabs'\nhint: known farms: firebase, device-run, aws\n");
}

#[test]
fn devices_of_gcloud() {
    let space = lab();
    let list = "'gcloud firebase test android models list'";
    for (device, why) in [
        ("shiba", "it has no version"),
        ("shiba-x", "it has no version"),
        ("shiba-", "it has no version"),
        ("my phone-34", "a model has letters, digits and '_.-'"),
        ("model=shiba,os=34", "'os' is none of model, version, locale, orientation"),
        ("model=shiba,version=", "'version' has no value"),
        ("model=shiba,version=14.0", "its version is no API level"),
        ("model=shiba,version=34,version=35", "'version' is given twice"),
        ("model=shiba,version=34,orientation=up", "'up' is neither portrait nor landscape"),
        ("model=shiba", "it needs a model and a version"),
        ("model=shiba,34", "write KEY=VALUE"),
    ] {
        let message = format!(
            "error: '{device}' is no device: {why}\nhint: write MODEL-VERSION, such as 'shiba-34'; {list} lists them\n"
        );
        refused(&space, "firebase", &["--devices", device], 2, &message);
    }
    refused(
        &space,
        "device-run",
        &["--devices", "shiba-34,shiba-34"],
        2,
        "error: the device 'shiba-34' is named twice\nhint: name it once\n",
    );
    refused(
        &space,
        "device-run",
        &["--devices", ","],
        2,
        "error: --devices names no device\nhint: write MODEL-VERSION, such as 'shiba-34'; 'gcloud beta device-run devices \
         list' lists them\n",
    );
}

#[test]
fn devices_of_aws() {
    let space = lab();
    let refused = |args: &[&str], message: &str| refused(&space, "aws", args, 2, message);
    let arn = "that ARN is not one of a device or a device pool";
    for (device, why) in [
        ("shiba-34", "that is how gcloud writes it"),
        ("model=shiba", "that is how gcloud writes it"),
        ("12", "a model has a name"),
        ("arn:aws:devicefarm:us-west-2:123456789012:run:a/b", arn),
        ("arn:aws:devicefarm:us-west-2::device:", arn),
        ("arn:aws:devicefarm:us-west-2:123456789012:devicepool", arn),
        ("arn:aws:devicefarm:us-west-2:12345:devicepool:a/b", arn),
        ("arn:aws:devicefarm", arn),
        ("arn:aws:s3:::bucket", arn),
    ] {
        let hint = "hint: write models such as 'Google Pixel 8', or the ARN of a device pool; 'aws devicefarm list-devices \
                    --region us-west-2' lists them";
        refused(&["--devices", device], &format!("error: '{device}' is no device: {why}\n{hint}\n"));
    }
    let pool = "arn:aws:devicefarm:us-west-2:123456789012:devicepool:a/b";
    refused(
        &["--devices", pool, "--devices", "Google Pixel 8"],
        "error: a device pool stands alone: it is a list of devices itself\nhint: plan the pool and the other devices one \
         after the other\n",
    );
    refused(
        &["--devices", "Google Pixel 8,arn:aws:devicefarm:us-west-2::device:70D5B226"],
        "error: devices are named by their models or by their ARNs, not by both\nhint: the farm takes only devices that fit \
         all it is told\n",
    );
    refused(
        &["--devices", "Google Pixel 8", "--kind", "arm"],
        "error: AWS Device Farm has physical devices only\nhint: leave --kind out\n",
    );
}

/// The app of the lab needs 28, and the agent 26.
#[test]
fn phones_that_are_too_old() {
    let space = lab();
    let hint = |list: &str| format!("hint: versions are API levels, Android 14 is 34; '{list}' lists them\n");
    let models = hint("gcloud firebase test android models list");
    let devices = hint("gcloud beta device-run devices list");
    let firebase = |device: &str, message: &str| {
        refused(&space, "firebase", &["--devices", device], 3, &format!("{message}\n{models}"));
    };
    firebase("shiba-34,flo-21", "error: the device 'flo-21' has API level 21, and app.apk needs 28");
    firebase(
        "model=sailfish,version=27",
        "error: the device 'sailfish-27' has API level 27, and app.apk needs 28",
    );
    // Whoever writes the number of the release.
    firebase("shiba-14", "error: the device 'shiba-14' has API level 14, and app.apk needs 28");
    refused(
        &space,
        "device-run",
        &["--devices", "flo-21"],
        3,
        &format!("error: the device 'flo-21' has API level 21, and app.apk needs 28\n{devices}"),
    );
    plan(&space, "firebase", &["--devices", "blueline-28"]).exits(0);
    // An app in a bucket cannot be asked, but the tests can; and what the agent needs is known.
    let bucket = |test: &str, device: &str| {
        let apks = ["--app", "gs://b/app.apk", "--test", test, "--devices", device];
        space.run(&[&["farm", "plan", "--farm", "firebase"], &apks[..]].concat())
    };
    let told =
        |apk: &str| format!("error: the device 'flo-25' has API level 25, and {apk} needs 26\n{models}");
    assert_eq!(bucket("test.apk", "flo-25").exits(3).stderr, told("test.apk"));
    assert_eq!(bucket("gs://b/test.apk", "flo-25").exits(3).stderr, told("the agent"));
    bucket("gs://b/test.apk", "flo-26").exits(0);
}

/// What the plan takes the agent to need is what its manifest says.
#[test]
fn the_agent_needs_what_its_manifest_says() {
    let min_sdk = |bytes: &[u8]| trailblaze_apk::manifest::Manifest::read(bytes).unwrap().min_sdk();
    assert_eq!((min_sdk(MANIFEST), min_sdk(APP)), (26, 28));
}
