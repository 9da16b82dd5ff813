//! Calls at the same time over HTTP: whether a slow one holds up the others.

use std::path::Path;
use std::time::{Duration, Instant};

use trailblaze_engine::script::Nowhere;
use trailblaze_mcp::client::{Address, Connection, Sending, Shared, Toolset};

use super::Figures;
use super::helper::Helper;
use crate::bench::stage::{bug, failed, median, micros};
use crate::exit_code::Problem;

const QUICK: usize = 31;
const SLOW: Duration = Duration::from_millis(200);
/// Until the slow one is on its way.
const AHEAD: Duration = Duration::from_millis(20);
const TURNS: usize = 25;

type Slow<'a> = dyn Fn() -> Result<(), Problem> + Sync + 'a;

pub(super) fn figures(folder: &Path) -> Result<Figures, Problem> {
    let mut server = Helper::start(folder, "http.ts")?;
    let url = format!("http://127.0.0.1:{}/mcp", server.number()?);
    let address = Address::parse(&url).map_err(bug)?;
    let server = Toolset::http("bench", address, Shared::default()).open().map_err(failed)?;
    let slow = || call(&server, QUICK, SLOW);
    let nothing = || {
        std::thread::sleep(SLOW);
        Ok(())
    };
    let [mut alone, mut beside] = [const { Vec::new() }; 2];
    for turn in 0..=TURNS {
        let took = (quick_beside(&server, &nothing)?, quick_beside(&server, &slow)?);
        if turn > 0 {
            alone.push(took.0);
            beside.push(took.1);
        }
    }
    Ok(vec![("quickMillis", median(alone)), ("quickBesideSlowMillis", median(beside))])
}

/// The quick calls while something else goes on that takes long.
fn quick_beside(server: &Connection, slow: &Slow<'_>) -> Result<f64, Problem> {
    // A server that slept for a while is slower at first.
    quick(server)?;
    std::thread::scope(|scope| {
        let slow = scope.spawn(slow);
        std::thread::sleep(AHEAD);
        let took = quick(server)?;
        joined(slow.join())?;
        Ok(took)
    })
}

/// The quick calls at the same time, in milliseconds.
fn quick(server: &Connection) -> Result<f64, Problem> {
    let started = Instant::now();
    std::thread::scope(|scope| {
        let calls: Vec<_> =
            (0..QUICK).map(|number| scope.spawn(move || call(server, number, Duration::ZERO))).collect();
        calls.into_iter().try_for_each(|call| joined(call.join()))
    })?;
    Ok(micros(started.elapsed()) / 1e3)
}

fn joined(result: std::thread::Result<Result<(), Problem>>) -> Result<(), Problem> {
    result.unwrap_or_else(|_| Err(bug("a thread panicked")))
}

fn call(server: &Connection, number: usize, time: Duration) -> Result<(), Problem> {
    let millis = time.as_millis();
    let invocation = format!("bench-{number}");
    let params = |meta: &str| {
        let arguments = format!(r#"{{"millis":{millis}}}"#);
        format!(r#"{{"name":"bench_wait","arguments":{arguments},"_meta":{{{meta}"bench":true}}}}"#)
    };
    let sending = Sending { tool: "bench_wait", session: "bench", invocation: &invocation, params: &params };
    let result = server.send(&sending, &mut Nowhere).map_err(failed)?;
    match result["content"][0]["text"] == "done" {
        true => Ok(()),
        false => Err(bug(format!("an unexpected answer: {result}"))),
    }
}
