//! The sim, as a runner sees it: actions in, screens out.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod apps;
mod bad;
mod events;
mod keyboard;
mod picture;
mod time;
mod touch;
mod typing;
mod whereabouts;

use std::sync::Arc;

use serde_json::Value;
use trailblaze_devices::sim::{SimDevice, SimOptions};
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::Device;
use trailblaze_engine::script::{Module, ScriptLimits};
use trailblaze_model::action::{Action, Finger, Key};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Screen, WindowKind};
use trailblaze_script::QuickJs;

/// A sim with its clock.
struct Sim {
    device: SimDevice,
    clock: Arc<VirtualClock>,
}

fn options(source: &str) -> (SimOptions, Arc<VirtualClock>) {
    let clock = Arc::new(VirtualClock::default());
    let app = Module::new("app.js", source);
    let mut options = SimOptions::new(app, clock.clone(), Arc::new(QuickJs));
    options.limits = ScriptLimits { call_ms: 1_000, heap_bytes: 16 << 20, ..ScriptLimits::default() };
    (options, clock)
}

impl Sim {
    fn load(source: &str) -> Result<Self, Failure> {
        let (options, clock) = options(source);
        Ok(Self { device: SimDevice::new(options)?, clock })
    }

    /// `body` is what stands in the app beside its id: `initialState`, `render`, `on`. The app `a` is launched.
    #[track_caller]
    fn app(body: &str) -> Self {
        let sim = Self::load(&format!("export const app = {{ id: 'a', {body} }}")).unwrap();
        sim.act(launch("a"));
        sim
    }

    /// An app that shows its log: each handler that `handlers` names adds what `show` makes of the event.
    #[track_caller]
    fn logging(handlers: &str) -> Self {
        let node = "{ text: 'B', resourceId: 'b', isClickable: true, mine: 7, bounds: [0, 0, 100, 100] }";
        let field = "{ resourceId: 'f', isEditable: true, isFocused: true, bounds: [0, 200, 100, 300] }";
        Self::app(&format!(
            "initialState: [], render: (log) => ({{ text: log.join(' '), children: [{node}, {field}] }}),
             on: Object.fromEntries({handlers}.map(([type, show]) =>
               [type, (log, event) => [...log, type + ':' + show(event)]]))"
        ))
    }

    #[track_caller]
    fn act(&self, action: Action) -> String {
        self.device.act(&action).unwrap().text
    }

    fn fail(&self, action: Action) -> Failure {
        self.device.act(&action).unwrap_err()
    }

    #[track_caller]
    fn screen(&self) -> Arc<Screen> {
        self.device.capture().unwrap()
    }

    /// The text of the first node.
    #[track_caller]
    fn text(&self) -> String {
        self.screen().nodes().next().and_then(|node| node.text()).unwrap_or_default().to_owned()
    }

    fn texts(&self) -> Vec<String> {
        self.screen().nodes().filter_map(|node| node.text()).map(str::to_owned).collect()
    }

    fn windows(&self) -> Vec<WindowKind> {
        self.screen().windows().iter().map(|window| window.kind).collect()
    }

    fn is_home(&self) -> bool {
        self.screen().nodes().next().and_then(|node| node.resource_id()) == Some("sim:id/launcher")
    }
}

fn launch(id: &str) -> Action {
    Action::LaunchApp { app_id: id.into(), arguments: Default::default() }
}

fn tap(x: i32, y: i32) -> Action {
    Action::Tap { x, y }
}
