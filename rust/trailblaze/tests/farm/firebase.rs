//! Plans for Firebase Test Lab, and for Flank.

use insta::assert_snapshot;
use serde_json::Value;
use trailblaze_apk::manifest::{Changes, Manifest};

use crate::lab::{IDS, MANIFEST, lab, plan};
use crate::space::json;

#[test]
fn all_trails_in_one_shard_need_no_names() {
    let space = lab();
    let ran = plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
    assert_snapshot!(ran, @"
    exit: 0
    ----- stdout
    gcloud firebase test android run plan/gcloud.yml:trailblaze
    ----- stderr
    5 trails in 1 shard on shiba-34
      shard 1: 5 trails, about 5.0 of 45 minutes
      nobody has seen these trails run on a phone: their times are guessed
    or with Flank: flank firebase test android run -c plan/flank.yml
    then: gcloud storage cp --recursive gs://BUCKET/FOLDER results, as its output names them
    and: trailblaze farm collect results --plan plan
    plan: plan
    ");
    assert_snapshot!(space.read("plan/gcloud.yml"), @r#"
    trailblaze:
      type: instrumentation
      app: app.apk
      test: test.apk
      test-runner-class: dev.trailblaze.agent.TrailblazeInstrumentation
      use-orchestrator: false
      device:
        - model: shiba
          version: "34"
      timeout: "45m"
      environment-variables:
        deadline: "44m"
      directories-to-pull:
        - /sdcard/Android/data/dev.trailblaze.agent/files/reports
    "#);
}

#[test]
fn shards_are_named_by_what_is_in_them() {
    let space = lab();
    let args =
        ["--devices", "shiba-34,MediumPhone.arm-35", "--shards", "2", "--retries", "2", "--project", "shop"];
    let ran = plan(&space, "firebase", &args).exits(0);
    assert_snapshot!(ran, @"
    exit: 0
    ----- stdout
    gcloud beta firebase test android run plan/gcloud.yml:trailblaze --project=shop
    ----- stderr
    5 trails in 2 shards on shiba-34, MediumPhone.arm-35
      shard 1: 3 trails, about 3.0 of 45 minutes
      shard 2: 2 trails, about 2.0 of 45 minutes
      nobody has seen these trails run on a phone: their times are guessed
    or with Flank: flank firebase test android run -c plan/flank.yml
    then: gcloud storage cp --recursive gs://BUCKET/FOLDER results, as its output names them
    and: trailblaze farm collect results --plan plan
    plan: plan
    ");
    assert_snapshot!(space.read("plan/gcloud.yml"), @r#"
    trailblaze:
      type: instrumentation
      app: app.apk
      test: test.apk
      test-runner-class: dev.trailblaze.agent.TrailblazeInstrumentation
      use-orchestrator: false
      device:
        - model: shiba
          version: "34"
        - model: MediumPhone.arm
          version: "35"
      timeout: "45m"
      environment-variables:
        deadline: "44m"
      directories-to-pull:
        - /sdcard/Android/data/dev.trailblaze.agent/files/reports
      num-flaky-test-attempts: 2
      test-targets-for-shard:
        - class dev.trailblaze.trails.Cart#add,dev.trailblaze.trails.SignIn#bad,dev.trailblaze.trails.Trails
        - class dev.trailblaze.trails.Cart#pay,dev.trailblaze.trails.SignIn#good
    "#);
    assert_snapshot!(space.read("plan/flank.yml"), @r#"
    gcloud:
      app: app.apk
      test: test.apk
      test-runner-class: dev.trailblaze.agent.TrailblazeInstrumentation
      use-orchestrator: false
      device:
        - model: shiba
          version: "34"
        - model: MediumPhone.arm
          version: "35"
      timeout: "45m"
      environment-variables:
        deadline: "44m"
      directories-to-pull:
        - /sdcard/Android/data/dev.trailblaze.agent/files/reports
      num-flaky-test-attempts: 2
    flank:
      project: shop
      custom-sharding-json: plan/flank-shards.json
      local-result-dir: results
      full-junit-result: false
    "#);
    assert_snapshot!(space.read("plan/flank-shards.json"), @r#"
    {
      "matrix-0": {
        "app": "app.apk",
        "test": "test.apk",
        "shards": {
          "shard-0": [
            "class dev.trailblaze.trails.Cart#add",
            "class dev.trailblaze.trails.SignIn#bad",
            "class dev.trailblaze.trails.Trails#tour"
          ],
          "shard-1": [
            "class dev.trailblaze.trails.Cart#pay",
            "class dev.trailblaze.trails.SignIn#good"
          ]
        },
        "junit-ignored": []
      }
    }
    "#);
    assert_snapshot!(space.read("plan/plan.json").replace(env!("CARGO_PKG_VERSION"), "[version]"), @r#"
    {
      "trailblaze": "[version]",
      "farm": "firebase",
      "devices": [
        "shiba-34",
        "MediumPhone.arm-35"
      ],
      "minutes": 45,
      "files": [
        "gcloud.yml",
        "flank.yml",
        "flank-shards.json"
      ],
      "shards": [
        {
          "expectedMs": 180000,
          "trails": [
            {
              "id": "cart/add",
              "test": "dev.trailblaze.trails.Cart#add",
              "expectedMs": 60000
            },
            {
              "id": "sign-in/bad",
              "test": "dev.trailblaze.trails.SignIn#bad",
              "expectedMs": 60000
            },
            {
              "id": "tour",
              "test": "dev.trailblaze.trails.Trails#tour",
              "expectedMs": 60000
            }
          ]
        },
        {
          "expectedMs": 120000,
          "trails": [
            {
              "id": "cart/pay",
              "test": "dev.trailblaze.trails.Cart#pay",
              "expectedMs": 60000
            },
            {
              "id": "sign-in/good",
              "test": "dev.trailblaze.trails.SignIn#good",
              "expectedMs": 60000
            }
          ]
        }
      ]
    }
    "#);
}

#[test]
fn a_device_may_be_told_in_the_words_of_gcloud() {
    let space = lab();
    let devices =
        ["--devices", "model=shiba,version=34,locale=de,orientation=landscape", "--devices", "tokay-35"];
    plan(
        &space,
        "firebase",
        &[&devices[..], &["-e", "memory=user=ann;city=Bern", "--filter", "cart/*"]].concat(),
    )
    .exits(0);
    assert_snapshot!(space.read("plan/gcloud.yml"), @r#"
    trailblaze:
      type: instrumentation
      app: app.apk
      test: test.apk
      test-runner-class: dev.trailblaze.agent.TrailblazeInstrumentation
      use-orchestrator: false
      device:
        - model: shiba
          version: "34"
          locale: de
          orientation: landscape
        - model: tokay
          version: "35"
      timeout: "45m"
      environment-variables:
        deadline: "44m"
        memory: user=ann;city=Bern
      directories-to-pull:
        - /sdcard/Android/data/dev.trailblaze.agent/files/reports
      test-targets:
        - class dev.trailblaze.trails.Cart
    "#);
}

#[test]
fn the_same_plan_has_the_same_bytes() {
    let all = || {
        let space = lab();
        plan(&space, "firebase", &["--devices", "shiba-34", "--shards", "3"]).exits(0);
        space.files("plan").iter().map(|name| (name.clone(), space.read(name))).collect::<Vec<_>>()
    };
    assert_eq!(all(), all());
}

/// Where reports lie depends on the package; of an APK in a bucket it is not known.
#[test]
fn reports_are_pulled_from_the_package_of_the_tests() {
    let space = lab();
    let mut manifest = Manifest::read(MANIFEST).unwrap();
    let package = Some("com.example.trails".to_owned());
    manifest.change(&Changes { package, ..Changes::default() }).unwrap();
    let entries = IDS.iter().map(|id| (format!("assets/trailblaze/trails/{id}.trail.yaml"), Vec::new()));
    let manifest = ("AndroidManifest.xml".to_owned(), manifest.print());
    space.write("test.apk", trailblaze::archive::pack(&entries.chain([manifest]).collect()).unwrap());
    for (test, package) in
        [("test.apk", "com.example.trails"), ("gs://shop/test.apk", "dev.trailblaze.agent")]
    {
        let args = ["--app", "app.apk", "--test", test, "--devices", "shiba-34", "--out", "plan"];
        let ran = space.run(&[&["farm", "plan", "--farm", "firebase"], &args[..]].concat()).exits(0);
        let pulled = format!("- /sdcard/Android/data/{package}/files/reports\n");
        assert!(space.read("plan/gcloud.yml").contains(&pulled), "{test}");
        let note = "the test APK cannot be looked at: its package is taken to be dev.trailblaze.agent\n";
        assert_eq!(ran.stderr.contains(note), test != "test.apk", "{ran}");
    }
}

/// A plan with fewer shards leaves nothing of the last one behind, and nothing else is removed.
/// The command that is printed works from the folder that the plan was made in.
#[test]
fn the_workspace_of_the_plan_is_that_of_the_collection() {
    let space = lab();
    space.write(
        "odd place/results/shiba-34-en-portrait/instrumentation.results",
        crate::lab::all_passed(&IDS),
    );
    let run =
        |args: &[&str]| space.ran(space.command(args).current_dir(space.path("odd place")).output().unwrap());
    let apks = ["--app", "../app.apk", "--test", "../test.apk", "--devices", "shiba-34"];
    let ran = run(&[&["farm", "plan", "--farm", "firebase", "-w", ".."], &apks[..]].concat()).exits(0);
    let command = "and: trailblaze farm collect results -w .. --plan ../.trailblaze/farm/firebase\n";
    assert!(ran.stderr.contains(command), "{ran}");
    let words: Vec<&str> = command.trim().split(' ').skip(2).collect();
    run(&words).exits(0);
    // A name that a shell would split.
    space.write("a b/trailblaze.yaml", "target: lab\n");
    space.write("a b/trailblaze-config/targets/lab.yaml", space.read("trailblaze-config/targets/lab.yaml"));
    space.write("a b/trails/one.trail.yaml", space.read("trails/tour.trail.yaml"));
    let buckets = ["--app", "gs://b/app.apk", "--test", "gs://b/test.apk", "--devices", "shiba-34"];
    let ran =
        space.run(&[&["farm", "plan", "--farm", "firebase", "-w", "a b"], &buckets[..]].concat()).exits(0);
    assert!(
        ran.stderr.contains(" collect results -w 'a b' --plan 'a b/.trailblaze/farm/firebase'\n"),
        "{ran}"
    );
}

/// The target is that of the run on the phone too.
#[test]
fn the_target_is_handed_over() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34", "--target", "lab"]).exits(0);
    assert!(space.read("plan/gcloud.yml").contains("    target: lab\n"));
    let ran = plan(&space, "device-run", &["--devices", "shiba-34", "--target", "lab"]).exits(0);
    assert!(ran.stdout.contains(",target=lab "), "{ran}");
}

#[test]
fn a_new_plan_takes_the_place_of_the_last_one() {
    let space = lab();
    plan(&space, "aws", &["--devices", "Google Pixel 8", "--shards", "3"]).exits(0);
    space.write("plan/mine.txt", "mine");
    plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
    let names = ["flank-shards.json", "flank.yml", "gcloud.yml", "mine.txt", "plan.json"];
    assert_eq!(space.files("plan"), names.map(|name| format!("plan/{name}")));
}

#[test]
fn a_plan_can_be_read_by_programs() {
    let space = lab();
    let ran = plan(&space, "firebase", &["--devices", "shiba-34", "--json"]).exits(0).json();
    assert_eq!(ran["command"], "gcloud firebase test android run plan/gcloud.yml:trailblaze");
    assert_eq!(ran["files"][0], "plan/gcloud.yml");
}

/// What Flank documents, and what it must be.
const FLANK: [(&str, &[(&str, Type)]); 2] = [
    (
        "gcloud",
        &[
            ("app", Type::Text),
            ("test", Type::Text),
            ("test-runner-class", Type::Text),
            ("use-orchestrator", Type::Flag),
            ("device", Type::Maps),
            ("timeout", Type::Text),
            ("environment-variables", Type::Map),
            ("directories-to-pull", Type::Texts),
            ("num-flaky-test-attempts", Type::Number),
            ("test-targets", Type::Texts),
            ("results-bucket", Type::Text),
            ("results-dir", Type::Text),
            ("results-history-name", Type::Text),
            ("record-video", Type::Flag),
            ("async", Type::Flag),
            ("auto-google-login", Type::Flag),
            ("performance-metrics", Type::Flag),
            ("additional-apks", Type::Texts),
            ("other-files", Type::Map),
            ("network-profile", Type::Text),
            ("client-details", Type::Map),
            ("grant-permissions", Type::Text),
        ],
    ),
    (
        "flank",
        &[
            ("project", Type::Text),
            ("custom-sharding-json", Type::Text),
            ("local-result-dir", Type::Text),
            ("full-junit-result", Type::Flag),
            ("max-test-shards", Type::Number),
            ("shard-time", Type::Number),
            ("num-test-runs", Type::Number),
            ("smart-flank-gcs-path", Type::Text),
            ("smart-flank-disable-upload", Type::Flag),
            ("disable-sharding", Type::Flag),
            ("files-to-download", Type::Texts),
            ("test-targets-always-run", Type::Texts),
            ("additional-app-test-apks", Type::Maps),
            ("run-timeout", Type::Text),
            ("ignore-failed-tests", Type::Flag),
            ("keep-file-path", Type::Flag),
            ("output-style", Type::Text),
            ("legacy-junit-result", Type::Flag),
        ],
    ),
];

#[derive(Clone, Copy, Debug)]
enum Type {
    Text,
    Flag,
    Number,
    Texts,
    Map,
    Maps,
}

impl Type {
    fn fits(self, value: &Value) -> bool {
        let all = |value: &Value, is: fn(&Value) -> bool| {
            value.as_array().is_some_and(|items| items.iter().all(is))
        };
        let is_map = |value: &Value| value.as_object().is_some_and(|map| map.values().all(Value::is_string));
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_u64(),
            Self::Texts => all(value, Value::is_string),
            Self::Map => is_map(value),
            Self::Maps => {
                all(value, |value| value.as_object().is_some_and(|map| map.values().all(Value::is_string)))
            }
        }
    }
}

#[test]
fn flank_knows_every_key() {
    let space = lab();
    let args = ["--devices", "shiba-34,tokay-35", "--shards", "2", "--retries", "1", "--project", "shop"];
    plan(&space, "firebase", &args).exits(0);
    let source = trailblaze_model::place::Source::new("flank.yml", space.read("plan/flank.yml"));
    let document =
        trailblaze_model::yaml::read(&source, &mut trailblaze_model::diagnostic::Diagnostics::new());
    let value = document.unwrap().to_json();
    let groups = value.as_object().unwrap();
    assert_eq!(groups.keys().collect::<Vec<_>>(), ["gcloud", "flank"]);
    for (group, known) in FLANK {
        for (key, value) in groups[group].as_object().unwrap() {
            let found = known.iter().find(|(name, _)| name == key);
            let (_, wanted) = found.unwrap_or_else(|| panic!("Flank has no '{key}' in '{group}'"));
            assert!(wanted.fits(value), "{group}.{key} is {value}, not {wanted:?}");
        }
    }
    let shards = json(&space.read("plan/flank-shards.json"));
    let matrix = &shards["matrix-0"];
    let keys: Vec<&String> = matrix.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["app", "test", "shards", "junit-ignored"]);
    let tests = matrix["shards"].as_object().unwrap().values().flat_map(|shard| shard.as_array().unwrap());
    assert_eq!(
        tests.filter(|test| test.as_str().unwrap().starts_with("class dev.trailblaze.trails.")).count(),
        5
    );
}
