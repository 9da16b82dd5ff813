//! What packing a test APK costs, with the agent's own APK.

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use trailblaze_apk::manifest::Changes;
use trailblaze_engine::host::Cancel;

use super::stage::bug;
use crate::apk::{self, PackOptions};
use crate::exit_code::Problem;

const TRAILS: usize = 300;
/// Beside large media.
const MANY: usize = 10_000;
/// The figure is the median of so many rounds.
const ROUNDS: usize = 7;
/// Media in megabytes.
const MEDIA: u64 = 500;
const TRAIL: &str =
    "- prompts:\n    - step: Back\n      recording:\n        tools:\n          - pressBack: {}\n";

/// Packs trails, then many of them with large media, with an agent that was built.
pub fn apk(agent: &Path) -> Result<Value, Problem> {
    let folder = std::env::temp_dir().join(format!("trailblaze-bench-apk-{}", std::process::id()));
    let measured = measure(agent, &folder);
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn measure(agent: &Path, folder: &Path) -> Result<Value, Problem> {
    let root = folder.join("workspace");
    trails(&root, 0..TRAILS)?;
    fs::write(root.join("trailblaze.yaml"), "").map_err(bug)?;
    let options = PackOptions {
        workspace: Some(root.clone()),
        template: Some(agent.to_owned()),
        out: folder.join("out.apk"),
        changes: Changes::default(),
        key: None,
        dex: Vec::new(),
        include: Vec::new(),
    };
    let mut rounds = (0..ROUNDS).map(|_| seconds(&options)).collect::<Result<Vec<_>, _>>()?;
    rounds.sort_by(f64::total_cmp);
    let trails_kib = most_kib();
    trails(&root, TRAILS..MANY)?;
    let large = media(&root)?;
    let with_media = seconds(&options)?;
    let started = Instant::now();
    trailblaze_apk::sum(&large).map_err(bug)?;
    let signing = started.elapsed().as_secs_f64();
    Ok(json!({
        "trails": TRAILS,
        "packMillis": (rounds[ROUNDS / 2] * 1e4).round() / 10.0,
        "packPeakKib": trails_kib,
        "manyTrails": MANY,
        "mediaMegabytes": MEDIA,
        "mediaSeconds": (with_media * 100.0).round() / 100.0,
        "mediaPeakKib": most_kib(),
        "signingMegabytesPerSecond": (MEDIA as f64 / signing).round(),
    }))
}

fn trails(root: &Path, numbers: Range<usize>) -> Result<(), Problem> {
    for number in numbers {
        let path = root.join(format!("trails/suite-{}/does-{number}.trail.yaml", number / 10));
        fs::create_dir_all(path.parent().unwrap_or(root)).map_err(bug)?;
        fs::write(path, TRAIL).map_err(bug)?;
    }
    Ok(())
}

/// How long packing takes, from reading the workspace to the verified APK.
fn seconds(options: &PackOptions) -> Result<f64, Problem> {
    let started = Instant::now();
    let ready = apk::prepare(options)?;
    apk::pack(options, ready, &Cancel::default())?;
    Ok(started.elapsed().as_secs_f64())
}

fn media(root: &Path) -> Result<PathBuf, Problem> {
    let path = root.join("trails/film.mp4");
    let mut file = File::create(&path).map_err(bug)?;
    let megabyte: Vec<u8> =
        (0..1_000_000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for _ in 0..MEDIA {
        file.write_all(&megabyte).map_err(bug)?;
    }
    Ok(path)
}

/// The most memory that this process ever had; none where the system does not tell.
fn most_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
