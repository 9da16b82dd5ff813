//! Many tool calls at once, each with its own caller: whether every call reaches its own device, and what is left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trailblaze_rpc::client::{CallError, Client};

use super::visit::{Host, TOOL, Visit};
use super::{Figures, Server, open};
use crate::authoring::Bench;
use crate::bench::held::Held;
use crate::bench::stage::{bug, dispatch};
use crate::exit_code::Problem;

const DEVICES: usize = 8;
const INVOCATIONS: usize = 64;
/// How often each of them is begun and ended.
const ROUNDS: usize = 25;
/// Before that, until threads and memory are there that stay.
const WARM: usize = 5;
/// In each invocation.
const CALLS: usize = 63;
/// Until the server has seen that the last callers are gone.
const REST: Duration = Duration::from_millis(200);

pub(super) fn figures() -> Result<Figures, Problem> {
    let server = Server::start(DEVICES)?;
    let tally = Arc::new(Tally::default());
    let devices: Vec<Device> =
        (1..=DEVICES).map(|number| Device::open(number, &server, &tally)).collect::<Result<_, _>>()?;
    play(&devices, WARM)?;
    let before = Held::now()?;
    let started = Instant::now();
    play(&devices, ROUNDS)?;
    let took = started.elapsed().saturating_sub(REST);
    let after = Held::now()?;
    devices.into_iter().try_for_each(Device::close)?;
    let calls = (INVOCATIONS * ROUNDS * CALLS) as f64;
    let number = |count: &AtomicUsize| count.load(Ordering::Relaxed) as f64;
    Ok(vec![
        ("crowdCalls", number(&tally.right)),
        ("crowdWrongDevice", number(&tally.wrong)),
        ("crowdErrors", number(&tally.errors)),
        ("crowdCallsPerSecond", calls / took.as_secs_f64()),
        ("crowdRssWarmKib", before.rss_kib),
        ("crowdRssEndKib", after.rss_kib),
        ("crowdFilesWarm", before.files),
        ("crowdFilesEnd", after.files),
        ("crowdThreadsWarm", before.threads),
        ("crowdThreadsEnd", after.threads),
    ])
}

/// Lets all devices run the tool so many times, side by side.
fn play(devices: &[Device], rounds: usize) -> Result<(), Problem> {
    for device in devices {
        // One that is gone has said why.
        let _ = device.rounds.send(rounds);
    }
    devices.iter().try_for_each(|device| device.played.recv().map_err(bug)?)?;
    std::thread::sleep(REST);
    Ok(())
}

/// What came of the calls.
#[derive(Default)]
struct Tally {
    right: AtomicUsize,
    wrong: AtomicUsize,
    errors: AtomicUsize,
}

/// A thread with a session, and one for each of those who call while its tool runs.
struct Device {
    rounds: Sender<usize>,
    played: Receiver<Result<(), Problem>>,
    session: JoinHandle<()>,
    guests: Vec<JoinHandle<()>>,
}

impl Device {
    fn open(number: usize, server: &Server, tally: &Arc<Tally>) -> Result<Self, Problem> {
        let (mut guests, mut threads) = (Vec::new(), Vec::new());
        for guest in 0..INVOCATIONS / DEVICES {
            let (sender, visits) = mpsc::channel();
            let (base_url, tally) = (server.base_url.clone(), tally.clone());
            guests.push(sender);
            threads.push(std::thread::spawn(move || {
                visits.iter().for_each(|visit| call(&visit, &base_url, guest, number, &tally));
            }));
        }
        let (rounds, wanted) = mpsc::channel();
        let (done, played) = mpsc::channel();
        let (bench, host) = (server.bench.clone(), Host { calls: server.calls().clone(), guests });
        let session = std::thread::spawn(move || {
            if let Err(problem) = session(number, &bench, host, &wanted, &done) {
                // Nobody waits for it who is not told.
                let _ = done.send(Err(problem));
            }
        });
        Ok(Self { rounds, played, session, guests: threads })
    }

    fn close(self) -> Result<(), Problem> {
        drop(self.rounds);
        let panicked = || bug("a thread panicked");
        let threads = std::iter::once(self.session).chain(self.guests);
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| panicked()))
    }
}

fn name(number: usize) -> String {
    format!("sim-{number}")
}

fn session(
    number: usize,
    bench: &Bench,
    host: Host,
    wanted: &Receiver<usize>,
    done: &Sender<Result<(), Problem>>,
) -> Result<(), Problem> {
    let live = open(&name(number), number, bench, host.registry())?;
    live.session.memory.set("device", name(number));
    for rounds in wanted {
        (0..rounds).try_for_each(|_| dispatch(&live.session, TOOL, json!({})))?;
        done.send(Ok(())).map_err(bug)?;
    }
    Ok(())
}

/// Makes the calls of one invocation. Every other caller speaks JSON.
fn call(visit: &Visit, base_url: &str, guest: usize, number: usize, tally: &Tally) {
    let client = visit.client(base_url);
    let client = if guest.is_multiple_of(2) { client } else { client.json() };
    for turn in 0..CALLS {
        let count = match proof(&client, guest + turn, number) {
            Ok(true) => &tally.right,
            Ok(false) => &tally.wrong,
            Err(_) => &tally.errors,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Asks for something that only this device can say: on its screen, in its session's memory, of itself.
fn proof(client: &Client, turn: usize, number: usize) -> Result<bool, CallError> {
    let ask = |method: &str, request: Value| client.call(&format!("TrailblazeCommands/{method}"), request);
    let (id, shown) = (name(number), number.to_string());
    Ok(match turn % 4 {
        0 => ask("IsVisible", json!({ "text": shown }))?["value"] == true,
        1 => ask("GetElementText", json!({ "id": "value" }))?["value"] == shown,
        2 => ask("GetMemory", json!({ "key": "device" }))?["value"] == id,
        _ => {
            let devices = &ask("ListDevices", json!({}))?["devices"];
            devices.as_array().is_some_and(|devices| devices.len() == 1) && devices[0]["id"] == id
        }
    })
}
