//! What a server needs of those who have the devices.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Map, Value};
use trailblaze_engine::host::Cancel;

use crate::refusal::Refusal;

/// Who is meant. Empty means that the caller did not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    pub device_id: String,
    pub session_id: String,
    pub invocation_id: String,
}

/// What every call carries besides its arguments.
#[derive(Clone, Debug, Default)]
pub struct Call {
    pub routing: Routing,
    /// When the caller stops waiting.
    pub deadline: Option<Instant>,
    /// Set when nobody waits for the answer any more: the caller went away, or its deadline passed.
    pub cancel: Cancel,
}

/// Commands that not every device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Maestro,
    Playwright,
    Desktop,
}

impl Group {
    /// As it stands in `Device.groups`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Maestro => "maestro",
            Self::Playwright => "playwright",
            Self::Desktop => "desktop",
        }
    }

    /// The service that has its commands.
    pub const fn service(self) -> &'static str {
        match self {
            Self::Maestro => "MaestroCommands",
            Self::Playwright => "PlaywrightCommands",
            Self::Desktop => "DesktopCommands",
        }
    }
}

/// A device that is driven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    pub id: String,
    /// `android`, `ios`, `web` or `desktop`.
    pub platform: String,
    /// The key of its driver.
    pub driver: String,
    /// In pixels; 0 when not known.
    pub width: u32,
    pub height: u32,
    /// Empty when no session has it.
    pub session_id: String,
    pub groups: Vec<Group>,
}

/// The devices and sessions behind a server. Every call finds its own by the [`Routing`].
///
/// All of these may block. They run on threads of their own, not more at once than
/// [`Options::most_calls`](crate::Options::most_calls), and a panic in one of them fails that call only.
pub trait Backend: Send + Sync + 'static {
    /// Runs a tool through the session's dispatch. The answer is what `engine::server::answer::of_call` makes of its
    /// result; a list of texts under `candidates` goes to the caller as it is.
    fn run(&self, call: &Call, tool: &str, args: Map<String, Value>) -> Result<Value, Refusal>;

    /// A picture of the screen, as PNG.
    fn screenshot(&self, call: &Call) -> Result<Vec<u8>, Refusal>;

    /// What the session remembers, with `***` in place of secrets.
    fn memory(&self, call: &Call) -> Result<BTreeMap<String, String>, Refusal>;

    /// Remembers a text.
    fn remember(&self, call: &Call, name: &str, text: &str) -> Result<(), Refusal>;

    /// The devices that the routing leaves.
    fn devices(&self, call: &Call) -> Result<Vec<Device>, Refusal>;

    /// The tools of the session, in the JSON of `trailblaze.v1.TrailblazeToolRegistry`.
    fn registry(&self, call: &Call) -> Result<Value, Refusal>;

    /// Which groups of commands the device of the call has.
    fn groups(&self, call: &Call) -> Result<Vec<Group>, Refusal> {
        let _ = call;
        Ok(vec![Group::Maestro])
    }
}
