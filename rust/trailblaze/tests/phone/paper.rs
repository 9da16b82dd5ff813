//! A phone of paper: one small app, a shell that knows what runs ask it, and notes of everything that was done.

mod shell;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use trailblaze_android::class_tool;
use trailblaze_android::platform::{ClassCode, Display, Extra, Motion, Platform, Source, Stroke, UiEvent};
use trailblaze_android::shell::JOINED;
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Bounds, Flag, NodeSpec, Prop, Screen, ScreenBuilder, WindowKind};

pub(crate) const APP: &str = "com.example.lab";
pub(crate) const SERVICE: &str = "dev.trailblaze.agent/.TrailblazeAccessibilityService";
pub(crate) const SERVICES: &str = "secure enabled_accessibility_services";
pub(crate) const ENABLED: &str = "secure accessibility_enabled";
/// A PNG of one pixel would do; nobody looks into it.
pub(crate) const PICTURE: &[u8] = b"\x89PNG paper";

/// What was sent to the host: a code and its values.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub code: i32,
    pub values: BTreeMap<String, String>,
}

impl Block {
    fn new(code: i32, values: &[(&str, String)]) -> Self {
        let values = values.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Self { code, values }
    }

    pub(crate) fn get(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }
}

/// The app: a counter, a field, and buttons that end it.
#[derive(Default)]
struct App {
    is_running: bool,
    count: u32,
    text: String,
    has_focus: bool,
}

/// Where the buttons are, from top to bottom.
const BUTTONS: [(&str, i32); 6] =
    [("Add one", 600), ("Field", 700), ("Boom", 800), ("Hang", 900), ("Hide", 1000), ("Crack", 1100)];

const SWITCH_ON: &str = "settings put secure accessibility_enabled 1";

type Hook = Box<dyn FnMut() + Send>;

pub(crate) struct State {
    app: App,
    pub assets: BTreeMap<String, Vec<u8>>,
    /// `table name` and the value.
    pub settings: BTreeMap<String, String>,
    /// Everything that was done to the phone, in order.
    pub done: Vec<String>,
    pub statuses: Vec<Block>,
    pub finished: Vec<Block>,
    /// What was written to the phone's log.
    pub logged: Vec<String>,
    /// The buffers of `logcat` with the time of each line in milliseconds.
    log: Vec<(u64, &'static str, String)>,
    /// Methods, or beginnings of shell commands, that throw.
    pub broken: BTreeSet<&'static str>,
    /// The system connects the service after so many questions; none = never.
    pub connects_after: Option<u32>,
    asked_for_service: u32,
    is_starting_service: bool,
    is_service_connected: bool,
    /// Quarter turns.
    pub rotation: i32,
    /// Beginnings of commands that fail, and what they say where only a shell hears it.
    pub complaints: Vec<(&'static str, &'static str)>,
    /// Runs before a setting is changed.
    pub on_setting: Option<Hook>,
    /// Runs when services were switched on.
    pub on_services: Option<Hook>,
    /// The classes of the APK, and what they say of themselves or throw.
    pub classes: BTreeMap<&'static str, Result<&'static str, &'static str>>,
    /// No window may be seen.
    pub is_hidden: bool,
    /// The platform's accessibility is broken until the agent is started again.
    pub is_disconnected: bool,
    /// Windows may be seen and not pictured.
    pub is_secure: bool,
    pub sdk: &'static str,
    /// Who took the pictures.
    pub pictured_by: Vec<Source>,
    /// A tap takes so long.
    pub tap_ms: u64,
    /// Runs once, before the screen is looked at.
    pub before_look: Option<Box<dyn FnOnce() + Send>>,
    /// Runs when something is tapped.
    pub on_tap: Option<Hook>,
    last: Option<Screen>,
}

pub(crate) struct PaperPhone {
    pub clock: Arc<dyn Clock>,
    files: PathBuf,
    state: Mutex<State>,
}

impl PaperPhone {
    pub(crate) fn new(files: PathBuf) -> Self {
        let settings = [
            ("global window_animation_scale", "1.0"),
            ("global transition_animation_scale", "0.5"),
            (ENABLED, "0"),
        ];
        let state = State {
            app: App::default(),
            assets: BTreeMap::new(),
            settings: settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            done: Vec::new(),
            statuses: Vec::new(),
            finished: Vec::new(),
            logged: Vec::new(),
            log: Vec::new(),
            broken: BTreeSet::new(),
            connects_after: Some(2),
            asked_for_service: 0,
            is_starting_service: false,
            is_service_connected: false,
            rotation: 0,
            complaints: Vec::new(),
            on_setting: None,
            on_services: None,
            classes: BTreeMap::new(),
            is_hidden: false,
            is_disconnected: false,
            is_secure: false,
            sdk: "35",
            pictured_by: Vec::new(),
            tap_ms: 0,
            before_look: None,
            on_tap: None,
            last: None,
        };
        Self { clock: Arc::new(VirtualClock::default()), files, state: Mutex::new(state) }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fallible(&self, method: &str) -> Result<MutexGuard<'_, State>, Failure> {
        let state = self.state();
        if state.broken.contains(format!("panic in {method}").as_str()) {
            panic!("the paper phone was told to panic in {method}");
        }
        if state.broken.iter().any(|broken| method.starts_with(broken)) {
            let failure =
                Failure::new(FailureKind::Device, format!("SecurityException: {method} is not allowed"));
            return Err(failure.stack("at android.os.Parcel.readException(Parcel.java:1)"));
        }
        Ok(state)
    }

