//! A phone as a device: what each action asks of the platform, and what its answers mean.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod paper;
mod remote;
mod seeing;
mod whereabouts;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use trailblaze_android::device::AndroidDevice;
use trailblaze_android::platform::{Source, UiEvent};
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::{Device, DeviceInfo};
use trailblaze_model::action::{Action, Finger, Key};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Flag, NodeSpec, Prop, Screen, ScreenBuilder, WindowKind};

use crate::paper::Paper;

struct Bench {
    paper: Arc<Paper>,
    clock: Arc<VirtualClock>,
    device: AndroidDevice,
}

/// A phone of 1000 by 2000 pixels.
fn bench(source: Source) -> Bench {
    bench_of(source, 35)
}

fn bench_of(source: Source, sdk: u32) -> Bench {
    let driver = match source {
        Source::Service => Driver::AndroidOndeviceAccessibility,
        Source::UiAutomation => Driver::AndroidOndeviceInstrumentation,
    };
    let classifiers = Classifiers::new(["android", "phone"]);
    let info = DeviceInfo { id: "Paper".to_owned(), driver, width: 1000, height: 2000, classifiers };
    let (paper, clock) = (Arc::new(Paper::default()), Arc::new(VirtualClock::default()));
    let device = AndroidDevice::new(paper.clone(), clock.clone(), source, sdk, info);
    Bench { paper, clock, device }
}

impl Bench {
    fn asked(&self) -> String {
        self.paper.set(|answers| std::mem::take(&mut answers.asked)).join(", ")
    }

    fn fails(&self, action: &Action) -> Failure {
        self.device.act(action).unwrap_err()
    }
}

#[track_caller]
fn check_both(action: Action, by_service: &str, by_ui_automation: &str) {
    for (source, expected) in [(Source::Service, by_service), (Source::UiAutomation, by_ui_automation)] {
        let bench = bench(source);
        bench.device.act(&action).unwrap();
        assert_eq!(bench.asked(), expected, "{source:?}: {action:?}");
    }
}

/// The same for both drivers.
#[track_caller]
fn check(action: Action, expected: &str) {
    check_both(action, expected, expected);
}

const APP: &str = "com.example.app";

fn launch(arguments: BTreeMap<String, serde_json::Value>) -> Action {
    Action::LaunchApp { app_id: APP.to_owned(), arguments }
}

fn input(text: &str) -> Action {
    Action::InputText { text: text.to_owned() }
}

#[test]
fn touches_are_strokes_or_events() {
    check_both(Action::Tap { x: 5, y: 6 }, "dispatch 5,6 from 0 for 50 ms", "inject 5,6 to 5,6 in 50 ms");
    check_both(
        Action::DoubleTap { x: 5, y: 6 },
        "dispatch 5,6 from 0 for 50 ms + 5,6 from 150 for 50 ms",
        "inject 5,6 to 5,6 in 200 ms",
    );
    check_both(
        Action::LongPress { x: 5, y: 6, duration_ms: 800 },
        "dispatch 5,6 from 0 for 800 ms",
        "inject 5,6 to 5,6 in 800 ms",
    );
    check_both(
        Action::Swipe { x1: 1, y1: 2, x2: 3, y2: 400, duration_ms: 300 },
        "dispatch 1,2 3,400 from 0 for 300 ms",
        "inject 1,2 to 3,400 in 300 ms",
    );
    // A touch of no time is one of the shortest.
    check_both(
        Action::Swipe { x1: 1, y1: 2, x2: 3, y2: 400, duration_ms: 0 },
        "dispatch 1,2 3,400 from 0 for 1 ms",
        "inject 1,2 to 3,400 in 1 ms",
    );
    check_both(
        Action::Pinch { scale: 2.0, at: None },
        "dispatch 350,1000 200,1000 from 0 for 400 ms + 650,1000 800,1000 from 0 for 400 ms",
        "inject 350,1000 to 800,1000 in 400 ms with 2 fingers",
    );
    let finger = |x: i32, start_ms: u64| Finger { points: vec![(x, 0), (x, 9)], start_ms, duration_ms: 20 };
    check_both(
        Action::Fingers { fingers: vec![finger(1, 0), finger(2, 5)] },
        "dispatch 1,0 1,9 from 0 for 20 ms + 2,0 2,9 from 5 for 20 ms",
        "inject 1,0 to 2,9 in 25 ms with 2 fingers",
    );
}

/// The system goes along a stroke at one speed, so a finger rests by going a way of its own within a few pixels.
#[test]
fn a_drag_rests_where_it_begins() {
    check_both(
        Action::Drag { x1: 10, y1: 10, x2: 10, y2: 410, duration_ms: 200 },
        "dispatch 10,10 14,10 … 10,410 from 0 for 800 ms",
        "inject 10,10 to 10,410 in 800 ms",
    );
    // There is no way to go.
    check_both(
        Action::Drag { x1: 10, y1: 10, x2: 10, y2: 10, duration_ms: 200 },
        "dispatch 10,10 10,10 from 0 for 800 ms",
        "inject 10,10 to 10,10 in 800 ms",
    );
}

