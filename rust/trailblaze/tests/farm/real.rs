//! What our own runner writes, byte for byte, in every shape: nothing here is made by hand.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use trailblaze::run::{self, Listeners, RunOptions};
use trailblaze_engine::host::Cancel;
use trailblaze_report::instrumentation::{InstrumentationStatus, StatusSink};

use crate::lab::{collect, outcomes, troubles};
use crate::space::{Space, trail_text};

/// Prints statuses as `am instrument -r` does.
#[derive(Default)]
struct Raw(Mutex<String>);

impl StatusSink for Raw {
    fn status(&self, code: i32, values: &[(&str, String)]) {
        let mut text = self.0.lock().unwrap();
        for (key, value) in values {
            writeln!(text, "INSTRUMENTATION_STATUS: {key}={value}").unwrap();
        }
        writeln!(text, "INSTRUMENTATION_STATUS_CODE: {code}").unwrap();
    }
}

/// A trail that passes, one that fails, one that is skipped, and one with a name that is no Java.
fn lab() -> Space {
    let space = Space::lab();
    space.trail("cart/add", &[]);
    space.trail("cart/pay", &["assertVisibleWithText: { text: Nowhere }"]);
    space.write("trails/later.trail.yaml", trail_text("skip: { android: not today }", &[]));
    space.write(
        "trails/odd.trail.yaml",
        trail_text("id: \"Über uns: die 2\", title: \"<Odd> & 'quoted'\"", &[]),
    );
    space
}

const VERDICTS: [&str; 4] = ["cart/add passed", "cart/pay failed", "later skipped", "Über uns: die 2 passed"];

/// Runs the trails on the sim, and gives the status lines; the reports lie in `reports`.
fn run_all(space: &Space) -> String {
    let options = RunOptions {
        paths: vec![space.path("")],
        jobs: 1,
        out: Some(space.path("reports")),
        ..RunOptions::default()
    };
    let raw = Arc::new(Raw::default());
    let listeners: Listeners = vec![Arc::new(InstrumentationStatus::new(raw.clone()))];
    let prepared = run::prepare(&options).unwrap();
    let plan = run::plan(&options, &prepared).unwrap();
    let folder = run::folder(&options, &prepared).unwrap();
    run::run(&options, &prepared, &plan, &folder, &listeners, &Cancel::default()).unwrap();
    let text = raw.0.lock().unwrap().clone();
    text + "INSTRUMENTATION_RESULT: stream=\n3 trails\nINSTRUMENTATION_CODE: -1\n"
}

#[test]
fn what_the_runner_writes_is_read() {
    for name in ["events.jsonl", "junit.xml", "instrumentation.results"] {
        let space = lab();
        let status = run_all(&space);
        let text = match name {
            "instrumentation.results" => status,
            report => space.read(&format!("reports/{report}")),
        };
        space.write(&format!("results/shiba-34/artifacts/reports/{name}"), text);
        check(&space, name);
    }
}

#[track_caller]
fn check(space: &Space, name: &str) {
    let ran = collect(space, &["--json"]).exits(1);
    assert_eq!(outcomes(&ran), VERDICTS, "{name}");
    assert_eq!(troubles(&ran), Vec::<String>::new(), "{name}");
    let result = ran.json();
    let failure = &result["trails"][1]["failure"];
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains("Nowhere") && !message.contains('\n'), "{name}: {failure}");
    assert!(failure["at"].as_str().unwrap().contains("trails/cart/pay.trail.yaml:"), "{name}: {failure}");
}

/// All of it in one folder: the report has the steps, and the picture of the failure.
#[test]
fn a_report_of_a_report_shows_the_same() {
    let space = lab();
    run_all(&space);
    let reports = space.files("reports");
    for file in reports.iter().filter(|file| !file.ends_with(".zip")) {
        space.write(&format!("results/shiba-34/{file}"), std::fs::read(space.path(file)).unwrap());
    }
    collect(&space, &[]).exits(1);
    let picture = reports.iter().find(|file| file.ends_with(".png")).expect("a picture of the failure");
    let picture = picture.strip_prefix("reports/").unwrap();
    let (before, after) = (space.read("reports/summary.md"), space.read("report/summary.md"));
    assert!(before.contains(&format!("]({picture})")), "{before}");
    assert!(after.contains(&format!("](shiba-34/1/{picture})")), "{after}");
    assert!(space.path(&format!("report/shiba-34/1/{picture}")).is_file());
    let failed = |page: &str| page.lines().find(|line| line.starts_with("✗ Step 1")).map(str::to_owned);
    assert!(failed(&before).is_some() && failed(&before) == failed(&after), "{before}\n{after}");
}
