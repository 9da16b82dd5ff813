//! Plans for Device Run.

use insta::assert_snapshot;

use crate::lab::{lab, lab_of, plan};

#[test]
fn one_shard_is_one_line() {
    let space = lab();
    let args =
        ["--devices", "shiba-34,tokay-35", "--filter", "cart/*", "--retries", "2", "-e", "memory=a=1;b=x|y"];
    let ran = plan(&space, "device-run", &args).exits(0);
    assert_snapshot!(ran, @"
    exit: 0
    ----- stdout
    gcloud beta device-run sessions submit instrumentation --device=shiba-34,tokay-35 --apps=app.apk --test=test.apk --test-runner-class=dev.trailblaze.agent.TrailblazeInstrumentation --instrumentation-timeout=45m '--additional-test-options=class=dev.trailblaze.trails.Cart,deadline=44m,memory=a=1;b=x|y' --paths-to-pull=/sdcard/Android/data/dev.trailblaze.agent/files/reports --flaky-test-attempts=3
    ----- stderr
    2 trails in 1 shard on shiba-34, tokay-35
      shard 1: 2 trails, about 2.0 of 45 minutes
      nobody has seen these trails run on a phone: their times are guessed
    then, when it is over: gcloud beta device-run sessions wait SESSION
    and: gcloud storage cp --recursive gs://PROJECT-devicerun/automation/sessions/SESSION results
      SESSION is what the command says, 'session-…'
    and: trailblaze farm collect results --plan plan
    plan: plan
    ");
    assert_eq!(space.files("plan"), ["plan/plan.json"]);
}

#[test]
fn every_shard_is_a_session() {
    let space = lab();
    let ran = plan(&space, "device-run", &["--devices", "shiba-34", "--shards", "2"]).exits(0);
    assert_eq!(ran.stdout, "sh plan/run.sh\n");
    assert!(
        ran.stderr
            .contains("\n  for each of the 2 sessions; SESSION is what the command says, 'session-…'\n")
    );
    assert_snapshot!(space.read("plan/run.sh"), @r#"
    #!/bin/sh
    # One session for each shard; they run side by side.
    set -e
    CDPATH= cd -P "$(dirname "$0")"/..
    gcloud beta device-run sessions submit instrumentation \
      --device=shiba-34 \
      --apps=app.apk \
      --test=test.apk \
      --test-runner-class=dev.trailblaze.agent.TrailblazeInstrumentation \
      --instrumentation-timeout=45m \
      '--additional-test-options=^;^class=dev.trailblaze.trails.Cart#add,dev.trailblaze.trails.SignIn#bad,dev.trailblaze.trails.Trails;deadline=44m' \
      --paths-to-pull=/sdcard/Android/data/dev.trailblaze.agent/files/reports \
      --labels=trailblaze-shard=1 \
      --async
    gcloud beta device-run sessions submit instrumentation \
      --device=shiba-34 \
      --apps=app.apk \
      --test=test.apk \
      --test-runner-class=dev.trailblaze.agent.TrailblazeInstrumentation \
      --instrumentation-timeout=45m \
      '--additional-test-options=^;^class=dev.trailblaze.trails.Cart#pay,dev.trailblaze.trails.SignIn#good;deadline=44m' \
      --paths-to-pull=/sdcard/Android/data/dev.trailblaze.agent/files/reports \
      --labels=trailblaze-shard=2 \
      --async
    "#);
}

/// Newer versions of gcloud give three hours to whoever asks for them.
#[test]
fn more_minutes_are_given_to_who_asks() {
    let space = lab();
    let args = ["--devices", "shiba-34", "--minutes", "180", "--project", "shop-1", "--filter", "tour"];
    let ran = plan(&space, "device-run", &args).exits(0);
    assert!(ran.stdout.contains(" --instrumentation-timeout=180m "), "{ran}");
    assert!(ran.stdout.contains(",deadline=179m "), "{ran}");
    assert!(ran.stderr.contains(" gs://shop-1-devicerun/automation/sessions/SESSION results\n"), "{ran}");
    assert!(ran.stderr.contains(" sessions wait SESSION --project=shop-1\n"), "{ran}");
}

/// A virtual device with Arm has the limits of virtual ones.
#[test]
fn devices_with_arm_are_known_by_their_names() {
    for device in ["MediumPhone.arm-34", "androidtablet270dpi-arm-30"] {
        let ran = plan(&lab(), "device-run", &["--devices", device]).exits(0);
        assert!(ran.stdout.contains("--instrumentation-timeout=60m"), "{ran}");
    }
}

/// Thirty-five names are longer than an option may be.
#[test]
fn names_that_do_not_fit_are_pushed() {
    let ids: Vec<String> = (0..70).map(|number| format!("suite/trail-with-a-long-name-x{number}")).collect();
    let space = lab_of(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    plan(&space, "device-run", &["--devices", "shiba-34", "--shards", "2"]).exits(0);
    let script = space.read("plan/run.sh");
    assert!(
        !script.contains("dev.trailblaze.trails.") && script.lines().all(|line| line.len() < 1_024),
        "{script}"
    );
    for number in [1, 2] {
        let push =
            format!("--other-files-to-push=plan/shard-{number}.txt=/data/local/tmp/trailblaze-tests.txt");
        assert!(script.contains(&push), "{script}");
        let names = space.read(&format!("plan/shard-{number}.txt"));
        assert_eq!(names.lines().count(), 35);
        assert!(names.starts_with("dev.trailblaze.trails.Suite#trailWithALongNameX"), "{names}");
    }
    assert!(
        script
            .contains("--additional-test-options=deadline=44m,testFile=/data/local/tmp/trailblaze-tests.txt")
    );
}

/// What gcloud documents for `device-run sessions submit instrumentation`.
const FLAGS: [&str; 25] = [
    "device",
    "test",
    "additional-test-options",
    "apps",
    "async",
    "bucket-name",
    "bugreport",
    "coordinates",
    "dumpsys",
    "flaky-test-attempts",
    "flaky-test-parallel-retry",
    "flaky-test-retry-level",
    "instrumentation-timeout",
    "labels",
    "locale",
    "location",
    "orchestrator-version",
    "orientation",
    "other-files-to-push",
    "paths-to-pull",
    "project",
    "sharding-option",
    "test-runner-class",
    "test-targets",
    "video",
];

#[test]
fn gcloud_documents_every_flag() {
    let space = lab();
    let args = ["--devices", "shiba-34", "--shards", "2", "--retries", "1", "--project", "shop"];
    plan(&space, "device-run", &args).exits(0);
    let script = space.read("plan/run.sh");
    let flags = script.split("--").skip(1).map(|rest| rest.split(['=', ' ', '\n']).next().unwrap());
    let unknown: Vec<&str> = flags.filter(|flag| !FLAGS.contains(flag)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
