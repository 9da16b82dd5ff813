//! The figures of a phone on a cable, with a real adb server between a laptop's half and a phone of paper.

use std::net::TcpListener;
use std::path::Path;

use super::figure::{Figure, Unit};
use super::succeeded;
use crate::build_folder::BuildFolder;
use crate::place::Place;
use crate::process::Cmd;
use crate::{json, packages};

/// It is an example, not part of the program, because a phone of paper is none either.
const BENCH: &str = "laptop_bench";

pub(super) fn figures(place: &Place, folder: &BuildFolder, temp: &Path) -> Vec<Figure> {
    let adb = match packages::provide(place, "adb", "adb") {
        Ok(adb) => adb,
        Err(reason) => return read(&Err(reason)).into_iter().map(Figure::if_measured).collect(),
    };
    eprintln!("measuring a phone on a cable");
    read(&told(place, folder, &adb, temp))
}

fn told(place: &Place, folder: &BuildFolder, adb: &Path, temp: &Path) -> Result<String, String> {
    let build = ["build", "--release", "--package", "trailblaze", "--example", BENCH, "--locked"];
    folder.cargo(place).args(build).run()?;
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free.map_err(|error| error.to_string())?.port();
    // A server of its own, and nothing of the user's.
    let bench = Cmd::new(folder.program("release/examples", BENCH), temp)
        .env("ANDROID_ADB_SERVER_PORT", port.to_string())
        .env("PATH", adb.parent().unwrap_or(adb))
        .env("HOME", temp)
        .env("TMPDIR", temp);
    let output = bench.output().and_then(succeeded)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn read(told: &Result<String, String>) -> Vec<Figure> {
    let number = |key: &str| {
        let told = told.as_ref().map_err(String::clone)?;
        json::number(told, key).ok_or_else(|| format!("'{BENCH}' did not print '{key}'"))
    };
    vec![
        Figure::below(
            "a look and a tap over adb, beyond those in process",
            Unit::Millis,
            3.0,
            number("overheadMillis"),
        ),
        Figure::shown("  in process", Unit::Millis, number("inProcessMillis")),
        Figure::below(
            "until the agent on a phone answers, median",
            Unit::Millis,
            300.0,
            number("connectMillis"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_becomes_figures() {
        let told = r#"{ "nodes": 500, "inProcessMillis": 0.3, "overAdbMillis": 1.5, "overheadMillis": 1.2, "connectMillis": 80.5 }"#;
        assert!(read(&Ok(told.to_owned())).iter().all(Figure::holds));
        for (good, bad) in [
            (r#""overheadMillis": 1.2"#, r#""overheadMillis": 3"#),
            (r#""connectMillis": 80.5"#, r#""connectMillis": 300"#),
            (r#""connectMillis": 80.5"#, r#""connectMillis": null"#),
        ] {
            assert!(!read(&Ok(told.replace(good, bad))).iter().all(Figure::holds), "{bad}");
        }
        assert!(!read(&Err("it crashed".to_owned())).iter().any(Figure::holds));
    }
}
