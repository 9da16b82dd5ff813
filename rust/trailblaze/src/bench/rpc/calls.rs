//! `isVisible` by turns: in the process, over RPC on a device without a run and below a tool call, and a bare echo.

use std::sync::mpsc;
use std::thread::JoinHandle;

use serde_json::json;
use trailblaze_rpc::client::Client;

use super::visit::{Host, TOOL, Visit};
use super::{Figures, Server, echo, nobody, open};
use crate::bench::stage::{bug, by_turns, dispatch};
use crate::exit_code::Problem;
use crate::rpc::Station;
use crate::run::Stand;

/// The device that is measured without a run, and the one below whose tool call it is.
const DEVICES: [&str; 2] = ["sim-1", "sim-2"];

pub(super) fn figures() -> Result<Figures, Problem> {
    let server = Server::start(DEVICES.len())?;
    let Server { bench, registry, endpoint, base_url, .. } = &server;
    let inside = open(DEVICES[0], 0, bench, registry.clone())?;
    endpoint.switchboard().open(vec![Station::open(
        Stand::Sim(DEVICES[0].into()),
        bench,
        registry,
        &nobody(),
        None,
        None,
    )?]);
    let on_device = || {
        let device_id = DEVICES[0].to_owned();
        Client::new(base_url).routing(trailblaze_rpc::Routing { device_id, ..Default::default() })
    };
    let (binary, json) = (on_device(), on_device().json());
    binary.call("TrailblazeCommands/LaunchApp", json!({ "packageId": "bench" })).map_err(bug)?;
    let (visit, host) = visited(&server)?;
    let below = visit.client(base_url);

    let times = by_turns([
        &mut || dispatch(&inside.session, "isVisible", json!({ "id": "plus" })),
        &mut || is_visible(&binary),
        &mut || is_visible(&json),
        &mut || is_visible(&below),
        &mut echo::start()?,
    ]);
    drop(visit);
    host.join().map_err(|_| bug("the session panicked"))??;
    endpoint.switchboard().close();
    let [inside, binary, json, below, echo] = times?;
    Ok(vec![
        ("inProcessMicros", inside),
        ("binaryOverheadMicros", binary - inside),
        ("jsonOverheadMicros", json - inside),
        ("invocationOverheadMicros", below - inside),
        ("echoMicros", echo),
    ])
}

fn is_visible(client: &Client) -> Result<(), Problem> {
    let answer = client.call("TrailblazeCommands/IsVisible", json!({ "id": "plus" })).map_err(bug)?;
    match answer["value"] == true {
        true => Ok(()),
        false => Err(bug(format!("'plus' is not visible: {answer}"))),
    }
}

/// A tool call that is under way on a device of its own.
fn visited(server: &Server) -> Result<(Visit, JoinHandle<Result<(), Problem>>), Problem> {
    let (guest, visits) = mpsc::channel();
    let host = Host { calls: server.calls().clone(), guests: vec![guest] };
    let bench = server.bench.clone();
    let session = std::thread::spawn(move || {
        let live = open(DEVICES[1], 0, &bench, host.registry())?;
        dispatch(&live.session, TOOL, json!({}))
    });
    Ok((visits.recv().map_err(bug)?, session))
}
