//! What concerns the phone: the agent's share of a look at the screen, what upcalls leave behind, and sizes.
//!
//! The share is from what the tests under Robolectric said when they ran last. There a whole Android framework does its
//! part too, so the tests measure that apart, and what is left is ours. The sizes are those of the last build.

use std::fs;
use std::path::Path;

use crate::android::{self, Weight};
use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::Cmd;
use crate::{json, jvm};

use super::figure::{Figure, Unit};

const REPORTS: &str = "android/jvm-tests/target/surefire-reports";
/// The reports that have the figures.
const CAPTURE: &str = "TEST-dev.trailblaze.agent.ScreenTest.xml";
const LOOK: &str = "TEST-dev.trailblaze.agent.TrailTest.xml";

pub(super) fn figures(program: &Path, place: &Place) -> Vec<Figure> {
    eprintln!("reading what the robolectric layer measured");
    let report = |name: &str| {
        fs::read_to_string(place.root.join(REPORTS).join(name))
            .map_err(|_| "'cargo xtask test --only robolectric' has not run here".to_owned())
    };
    let capture = report(CAPTURE).and_then(|text| capture(&text));
    let own = |capture: &Capture| (capture.with_getters - capture.getters).max(0.0);
    let share = capture.clone().and_then(|capture| Ok(own(&capture) + decode(program, place)?));
    let look = report(LOOK).and_then(|text| captures(&text));
    let figures = [
        Figure::below("our share of a screen of 500 nodes, flattened and decoded", Unit::Millis, 1.0, share),
        Figure::shown(
            "  flattened, with Android's getters",
            Unit::Millis,
            capture.clone().map(|capture| capture.with_getters),
        ),
        Figure::shown("  the getters alone", Unit::Millis, capture.map(|capture| capture.getters)),
        // One is the least there can be.
        Figure::below("  crossings into Java for one look", Unit::Times, 1.5, look),
    ];
    figures.into_iter().map(Figure::if_measured).collect()
}

/// What 100,000 upcalls out of the release build leave behind, in a plain JVM.
pub(super) fn upcalls(place: &Place, folder: &BuildFolder) -> Vec<Figure> {
    eprintln!("measuring what upcalls leave behind");
    let library = jvm::Library::Host(jvm::host_library(folder, "release"));
    let jdk = jvm::find_jdk(place);
    let is_missing = jdk.is_err();
    let growth = jdk.and_then(|jdk| jvm::growth(place, folder, &jdk, library));
    let mebibytes = |kilobytes: i64| kilobytes as f64 / 1024.0;
    let references = growth.clone().map(|growth| growth.references as f64);
    let memory = growth.map(|growth| mebibytes(growth.kilobytes));
    let figures = [
        Figure::below("references that 100,000 upcalls leave", Unit::Count, 1.0, references),
        Figure::below(
            "  memory, which is never quite still",
            Unit::Mebibytes,
            mebibytes(jvm::NOISE_KB),
            memory,
        ),
    ];
    let seen = |figure: Figure| if is_missing { figure.if_measured() } else { figure };
    figures.into_iter().map(seen).collect()
}

pub(super) fn weights(folder: &BuildFolder) -> Vec<Figure> {
    android::weights(folder).into_iter().map(weight).collect()
}

fn weight(Weight { name, bytes, budget }: Weight) -> Figure {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let value = bytes.map(megabytes);
    let figure = match budget {
        Ok(budget) => Figure::below(name, Unit::Megabytes, megabytes(budget), value),
        Err(reason) => Figure::shown(name, Unit::Megabytes, value.and(Err(reason))),
    };
    figure.if_measured()
}

/// Milliseconds for a thousand nodes, which is more than these screens have.
fn decode(program: &Path, place: &Place) -> Result<f64, String> {
    let output =
        Cmd::new(program, &place.root).args(["bench", "screens"]).output().and_then(super::succeeded)?;
    let micros = json::number(&String::from_utf8_lossy(&output.stdout), "decodeMicros");
    micros.map(|micros| micros / 1e3).ok_or_else(|| "'bench screens' did not print 'decodeMicros'".to_owned())
}

/// Milliseconds without the walk from node to node, in which the framework asks the app.
#[derive(Clone, Debug, PartialEq)]
struct Capture {
    with_getters: f64,
    getters: f64,
}

/// `FIGURES 504 nodes, …; without the walk 0.76 ms, getters alone 0.40 ms: own share 0.36 ms`
fn capture(report: &str) -> Result<Capture, String> {
    let line = line(report, "own share")?;
    let rest = line.split_once("; without the walk ").map(|(_, rest)| rest);
    let read = || {
        let (with_getters, rest) = rest?.split_once(" ms, getters alone ")?;
        let (getters, _) = rest.split_once(" ms")?;
        Some(Capture { with_getters: with_getters.parse().ok()?, getters: getters.parse().ok()? })
    };
    read().ok_or_else(|| format!("'{line}' is not understood"))
}

/// `FIGURES a command that looks at 500 nodes takes 2.48 ms, … (medians), captures: 1`
fn captures(report: &str) -> Result<f64, String> {
    let line = line(report, "a command that looks")?;
    let count = line.split_once("captures: ").and_then(|(_, count)| count.parse().ok());
    count.ok_or_else(|| format!("'{line}' is not understood"))
}

fn line<'a>(report: &'a str, part: &str) -> Result<&'a str, String> {
    let lines =
        report.lines().filter_map(|line| line.split_once("FIGURES ").map(|(_, figures)| figures.trim()));
    let found = lines.into_iter().find(|line| line.contains(part));
    found.ok_or_else(|| "the last run of the robolectric layer did not get there".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_held_against_its_budget() {
        let row = |bytes, budget| weight(Weight { name: "apk".to_owned(), bytes, budget }).row();
        assert_eq!(row(Ok(4_400_000), Ok(4_500_000)), ["apk", "4.40 MB", "< 4.50 MB", "yes"]);
        assert_eq!(row(Ok(4_600_000), Ok(4_500_000)), ["apk", "4.60 MB", "< 4.50 MB", "NO"]);
        let gone = || Err("not built".to_owned());
        assert_eq!(row(gone(), Ok(4_500_000)), ["apk", "not measured: not built", "< 4.50 MB", ""]);
        assert_eq!(row(Ok(1), gone()), ["apk", "not measured: not built", "", ""]);
    }

    #[test]
    fn figures_are_read_from_reports() {
        let report = "<testcase>\n    <system-out><![CDATA[FIGURES 504 nodes, 62548 bytes, median of 100: whole capture \
                      12.83 ms, the same walk with getters alone 13.99 ms; without the walk 0.76 ms, getters alone \
                      0.40 ms: own share 0.36 ms\n]]></system-out>";
        assert_eq!(capture(report), Ok(Capture { with_getters: 0.76, getters: 0.4 }));
        let report = "<![CDATA[FIGURES a command that looks at 500 nodes takes 2.48 ms, 1.52 ms of it in Java (medians), \
                      captures: 1\n]]>";
        assert_eq!(captures(report), Ok(1.0));
        assert!(captures("<testcase/>").is_err_and(|reason| reason.contains("did not get there")));
        assert!(
            captures("FIGURES a command that looks at 500 nodes")
                .is_err_and(|reason| reason.contains("is not"))
        );
    }
}
