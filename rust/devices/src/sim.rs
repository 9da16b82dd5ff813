//! The embedded device: an app is one JavaScript file, its clock is the run's clock.
//!
//! The phone itself (what is in front, timers, touches, rendering) is `sim/js`; it runs in the same runtime as the
//! app. This side keeps the last screen and asks JavaScript only when something happens: once per action, and for a
//! look only when a timer fell due since the last one.

mod answer;
mod failure;
mod modules;
mod tree;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use trailblaze_engine::clock::Clock;
use trailblaze_engine::device::{Device, DeviceInfo, LogLine};
use trailblaze_engine::script::{Module, ScriptEngine, ScriptLimits, ScriptRuntime};
use trailblaze_model::action::{Action, Answer as ActionAnswer};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

use answer::Answer;
use tree::Tree;

/// What a sim is made from.
#[derive(Clone)]
pub struct SimOptions {
    pub id: String,
    /// The driver it stands in for.
    pub driver: Driver,
    pub width: i32,
    pub height: i32,
    /// The app's file.
    pub app: Module,
    pub clock: Arc<dyn Clock>,
    pub engine: Arc<dyn ScriptEngine>,
    /// For the app's random numbers.
    pub seed: u64,
    pub limits: ScriptLimits,
}

impl SimOptions {
    pub const WIDTH: i32 = 1080;
    pub const HEIGHT: i32 = 2400;

    /// A phone of 1080 x 2400 pixels that stands in for the accessibility driver.
    pub fn new(app: Module, clock: Arc<dyn Clock>, engine: Arc<dyn ScriptEngine>) -> Self {
        Self {
            id: "sim".to_owned(),
            driver: Driver::AndroidOndeviceAccessibility,
            width: Self::WIDTH,
            height: Self::HEIGHT,
            app,
            clock,
            engine,
            seed: 0,
            limits: ScriptLimits { call_ms: 2_000, ..ScriptLimits::default() },
        }
    }
}

impl fmt::Debug for SimOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimOptions")
            .field("id", &self.id)
            .field("app", &self.app.name)
            .finish_non_exhaustive()
    }
}

/// A phone that exists only in memory.
pub struct SimDevice {
    info: DeviceInfo,
    options: SimOptions,
    phone: Mutex<Phone>,
}

impl fmt::Debug for SimDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimDevice").field("options", &self.options).finish_non_exhaustive()
    }
}

/// What is known without asking JavaScript.
struct Phone {
    /// None after a crash, until somebody looks again.
    runtime: Option<Box<dyn ScriptRuntime>>,
    tree: Tree,
    screen: Arc<Screen>,
    next_due: Option<u64>,
    last_change: u64,
    front: Option<String>,
    installed: Vec<String>,
    logs: Vec<LogLine>,
}

impl SimDevice {
    /// Loads the app's file and shows the launcher.
    pub fn new(options: SimOptions) -> Result<Self, Failure> {
        let info = DeviceInfo {
            id: options.id.clone(),
            driver: options.driver,
            width: options.width,
            height: options.height,
            classifiers: Classifiers::new(["android", "phone"]),
        };
        let empty = trailblaze_model::screen::ScreenBuilder::new(options.width, options.height, 0).finish();
        let mut phone = Phone {
            runtime: None,
            tree: Tree::default(),
            screen: Arc::new(empty),
            next_due: None,
            last_change: 0,
            front: None,
            installed: Vec::new(),
            logs: Vec::new(),
        };
        phone.boot(&options)?;
        Ok(Self { info, options, phone: Mutex::new(phone) })
    }

    /// The phone as it is now.
    fn look(&self) -> Result<MutexGuard<'_, Phone>, Failure> {
        let mut phone = self.phone.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.options.clock.now_ms();
        if phone.runtime.is_none() {
            phone.boot(&self.options)?;
        }
        if phone.next_due.is_some_and(|due| due <= now) {
            phone.ask(&self.options, "advance", vec![now.into()])?;
        }
        Ok(phone)
    }
}

impl Phone {
    fn boot(&mut self, options: &SimOptions) -> Result<(), Failure> {
        let started = options.engine.start(modules::all(options), options.limits);
        self.runtime = Some(started.map_err(|error| failure::from_script(error, options))?);
        self.tree = Tree::default();
        let answer = self.ask(options, "boot", vec![options.clock.now_ms().into()])?;
        self.installed = answer.installed;
        Ok(())
    }

    /// Calls into JavaScript and takes over what changed, also when the answer is a failure.
    fn ask(&mut self, options: &SimOptions, function: &str, args: Vec<Value>) -> Result<Answer, Failure> {
        loop {
            let runtime = self.runtime.as_mut().ok_or_else(|| failure::bug("the sim has no runtime"))?;
            let result = runtime.call(function, args.clone());
            self.logs.append(&mut runtime.take_logs());
            let now = options.clock.now_ms();
            let value = match result {
                Ok(value) => value,
                Err(error) => {
                    if error.is_final() {
                        self.crash(now);
                    }
                    return Err(failure::from_script(error, options));
                }
            };
            let mut answer =
                Answer::read(value).ok_or_else(|| failure::bug("the sim gave a wrong answer"))?;
            if let Some(patch) = answer.tree.take() {
                let applied = self.tree.apply(patch);
                let size = (options.width, options.height);
                let screen = applied.and_then(|()| self.tree.screen(size, answer.rotation, now));
                self.screen = Arc::new(screen.ok_or_else(|| failure::bug("the sim gave a wrong tree"))?);
            }
            self.next_due = answer.next_due;
            self.last_change = answer.last_change;
            self.front = answer.front.take();
            if let Some(failure) = answer.failure {
                return Err(failure);
            }
            if !answer.again {
                return Ok(answer);
            }
        }
    }

    /// The app ran out of time or memory: it is gone, and so is what it remembered.
    fn crash(&mut self, now: u64) {
        self.runtime = None;
        self.next_due = None;
        self.last_change = now;
        self.front = None;
    }
}

impl Device for SimDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capture(&self) -> Result<Arc<Screen>, Failure> {
        Ok(Arc::clone(&self.look()?.screen))
    }

    fn act(&self, action: &Action) -> Result<ActionAnswer, Failure> {
        let value = serde_json::to_value(action).map_err(|error| {
            Failure::new(FailureKind::InvalidArguments, format!("not an action: {error}"))
        })?;
        let mut phone = self.phone.lock().unwrap_or_else(PoisonError::into_inner);
        if phone.runtime.is_none() {
            phone.boot(&self.options)?;
        }
        let answer = phone.ask(&self.options, "act", vec![self.options.clock.now_ms().into(), value])?;
        Ok(ActionAnswer { text: answer.text })
    }

    fn last_change_ms(&self) -> Result<u64, Failure> {
        Ok(self.look()?.last_change)
    }

    fn screenshot(&self) -> Result<Vec<u8>, Failure> {
        let screen = self.capture()?;
        crate::draw::png(&screen)
            .map_err(|error| Failure::new(FailureKind::Device, format!("cannot draw the screen: {error}")))
    }

    fn foreground_app(&self) -> Result<Option<String>, Failure> {
        Ok(self.look()?.front.clone())
    }

    fn installed_apps(&self) -> Result<Vec<String>, Failure> {
        Ok(self.look()?.installed.clone())
    }

    fn take_logs(&self) -> Vec<LogLine> {
        let mut phone = self.phone.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut phone.logs)
    }
}
