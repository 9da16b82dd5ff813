//! One call after the other, by turns: our client, a whole session, the official client, a bare echo.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::Nowhere;
use trailblaze_mcp::client::{Connection, Program, Sending, Shared, Toolset};

use super::helper::Helper;
use super::{Figures, entry};
use crate::bench::stage::{DRIVER, Stage, bug, failed, median, micros};
use crate::exit_code::Problem;
use crate::toolsets::{Starter, ToolsetServers};

const TURNS: usize = 40;
const A_TURN: usize = 250;
/// Until JavaScript is as quick as it gets.
const WARM_UP: usize = 4_000;

pub(super) fn figures(folder: &Path) -> Result<Figures, Problem> {
    let payload = Payload::read(folder)?;
    let program = Program {
        command: "bun".into(),
        args: vec![folder.join("server.ts").into()],
        env: Vec::new(),
        dir: Some(folder.to_owned()),
    };
    let own = Toolset::new("bench", program, Shared::default()).open().map_err(failed)?;
    let session = InSession::new(folder)?;
    let mut official = Helper::start(folder, "client.ts")?;
    let mut echo = Helper::start(folder, "echo.ts")?;

    let mut times = [const { Vec::new() }; 4];
    for turn in 0..=TURNS {
        let calls = if turn == 0 { WARM_UP } else { A_TURN };
        let took = [
            one_by_one(calls, || payload.call(&own))?,
            official.turn(calls)?,
            echo.turn(calls)?,
            one_by_one(calls, || session.call(&payload))?,
        ];
        if turn > 0 {
            times.iter_mut().zip(took).for_each(|(times, took)| times.push(took));
        }
    }
    let names = ["callMicros", "officialCallMicros", "echoMicros", "sessionCallMicros"];
    Ok(names.into_iter().zip(times.map(median)).collect())
}

/// The median of a call in microseconds.
fn one_by_one(calls: usize, mut call: impl FnMut() -> Result<(), Problem>) -> Result<f64, Problem> {
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let started = Instant::now();
        call()?;
        times.push(micros(started.elapsed()));
    }
    Ok(median(times))
}

/// The parameters that the official client sends, too.
struct Payload {
    /// Up to the entries of `_meta`, and from there.
    head: String,
    tail: String,
    text: Value,
}

impl Payload {
    fn read(folder: &Path) -> Result<Self, Problem> {
        const META: &str = r#""_meta":{"#;
        let read = std::fs::read(folder.join("payload.json")).map_err(bug)?;
        let params: Value = serde_json::from_slice(&read).map_err(bug)?;
        let all = params.to_string();
        let (head, tail) = all.split_once(META).ok_or_else(|| bug("a payload without '_meta'"))?;
        let text = params["arguments"]["text"].clone();
        Ok(Self { head: format!("{head}{META}"), tail: tail.to_owned(), text })
    }

    fn call(&self, server: &Connection) -> Result<(), Problem> {
        let params = |meta: &str| [&self.head, meta, &self.tail].concat();
        let sending = Sending { tool: "bench_echo", session: "bench", invocation: "bench", params: &params };
        let result = server.send(&sending, &mut Nowhere).map_err(failed)?;
        match result["content"][0]["text"] == self.text {
            true => Ok(()),
            false => Err(bug(format!("an unexpected answer: {result}"))),
        }
    }
}

/// The same tool as a trail calls it.
struct InSession {
    stage: Stage,
    /// They end with it.
    _servers: Arc<ToolsetServers>,
}

impl InSession {
    fn new(folder: &Path) -> Result<Self, Problem> {
        let servers = ToolsetServers::new(&Cancel::default(), Arc::default());
        let stage = open(&servers, folder, "server.ts")?;
        Ok(Self { stage, _servers: servers })
    }

    fn call(&self, payload: &Payload) -> Result<(), Problem> {
        let args: Map<String, Value> = [("text".to_owned(), payload.text.clone())].into_iter().collect();
        self.stage.dispatch("bench_echo", args)
    }
}

/// A session with the tools of a script, in a process of its own.
pub(super) fn open(servers: &ToolsetServers, folder: &Path, script: &str) -> Result<Stage, Problem> {
    match servers.open(&[&entry(script, script)], folder, DRIVER).pop() {
        Some(Ok(Some((provider, listed)))) => Stage::new(provider, &listed),
        Some(Ok(None)) => Err(bug(format!("nothing on PATH runs {script}"))),
        Some(Err(failure)) => Err(failed(failure)),
        None => Err(bug("nothing was opened")),
    }
}
