//! A phone of paper: one small app, a shell that knows what runs ask it, and notes of everything that was done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use trailblaze_android::platform::{Display, Extra, Motion, Platform, Source, Stroke, UiEvent};
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
const BUTTONS: [(&str, i32); 5] =
    [("Add one", 600), ("Field", 700), ("Boom", 800), ("Hang", 900), ("Hide", 1000)];

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
    /// No window may be seen.
    pub is_hidden: bool,
    /// A tap takes so long.
    pub tap_ms: u64,
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
            is_hidden: false,
            tap_ms: 0,
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
    pub(crate) fn write_log(&mut self, buffer: &'static str, line: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        self.log.push((u64::try_from(now).unwrap(), buffer, line.to_owned()));
    }

    /// An app ends with an exception.
    pub(crate) fn crash(&mut self, app_id: &str) {
        for line in [
            "FATAL EXCEPTION: main",
            &format!("Process: {app_id}, PID: 4243"),
            &format!("java.lang.IllegalStateException: boom{}", self.app.text),
            "\tat com.example.lab.Main.onClick(Main.java:7)",
        ] {
            self.write_log("crash", &format!("E/AndroidRuntime( 4243): {line}"));
        }
        self.app = App::default();
    }

    /// What a command prints; commands are split at spaces, and there is no shell that would take quotes away.
    fn shell(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split_whitespace().collect();
        let is_question = words.get(1) == Some(&"get") || matches!(words[0], "logcat" | "dumpsys");
        if !is_question {
            self.done.push(format!("$ {command}"));
        }
        match words.as_slice() {
            ["settings", "get", table, name] => {
                let value = self.settings.get(&format!("{table} {name}")).map_or("null", String::as_str);
                format!("{value}\n")
            }
            ["settings", "put", table, name, value] => {
                let before = self.settings.insert(format!("{table} {name}"), (*value).to_owned());
                self.note_services(&before.unwrap_or_default());
                String::new()
            }
            ["settings", "delete", table, name] => {
                let before = self.settings.remove(&format!("{table} {name}"));
                self.note_services(&before.clone().unwrap_or_default());
                format!("Deleted {} rows\n", u8::from(before.is_some()))
            }
            ["am", "force-stop", app_id] => {
                if *app_id == APP {
                    self.app = App::default();
                    self.is_hidden = false;
                }
                String::new()
            }
            ["am", "broadcast", ..] => "Broadcasting: Intent\nBroadcast completed: result=0\n".to_owned(),
            ["pm", "clear", _] => "Success\n".to_owned(),
            ["dumpsys", "package", _] => "    versionCode=7 minSdk=26\n    versionName=1.7\n".to_owned(),
            ["logcat", rest @ ..] => self.logcat(rest),
            _ => format!("{}: inaccessible or not found\n", words[0]),
        }
    }

    fn logcat(&self, words: &[&str]) -> String {
        let after =
            |key: &str| words.iter().position(|word| *word == key).and_then(|at| words.get(at + 1)).copied();
        let buffer = after("-b").unwrap_or("main");
        let (seconds, millis) = after("-T").unwrap().split_once('.').unwrap();
        let since: u64 = seconds.parse::<u64>().unwrap() * 1_000 + millis.parse::<u64>().unwrap();
        let lines = self.log.iter().filter(|(at, of, _)| *of == buffer && *at >= since);
        lines.map(|(_, _, line)| format!("{line}\n")).collect()
    }

    /// The system starts a service when it comes into the list and services are switched on; one that was in the list
    /// already is left as it is.
    fn note_services(&mut self, before: &str) {
        let get = |name: &str| self.settings.get(name).cloned().unwrap_or_default();
        let is_listed = get(SERVICES).split(':').any(|service| service == SERVICE);
        let was_listed = before.split(':').any(|service| service == SERVICE);
        let is_new = is_listed && !was_listed;
        self.is_starting_service = is_listed && get(ENABLED) == "1" && (is_new || self.is_starting_service);
        if !is_listed {
            self.is_service_connected = false;
        }
    }

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
        let mut state = self.fallible("capture")?;
        state.last = state.screen();
        Ok(state.last.clone())
    }

    fn screenshot(&self, _source: Source) -> Result<Option<Vec<u8>>, Failure> {
        let state = self.fallible("screenshot")?;
        Ok((!state.is_hidden).then(|| PICTURE.to_vec()))
    }

    fn take_events(&self) -> Result<Vec<UiEvent>, Failure> {
        self.fallible("takeEvents").map(|_| Vec::new())
    }

    fn uptime_ms(&self) -> Result<u64, Failure> {
        Ok(self.clock.now_ms())
    }

    fn display(&self) -> Result<Display, Failure> {
        self.fallible("display").map(|_| Display { width: 1000, height: 2000, rotation: 0, density: 400 })
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

    fn shell(&self, command: &str) -> Result<String, Failure> {
        Ok(self.fallible(command)?.shell(command))
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
        let _state = self.fallible("describeDevice")?;
        Ok(vec![("model".to_owned(), "Paper 9".to_owned()), ("sdk".to_owned(), "35".to_owned())])
    }

    fn log(&self, _priority: i32, _tag: &str, message: &str) {
        self.state().logged.push(message.to_owned());
    }
}