#[test]
fn nodes_keys_and_texts() {
    check(Action::Click { node: 7 }, "perform 7 0x10");
    check(Action::LongClick { node: 7 }, "perform 7 0x20");
    check(Action::ShowOnScreen { node: 7 }, "perform 7 0x1020036");
    check(Action::SetText { node: 7, text: "äß 🎉".into() }, "perform 7 0x200000 'äß 🎉'");
    check(input("äß 🎉"), "commit 'äß 🎉'");
    check(Action::TypeKeys { text: "abc".into() }, "keys 'abc'");
    check(Action::EraseText { count: 0 }, "key 123");
    check(Action::EraseText { count: 2 }, "key 123, key 67, key 67");
    for (name, code) in [
        (Key::Enter, 66),
        (Key::Backspace, 67),
        (Key::Tab, 61),
        (Key::Escape, 111),
        (Key::Power, 26),
        (Key::VolumeUp, 24),
        (Key::DpadCenter, 23),
        (Key::MediaPlayPause, 85),
        (Key::Menu, 82),
        (Key::TvInputHdmi3, 245),
    ] {
        check(Action::Key { name }, &format!("key {code}"));
    }
    check_both(Action::Back, "global Service 1", "global UiAutomation 1");
    check_both(Action::HideKeyboard, "global Service 1", "global UiAutomation 1");
    check_both(Action::Home, "global Service 2", "global UiAutomation 2");
    check(Action::SetClipboard { text: "x".into() }, "clipboard 'x'");
}

#[test]
fn apps_and_the_system() {
    let app_id = || APP.to_owned();
    let permission = || "android.permission.CAMERA".to_owned();
    check(launch(BTreeMap::new()), "launch com.example.app");
    check(Action::StopApp { app_id: app_id() }, "$ am force-stop com.example.app");
    check(Action::ClearAppData { app_id: app_id() }, "$ pm clear com.example.app");
    check(Action::OpenLink { link: "app://x".into() }, "open app://x");
    check(
        Action::GrantPermission { app_id: app_id(), permission: permission() },
        "$ pm grant com.example.app android.permission.CAMERA",
    );
    check(
        Action::RevokePermission { app_id: app_id(), permission: permission() },
        "$ pm revoke com.example.app android.permission.CAMERA",
    );
    check(Action::Shell { command: "id -u".into() }, "$ id -u");
}

#[test]
fn values_for_an_app_keep_their_types() {
    let arguments = json!({
        "flag": true, "large": 9_007_199_254_740_993_i64, "list": [1, "a"], "name": "Ada B.", "nothing": null,
        "share": 0.5, "small": -3,
    });
    let arguments: BTreeMap<_, _> = arguments.as_object().unwrap().clone().into_iter().collect();
    check(
        launch(arguments),
        "launch com.example.app b:flag=true l:large=9007199254740993 s:list=[1,\"a\"] s:name=Ada B. s:nothing=null \
         d:share=0.5 i:small=-3",
    );
}

/// What the platform does not take is a failure that says so.
#[test]
fn refusals() {
    let table = [
        (Action::Tap { x: 1, y: 1 }, FailureKind::Refused, "the phone did not take the touch"),
        (Action::Click { node: 1 }, FailureKind::Refused, "the element is gone or does not take the action"),
        (
            Action::SetText { node: 1, text: "a".into() },
            FailureKind::Refused,
            "the element is gone or does not take the action",
        ),
        (input("a"), FailureKind::Refused, "no input connection is open"),
        (
            Action::TypeKeys { text: "日本".into() },
            FailureKind::Refused,
            "the phone has no keys for this text",
        ),
        (Action::EraseText { count: 1 }, FailureKind::Refused, "the phone did not take the key"),
        (Action::Key { name: Key::Enter }, FailureKind::Refused, "the phone did not take the key"),
        (Action::Back, FailureKind::Refused, "the phone did not go back"),
        (Action::Home, FailureKind::Refused, "the phone did not go home"),
        (
            launch(BTreeMap::new()),
            FailureKind::NotFound,
            "the app 'com.example.app' is not installed, or cannot be started",
        ),
        (
            Action::OpenLink { link: "app://x".into() },
            FailureKind::NotFound,
            "no app on the phone opens 'app://x'",
        ),
    ];
    for source in [Source::Service, Source::UiAutomation] {
        let bench = bench(source);
        bench.paper.set(|answers| answers.refuses = true);
        for (action, kind, message) in &table {
            let failure = bench.fails(action);
            assert_eq!((failure.kind, failure.message.as_str()), (*kind, *message));
        }
    }
}

