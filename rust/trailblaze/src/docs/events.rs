//! The page of events: one example of each kind, printed as it stands in the JSON lines.

use serde_json::{Map, json};
use trailblaze_model::action::{Action, Finger, Key, Orientation};
use trailblaze_model::event::{
    Event, EventKind, LogLevel, Progress, Spread, StepKind, StepTiming, TrailTiming, Verdict, Via,
};
use trailblaze_model::failure::{Failure, FailureKind};

use super::NOTE;

pub(super) fn page() -> String {
    let mut page = format!(
        "{NOTE}# Events\n\n`run --events FILE` writes one event a line, and the folder of each run has them as \
         `events.jsonl`. Every event has `event` and `t`, the milliseconds on the run's clock; events of a trail have \
         `trail`, its id. Secrets are removed before an event is written. New kinds and new fields may come; the ones \
         here stay.\n\n| event | when |\n|---|---|\n"
    );
    let samples = samples();
    for (kind, when) in &samples {
        page += &format!("| `{}` | {when} |\n", name(kind));
    }
    page += "\n## Examples\n\n```json\n";
    for (kind, _) in samples {
        let in_run = matches!(kind, EventKind::RunStarted { .. } | EventKind::RunFinished { .. });
        let trail = (!in_run).then(|| "sign-in".into());
        page += &format!("{}\n", Event { t: 1520, trail, device: None, kind }.to_line());
    }
    page +=
        "```\n\n## What reaches the device\n\nAn event `device` for each gesture and command:\n\n```json\n";
    for action in actions() {
        page += &format!("{}\n", Event::of_run(1520, EventKind::Device(action)).to_line());
    }
    page + "```\n"
}

fn name(kind: &EventKind) -> String {
    let event = serde_json::to_value(kind).unwrap_or_default();
    event["event"].as_str().unwrap_or_default().to_owned()
}

fn failure() -> Failure {
    let failure = Failure::new(FailureKind::NotFound, "no element with text 'Sing in' within 5 s");
    failure.hint("did you mean 'Sign in'?")
}

fn args() -> Map<String, serde_json::Value> {
    json!({ "text": "Sign in" }).as_object().cloned().unwrap_or_default()
}

fn samples() -> Vec<(EventKind, &'static str)> {
    let text = str::to_owned;
    vec![
        (
            EventKind::RunStarted {
                version: crate::VERSION.to_owned(),
                trails: 1,
                driver: text("android-ondevice-accessibility"),
                device: text("sim"),
            },
            "the first event of a run",
        ),
        (
            EventKind::TrailStarted {
                id: "sign-in".into(),
                file: "trails/sign-in.trail.yaml".into(),
                title: text("Sign in"),
                device: text("sim"),
                steps: 2,
                attempt: 1,
            },
            "a trail begins; a retry begins again with a higher `attempt`",
        ),
        (
            EventKind::StepStarted {
                index: 0,
                kind: StepKind::Step,
                text: text("Open the sign-in page"),
                at: Some(text("trails/sign-in.trail.yaml:4:5")),
            },
            "a step begins",
        ),
        (
            EventKind::ToolStarted {
                call: 1,
                parent: None,
                tool: text("tapOnElementWithText"),
                args: args(),
                via: Via::Trail,
            },
            "a tool call begins; `parent` is the call that made it",
        ),
        (
            EventKind::Progress {
                call: 1,
                tool: text("shop_restock"),
                progress: Progress { message: text("loading"), done: Some(1.0), total: Some(3.0) },
            },
            "a tool call that takes long says how far it is",
        ),
        (EventKind::Device(Action::Tap { x: 540, y: 1200 }), "something reached the device"),
        (
            EventKind::ToolFinished {
                call: 1,
                tool: text("tapOnElementWithText"),
                result: "Success",
                message: String::new(),
                failure: None,
                duration_ms: 150,
            },
            "a tool call ended; `result` is `Success` or the variant of the failure",
        ),
        (
            EventKind::Recorded { tool: text("tapOnElementWithText"), args: args() },
            "a call that belongs into a recording, as it was written",
        ),
        (
            EventKind::NotRecordable { tool: text("android_adbShell") },
            "a call that cannot be recorded, so that its step needs a model every time",
        ),
        (
            EventKind::Saved { name: text("receipt"), file: text("sign-in/receipt.png") },
            "a file was saved, relative to the folder of the run",
        ),
        (
            EventKind::Warning {
                message: text("nothing is called ${user}"),
                hint: Some(text("set it with --memory")),
            },
            "something to know that does not fail the step",
        ),
        (
            EventKind::Log { level: LogLevel::Info, source: text("app"), message: text("signed in") },
            "a line of an app, a script or a toolset server",
        ),
        (
            EventKind::StepFinished {
                index: 0,
                verdict: Verdict::Failed,
                failure: Some(failure()),
                duration_ms: 5000,
                timing: StepTiming { see_ms: 40, match_ms: 4_700, act_ms: 60, settle_ms: 200, verify_ms: 0 },
            },
            "a step ended",
        ),
        (
            EventKind::TrailFinished {
                id: "sign-in".into(),
                file: "trails/sign-in.trail.yaml".into(),
                title: text("Sign in"),
                device: text("sim"),
                verdict: Verdict::Failed,
                reason: None,
                failure: Some(failure()),
                attempt: 1,
                will_retry: false,
                duration_ms: 5400,
                timing: Some(TrailTiming { settle: Spread { p50: 150, p95: 200 }, ..TrailTiming::default() }),
            },
            "a trail ended, was skipped or was not run",
        ),
        (
            EventKind::RunFinished {
                verdict: Verdict::Failed,
                passed: 0,
                failed: 1,
                skipped: 0,
                not_run: 0,
                healed: 0,
                interrupted: false,
                duration_ms: 5400,
            },
            "the last event of a run",
        ),
    ]
}

