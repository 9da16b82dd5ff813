//! Plans for AWS Device Farm, with the scripts run against programs that play aws and curl.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::lab::{all_passed, collect, lab, outcomes, plan, zip};
use crate::space::{Space, json};

#[test]
fn a_spec_starts_our_runner() {
    let space = lab();
    let args =
        ["--devices", "Google Pixel 8,Samsung Galaxy S23", "--shards", "2", "-e", "memory=user=ann o'hara"];
    let ran = plan(&space, "aws", &args).exits(0);
    assert_snapshot!(ran, @"
    exit: 0
    ----- stdout
    sh plan/run.sh
    ----- stderr
    5 trails in 2 shards on Google Pixel 8, Samsung Galaxy S23
      shard 1: 3 trails, about 3.0 of 150 minutes
      shard 2: 2 trails, about 2.0 of 150 minutes
      nobody has seen these trails run on a phone: their times are guessed
    then, when the runs are over: sh plan/fetch.sh plan/runs.txt results
    and: trailblaze farm collect results --plan plan
    plan: plan
    ");
    assert_snapshot!(space.read("plan/shard-1.yml"), @r#"
    version: 0.1
    android_test_host: amazon_linux_2
    phases:
      install:
        commands: []
      pre_test:
        commands:
          - printf '%s\n' 'dev.trailblaze.trails.Cart#add' 'dev.trailblaze.trails.SignIn#bad' dev.trailblaze.trails.Trails > "$DEVICEFARM_LOG_DIR/tests.txt"
          - adb -s "$DEVICEFARM_DEVICE_UDID" push "$DEVICEFARM_LOG_DIR/tests.txt" /data/local/tmp/trailblaze-tests.txt
      test:
        commands:
          - adb -s "$DEVICEFARM_DEVICE_UDID" shell 'am instrument -w -r -e deadline 149m -e memory '\''user=ann o'\''\'\'''\''hara'\'' -e testFile /data/local/tmp/trailblaze-tests.txt dev.trailblaze.agent/dev.trailblaze.agent.TrailblazeInstrumentation' > "$DEVICEFARM_LOG_DIR/instrumentation.results" 2>&1 || true
          - cat "$DEVICEFARM_LOG_DIR/instrumentation.results"
          - "grep -q '^INSTRUMENTATION_CODE: -1' \"$DEVICEFARM_LOG_DIR/instrumentation.results\""
          - "! grep -Eq '^INSTRUMENTATION_STATUS_CODE: -[12]' \"$DEVICEFARM_LOG_DIR/instrumentation.results\""
      post_test:
        commands:
          - adb -s "$DEVICEFARM_DEVICE_UDID" pull /sdcard/Android/data/dev.trailblaze.agent/files/reports "$DEVICEFARM_LOG_DIR/reports" || true
    artifacts:
      - $DEVICEFARM_LOG_DIR
    "#);
    assert_snapshot!(space.read("plan/run-shard-1.json"), @r#"
    {
      "projectArn": "arn:aws:devicefarm:us-west-2:123456789012:project:0f3d7b1a",
      "appArn": "arn:aws:devicefarm:us-west-2:000000000000:upload:app",
      "name": "trailblaze-shard-1",
      "test": {
        "type": "INSTRUMENTATION",
        "testPackageArn": "arn:aws:devicefarm:us-west-2:000000000000:upload:test",
        "testSpecArn": "arn:aws:devicefarm:us-west-2:000000000000:upload:spec"
      },
      "executionConfiguration": {
        "jobTimeoutMinutes": 150,
        "videoCapture": true
      },
      "deviceSelectionConfiguration": {
        "filters": [
          {
            "attribute": "PLATFORM",
            "operator": "EQUALS",
            "values": [
              "ANDROID"
            ]
          },
          {
            "attribute": "MODEL",
            "operator": "IN",
            "values": [
              "Google Pixel 8",
              "Samsung Galaxy S23"
            ]
          }
        ],
        "maxDevices": 2
      }
    }
    "#);
    assert_snapshot!(space.read("plan/upload-shard-1.json"), @r#"
    {
      "projectArn": "arn:aws:devicefarm:us-west-2:123456789012:project:0f3d7b1a",
      "name": "shard-1.yml",
      "type": "INSTRUMENTATION_TEST_SPEC",
      "contentType": "application/octet-stream"
    }
    "#);
}

#[test]
fn a_pool_is_a_list_of_devices() {
    let space = lab();
    let pool = "arn:aws:devicefarm:us-west-2:123456789012:devicepool:a/b";
    plan(&space, "aws", &["--devices", pool]).exits(0);
    let call = json(&space.read("plan/run-shard-1.json"));
    assert_eq!(call["devicePoolArn"], pool);
    assert_eq!(call["deviceSelectionConfiguration"], serde_json::Value::Null);
    // Only the farm knows what is in it.
    assert_eq!(json(&space.read("plan/plan.json"))["devices"], serde_json::json!([]));
}

#[test]
fn in_the_standard_environment_the_farm_finds_the_tests() {
    let space = lab();
    plan(&space, "aws", &["--devices", "Google Pixel 8", "--standard", "--shards", "2"]).exits(0);
    assert!(!space.path("plan/shard-1.yml").exists());
    let call = json(&space.read("plan/run-shard-1.json"));
    let filter =
        "dev.trailblaze.trails.Cart#add,dev.trailblaze.trails.SignIn#bad,dev.trailblaze.trails.Trails";
    assert_eq!(call["test"]["filter"], filter);
    assert_eq!(call["test"]["testSpecArn"], serde_json::Value::Null);
}

/// More than 250 cases may be skipped there.
#[test]
fn the_standard_environment_takes_250_cases() {
    let ids: Vec<String> = (0..251).map(|number| format!("a/t{number}")).collect();
    let space = crate::lab::lab_of(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let times: Vec<(&str, u64)> = ids.iter().map(|id| (id.as_str(), 1_000)).collect();
    crate::lab::earlier_run(&space, "2026-01-01T00-00-00Z-a", &times);
    let pixel = ["--devices", "Google Pixel 8"];
    let ran = plan(&space, "aws", &[&pixel[..], &["--standard", "--shards", "1"]].concat()).exits(3);
    assert!(
        ran.stderr.starts_with("error: one shard is too few: shard 1 would have 251 trails of 250\n"),
        "{ran}"
    );
    let ran = plan(&space, "aws", &[&pixel[..], &["--standard"]].concat()).exits(0);
    assert!(ran.stderr.starts_with("251 trails in 2 shards on Google Pixel 8\n"), "{ran}");
    let ran = plan(&space, "aws", &pixel).exits(0);
    assert!(ran.stderr.starts_with("251 trails in 1 shard on Google Pixel 8\n"), "{ran}");
}

/// Plays aws: uploads are numbered, the first question after an upload finds it unfinished, and runs are named after
/// what they were asked for.
const AWS: &str = r#"#!/bin/sh
echo "$@" >> calls.txt
[ "$1" = devicefarm ] || exit 9
[ -e fails ] && [ "$2" = "$(cat fails)" ] && exit 1
case $2 in
  create-upload)
    file=${4#file://}
    kind=$(sed -n 's/.*"type": "\([A-Z_]*\)".*/\1/p' "$file")
    printf 'arn:aws:devicefarm:us-west-2:1:upload:%s\thttp://put/%s\n' "$kind-$(grep -c create-upload calls.txt)" "$kind" ;;
  get-upload)
    if [ -e polled ]; then echo SUCCEEDED; else touch polled; echo PROCESSING; fi ;;
  schedule-run)
    printf '%s' "$4" > "call-$(grep -c schedule-run calls.txt).json"
    echo "arn:run:$(grep -c schedule-run calls.txt)" ;;
  list-jobs) printf 'arn:job:%s\tGoogle Pixel 8\n' "${4##*:}" ;;
  list-artifacts)
    printf 'Customer Artifacts\tzip\thttp://get/%s.zip\nVideo\tmp4\thttp://get/video\nLogcat\tlogcat\thttp://get/log\n' "${4##*:}" ;;
esac
"#;
const CURL: &str = r#"#!/bin/sh
echo "curl $@" >> calls.txt
for word; do last=$word; done
case $last in
  http://get/*.zip) cp "fixtures/${last##*/}" "$5" ;;
  http://get/log) echo "nothing" > "$5" ;;
esac
"#;

fn played(space: &Space, script: &[&str]) {
    let output = play(space, script);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn play(space: &Space, script: &[&str]) -> std::process::Output {
    play_in(space, "", script)
}

fn play_in(space: &Space, folder: &str, script: &[&str]) -> std::process::Output {
    for (name, text) in [("bin/aws", AWS), ("bin/curl", CURL), ("bin/sleep", "#!/bin/sh\n")] {
        space.write(name, text);
        fs::set_permissions(space.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", space.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = std::process::Command::new("sh");
    command.args(script).current_dir(space.path(folder)).env("PATH", path).output().unwrap()
}

/// Whichever call fails, the script ends and does not go on with half of it.
#[test]
fn a_call_that_fails_ends_the_script() {
    for call in ["create-upload", "get-upload", "schedule-run", "list-jobs", "list-artifacts"] {
        let space = lab();
        plan(&space, "aws", &["--devices", "Google Pixel 8"]).exits(0);
        let script: &[&str] = match call {
            "list-jobs" | "list-artifacts" => {
                space.write("plan/runs.txt", "shard-1 arn:run:1\n");
                &["plan/fetch.sh", "plan/runs.txt", "results"]
            }
            _ => &["plan/run.sh"],
        };
        space.write("fails", call);
        assert!(!play(&space, script).status.success(), "{call}");
        let calls = space.read("calls.txt");
        let last = calls.lines().rfind(|line| line.starts_with("devicefarm ") || line.starts_with("curl "));
        assert!(last.unwrap().contains(call), "{call}: {calls}");
    }
}

/// What an earlier try has started is known until there is something new.
#[test]
fn runs_are_kept_until_one_is_started() {
    let space = lab();
    plan(&space, "aws", &["--devices", "Google Pixel 8"]).exits(0);
    space.write("plan/runs.txt", "shard-1 arn:run:old\n");
    for call in ["create-upload", "schedule-run"] {
        space.write("fails", call);
        assert!(!play(&space, &["plan/run.sh"]).status.success());
        assert_eq!(space.read("plan/runs.txt"), "shard-1 arn:run:old\n");
    }
    fs::remove_file(space.path("fails")).unwrap();
    fs::remove_file(space.path("calls.txt")).unwrap();
    // From wherever it is started, and through a link.
    std::os::unix::fs::symlink(space.path("plan"), space.path("trails/link")).unwrap();
    let output = play_in(&space, "trails/cart", &["../link/run.sh"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(space.read("plan/runs.txt"), "shard-1 arn:run:1\n");
}

#[test]
fn nothing_to_fetch() {
    let space = lab();
    plan(&space, "aws", &["--devices", "Google Pixel 8"]).exits(0);
    let told = |args: &[&str], code: i32, expected: &str| {
        let output = play(&space, &[&["plan/fetch.sh"], args].concat());
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    };
    let usage = "usage: sh plan/fetch.sh RUNS FOLDER, where RUNS is the runs.txt that run.sh wrote\n";
    told(&[], 2, usage);
    told(&["plan/runs.txt"], 2, usage);
    let none = "there are no runs in plan/runs.txt: run.sh has started none\n";
    told(&["plan/runs.txt", "results"], 1, none);
    space.write("plan/runs.txt", "");
    told(&["plan/runs.txt", "results"], 1, none);
}

#[test]
fn the_scripts_upload_start_and_fetch() {
    let space = lab();
    plan(&space, "aws", &["--devices", "Google Pixel 8", "--shards", "2"]).exits(0);
    played(&space, &["plan/run.sh"]);
    assert_eq!(space.read("plan/runs.txt"), "shard-1 arn:run:1\nshard-2 arn:run:2\n");
    for (number, spec) in [(1, 3), (2, 4)] {
        let call = json(&space.read(&format!("call-{number}.json")));
        let arn = |name: &str| format!("arn:aws:devicefarm:us-west-2:1:upload:{name}");
        assert_eq!(call["appArn"], arn("ANDROID_APP-1"));
        assert_eq!(call["test"]["testPackageArn"], arn("INSTRUMENTATION_TEST_PACKAGE-2"));
        assert_eq!(call["test"]["testSpecArn"], arn(&format!("INSTRUMENTATION_TEST_SPEC-{spec}")));
    }
    let puts = space.read("calls.txt").lines().filter(|line| line.contains("--upload-file")).count();
    assert_eq!(puts, 4);

    let inner = "Host_Machine_Files/$DEVICEFARM_LOG_DIR/instrumentation.results";
    space.write("fixtures/1.zip", zip(&[(inner, all_passed(&["cart/add", "sign-in/bad", "tour"]))]));
    space.write("fixtures/2.zip", zip(&[(inner, all_passed(&["cart/pay", "sign-in/good"]))]));
    played(&space, &["plan/fetch.sh", "plan/runs.txt", "results"]);
    // A call may have line breaks in it.
    let calls = space.read("calls.txt");
    let count = |is: &dyn Fn(&&str) -> bool| calls.lines().filter(is).count();
    let asked = count(&|line| line.starts_with("devicefarm "));
    assert_eq!(count(&|line| line.ends_with(" --region us-west-2")), asked);
    let files = ["shard-1/Google Pixel 8/Customer_Artifacts.zip", "shard-1/Google Pixel 8/Logcat.logcat"];
    assert_eq!(space.files("results")[..2], files.map(|file| format!("results/{file}")));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(0);
    let passed =
        ["cart/add", "cart/pay", "sign-in/bad", "sign-in/good", "tour"].map(|id| format!("{id} passed"));
    assert_eq!(outcomes(&ran), passed);
}
