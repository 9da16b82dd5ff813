//! Events by hand, and places to write to.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use trailblaze_engine::observer::Observer;
use trailblaze_model::action::Action;
use trailblaze_model::event::{Event, EventKind, Progress, StepKind, StepTiming, TrailTiming, Verdict, Via};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::{FilePlace, Place};

use crate::locked;

/// Writes down what a run says. Every event comes a tenth of a second after the one before.
#[derive(Default)]
pub(crate) struct Script {
    events: Vec<Event>,
    /// The trail that speaks.
    trail: Option<(Arc<str>, u32)>,
    ended: Vec<Verdict>,
    step: usize,
    call: u64,
}

impl Script {
    pub(crate) fn new(trails: usize) -> Self {
        let mut script = Self::default();
        script.run_event(EventKind::RunStarted {
            version: "0.1.0".into(),
            trails,
            driver: "android-ondevice-accessibility".into(),
            device: "sim".into(),
        });
        script
    }

    fn push(&mut self, trail: Option<Arc<str>>, kind: EventKind) -> &mut Self {
        let t = 100 * self.events.len() as u64;
        self.events.push(Event { t, trail, device: None, kind });
        self
    }

    pub(crate) fn run_event(&mut self, kind: EventKind) -> &mut Self {
        self.push(None, kind)
    }

    pub(crate) fn event(&mut self, kind: EventKind) -> &mut Self {
        let (id, _) = self.trail.clone().expect("a trail was started");
        self.push(Some(id), kind)
    }

    /// Who speaks from here on, among the trails that are running.
    pub(crate) fn switch(&mut self, id: &str) -> &mut Self {
        self.trail = Some((id.into(), 1));
        self
    }

    pub(crate) fn start(&mut self, id: &str, title: &str, steps: usize) -> &mut Self {
        self.start_attempt(id, title, steps, 1)
    }

    pub(crate) fn start_attempt(&mut self, id: &str, title: &str, steps: usize, attempt: u32) -> &mut Self {
        self.trail = Some((id.into(), attempt));
        (self.step, self.call) = (0, 0);
        self.event(EventKind::TrailStarted {
            id: id.into(),
            file: format!("trails/{id}.trail.yaml").into(),
            title: title.into(),
            device: "sim".into(),
            steps,
            attempt,
        })
    }

    pub(crate) fn step(&mut self, text: &str) -> &mut Self {
        let (id, _) = self.trail.clone().expect("a trail was started");
        let at = Some(format!("trails/{id}.trail.yaml:{}:3", 4 + 2 * self.step));
        self.event(EventKind::StepStarted { index: self.step, kind: StepKind::Step, text: text.into(), at })
    }

    pub(crate) fn end_step(
        &mut self,
        verdict: Verdict,
        failure: Option<Failure>,
        duration_ms: u64,
    ) -> &mut Self {
        self.step += 1;
        self.event(EventKind::StepFinished {
            index: self.step - 1,
            verdict,
            failure,
            duration_ms,
            timing: StepTiming::default(),
        })
    }

    pub(crate) fn passed_step(&mut self, text: &str) -> &mut Self {
        self.step(text).end_step(Verdict::Passed, None, 120)
    }

    pub(crate) fn failed_step(&mut self, text: &str, failure: Failure) -> &mut Self {
        self.step(text).end_step(Verdict::Failed, Some(failure), 5_000)
    }

    pub(crate) fn tool(&mut self, parent: Option<u64>, tool: &str, args: Value) -> &mut Self {
        self.call += 1;
        let via = if parent.is_some() { Via::Expansion } else { Via::Trail };
        let (call, tool, args) = (self.call, tool.into(), object(args));
        self.event(EventKind::ToolStarted { call, parent, tool, args, via })
    }

    pub(crate) fn end_tool(&mut self, call: u64, failure: Option<Failure>) -> &mut Self {
        let result = failure.as_ref().map_or("Success", |failure| failure.kind.variant());
        let (tool, message) = (String::new(), String::new());
        self.event(EventKind::ToolFinished { call, tool, result, message, failure, duration_ms: 1 })
    }