fn actions() -> Vec<Action> {
    let text = str::to_owned;
    let app_id = || text("com.example.app");
    vec![
        Action::Tap { x: 540, y: 1200 },
        Action::DoubleTap { x: 540, y: 1200 },
        Action::LongPress { x: 540, y: 1200, duration_ms: 500 },
        Action::Swipe { x1: 540, y1: 1200, x2: 540, y2: 240, duration_ms: 400 },
        Action::Drag { x1: 100, y1: 100, x2: 100, y2: 900, duration_ms: 1000 },
        Action::Pinch { scale: 2.0, at: None },
        Action::Fingers {
            fingers: vec![Finger { points: vec![(100, 100), (100, 900)], start_ms: 0, duration_ms: 400 }],
        },
        Action::Click { node: 7 },
        Action::LongClick { node: 7 },
        Action::ShowOnScreen { node: 7 },
        Action::SetText { node: 7, text: text("hello") },
        Action::InputText { text: text("hello") },
        Action::TypeKeys { text: text("hello") },
        Action::EraseText { count: 5 },
        Action::Key { name: Key::Enter },
        Action::Back,
        Action::Home,
        Action::HideKeyboard,
        Action::LaunchApp { app_id: app_id(), arguments: Default::default() },
        Action::StopApp { app_id: app_id() },
        Action::ClearAppData { app_id: app_id() },
        Action::OpenLink { link: text("https://app.example/p/5") },
        Action::SetClipboard { text: text("hello") },
        Action::PasteClipboard,
        Action::GrantPermission { app_id: app_id(), permission: text("android.permission.CAMERA") },
        Action::RevokePermission { app_id: app_id(), permission: text("android.permission.CAMERA") },
        Action::SetConnected { connected: false },
        Action::SetOrientation { orientation: Orientation::LandscapeLeft },
        Action::SetLocation { latitude: 52.52, longitude: 13.405 },
        Action::Shell { command: text("settings get global airplane_mode_on") },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_back_from_its_line() {
        let kinds =
            samples().into_iter().map(|(kind, _)| kind).chain(actions().into_iter().map(EventKind::Device));
        for kind in kinds {
            let trail = (!kind_of_run(&kind)).then(|| "sign-in".into());
            let device = (!kind_of_run(&kind)).then(|| "sim-2".into());
            let line = Event { t: 1520, trail, device, kind }.to_line();
            let back = Event::from_line(&line).unwrap_or_else(|| panic!("not read: {line}"));
            assert_eq!(back.to_line(), line);
        }
        for line in ["", "{}", r#"{"event":"home","t":1}"#, r#"{"event":"runFinished"}"#, "{\"event\":\"dev"]
        {
            assert_eq!(Event::from_line(line), None, "{line}");
        }
    }

    fn kind_of_run(kind: &EventKind) -> bool {
        matches!(kind, EventKind::RunStarted { .. } | EventKind::RunFinished { .. })
    }
}
