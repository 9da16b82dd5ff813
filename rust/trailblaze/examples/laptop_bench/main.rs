//! What the cable costs: a capture and a tap on a phone of paper, in this process and through a real adb server, and how
//! long it takes until the agent answers.
//!
//! The whole way is the real one: the laptop's half, adb's server, an adbd of paper, the abstract socket of the phone's
//! half. It prints one JSON object, and takes the adb server that `ANDROID_ADB_SERVER_PORT` names, which it ends.

mod paper;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trailblaze::exit_code::Problem;
use trailblaze::laptop::Phones;
use trailblaze::{VERSION, phone};
use trailblaze_android::platform::Platform;
use trailblaze_devices::adb::{self, Address, Limit, Program, Server};
use trailblaze_devices::fake_adbd::{Adbd, FakePhone, Process};
use trailblaze_engine::clock::SystemClock;
use trailblaze_engine::device::Device;
use trailblaze_engine::host::Cancel;
use trailblaze_model::action::Action;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::Failure;

use paper::Paper;

const NODES: usize = 500;
const ROUNDS: usize = 401;
const CONNECTS: usize = 15;
const DRIVER: Driver = Driver::AndroidOndeviceAccessibility;

fn main() -> ExitCode {
    match measure() {
        Ok(figures) => {
            println!("{figures:#}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn limit() -> Limit {
    Limit::within(Duration::from_secs(20), &Cancel::default())
}

fn measure() -> Result<Value, String> {
    let said = |error: adb::Error| error.to_string();
    let address = Address::from_vars(|name| std::env::var(name).ok()).map_err(said)?;
    let program = Program::find(|name| std::env::var_os(name)).ok_or("there is no adb")?;
    let server = Server::new(address, Some(program));
    server.ensure_running(&limit()).map_err(said)?;
    let measured = with_server(&server);
    server.kill(&limit()).map_err(said)?;
    measured
}

fn with_server(server: &Server) -> Result<Value, String> {
    let said = |error: adb::Error| error.to_string();
    let files = std::env::temp_dir().join(format!("trailblaze-laptop-bench-{}", std::process::id()));
    let paper: Arc<dyn Platform> = Arc::new(Paper::new(NODES, &files));
    let behind = paper.clone();
    let mut fake = FakePhone::new(move |process: &mut Process| commands(&behind, process));
    fake.shares_sockets = true;
    let adbd = Adbd::start(fake, 0).map_err(|error| error.to_string())?;
    server.connect_to(&adbd.serial(), &limit()).map_err(said)?;
    server.wait_until_ready(&adbd.serial(), &limit()).map_err(said)?;

    let (mut connects, mut phones) = (Vec::new(), None);
    for _ in 0..CONNECTS {
        // The one before has ended.
        drop(phones.take());
        let started = Instant::now();
        let connected = Phones::connect(&[adbd.serial()], DRIVER, None, &Cancel::default());
        connects.push(millis(started));
        phones = Some(connected.map_err(|Problem { message, .. }| message)?);
    }
    let phones = phones.ok_or("nothing was connected")?;
    let far = phones.attached().first().ok_or("nothing was connected")?.device();
    let near = phone::attached(&paper, DRIVER, Arc::new(SystemClock::default()), None);
    let near = near.map_err(told)?.device();

    let (mut in_process, mut over_adb) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // By turns, so that a busy moment of the machine falls on both.
        in_process.push(look_and_tap(near.as_ref())?);
        over_adb.push(look_and_tap(far.as_ref())?);
    }
    let (in_process, over_adb) = (median(in_process), median(over_adb));
    let round = |value: f64| (value * 1000.0).round() / 1000.0;
    Ok(json!({
        "nodes": NODES,
        "inProcessMillis": round(in_process),
        "overAdbMillis": round(over_adb),
        "overheadMillis": round(over_adb - in_process),
        "connectMillis": round(median(connects)),
    }))
}

fn told(failure: Failure) -> String {
    failure.message
}

fn millis(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn look_and_tap(device: &dyn Device) -> Result<f64, String> {
    let started = Instant::now();
    let screen = device.capture().map_err(told)?;
    device.act(&Action::Tap { x: 500, y: 700 }).map_err(told)?;
    let took = millis(started);
    // A figure for a screen that nobody saw would look splendid.
    if screen.len() == NODES { Ok(took) } else { Err(format!("{} nodes were seen", screen.len())) }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The phone's shell. The agent runs in this process, and ends when the laptop is done.
fn commands(paper: &Arc<dyn Platform>, process: &mut Process) -> std::io::Result<u8> {
    let line = process.line.strip_prefix("trap '' HUP; ").unwrap_or(&process.line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let answer = match words.as_slice() {
        ["am", "instrument", arguments @ ..] => {
            let pairs = arguments.windows(3).filter(|three| three[0] == "-e");
            let pairs = pairs.map(|three| (three[1].to_owned(), three[2].to_owned())).collect();
            phone::run(paper.clone(), pairs, &Cancel::default());
            "INSTRUMENTATION_CODE: -1\n".to_owned()
        }
        ["dumpsys", "package", ..] => format!("    versionName={VERSION}\n"),
        _ => String::new(),
    };
    process.out(answer)?;
    Ok(0)
}