    pub(crate) fn progress(
        &mut self,
        call: u64,
        tool: &str,
        message: &str,
        done: f64,
        total: f64,
    ) -> &mut Self {
        let progress = Progress { message: message.into(), done: Some(done), total: Some(total) };
        self.event(EventKind::Progress { call, tool: tool.into(), progress })
    }

    pub(crate) fn tap(&mut self) -> &mut Self {
        self.event(EventKind::Device(Action::Tap { x: 540, y: 1200 }))
    }

    pub(crate) fn saved(&mut self, name: &str, file: &str) -> &mut Self {
        self.event(EventKind::Saved { name: name.into(), file: file.into() })
    }

    pub(crate) fn warning(&mut self, message: &str, hint: Option<&str>) -> &mut Self {
        self.event(EventKind::Warning { message: message.into(), hint: hint.map(str::to_owned) })
    }

    pub(crate) fn passes(&mut self) -> &mut Self {
        self.end(Verdict::Passed, None, false)
    }

    pub(crate) fn fails(&mut self, failure: Failure) -> &mut Self {
        self.end(Verdict::Failed, Some(failure), false)
    }

    pub(crate) fn fails_and_will_be_retried(&mut self, failure: Failure) -> &mut Self {
        self.end(Verdict::Failed, Some(failure), true)
    }