    fn tap(&self, x: f32, y: f32) -> Result<bool, Failure> {
        let hook = self.fallible("tap")?.on_tap.take();
        if let Some(mut hook) = hook {
            hook();
            self.state().on_tap = Some(hook);
        }
        let mut state = self.state();
        self.clock.sleep(state.tap_ms);
        let hit = BUTTONS.iter().find(|(_, top)| (*top..*top + 100).contains(&(y as i32)));
        let Some((name, _)) = hit.filter(|_| state.app.is_running) else {
            state.done.push(format!("tap {x},{y}"));
            return Ok(true);
        };
        state.done.push(format!("tap '{name}'"));
        match *name {
            "Add one" => state.app.count += 1,
            "Field" => state.app.has_focus = true,
            "Boom" => state.crash(APP),
            "Crack" => state.crack(APP),
            "Hang" => state.write_log(
                "events",
                &format!("I/am_anr  ( 1234): [0,5678,{APP},952745542,Input dispatching timed out]"),
            ),
            "Hide" => state.is_hidden = true,
            _ => unreachable!("every button has its work"),
        }
        Ok(true)
    }
}

impl State {
    fn screen(&self) -> Option<Screen> {
        if self.is_hidden {
            return None;
        }
        let mut builder = ScreenBuilder::new(1000, 2000, 0);
        builder.window(WindowKind::Application);
        let package = if self.app.is_running { APP } else { "com.example.launcher" };
        let whole = Some(Bounds::new(0, 0, 1000, 2000));
        let root = NodeSpec { bounds: whole, ..NodeSpec::default() }.with(Prop::PackageName, package);
        builder.open(root).unwrap();
        let mut add = |text: &str, top: i32, flags: &[Flag]| {
            let bounds = Some(Bounds::new(50, top, 950, top + 100));
            let mut spec = NodeSpec { bounds, ..NodeSpec::default() }.with(Prop::Text, text);
            flags.iter().for_each(|flag| spec.flags.set(*flag, true));
            builder.open(spec).unwrap();
            builder.close();
        };
        if self.app.is_running {
            add(&format!("Count: {}", self.app.count), 200, &[]);
            add(&format!("Text: {}", self.app.text), 300, &[]);
            for (name, top) in BUTTONS {
                let has_focus = name == "Field" && self.app.has_focus;
                add(
                    name,
                    top,
                    if has_focus {
                        &[Flag::Clickable, Flag::Editable, Flag::Focused]
                    } else {
                        &[Flag::Clickable]
                    },
                );
            }
        } else {
            add("Launcher", 200, &[]);
        }
        Some(builder.finish())
    }
}

impl Platform for PaperPhone {
    fn capture(&self, _source: Source) -> Result<Option<Screen>, Failure> {
        let hook = self.fallible("capture")?.before_look.take();
        hook.into_iter().for_each(|hook| hook());
        let mut state = self.state();
        if state.is_disconnected {
            let message = "IllegalStateException: UiAutomation not connected, UiAutomation@5c";
            return Err(Failure::new(FailureKind::Device, message));
        }
        state.last = state.screen();
        Ok(state.last.clone())
    }

