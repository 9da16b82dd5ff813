//! What reading and matching screens costs, on real captures.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use trailblaze_engine::matching::native;
use trailblaze_engine::waypoint::look;
use trailblaze_model::screen::{Bounds, Capture, NodeSpec, Prop, Screen, ScreenBuilder};

use crate::exit_code::{Exit, Problem};
use crate::load::device_classifiers;
use crate::screens::{read_screens, read_waypoints};

/// Each figure is the median of so many rounds.
const ROUNDS: usize = 51;

/// The figures of screens, from a folder with captures and waypoints.
pub fn screens(folder: &Path) -> Result<Value, Problem> {
    let bad = |message: String| Problem::new(Exit::BadDocument, message);
    let waypoints = || read_waypoints(folder).map_err(|_| bad("the waypoints have errors".to_owned()));
    let (saved, _) = read_screens(folder)?;
    let largest =
        saved.iter().max_by_key(|saved| saved.screen.len()).ok_or_else(|| bad("no captures".to_owned()))?;
    let text = std::fs::read_to_string(folder.join(&largest.name)).map_err(|error| bad(error.to_string()))?;

    let mut per_selector: Vec<f64> = Vec::new();
    for waypoint in waypoints()? {
        let Some(block) = waypoint.for_device(&device_classifiers()) else { continue };
        for condition in block.required.iter().chain(&block.forbidden) {
            let Some(selector) = condition.selector.as_ref().and_then(|target| target.for_app(&[])) else {
                continue;
            };
            per_selector.push(median(|| drop(native::resolve(&largest.screen, &selector))));
        }
    }
    per_selector.sort_by(f64::total_cmp);
    let matrix = median(|| {
        let (Ok((saved, _)), Ok(waypoints)) = (read_screens(folder), read_waypoints(folder)) else { return };
        for each in &saved {
            for waypoint in &waypoints {
                look(&each.screen, waypoint, &device_classifiers(), &[]);
            }
        }
    });
    let bytes = made_up(1_000, 0).to_bytes();
    let decode = median(|| drop(Screen::from_bytes(&bytes)));
    let read = median(|| drop(Capture::read(&text)));
    let compare = |nodes: usize| {
        let (before, after) = (made_up(nodes, 0), made_up(nodes, 1));
        median(|| drop(before.changes(&before.fingerprint(), &after, &after.fingerprint())))
    };
    let round = |value: f64| (value * 100.0).round() / 100.0;
    Ok(json!({
        "nodes": largest.screen.len(),
        "selectors": per_selector.len(),
        "selectorMicros": round(per_selector.get(per_selector.len() / 2).copied().unwrap_or(0.0)),
        "matrixMillis": round(matrix / 1000.0),
        "decodeMicros": round(decode),
        "captureMillis": round(read / 1000.0),
        "compareMicros": round(compare(1_000)),
        "compare10000Micros": round(compare(10_000)),
        "compare99000Micros": round(compare(99_000)),
    }))
}

/// Microseconds of one call.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// A list of rows, as real screens have them; rounds differ in every hundredth row.
fn made_up(nodes: usize, round: usize) -> Screen {
    let mut builder = ScreenBuilder::new(1080, 2400, 0);
    for index in 0..nodes {
        let top = index as i32 * 4;
        let mut spec = NodeSpec { bounds: Some(Bounds::new(0, top, 1080, top + 4)), ..NodeSpec::default() }
            .with(Prop::ClassName, "android.widget.TextView")
            .with(Prop::ResourceId, format!("com.example:id/row_{}", index % 50))
            .with(Prop::Text, format!("Row {index} {}", if index % 100 == 99 { round } else { 0 }));
        spec.actions = vec!["ACTION_CLICK".to_owned(), "ACTION_FOCUS".to_owned()];
        // The limits are far above what is made here.
        if builder.open(spec).is_ok() && index > 0 {
            builder.close();
        }
    }
    builder.finish()
}
