//! The devices of this process, for whoever calls them over RPC.

#[cfg(test)]
mod lifecycle;
mod station;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use trailblaze_engine::device::DeviceInfo;
use trailblaze_engine::dispatch::{Frame, dispatch};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::World;
use trailblaze_engine::server::answer;
use trailblaze_engine::session::Session;
use trailblaze_mcp::client::calls::{self, Calls, Whose};
use trailblaze_model::call::ToolCall;
use trailblaze_model::driver::Platform;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_rpc::{Backend, Call, Device, Group, Refusal};

use crate::VERSION;

pub use station::Station;

/// How long a call waits that brings no deadline of its own.
const PATIENCE: Duration = Duration::from_secs(60);

/// Finds out which device a call means, and does there what it asks for: below the tool call that is under way, or on a
/// device that nobody else has.
#[derive(Debug, Default)]
pub struct Switchboard {
    calls: Arc<Calls>,
    /// Devices that are open without a run.
    stations: RwLock<Vec<Arc<Station>>>,
    /// How many devices there are at most.
    devices: usize,
    /// What they are called, where that is known.
    names: Vec<Arc<str>>,
}

/// What is asked for.
#[derive(Clone)]
enum Wish {
    Tool(String, Map<String, Value>),
    Screenshot,
    Memory,
    Remember(String, String),
    Registry,
    Device,
}

/// What came of it.
enum Granted {
    Value(Value),
    Picture(Vec<u8>),
    Memory(BTreeMap<String, String>),
    Device(Device),
    Done,
}

impl Switchboard {
    pub fn for_devices(devices: usize, names: Vec<Arc<str>>) -> Self {
        let calls = Arc::new(Calls::for_devices(devices));
        Self { calls, devices, names, ..Self::default() }
    }

    /// The tool calls that are under way.
    pub fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    /// From now on these devices can be called without a run.
    pub fn open(&self, stations: Vec<Station>) {
        *self.stations.write().unwrap_or_else(PoisonError::into_inner) =
            stations.into_iter().map(Arc::new).collect();
    }

    /// Closes them; what is under way on them ends first.
    pub fn close(&self) {
        self.open(Vec::new());
    }

    fn stations(&self) -> Vec<Arc<Station>> {
        self.stations.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn grant(&self, call: &Call, wish: Wish) -> Result<Granted, Refusal> {
        let routing = &call.routing;
        let station = self.station(call)?;
        let device = station.as_ref().map_or(routing.device_id.as_str(), |station| station.id());
        let (invocation, session) = (routing.invocation_id.as_str(), routing.session_id.as_str());
        let is_busy = |station: &Arc<Station>| self.calls.devices().iter().any(|id| id == station.id());
        if let Some(station) = station.as_ref().filter(|station| !is_busy(station)) {
            return at_station(station, call, wish);
        }
        let is_open = invocation.is_empty() && device.is_empty() && session.is_empty();
        if is_open && self.devices > 1 {
            return Err(self.ambiguous());
        }
        let (cancel, again) = (call.cancel.clone(), wish.clone());
        let whose = Whose { invocation, session, device };
        let granted =
            self.calls.wish(whose, limit(call), &call.cancel, move |world| wish.below(world, &cancel));
        match (granted, station) {
            (Ok(granted), _) => granted.map_err(Refusal::from),
            // The tool call under way on the device was over at this moment.
            (Err(calls::Refusal::Over | calls::Refusal::Ambiguous), Some(station)) if !is_busy(&station) => {
                at_station(&station, call, again)
            }
            (Err(refusal), _) => Err(self.refused(refusal, call)),
        }
    }

    /// The device without a run that a call without an invocation means.
    fn station(&self, call: &Call) -> Result<Option<Arc<Station>>, Refusal> {
        let id = &call.routing.device_id;
        let stations = self.stations();
        match stations.as_slice() {
            [] => Ok(None),
            _ if !call.routing.invocation_id.is_empty() => Ok(None),
            [only] if id.is_empty() => Ok(Some(only.clone())),
            _ if id.is_empty() => Err(self.ambiguous()),
            stations => {
                let station = stations.iter().find(|station| station.id() == id).cloned();
                station.map(Some).ok_or_else(|| self.unknown_device(id).unwrap_or_else(|| self.ambiguous()))
            }
        }
    }

    /// Nobody is called like this.
    fn unknown_device(&self, id: &str) -> Option<Refusal> {
        let is_unknown =
            !id.is_empty() && !self.names.is_empty() && self.names.iter().all(|name| **name != *id);
        let known = || self.names.iter().map(|name| name.to_string()).collect();
        is_unknown.then(|| Refusal::UnknownDevice { id: id.to_owned(), known: known() })
    }

    fn ambiguous(&self) -> Refusal {
        Refusal::Ambiguous { devices: self.devices, invocations: self.calls.live() }
    }

    fn refused(&self, refusal: calls::Refusal, call: &Call) -> Refusal {
        let routing = &call.routing;
        let invocation = routing.invocation_id.clone();
        match refusal {
            calls::Refusal::Unknown => Refusal::UnknownInvocation(invocation),
            calls::Refusal::WrongSession => {
                Refusal::WrongSession { invocation, session: routing.session_id.clone() }
            }
            calls::Refusal::WrongDevice => Refusal::Invalid(format!(
                "the tool call '{invocation}' does not run on the device '{}'",
                routing.device_id
            )),
            calls::Refusal::Ambiguous => {
                self.unknown_device(&routing.device_id).unwrap_or_else(|| self.ambiguous())
            }
            calls::Refusal::Over => Refusal::Over,
            calls::Refusal::Busy => Refusal::Busy,
            calls::Refusal::TimedOut => {
                // What runs may stop, too.
                call.cancel.cancel();
                Refusal::TimedOut
            }
            calls::Refusal::Cancelled => Refusal::Cancelled,
        }
    }
}

/// On a device where nothing else runs.
fn at_station(station: &Station, call: &Call, wish: Wish) -> Result<Granted, Refusal> {
    let session = &call.routing.session_id;
    if !session.is_empty() && session != station.session() {
        return Err(Refusal::WrongSession { invocation: String::new(), session: session.clone() });
    }
    station.ask(call, limit(call), move |session| wish.of(session))
}

fn limit(call: &Call) -> Duration {
    let left = call.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    left.unwrap_or(PATIENCE)
}

impl Wish {
    /// Below a tool call that is under way.
    fn below(self, world: &mut dyn World, wanted_by: &Cancel) -> Result<Granted, Failure> {
        if wanted_by.is_cancelled() {
            return Err(Failure::new(
                FailureKind::Interrupted,
                "whoever asked for it does not wait any more",
            ));
        }
        match self {
            Self::Tool(tool, args) => Ok(Granted::Value(world.call_for(wanted_by, &tool, args))),
            Self::Remember(name, text) => {
                world.remember(&name, &text);
                Ok(Granted::Done)
            }
            // Servers are called by sessions only.
            other => world.session().map_or(Ok(Granted::Done), |session| other.of(session)),
        }
    }

