//! `cargo xtask bench`: measures the release build, prints one table and fails when a limit is missed.

mod apk;
mod figure;
mod laptop;
mod phone;
mod rpc;
mod scripts;
mod servers;
mod size;
mod workspace;

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::build_folder::BuildFolder;
use crate::options::Options;
use crate::place::Place;
use crate::process::Cmd;
use crate::temp_folder::TempFolder;
use crate::{Trouble, json, table};

use figure::{Figure, Unit};

const START_RUNS: usize = 50;
const CHECK_RUNS: usize = 9;
const TRAILS: usize = 500;
const STEPS: usize = 20;
const ENGINE_STEPS: f64 = 10_000.0;
const ENGINE_RUNS: usize = 5;

pub(crate) fn run(place: &Place, args: &[String]) -> Result<bool, Trouble> {
    let mut options = Options::new(args);
    let record = options.flag("--record");
    options.end()?;
    let folder = BuildFolder::take(place)?;
    folder.cargo(place).args(["build", "--release", "--package", "trailblaze", "--locked"]).run()?;
    let program = folder.program("release", "trailblaze");
    let temp = TempFolder::new("bench")?;
    let project = temp.path.join("workspace");
    workspace::write(&project, TRAILS, STEPS)?;

    let mut figures = start(&program, &temp.path);
    figures.push(check(&program, &project));
    figures.extend(engine(&program, &temp.path));
    figures.extend(screens(&program, place));
    figures.extend(scripts::figures(&program, place));
    figures.extend(servers::figures(&program, place));
    figures.extend(rpc::figures(&program, &temp.path));
    figures.extend(rpc::devices(&program, &temp.path));
    figures.extend(phone::figures(&program, place));
    figures.extend(phone::upcalls(place, &folder));
    figures.extend(phone::weights(&folder));
    figures.extend(apk::figures(&program, &temp.path, &folder));
    figures.push(size::figure(&program, &temp.path));
    figures.extend(instructions(&program, &project));
    // Its build replaces the library that others look at.
    figures.extend(laptop::figures(place, &folder, &temp.path));

    let rows: Vec<Vec<String>> = figures.iter().map(Figure::row).collect();
    print!("\n{}", table::render(&["figure", "value", "limit", "ok"], &rows));
    if record {
        size::record(place, &program, &temp.path)?;
    }
    Ok(figures.iter().all(Figure::holds))
}

/// From the start of the process to the end of its output; `true` shows what the machine itself takes.
fn start(program: &Path, folder: &Path) -> Vec<Figure> {
    eprintln!("measuring the start, {START_RUNS} times");
    let own = || timed(Cmd::new(program, folder).arg("--version"));
    let bare = || timed(Cmd::new("true", folder));
    // By turns, so that a busy moment of the machine falls on both.
    let runs: Vec<_> = (0..START_RUNS).map(|_| (bare(), own())).collect();
    let (bare, own): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
    let millis = |times: Vec<Result<Duration, String>>| median(times).map(|time| time.as_secs_f64() * 1e3);
    vec![
        Figure::below("start to '--version' printed, median", Unit::Millis, 10.0, millis(own)),
        Figure::shown("  the same for 'true', which does nothing", Unit::Millis, millis(bare)),
    ]
}

fn check(program: &Path, project: &Path) -> Figure {
    eprintln!("measuring 'check', {CHECK_RUNS} times");
    let one = || {
        let start = Instant::now();
        let output = succeeded(Cmd::new(program, project).args(["check", ".", "--json"]).output()?)?;
        let took = start.elapsed();
        // A figure for documents that nobody read would look splendid.
        match json::number(&String::from_utf8_lossy(&output.stdout), "files") {
            Some(files) if files >= TRAILS as f64 => Ok(took),
            files => Err(format!("{} files checked instead of {TRAILS}", files.unwrap_or(0.0))),
        }
    };
    let millis = median((0..CHECK_RUNS).map(|_| one()).collect()).map(|time| time.as_secs_f64() * 1e3);
    Figure::below(format!("'check' on {TRAILS} trails of {STEPS} steps, median"), Unit::Millis, 300.0, millis)
}

