//! A toolset whose one tool waits, as a tool of another process does while it calls back.
//!
//! The session, the dispatch and the calls that are under way are those of a run; the processes are left out, whose cost is
//! measured with servers.

use std::io::{self, PipeReader, PipeWriter};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::registry::Registry;
use trailblaze_engine::script::World;
use trailblaze_engine::server::{Call, Listed, Provider, Server};
use trailblaze_mcp::client::calls::{Calls, LiveCall};
use trailblaze_mcp::client::unguessable;
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_rpc::{Routing, client::Client};

use crate::bench::stage;

pub(super) const TOOL: &str = "bench_wait";
/// Nobody is served before everybody has had the time to ask, so that all of them wait at once.
const HEAD_START: Duration = Duration::from_millis(20);

/// The tool is under way, and one of those who are there may call.
pub(super) struct Visit {
    session: String,
    invocation: String,
    /// The tool ends when all of them are dropped.
    _stays: PipeWriter,
}

impl Visit {
    /// Comes over a connection of its own, as the client of each tool call does.
    pub(super) fn client(&self, base_url: &str) -> Client {
        Client::new(base_url).routing(Routing {
            device_id: String::new(),
            session_id: self.session.clone(),
            invocation_id: self.invocation.clone(),
        })
    }
}

/// Begins an invocation for each guest, and serves them until they have left.
#[derive(Clone)]
pub(super) struct Host {
    pub(super) calls: Arc<Calls>,
    pub(super) guests: Vec<Sender<Visit>>,
}

impl Host {
    /// The built-in tools, and the one that waits.
    pub(super) fn registry(self) -> Arc<Registry> {
        let tool = json!({ "name": TOOL, "description": "Waits", "inputSchema": { "type": "object" } });
        let listed = Listed { tools: vec![tool], registry: None };
        Arc::new(stage::registry(Arc::new(self), &listed))
    }

    fn invite(&self, world: &dyn World) -> io::Result<(Vec<LiveCall>, PipeReader)> {
        let session = world.session().ok_or(io::ErrorKind::NotFound)?;
        let (id, device) = (&session.options.id, &session.device().info().id);
        let (left, stays) = io::pipe()?;
        let invite = |guest: &Sender<Visit>| {
            let invocation = unguessable()?;
            let live = self.calls.begin(id, device, &invocation)?;
            let visit = Visit { session: id.clone(), invocation, _stays: stays.try_clone()? };
            guest.send(visit).map_err(io::Error::other)?;
            Ok(live)
        };
        Ok((self.guests.iter().map(invite).collect::<io::Result<_>>()?, left))
    }
}

fn serve(invited: &[LiveCall], left: &PipeReader, world: &mut dyn World) -> io::Result<()> {
    let mut fds: Vec<PollFd<'_>> =
        invited.iter().filter_map(LiveCall::waker).map(|waker| PollFd::new(waker, PollFlags::IN)).collect();
    fds.push(PollFd::new(left, PollFlags::IN));
    std::thread::sleep(HEAD_START);
    loop {
        poll(&mut fds, None)?;
        for live in invited {
            live.serve(world);
        }
        if fds.last().is_some_and(|left| !left.revents().is_empty()) {
            return Ok(());
        }
    }
}

impl Provider for Host {
    fn name(&self) -> &str {
        "bench"
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        Ok(Arc::new(self.clone()))
    }
}

impl Server for Host {
    fn list(&self) -> Result<Vec<Value>, Failure> {
        Ok(Vec::new())
    }

    fn registry(&self) -> Result<Option<Value>, Failure> {
        Ok(None)
    }

    fn call(&self, _call: Call, world: &mut dyn World) -> Result<Value, Failure> {
        let served = self.invite(world).and_then(|(invited, left)| serve(&invited, &left, world));
        served.map_err(|error| Failure::new(FailureKind::Exception, error.to_string()))?;
        Ok(json!({ "content": [] }))
    }

    fn runtime(&self) -> AgentMode {
        AgentMode::Host
    }

    fn take_logs(&self) -> Vec<LogLine> {
        Vec::new()
    }
}