#[test]
fn what_java_throws_comes_up_with_its_stack() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.throws = true);
    let found = [
        bench.device.capture().unwrap_err(),
        bench.device.screenshot().unwrap_err(),
        bench.device.last_change_ms().unwrap_err(),
        bench.device.foreground_app().unwrap_err(),
        bench.device.installed_apps().unwrap_err(),
        bench.fails(&Action::Tap { x: 1, y: 1 }),
        bench.fails(&Action::StopApp { app_id: APP.into() }),
        bench.fails(&Action::SetClipboard { text: "a".into() }),
    ];
    for failure in found {
        assert_eq!(failure.to_string(), "DeadObjectException\nat android.os");
        assert_eq!(failure.kind, FailureKind::Device);
    }
}

/// `am` and `pm` say nothing when they worked, or that they did.
#[test]
fn a_command_that_says_more_has_failed() {
    let bench = bench(Source::Service);
    let clear = Action::ClearAppData { app_id: APP.to_owned() };
    for good in ["", "\n", "Success\n"] {
        bench.paper.set(|answers| answers.shell = good.to_owned());
        bench.device.act(&clear).unwrap();
    }
    bench.paper.set(|answers| answers.shell = "Failed\n".to_owned());
    let failure = bench.fails(&clear);
    assert_eq!(failure.message, "'pm clear com.example.app' failed: Failed");
    assert_eq!(failure.kind, FailureKind::Device);
    // What a trail asks a shell is its own affair.
    let answer = bench.device.act(&Action::Shell { command: "pm clear x".into() }).unwrap();
    assert_eq!(answer.text, "Failed\n");
}

/// `pm` tells nobody but a shell why it fails.
#[test]
fn a_command_that_complains_has_failed() {
    let bench = bench(Source::Service);
    let camera = || "android.permission.CAMERA".to_owned();
    let grant = Action::GrantPermission { app_id: APP.to_owned(), permission: camera() };
    let revoke = Action::RevokePermission { app_id: APP.to_owned(), permission: camera() };
    let thrown = "java.lang.SecurityException: Package com.example.app has not requested permission \
                  android.permission.CAMERA";
    let complaint = format!("\nException occurred while executing 'grant':\n{thrown}\n\tat android.os\n");
    bench.paper.set(|answers| answers.complaint = complaint);
    for (action, verb) in [(grant, "grant"), (revoke, "revoke")] {
        let failure = bench.fails(&action);
        let message = format!("'pm {verb} com.example.app android.permission.CAMERA' failed: {thrown}");
        assert_eq!((failure.kind, failure.message), (FailureKind::Refused, message));
        assert!(failure.stack.unwrap().ends_with("\tat android.os"));
    }
    bench.paper.set(|answers| answers.complaint = "Error: no such package\n".to_owned());
    let failure = bench.fails(&Action::ClearAppData { app_id: APP.to_owned() });
    let message = "'pm clear com.example.app' failed: Error: no such package";
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Device, message));
    assert_eq!(failure.stack, None);
    // Some phones warn about every program.
    bench.paper.set(|answers| answers.complaint = "WARNING: linker: no section headers\n".to_owned());
    bench.device.act(&Action::StopApp { app_id: APP.to_owned() }).unwrap();
}

/// All permissions are those that the app asks for; what is given when it is installed is left alone.
#[test]
fn all_permissions_are_those_that_an_app_asks_for() {
    let bench = bench(Source::Service);
    let all = Action::GrantPermission { app_id: APP.to_owned(), permission: "all".to_owned() };
    let about = "requested permissions:\n  android.permission.CAMERA\n  android.permission.INTERNET\n\n";
    bench.paper.set(|answers| {
        answers.shell = about.to_owned();
        answers.complaint = "SecurityException: not a changeable permission type\n".to_owned();
    });
    bench.device.act(&all).unwrap();
    let asked = bench.paper.set(|answers| std::mem::take(&mut answers.asked));
    let expected = [
        "$ dumpsys package com.example.app",
        "$ pm grant com.example.app android.permission.CAMERA",
        "$ pm grant com.example.app android.permission.INTERNET",
    ];
    assert_eq!(asked, expected);
}

fn node(text: &str) -> NodeSpec {
    NodeSpec::default().with(Prop::Text, text)
}

fn focused(text: &str) -> NodeSpec {
    let mut spec = node(text);
    spec.flags.set(Flag::Focused, true);
    spec.flags.set(Flag::Editable, true);
    spec
}