    fn screenshot(&self, source: Source) -> Result<Option<Vec<u8>>, Failure> {
        let mut state = self.fallible("screenshot")?;
        state.pictured_by.push(source);
        Ok((!state.is_hidden && !state.is_secure).then(|| PICTURE.to_vec()))
    }

    fn take_events(&self) -> Result<Vec<UiEvent>, Failure> {
        self.fallible("takeEvents").map(|_| Vec::new())
    }

    fn uptime_ms(&self) -> Result<u64, Failure> {
        Ok(self.clock.now_ms())
    }

    fn display(&self) -> Result<Display, Failure> {
        let rotation = self.fallible("display")?.rotation;
        Ok(Display { width: 1000, height: 2000, rotation, density: 400 })
    }

    fn perform(&self, node: u32, _action: i32, text: Option<&str>) -> Result<bool, Failure> {
        if let Some(text) = text {
            self.state().app.text = text.to_owned();
            return Ok(true);
        }
        let bounds = {
            let state = self.state();
            let node = state.last.as_ref().and_then(|screen| screen.nodes().nth(node as usize));
            node.and_then(|node| node.bounds()).unwrap()
        };
        self.tap(bounds.left as f32, bounds.top as f32)
    }

    fn inject(&self, motions: &[Motion]) -> Result<bool, Failure> {
        let (_, x, y) = motions[0].pointers[0];
        self.tap(x, y)
    }

    fn dispatch(&self, strokes: &[Stroke]) -> Result<bool, Failure> {
        let (x, y) = strokes[0].points[0];
        self.tap(x, y)
    }

    fn key(&self, _code: i32) -> Result<bool, Failure> {
        Ok(true)
    }

    fn keys(&self, text: &str) -> Result<bool, Failure> {
        self.commit(text)
    }

    fn commit(&self, text: &str) -> Result<bool, Failure> {
        let mut state = self.state();
        let app = &mut state.app;
        if app.has_focus {
            app.text += text;
        }
        let has_focus = app.has_focus;
        // An app that talks too much.
        state.write_log("main", &format!("I/Lab ( 1): typed {text}"));
        Ok(has_focus)
    }

    fn global(&self, _source: Source, _action: i32) -> Result<bool, Failure> {
        Ok(true)
    }

    fn set_clipboard(&self, _text: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn set_rotation(&self, quarter_turns: i32) -> Result<bool, Failure> {
        let mut state = self.fallible("setRotation")?;
        state.done.push(format!("rotate {quarter_turns}"));
        state.rotation = quarter_turns.max(0);
        Ok(true)
    }

    fn add_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.fallible("addTestProvider").map(|mut state| state.done.push(format!("add {name}")))
    }

    fn set_test_location(&self, provider: &str, latitude: f64, longitude: f64) -> Result<(), Failure> {
        let line = format!("{provider} {latitude},{longitude}");
        self.fallible("setTestLocation").map(|mut state| state.done.push(line))
    }

    fn remove_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.fallible("removeTestProvider").map(|mut state| state.done.push(format!("remove {name}")))
    }

    fn fetch(&self, request: &[u8]) -> Result<Vec<u8>, Failure> {
        let text = String::from_utf8_lossy(request);
        let url = text.lines().nth(1).unwrap_or_default();
        self.fallible("fetch ")
            .map(|_| format!("200\ncontent-type:text/plain\n\nwhat lies at {url}").into_bytes())
    }

