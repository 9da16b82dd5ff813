//! `-e NAME=VALUE` that the runner on the phone would not understand.

use crate::lab::{lab, plan, refused};

const SHIBA: [&str; 2] = ["--devices", "shiba-34"];

#[track_caller]
fn check(farm: &str, pairs: &[&str], message: &str) {
    let pairs: Vec<&str> = pairs.iter().flat_map(|pair| ["-e", pair]).collect();
    let devices = if farm == "aws" { ["--devices", "Google Pixel 8"] } else { SHIBA };
    refused(&lab(), farm, &[&devices[..], &pairs].concat(), 3, message);
}

#[test]
fn limits_of_the_farm() {
    let long = format!("memory=text={}", "x".repeat(1_020));
    check(
        "device-run",
        &[&long],
        "error: the option 'memory' has 1025 bytes; the farm takes 1024\nhint: put it into the workspace, which is packed \
         into the APK\n",
    );
    let name = "k".repeat(65);
    check(
        "device-run",
        &[&format!("{name}=1")],
        &format!(
            "error: the name of the option '{name}' has 65 bytes; the farm takes 64\nhint: give it a shorter name\n"
        ),
    );
    let many: Vec<String> = (0..31).map(|number| format!("key{number}=1")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check(
        "device-run",
        &many,
        "error: 33 options, 2 of them ours, are more than the farm takes, 32\nhint: put values into one option: '-e \
         memory=a=1;b=2'\n",
    );
}

#[test]
fn what_the_plan_says_itself() {
    let choose = "hint: choose trails with --tag and --filter, and shards with --shards\n";
    for key in ["class", "notClass", "testFile", "tests_regex", "package", "tags", "numShards", "log"] {
        let message = format!("error: the option '{key}' is set by the plan\n{choose}");
        check("firebase", &[&format!("{key}=a")], &message);
    }
    check(
        "firebase",
        &["target=shop"],
        "error: the option 'target' is set by the plan\nhint: choose it with --target\n",
    );
    check(
        "firebase",
        &["additionalTestOutputDir=/sdcard/x"],
        "error: the option 'additionalTestOutputDir' is set by the plan\nhint: leave it out: reports are fetched from where \
         the runner writes them by itself\n",
    );
    for key in ["mode", "session", "patience", "stopFile", "argumentsFile"] {
        let message = format!(
            "error: the option '{key}' is for a laptop that drives the phone\nhint: leave it out: on a farm the phone runs \
             the trails itself\n"
        );
        check("firebase", &[&format!("{key}=serve")], &message);
    }
}

/// What is refused without its value.
fn secret(key: &str) -> String {
    format!(
        "error: '{key}' is the name of a secret, and a plan holds none: its files are kept and shown\nhint: let the app \
         under test or a toolset fetch it\n"
    )
}

#[test]
fn what_nobody_could_mean() {
    check(
        "firebase",
        &["dedline=5m"],
        "error: the runner knows no option 'dedline'\nhint: did you mean 'deadline'?\n",
    );
    check(
        "firebase",
        &["tag=smoke"],
        "error: the runner knows no option 'tag'\nhint: choose trails with --tag and --filter, and shards with --shards\n",
    );
    check("firebase", &["secrets=pin=4711"], &secret("secrets"));
    for pair in ["password=hunter2", "apiKey=hunter2", "GITHUB_TOKEN=hunter2", "secret.pin=hunter2"] {
        check("firebase", &[pair], &secret(pair.split('=').next().unwrap()));
    }
    check(
        "firebase",
        &["a b=1"],
        "error: 'a b' is no name of an option: letters, digits and '_.-', two at least\nhint: write NAME=VALUE, such as '-e \
         retries=1'\n",
    );
    check(
        "firebase",
        &["memory=a=1", "memory=b=2"],
        "error: the option 'memory' is given twice\nhint: give it once\n",
    );
    check(
        "firebase",
        &["memory=a\nb"],
        "error: the option 'memory' has a line break in it\nhint: put ';' between the values of 'memory'\n",
    );
}

/// The runner itself reads them.
#[test]
fn values_that_the_runner_would_refuse() {
    for (pair, expected) in [
        ("deadline=soon", "'deadline' must be a time such as '30m', '90s' or '1h', not 'soon'"),
        ("deadline=5x", "'deadline' must be a time such as '30m', '90s' or '1h', not '5x'"),
        ("retries=x", "'retries' must be a whole number, not 'x'"),
        ("strict=yes", "'strict' must be true or false, not 'yes'"),
        (
            "driver=sim",
            "'driver' must be 'android-ondevice-accessibility' or 'android-ondevice-instrumentation', not 'sim'",
        ),
        ("memory=pin", "'memory' must be name=value, one a line or with ';' between, not 'pin'"),
    ] {
        let hint = "hint: write it so, or leave it out: the runner on the phone would start no trail\n";
        check("firebase", &[pair], &format!("error: the argument {expected}\n{hint}"));
    }
}

#[test]
fn deadlines_that_make_no_sense() {
    let hint =
        |latest: &str| format!("hint: leave it out: the plan sets '{latest}', and --minutes asks for less\n");
    for (deadline, shown) in [("3h", "180.0"), ("45m", "45.0"), ("2641s", "44.1")] {
        check(
            "firebase",
            &[&format!("deadline={deadline}")],
            &format!(
                "error: the deadline after {shown} minutes is too late: the farm ends a shard after 45, and 1 is kept for the \
                 reports\n{}",
                hint("44m")
            ),
        );
    }
    let none = "error: no trail is started before a deadline of 0\n";
    check("aws", &["deadline=0m"], &format!("{none}{}", hint("149m")));
}

#[test]
fn what_is_only_told() {
    let space = lab();
    let ran = plan(&space, "firebase", &[&SHIBA[..], &["-e", "flavour=red"]].concat()).exits(0);
    let known = "deadline, driver, memory, retries, strict, timeout_msec and workspace";
    let told = format!(
        "warning: the runner knows no option 'flavour', and leaves it alone\nhint: it knows {known}\n5 trails in 1 shard"
    );
    assert!(ran.stderr.starts_with(&told), "{ran}");
    assert!(space.read("plan/gcloud.yml").contains("    flavour: red\n"));
    // Five trails of a minute each.
    let ran = plan(&space, "firebase", &[&SHIBA[..], &["-e", "deadline=3m"]].concat()).exits(0);
    assert!(
        ran.stderr.starts_with(
            "warning: the deadline after 3.0 minutes comes before the end of shard 1, which is expected to take 5.0\nhint: "
        ),
        "{ran}"
    );
    assert!(space.read("plan/gcloud.yml").contains("    deadline: \"3m\"\n"));
    let ran = plan(&space, "firebase", &[&SHIBA[..], &["-e", "deadline=44m"]].concat()).exits(0);
    assert!(ran.stderr.starts_with("5 trails in 1 shard"), "{ran}");
}