/// What `trailblaze bench engine` measured of itself while it ran one long trail on the sim.
fn engine(program: &Path, folder: &Path) -> Vec<Figure> {
    eprintln!("measuring the engine, {ENGINE_STEPS} steps, {ENGINE_RUNS} times");
    let one = || {
        let output = Cmd::new(program, folder).args(["bench", "engine"]).output().and_then(succeeded)?;
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        match (json::number(&told, "steps"), json::number(&told, "overheadMicros")) {
            (Some(ENGINE_STEPS), Some(overhead)) => Ok((overhead, told)),
            (steps, _) => Err(format!("{} steps run instead of {ENGINE_STEPS}", steps.unwrap_or(0.0))),
        }
    };
    let runs: Result<Vec<(f64, String)>, String> = (0..ENGINE_RUNS).map(|_| one()).collect();
    // The run in the middle speaks for all of them.
    let told = runs.map(|mut runs| {
        runs.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        runs.swap_remove(ENGINE_RUNS / 2).1
    });
    let number = |key: &str| {
        let told = told.as_ref().map_err(String::clone)?;
        json::number(told, key).ok_or_else(|| format!("'bench engine' did not print '{key}'"))
    };
    let growth =
        number("rssAfter1000Kib").and_then(|early| Ok((number("rssEndKib")? - early).max(0.0) / 1024.0));
    vec![
        Figure::below("engine per tool step, without the app", Unit::Micros, 100.0, number("overheadMicros")),
        Figure::shown("  the app's own JavaScript per step", Unit::Micros, number("appMicros")),
        Figure::shown("  both", Unit::Micros, number("stepMicros")),
        Figure::below(
            format!("memory gained from step 1000 to {ENGINE_STEPS}"),
            Unit::Mebibytes,
            10.0,
            growth,
        ),
    ]
}

/// Reading and matching, on the captures of the repo.
fn screens(program: &Path, place: &Place) -> Vec<Figure> {
    eprintln!("measuring screens and selectors");
    let told = Cmd::new(program, &place.root).args(["bench", "screens"]).output().and_then(succeeded);
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let number = |key: &str| {
        let told = told.as_ref().map_err(String::clone)?;
        json::number(told, key).ok_or_else(|| format!("'bench screens' did not print '{key}'"))
    };
    let growth = || Ok(number("compare99000Micros")? / 99.0 / number("compareMicros")?);
    vec![
        Figure::below(
            "a selector on the largest capture, median",
            Unit::Micros,
            5.0,
            number("selectorMicros"),
        ),
        Figure::below(
            "all waypoints on all captures, files read",
            Unit::Millis,
            40.0,
            number("matrixMillis"),
        ),
        Figure::below("a binary screen of 1,000 nodes decoded", Unit::Micros, 150.0, number("decodeMicros")),
        Figure::below("the largest capture read from JSON", Unit::Millis, 5.0, number("captureMillis")),
        Figure::below("two screens of 1,000 nodes compared", Unit::Micros, 200.0, number("compareMicros")),
        Figure::shown("  of 10,000 nodes", Unit::Micros, number("compare10000Micros")),
        Figure::shown("  of 99,000 nodes", Unit::Micros, number("compare99000Micros")),
        Figure::below("  a node of 99,000 against one of 1,000", Unit::Times, 3.0, growth()),
    ]
}

/// Steadier than seconds on a busy machine; no limit, because compilers move them.
fn instructions(program: &Path, project: &Path) -> Vec<Figure> {
    if !Cmd::new("valgrind", project).arg("--version").works() {
        eprintln!("instructions are not counted: valgrind is not installed");
        return Vec::new();
    }
    let count = |args: &[&str]| {
        let valgrind =
            Cmd::new("valgrind", project).args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        let output = succeeded(valgrind.arg(program).args(args).output()?)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        figure::collected(&said).ok_or_else(|| "valgrind printed no count".to_owned())
    };
    eprintln!("counting instructions");
    vec![
        Figure::shown("instructions of '--version'", Unit::Millions, count(&["--version"])),
        Figure::shown("instructions of that 'check'", Unit::Millions, count(&["check", ".", "--json"])),
    ]
}

fn timed(command: Cmd) -> Result<Duration, String> {
    let start = Instant::now();
    let output = command.output()?;
    let took = start.elapsed();
    succeeded(output).map(|_| took)
}

fn succeeded(output: Output) -> Result<Output, String> {
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: {}", output.status, said.lines().find(|line| !line.is_empty()).unwrap_or("no message")))
}

/// The first failure, if there was one: a figure over the runs that went well would be a lie.
fn median(times: Vec<Result<Duration, String>>) -> Result<Duration, String> {
    let mut times = times.into_iter().collect::<Result<Vec<_>, _>>()?;
    times.sort();
    times.get(times.len() / 2).copied().ok_or_else(|| "nothing was measured".to_owned())
}