    fn shell(&self, command: &str) -> Result<String, Failure> {
        let plain = command.strip_prefix(JOINED).unwrap_or(command);
        let mut state = self.fallible(plain)?;
        if plain.starts_with("settings put")
            && let Some(mut hook) = state.on_setting.take()
        {
            hook();
        }
        let said = state.run(command);
        let hook = (plain == SWITCH_ON).then(|| state.on_services.take()).flatten();
        drop(state);
        hook.into_iter().for_each(|mut hook| hook());
        Ok(said)
    }

    fn launch(&self, app_id: &str, _extras: &[Extra]) -> Result<bool, Failure> {
        let mut state = self.fallible("launch")?;
        state.done.push(format!("launch {app_id}"));
        state.app.is_running = app_id == APP;
        state.write_log("main", "I/Lab ( 1): launched");
        Ok(app_id == APP)
    }

    fn open(&self, _link: &str) -> Result<bool, Failure> {
        Ok(false)
    }

    fn installed(&self) -> Result<Vec<String>, Failure> {
        Ok(vec![APP.to_owned()])
    }

    fn is_service_connected(&self) -> Result<bool, Failure> {
        let mut state = self.fallible("isServiceConnected")?;
        if state.is_starting_service {
            state.asked_for_service += 1;
            state.is_service_connected =
                state.connects_after.is_some_and(|count| state.asked_for_service > count);
        }
        Ok(state.is_service_connected)
    }

    fn service_component(&self) -> Result<String, Failure> {
        Ok(SERVICE.to_owned())
    }

    fn status(&self, code: i32, values: &[(&str, String)]) -> Result<(), Failure> {
        self.fallible("status")?.statuses.push(Block::new(code, values));
        Ok(())
    }

    fn finish(&self, code: i32, values: &[(&str, String)]) -> Result<(), Failure> {
        self.fallible("finish")?.finished.push(Block::new(code, values));
        Ok(())
    }

    fn assets(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let state = self.fallible("assets")?;
        let below = state.assets.keys().filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
        let names: BTreeSet<&str> = below.map(|path| path.split('/').next().unwrap_or(path)).collect();
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    fn asset(&self, path: &str) -> Result<Vec<u8>, Failure> {
        Ok(self.fallible("asset ")?.assets[path].clone())
    }

    fn files_dir(&self) -> Result<String, Failure> {
        self.fallible("filesDir").map(|_| self.files.to_string_lossy().into_owned())
    }

    fn describe_device(&self) -> Result<Vec<(String, String)>, Failure> {
        let sdk = self.fallible("describeDevice")?.sdk;
        Ok(vec![("model".to_owned(), "Paper 9".to_owned()), ("sdk".to_owned(), sdk.to_owned())])
    }

    fn class_code(&self, class: &str) -> Result<Arc<dyn ClassCode>, Failure> {
        let code = self.state().classes.get(class).copied();
        let missing = || Failure::new(FailureKind::Device, format!("ClassNotFoundException: {class}"));
        code.map(|said| Arc::new(PaperClass(said)) as Arc<dyn ClassCode>).ok_or_else(missing)
    }

    fn log(&self, _priority: i32, _tag: &str, message: &str) {
        self.state().logged.push(message.to_owned());
    }
}

/// What a class says of itself, or throws.
struct PaperClass(Result<&'static str, &'static str>);

impl ClassCode for PaperClass {
    fn describe(&self) -> Result<String, Failure> {
        self.0.map(str::to_owned).map_err(|thrown| Failure::new(FailureKind::Device, thrown))
    }

    /// Asks for what it is told to ask for, and says what came of it.
    fn execute(&self, arguments: &str, commands: u64) -> Result<String, Failure> {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        match arguments.get("ask") {
            Some(ask) => class_tool::command(commands, ask.as_str().unwrap()),
            None => Ok("null".to_owned()),
        }
    }
}