/// Windows from the lowest to the topmost, each with its package and the nodes below its root.
fn screen(windows: &[(WindowKind, &str, &[NodeSpec])]) -> Screen {
    let mut builder = ScreenBuilder::new(1000, 2000, 0);
    for (kind, package, nodes) in windows {
        builder.window(*kind);
        builder.open(NodeSpec::default().with(Prop::PackageName, *package)).unwrap();
        for spec in *nodes {
            builder.open(spec.clone()).unwrap();
            builder.close();
        }
    }
    builder.finish()
}

/// The clipboard goes into the field that had the focus when the screen was last seen.
#[test]
fn pasting_needs_a_focused_field() {
    let bench = bench(Source::Service);
    let paste = || bench.device.act(&Action::PasteClipboard);
    let see = |nodes: &[NodeSpec]| {
        bench.paper.set(|answers| answers.screen = Some(screen(&[(WindowKind::Application, APP, nodes)])));
    };
    let failure = paste().unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::NotFound, "no field has the focus"),
        "nothing was seen yet"
    );
    see(&[node("Name")]);
    bench.device.capture().unwrap();
    assert_eq!(paste().unwrap_err().kind, FailureKind::NotFound);
    see(&[node("Name"), focused("Ada")]);
    bench.device.capture().unwrap();
    bench.asked();
    paste().unwrap();
    assert_eq!(bench.asked(), "perform 2 0x8000");
    // Java counts nodes by its last capture, whoever asked for it.
    see(&[node("Title"), node("Name"), focused("Ada")]);
    bench.device.foreground_app().unwrap();
    bench.asked();
    paste().unwrap();
    assert_eq!(bench.asked(), "perform 3 0x8000");
}

#[test]
fn the_app_in_front_is_that_of_the_topmost_window_of_an_app() {
    #[track_caller]
    fn check(windows: &[(WindowKind, &str, &[NodeSpec])], expected: Option<&str>) {
        let bench = bench(Source::Service);
        bench.paper.set(|answers| answers.screen = Some(screen(windows)));
        assert_eq!(bench.device.foreground_app().unwrap().as_deref(), expected);
    }
    let below = (WindowKind::Application, "com.example.below", [].as_slice());
    let app = (WindowKind::Application, APP, [].as_slice());
    let dialog = (WindowKind::Dialog, "com.example.asks", [].as_slice());
    let keyboard = (WindowKind::Keyboard, "com.example.keys", [].as_slice());
    let system = (WindowKind::System, "com.android.systemui", [].as_slice());
    check(&[below, app, keyboard, system], Some(APP));
    check(&[app, dialog, system], Some("com.example.asks"));
    check(&[system], None);
    check(&[], None);
}

/// Events say when they happened since the phone was started; a run has a clock of its own.
#[test]
fn changes_are_told_on_the_clock_of_the_run() {
    let bench = bench(Source::Service);
    let happens = |events: &[(u64, i32)], uptime_ms: u64| {
        bench.paper.set(|answers| {
            let event =
                |(uptime_ms, kind): &(u64, i32)| UiEvent { uptime_ms: *uptime_ms, kind: *kind, changes: 0 };
            answers.events = events.iter().map(event).collect();
            answers.uptime_ms = uptime_ms;
        });
        bench.device.last_change_ms().unwrap()
    };
    const CONTENT: i32 = 0x800;
    assert_eq!(happens(&[], 0), 0);
    bench.clock.sleep_until(1_000);
    assert_eq!(happens(&[(90_700, CONTENT), (90_900, CONTENT), (90_600, CONTENT)], 91_000), 900);
    // Nothing new, and an older event that comes late, leave it as it is.
    assert_eq!(happens(&[], 91_000), 900);
    assert_eq!(happens(&[(90_500, CONTENT)], 91_000), 900);
    // An event of before the run, and one from the future.
    assert_eq!(happens(&[(10, CONTENT)], 91_000), 900);
    assert_eq!(happens(&[(99_999, CONTENT)], 91_000), 1_000);
}

#[test]
fn only_some_kinds_of_events_are_changes() {
    for (kind, counts) in [
        (0x1, true),         // clicked
        (0x2, false),        // long-clicked
        (0x4, false),        // selected
        (0x8, false),        // focused
        (0x10, true),        // text changed
        (0x20, true),        // window state changed
        (0x40, true),        // notification, a toast
        (0x80, false),       // hover
        (0x800, true),       // content changed
        (0x1000, true),      // scrolled
        (0x2000, false),     // selection of text
        (0x8000, false),     // accessibility focus
        (0x10_0000, false),  // touch interaction
        (0x40_0000, true),   // windows changed
        (0x400_0000, false), // speech
    ] {
        let bench = bench(Source::UiAutomation);
        bench.clock.sleep_until(500);
        bench.paper.set(|answers| {
            answers.events = vec![UiEvent { uptime_ms: 70, kind, changes: 0 }];
            answers.uptime_ms = 100;
        });
        assert_eq!(bench.device.last_change_ms().unwrap() == 470, counts, "{kind:#x}");
    }
}
