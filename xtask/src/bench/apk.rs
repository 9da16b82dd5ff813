//! The figures of packing a test APK, with the agent of the last build.

use std::path::Path;

use super::figure::{Figure, Unit};
use super::succeeded;
use crate::android;
use crate::build_folder::BuildFolder;
use crate::json;
use crate::process::Cmd;

/// What `trailblaze bench apk` measured of itself.
pub(super) fn figures(program: &Path, temp: &Path, folder: &BuildFolder) -> Vec<Figure> {
    let agent = android::agent(folder);
    if !agent.is_file() {
        let missing = Err(android::NOT_BUILT.to_owned());
        return read(&missing).into_iter().map(Figure::if_measured).collect();
    }
    eprintln!("measuring the packing of APKs");
    // The debug key that is made is nobody's.
    let bench = Cmd::new(program, temp).env("XDG_CACHE_HOME", temp.join("caches"));
    let told = bench.args(["bench", "apk", "--agent"]).arg(agent).output().and_then(succeeded);
    read(&told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn read(told: &Result<String, String>) -> Vec<Figure> {
    let number = |key: &str| {
        let told = told.as_ref().map_err(String::clone)?;
        json::number(told, key).ok_or_else(|| format!("'bench apk' did not print '{key}'"))
    };
    let megabytes = |key: &str| number(key).map(|kib| kib * 1024.0 / 1e6);
    vec![
        Figure::below("'apk pack' of 300 trails, median", Unit::Millis, 500.0, number("packMillis")),
        Figure::below("  memory", Unit::Megabytes, 100.0, megabytes("packPeakKib")),
        Figure::below(
            "  memory with 10,000 trails and 500 MB of media",
            Unit::Megabytes,
            150.0,
            megabytes("mediaPeakKib"),
        ),
        Figure::shown("  time with them", Unit::Millis, number("mediaSeconds").map(|seconds| seconds * 1e3)),
        Figure::at_least("signing", Unit::MegabytesPerSecond, 300.0, number("signingMegabytesPerSecond")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_becomes_figures() {
        let told = r#"{
            "trails": 300, "packMillis": 120.5, "packPeakKib": 40000, "manyTrails": 10000, "mediaMegabytes": 500,
            "mediaSeconds": 3.21, "mediaPeakKib": 90000, "signingMegabytesPerSecond": 900
        }"#;
        assert!(read(&Ok(told.to_owned())).iter().all(Figure::holds));
        for (good, bad) in [
            (r#""packMillis": 120.5"#, r#""packMillis": 500"#),
            (r#""packPeakKib": 40000"#, r#""packPeakKib": 97657"#),
            (r#""mediaPeakKib": 90000"#, r#""mediaPeakKib": 500000"#),
            (r#"PerSecond": 900"#, r#"PerSecond": 299"#),
            (r#""packPeakKib": 40000"#, r#""packPeakKib": null"#),
        ] {
            let told = told.replace(good, bad);
            assert!(!read(&Ok(told)).iter().all(Figure::holds), "{bad}");
        }
        assert!(!read(&Err("it crashed".to_owned())).iter().any(Figure::holds));
    }
}
