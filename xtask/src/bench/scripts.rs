//! The figures of tools in JavaScript.

use std::path::{Path, PathBuf};

use super::figure::{Figure, Unit};
use super::succeeded;
use crate::json;
use crate::place::Place;
use crate::process::Cmd;

/// What `trailblaze bench scripts` measured of itself.
pub(super) fn figures(program: &Path, place: &Place) -> Vec<Figure> {
    eprintln!("measuring scripts");
    let packages = packages(place);
    let mut command = Cmd::new(program, &place.root).args(["bench", "scripts"]);
    if let Some(packages) = &packages {
        command = command.arg("--packages").arg(packages);
    }
    let told = command.output().and_then(succeeded);
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let number = |key: &str| {
        let told = told.as_ref().map_err(String::clone)?;
        json::number(told, key).ok_or_else(|| format!("'bench scripts' did not print '{key}'"))
    };
    let mut figures = vec![
        Figure::below(
            "a light tool that does nothing, beyond a ping-pong",
            Unit::Micros,
            20.0,
            number("callBeyondPingPongMicros"),
        ),
        Figure::shown("  the ping-pong of two threads", Unit::Micros, number("pingPongMicros")),
        Figure::below("one that calls ten commands", Unit::Micros, 300.0, number("tenCommandsMicros")),
        Figure::below("a light bundle from nothing to its list", Unit::Millis, 3.0, number("startMillis")),
        Figure::shown("  the first of the process", Unit::Millis, number("firstStartMillis")),
        Figure::shown(
            "  memory of each of 100 at once",
            Unit::Mebibytes,
            number("runtimeKib").map(|kib| kib / 1024.0),
        ),
    ];
    if packages.is_none() {
        eprintln!("the official SDKs are not measured: 'cargo xtask test' puts them into the cache");
        return figures;
    }
    for (generation, call, start) in [("v1", 400.0, 60.0), ("v2", 850.0, 95.0)] {
        figures.push(Figure::below(
            format!("a tool of the official SDK {generation}"),
            Unit::Micros,
            call,
            number(&format!("{generation}CallMicros")),
        ));
        figures.push(Figure::below(
            "  its bundle, compiled, from nothing to its list",
            Unit::Millis,
            start,
            number(&format!("{generation}StartMillis")),
        ));
    }
    figures
}

/// The folder of the official SDKs and esbuild, where they are installed.
fn packages(place: &Place) -> Option<PathBuf> {
    let folder = place.tools().join("sdk");
    let modules = folder.join("node_modules");
    let needed = [".bin/esbuild", "@modelcontextprotocol/sdk", "@modelcontextprotocol/server", "zod"];
    needed.iter().all(|name| modules.join(name).exists()).then_some(folder)
}
