//! The figures of calls over RPC, and of several devices in one run.

use std::path::Path;

use super::figure::{Figure, Unit};
use super::succeeded;
use crate::json;
use crate::process::Cmd;

const CALLS: f64 = 100_000.0;
/// Of the speed that all cores together could have.
const SHARE: f64 = 0.8;

/// What `trailblaze bench rpc` measured of itself, with a bare echo beside it.
pub(super) fn figures(program: &Path, folder: &Path) -> Vec<Figure> {
    eprintln!("measuring calls over RPC, one by one and {CALLS} by 64 callers at once");
    read_calls(&told(program, folder, "rpc"))
}

/// What `trailblaze bench devices` measured of itself.
pub(super) fn devices(program: &Path, folder: &Path) -> Vec<Figure> {
    eprintln!("measuring eight devices at once");
    read_devices(&told(program, folder, "devices"))
}

fn told(program: &Path, folder: &Path, what: &str) -> Result<String, String> {
    let output = Cmd::new(program, folder).args(["bench", what]).output().and_then(succeeded)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn number(told: &Result<String, String>, key: &str) -> Result<f64, String> {
    let told = told.as_ref().map_err(String::clone)?;
    json::number(told, key).ok_or_else(|| format!("the bench did not print '{key}'"))
}

fn read_calls(told: &Result<String, String>) -> Vec<Figure> {
    let number = |key: &str| number(told, key);
    let gained = |warm: &str, end: &str| Ok((number(end)? - number(warm)?).max(0.0));
    let memory = gained("crowdRssWarmKib", "crowdRssEndKib").map(|kib| kib / 1024.0);
    vec![
        Figure::below(
            "'isVisible' over RPC, beyond the call itself, binary",
            Unit::Micros,
            200.0,
            number("binaryOverheadMicros"),
        ),
        Figure::below("  JSON", Unit::Micros, 300.0, number("jsonOverheadMicros")),
        Figure::below(
            "  binary, below a tool call that is under way",
            Unit::Micros,
            200.0,
            number("invocationOverheadMicros"),
        ),
        Figure::shown("  the call itself", Unit::Micros, number("inProcessMicros")),
        Figure::shown("  a bare echo over HTTP", Unit::Micros, number("echoMicros")),
        Figure::at_least(
            "calls of 64 invocations at once that reached their device",
            Unit::Count,
            CALLS,
            number("crowdCalls"),
        ),
        Figure::below("  that reached another one", Unit::Count, 1.0, number("crowdWrongDevice")),
        Figure::below("  that failed", Unit::Count, 1.0, number("crowdErrors")),
        // Some 80 bytes a call. The allocator's pools for so many threads still grow by 2 to 4 MiB, ever more slowly.
        Figure::below("  memory gained after the warm-up", Unit::Mebibytes, 8.0, memory),
        Figure::below("  open files", Unit::Count, 1.0, gained("crowdFilesWarm", "crowdFilesEnd")),
        Figure::shown("  threads", Unit::Count, gained("crowdThreadsWarm", "crowdThreadsEnd")),
        Figure::shown("  calls in a second", Unit::Count, number("crowdCallsPerSecond")),
    ]
}

fn read_devices(told: &Result<String, String>) -> Vec<Figure> {
    let number = |key: &str| number(told, key);
    // Without a count of cores nothing was measured, and that is said in the value.
    let cores = number("cores").unwrap_or(1.0);
    vec![
        Figure::at_least(
            format!("8 sims at once on {cores} cores, against one after the other"),
            Unit::Times,
            SHARE * cores,
            number("timesFaster"),
        ),
        Figure::shown("  the work of all cores for it", Unit::Times, number("timesTheWork")),
        Figure::shown("  all of them", Unit::Millis, number("atOnceMillis")),
        Figure::shown(
            "  percent of the cores that others had meanwhile",
            Unit::Count,
            number("percentOfOthers"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_becomes_figures() {
        let told = r#"{
            "crowdCalls": 100800, "crowdWrongDevice": 0, "crowdErrors": 0, "crowdCallsPerSecond": 9000,
            "crowdRssWarmKib": 40000, "crowdRssEndKib": 40100, "crowdFilesWarm": 200, "crowdFilesEnd": 200,
            "crowdThreadsWarm": 150, "crowdThreadsEnd": 150, "inProcessMicros": 8.1, "binaryOverheadMicros": 90.2,
            "jsonOverheadMicros": 95.1, "invocationOverheadMicros": 80, "echoMicros": 40.1
        }"#;
        assert!(read_calls(&Ok(told.to_owned())).iter().all(Figure::holds));
        let fewer = told.replace("100800", "99999");
        assert!(!read_calls(&Ok(fewer)).iter().all(Figure::holds));
        assert!(!read_calls(&Err("it crashed".to_owned())).iter().any(Figure::holds));
    }

    #[test]
    fn how_much_faster_depends_on_the_cores() {
        let told = r#"{ "cores": 2, "timesFaster": 1.7, "timesTheWork": 1.02, "atOnceMillis": 1300, "percentOfOthers": 3 }"#;
        assert!(read_devices(&Ok(told.to_owned())).iter().all(Figure::holds));
        let larger = told.replace(r#""cores": 2"#, r#""cores": 4"#);
        assert!(!read_devices(&Ok(larger)).iter().all(Figure::holds));
    }
}