    /// In a session where nothing else runs.
    fn of(self, session: &Session) -> Result<Granted, Failure> {
        Ok(match self {
            Self::Tool(tool, args) => {
                let call = ToolCall::new(tool, args);
                Granted::Value(answer::of_call(&dispatch(session, &call, &Frame::top(session))))
            }
            Self::Screenshot => Granted::Picture(session.device().screenshot()?),
            Self::Memory => Granted::Memory(session.memory.redacted()),
            Self::Remember(name, text) => {
                session.memory.set(&name, text);
                Granted::Done
            }
            Self::Registry => Granted::Value(session.registry().to_json("trailblaze", VERSION)),
            Self::Device => Granted::Device(device(session.device().info(), &session.options.id)),
        })
    }
}

/// A device as callers see it.
fn device(info: &DeviceInfo, session: &str) -> Device {
    let platform = info.driver.platform();
    Device {
        id: info.id.clone(),
        platform: platform.key().to_owned(),
        driver: info.driver.key().to_owned(),
        width: info.width.unsigned_abs(),
        height: info.height.unsigned_abs(),
        session_id: session.to_owned(),
        groups: groups(platform),
    }
}

fn groups(platform: Platform) -> Vec<Group> {
    match platform {
        Platform::Android | Platform::Ios => vec![Group::Maestro],
        _ => Vec::new(),
    }
}

/// A wish is granted with what it asks for.
fn odd<T>() -> Result<T, Refusal> {
    Err(Refusal::Internal("the session granted something else".to_owned()))
}

impl Backend for Switchboard {
    fn run(&self, call: &Call, tool: &str, args: Map<String, Value>) -> Result<Value, Refusal> {
        match self.grant(call, Wish::Tool(tool.to_owned(), args))? {
            Granted::Value(value) => Ok(value),
            _ => odd(),
        }
    }

    fn screenshot(&self, call: &Call) -> Result<Vec<u8>, Refusal> {
        match self.grant(call, Wish::Screenshot)? {
            Granted::Picture(png) => Ok(png),
            _ => odd(),
        }
    }

    fn memory(&self, call: &Call) -> Result<BTreeMap<String, String>, Refusal> {
        match self.grant(call, Wish::Memory)? {
            Granted::Memory(memory) => Ok(memory),
            _ => odd(),
        }
    }

    fn remember(&self, call: &Call, name: &str, text: &str) -> Result<(), Refusal> {
        self.grant(call, Wish::Remember(name.to_owned(), text.to_owned())).map(drop)
    }

    fn devices(&self, call: &Call) -> Result<Vec<Device>, Refusal> {
        let routing = &call.routing;
        let stations = self.stations();
        if stations.is_empty() || !routing.invocation_id.is_empty() {
            return match self.grant(call, Wish::Device)? {
                Granted::Device(device) => Ok(vec![device]),
                _ => odd(),
            };
        }
        if let Some(refusal) = self.unknown_device(&routing.device_id) {
            return Err(refusal);
        }
        let is_meant = |wanted: &str, own: &str| wanted.is_empty() || wanted == own;
        let fits = |device: &Device| {
            is_meant(&routing.device_id, &device.id) && is_meant(&routing.session_id, &device.session_id)
        };
        Ok(stations.iter().map(|station| station.device()).filter(fits).collect())
    }

    fn registry(&self, call: &Call) -> Result<Value, Refusal> {
        match self.grant(call, Wish::Registry)? {
            Granted::Value(registry) => Ok(registry),
            _ => odd(),
        }
    }

    fn groups(&self, call: &Call) -> Result<Vec<Group>, Refusal> {
        match self.grant(call, Wish::Device)? {
            Granted::Device(device) => Ok(device.groups),
            _ => odd(),
        }
    }
}
