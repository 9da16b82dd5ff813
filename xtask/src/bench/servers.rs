//! The figures of toolset servers.

use std::env;
use std::path::Path;

use super::figure::{Figure, Unit};
use super::succeeded;
use crate::json;
use crate::npm;
use crate::place::Place;
use crate::process::Cmd;

/// What `trailblaze bench servers` measured of itself, and of others beside it.
pub(super) fn figures(program: &Path, place: &Place) -> Vec<Figure> {
    let packages = place.tools().join("sdk");
    let bun = npm::program(&packages, "bun");
    let has_sdk = packages.join("node_modules/@modelcontextprotocol/sdk").exists();
    if !has_sdk || !Cmd::new(&bun, &place.root).arg("--version").works() {
        eprintln!(
            "servers are not measured: 'cargo xtask test' puts bun and the official SDK into the cache"
        );
        return Vec::new();
    }
    eprintln!("measuring servers");
    read(&measure(program, place, &packages, &bun))
}

fn read(told: &Result<String, String>) -> Vec<Figure> {
    let number = |key: &str| {
        let told = told.as_ref().map_err(String::clone)?;
        json::number(told, key).ok_or_else(|| format!("'bench servers' did not print '{key}'"))
    };
    let times = |own: &str, other: &str| Ok(number(own)? / number(other)?);
    let gained = |after: &str, end: &str| Ok((number(end)? - number(after)?).max(0.0));
    let memory = gained("rssAfter1000Kib", "rssEndKib").map(|kib| kib / 1024.0);
    vec![
        Figure::below(
            "a call of a server in bun, against the official client",
            Unit::Times,
            1.1,
            times("callMicros", "officialCallMicros"),
        ),
        Figure::shown("  ours", Unit::Micros, number("callMicros")),
        Figure::shown("  the official client in bun", Unit::Micros, number("officialCallMicros")),
        Figure::shown("  a bare echo of the same length", Unit::Micros, number("echoMicros")),
        Figure::shown("  the same call in a session", Unit::Micros, number("sessionCallMicros")),
        Figure::below(
            "a start with 8 servers, against bare handshakes",
            Unit::Times,
            1.2,
            times("startMillis", "bareStartMillis"),
        ),
        Figure::shown("  ours, to the last list", Unit::Millis, number("startMillis")),
        Figure::shown("  8 bare processes and handshakes", Unit::Millis, number("bareStartMillis")),
        Figure::below(
            "31 calls over HTTP beside a slow one, against none",
            Unit::Times,
            1.5,
            times("quickBesideSlowMillis", "quickMillis"),
        ),
        Figure::shown("  the 31 alone", Unit::Millis, number("quickMillis")),
        Figure::below("memory gained from call 1000 with a callback to 10000", Unit::Mebibytes, 1.0, memory),
        Figure::below("  open files", Unit::Count, 1.0, gained("filesAfter1000", "filesEnd")),
        // Those that wait for an answer are as many as the busiest moment took.
        Figure::below("  threads", Unit::Count, 4.0, gained("threadsAfter1000", "threadsEnd")),
        Figure::below("  processes", Unit::Count, 1.0, gained("processesAfter1000", "processesEnd")),
        Figure::shown("  one of these calls", Unit::Micros, number("callbackMicros")),
    ]
}

fn measure(program: &Path, place: &Place, packages: &Path, bun: &Path) -> Result<String, String> {
    // Toolsets are run with the bun on PATH.
    let others = env::var_os("PATH").unwrap_or_default();
    let folders = bun.parent().map(Path::to_owned).into_iter().chain(env::split_paths(&others));
    let path = env::join_paths(folders).map_err(|error| error.to_string())?;
    let command = Cmd::new(program, &place.root).args(["bench", "servers", "--packages"]).arg(packages);
    let output = command.quiet_env("PATH", path).output().and_then(succeeded)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_becomes_figures() {
        let told = r#"{
            "callbackMicros": 232.6, "rssAfter1000Kib": 17036, "rssEndKib": 17044, "filesAfter1000": 19,
            "filesEnd": 19, "threadsAfter1000": 6, "threadsEnd": 6, "processesAfter1000": 2, "processesEnd": 2,
            "callMicros": 34.3, "officialCallMicros": 61.8, "echoMicros": 19.7, "sessionCallMicros": 42.9,
            "startMillis": 1749, "bareStartMillis": 1731.7, "quickMillis": 31.8, "quickBesideSlowMillis": 28.4
        }"#;
        assert!(read(&Ok(told.to_owned())).iter().all(Figure::holds));
        let later = told.replace(r#""filesEnd": 19"#, r#""filesEnd": 20"#);
        let missed: Vec<Figure> = read(&Ok(later)).into_iter().filter(|figure| !figure.holds()).collect();
        assert_eq!(missed[0].row(), ["  open files", "1", "< 1", "NO"]);
        assert!(!read(&Err("it crashed".to_owned())).iter().any(Figure::holds));
    }
}