    fn end(&mut self, verdict: Verdict, failure: Option<Failure>, will_retry: bool) -> &mut Self {
        let (id, attempt) = self.trail.clone().expect("a trail was started");
        let started = self.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::TrailStarted { id: of, title, .. } if *of == id => Some(title.clone()),
            _ => None,
        });
        self.finish_trail(&id, &started.expect("it was"), verdict, None, failure, attempt, will_retry)
    }

    pub(crate) fn left_out(&mut self, id: &str, verdict: Verdict, reason: &str) -> &mut Self {
        self.finish_trail(&id.into(), id, verdict, Some(reason.into()), None, 1, false)
    }

    #[expect(clippy::too_many_arguments, reason = "the event has so many fields")]
    fn finish_trail(
        &mut self,
        id: &Arc<str>,
        title: &str,
        verdict: Verdict,
        reason: Option<String>,
        failure: Option<Failure>,
        attempt: u32,
        will_retry: bool,
    ) -> &mut Self {
        if !will_retry {
            self.ended.push(verdict);
        }
        let kind = EventKind::TrailFinished {
            id: Arc::clone(id),
            file: format!("trails/{id}.trail.yaml").into(),
            title: title.into(),
            device: "sim".into(),
            verdict,
            reason,
            failure,
            attempt,
            will_retry,
            duration_ms: 1_234,
            timing: None,
        };
        self.push(Some(Arc::clone(id)), kind)
    }

    /// Where the time of the trail went that ended last.
    pub(crate) fn with_timing(&mut self, spent: TrailTiming) -> &mut Self {
        if let Some(EventKind::TrailFinished { timing, .. }) =
            self.events.last_mut().map(|event| &mut event.kind)
        {
            *timing = Some(spent);
        }
        self
    }

    pub(crate) fn finish(&mut self) -> &mut Self {
        self.finish_run(false)
    }

    pub(crate) fn finish_run(&mut self, interrupted: bool) -> &mut Self {
        let count = |verdict| self.ended.iter().filter(|ended| **ended == verdict).count();
        let failed = count(Verdict::Failed);
        let kind = EventKind::RunFinished {
            verdict: if failed > 0 || interrupted { Verdict::Failed } else { Verdict::Passed },
            passed: count(Verdict::Passed),
            failed,
            skipped: count(Verdict::Skipped),
            not_run: count(Verdict::NotRun),
            healed: count(Verdict::Healed),
            interrupted,
            duration_ms: 2_500,
        };
        self.run_event(kind)
    }

    pub(crate) fn play(&self, observer: &dyn Observer) {
        for event in &self.events {
            observer.event(event);
        }
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

pub(crate) fn not_found(id: &str) -> Failure {
    let place = Place { line: 14, column: 9 };
    let at = FilePlace { file: format!("trails/{id}.trail.yaml").into(), place };
    Failure::new(FailureKind::NotFound, "no element with text 'Sign in'")
        .hint("the screen has 'Sign on'; is that what is meant?")
        .or_at(Some(at))
}

/// The run that most tests look at: one trail for every way in which a trail can end.
pub(crate) fn every_ending() -> Script {
    let mut script = Script::new(6);
    script.start("login/valid", "Sign in with a valid user", 2);
    script.passed_step("Open the sign-in page").passed_step("Tap Sign in").passes();

    script.start("login/invalid", "Sign in with a wrong password", 4);
    script.passed_step("Open the sign-in page").step("Tap Sign in");
    script.tool(None, "signIn", serde_json::json!({ "user": "ana" }));
    script.tool(Some(1), "tapOnElement", serde_json::json!({ "text": "Sign in", "index": 0 })).tap();
    script.end_tool(2, Some(not_found("login/invalid"))).end_tool(1, Some(not_found("login/invalid")));
    script.saved("screenshot", "screens/login invalid.png");
    script.end_step(Verdict::Failed, Some(not_found("login/invalid")), 5_000);
    script.fails(not_found("login/invalid"));

    script.start("list", "list", 1).failed_step("Open the list", device_gone()).fails(device_gone());
    script.left_out("form/date", Verdict::Skipped, "no date picker on this device");

    script.start("slow/late", "slow/late", 1);
    script.failed_step("Wait for the list", timeout()).fails_and_will_be_retried(timeout());
    script.start_attempt("slow/late", "slow/late", 1, 2).passed_step("Wait for the list").passes();

    script.left_out("zoo", Verdict::NotRun, "the run was ended by --fail-fast");
    script.finish();
    script
}

pub(crate) fn device_gone() -> Failure {
    Failure::new(FailureKind::Device, "the device is gone").hint("start it and run again")
}

pub(crate) fn timeout() -> Failure {
    Failure::new(FailureKind::Timeout, "not settled within 5 s")
        .stack("at render (app.js:3:7)\nat app.js:9:1")
}

/// One failing trail whose every text is hostile.
pub(crate) fn hostile() -> Script {
    let text = "\u{1b}[31mrot\u{1b}[0m <b>&\"'|`x` ]]>\0\u{8}\tÄ日本🎉\u{ffff}\r\nsecond";
    let failure = Failure::new(FailureKind::Exception, text).hint(text).stack(text);
    let mut script = Script::new(1);
    script.start("wild/日本|`x`", text, 1).step(text).warning(text, Some(text));
    script.tool(None, "wild", serde_json::json!({ "text": text })).end_tool(1, Some(failure.clone()));
    script.saved("a [shot]", "screens/a (1)|x.png");
    script.end_step(Verdict::Failed, Some(failure.clone()), 10).fails(failure).finish();
    script
}

/// One failing trail with a message of 100,000 characters.
pub(crate) fn endless() -> Script {
    let failure = Failure::new(FailureKind::AssertionFailed, "é".repeat(100_000));
    let mut script = Script::new(1);
    script
        .start("long", "long", 1)
        .failed_step(&"word ".repeat(10_000), failure.clone())
        .fails(failure)
        .finish();
    script
}

/// A run that was killed while one of two trails was running.
pub(crate) fn killed() -> Script {
    let mut script = Script::new(2);
    script.start("a/first", "a/first", 1).passed_step("Look").passes();
    script.start("a/second", "a/second", 2).passed_step("Look").step("Tap");
    script
}

/// What was written, to be read while the writer is in use.
#[derive(Clone, Default)]
pub(crate) struct Paper(Arc<Mutex<Vec<Vec<u8>>>>);

impl Paper {
    pub(crate) fn boxed(&self) -> Box<dyn Write + Send> {
        Box::new(self.clone())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(locked(&self.0).concat()).unwrap()
    }

    /// What each call of `write` was given.
    pub(crate) fn writes(&self) -> Vec<String> {
        locked(&self.0).iter().map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        locked(&self.0).push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Takes so many writes and then has no room left.
pub(crate) struct FullDisk(pub(crate) usize, pub(crate) Paper);

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::other("no space left"));
        }
        self.0 -= 1;
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder of one test, gone with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("trailblaze-report-{}-{test}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
