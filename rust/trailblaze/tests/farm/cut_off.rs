//! What comes back may end anywhere: whatever is left is read, and nothing is made up.

use std::collections::BTreeMap;
use std::path::Path;

use trailblaze::farm::collect::{self, CollectOptions};
use trailblaze::run::{RunFolder, Selection};
use trailblaze_model::event::Verdict;

use crate::lab::lab;
use crate::shapes::shapes;
use crate::space::Space;

fn verdicts(space: &Space) -> Option<BTreeMap<String, Verdict>> {
    let options = CollectOptions {
        folder: space.path("results"),
        paths: vec![space.path("")],
        plan: None,
        selection: Selection::default(),
        junit: None,
        out: Some(space.path("report")),
    };
    let collected = collect::read(&options).ok()?;
    let folder = RunFolder::create(Some(Path::new(&space.path("report"))), Path::new("")).unwrap();
    let outcome = collect::report(&options, &collected, &folder, &Vec::new()).unwrap();
    let trails = outcome.result.trails.iter();
    Some(trails.map(|trail| (trail.id.to_string(), trail.verdict)).collect())
}

#[test]
fn a_file_may_be_cut_off_anywhere() {
    for (name, text) in shapes() {
        let space = lab();
        let file = format!("results/shiba-34/{name}");
        space.write(&file, &text);
        let whole = verdicts(&space).unwrap();
        let mut seen = 0;
        for end in (1..text.len()).step_by(61) {
            space.write(&file, &text.as_bytes()[..end]);
            // Too little to say anything at all.
            let Some(part) = verdicts(&space) else { continue };
            seen += 1;
            for (id, verdict) in part {
                // A trail has the verdict of the whole file, or was under way, or is not known.
                let is_known = [whole[&id], Verdict::NotRun, Verdict::Failed].contains(&verdict);
                assert!(is_known, "{name} cut at {end}: {id} is {verdict:?}");
            }
        }
        assert!(seen > 10, "{name}: {seen}");
    }
}

/// Nothing that was started and has no end has passed.
#[test]
fn a_status_line_that_is_cut_is_no_verdict() {
    let space = lab();
    let text = crate::lab::test("cart/add", 0, "") + &crate::lab::test("cart/pay", 0, "");
    // `INSTRUMENTATION_STATUS_CODE: -2` may have been meant.
    for cut in ["INSTRUMENTATION_STATUS_CODE: 0\n", "0\n", "\n"] {
        space.write("results/shiba-34/instrumentation.results", text.strip_suffix(cut).unwrap());
        let found = verdicts(&space).unwrap();
        assert_eq!(
            (found["cart/add"], found["cart/pay"]),
            (Verdict::Passed, Verdict::Failed),
            "without {cut:?}"
        );
    }
}

#[test]
fn a_zip_that_is_cut_off_is_named() {
    let space = lab();
    let packed = crate::lab::zip(&shapes());
    space.write("results/shiba-34-en-portrait-shard_0/Customer_Artifacts.zip", &packed[..packed.len() - 9]);
    space.write("results/shiba-34-en-portrait-shard_1/logcat", crate::shapes::logcat());
    let ran = crate::lab::collect(&space, &["--json"]).exits(1);
    let warning = "warning: results/shiba-34-en-portrait-shard_0/Customer_Artifacts.zip cannot be read: this is no zip \
                   archive, or it is cut off\n";
    assert_eq!(ran.stderr, warning);
    let trouble = "shiba-34-en-portrait: nothing came back that says how it went";
    assert_eq!(crate::lab::troubles(&ran), [trouble]);
}
