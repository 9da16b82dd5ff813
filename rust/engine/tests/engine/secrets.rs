//! A secret is in nothing that a run says.

use serde_json::{Value, json};
use trailblaze_model::failure::FailureKind;

use crate::support::{Setup, World};

const SECRET: &str = "it's 0pen sesame";
const FIELD: &str = "old @0,0,100,100 isFocused isEditable";

fn secret(setup: &mut Setup) {
    setup.secret("word", SECRET);
    setup.memory.set("greeting", format!("say {SECRET}!"));
}

#[track_caller]
fn check_hidden(world: &World) {
    for line in world.lines() {
        for part in [SECRET, "0pen", "aXQncyAwcGVuIHNlc2FtZQ"] {
            assert!(!line.contains(part), "{line}");
        }
    }
}

#[test]
fn a_secret_reaches_the_device_and_no_event() {
    #[track_caller]
    fn check(tool: &str, args: Value, shown: &str) {
        let world = World::with(FIELD, secret);
        let _ = world.call(tool, args);
        check_hidden(&world);
        assert!(world.actions().iter().any(|action| action.contains(shown)), "{:?}", world.actions());
    }
    check("inputText", json!({ "text": "${word}" }), "setText 0 old***");
    check("inputText", json!({ "text": "<${greeting}>" }), "setText 0 old<say ***!>");
    check("mobile_setClipboard", json!({ "text": "{{word}}" }), "setClipboard ***");
    check("openUrl", json!({ "url": "https://a.example/?q=${word}" }), "openLink https://a.example/?q=***");
    check("adbShell", json!({ "command": "echo ${word}" }), "shell echo ***");
    check("android_adbShell", json!({ "command": ["echo", "${word}"] }), "shell echo ***");
    check("android_writeFileToDownloads", json!({ "fileName": "a", "content": "${word}" }), "shell echo ***");
    check("grantPermission", json!({ "packageId": "a", "permission": "${word}" }), "***");
    let launch = json!([{ "launchApp": { "arguments": { "token": "${word}" } } }]);
    check("maestro", json!({ "commands": launch }), r#"{"token":"***"}"#);
}

#[test]
fn a_secret_is_in_no_failure_hint_warning_or_message() {
    let world = World::with(&format!("{SECRET} @0,0,100,50\n{SECRET} @0,50,100,100"), |setup| {
        secret(setup);
        setup.phone.answers("shell", SECRET);
        setup.phone.fails("openLink", FailureKind::App, SECRET);
        setup.phone.logs(SECRET);
    });
    let calls = [
        ("assertEquals", json!({ "actual": "${word}", "expected": "x" })),
        ("assertMath", json!({ "expression": "${word}", "expected": "1" })),
        ("tap", json!({ "text": "${word}" })),
        ("tap", json!({ "text": "${word} 2" })),
        ("tap", json!({ "id": "nowhere" })),
        ("assertNotVisibleWithText", json!({ "text": "${word}" })),
        ("swipe", json!({ "direction": "${word}" })),
        ("${word}", json!({})),
        ("adbShell", json!({ "command": "cat" })),
        ("openUrl", json!({ "url": "a" })),
        ("captureScreen", json!({})),
        ("getElementText", json!({ "id": ".*" })),
        ("dumpMemory", json!({})),
        ("takeSnapshot", json!({ "screenName": "${word}" })),
        ("maestro", json!({ "commands": [{ "tapOn": { "text": "${word} 3", "optional": true } }] })),
        ("maestro", json!({ "commands": [{ "copyTextFrom": "${word}" }] })),
    ];
    for (tool, args) in calls {
        if let Err(failure) = world.call(tool, args) {
            assert!(!failure.to_string().contains("0pen"), "{failure}");
        }
    }
    check_hidden(&world);
}

#[test]
fn a_secret_that_is_recorded_stays_a_name() {
    let world = World::with(FIELD, secret);
    world.call("inputText", json!({ "text": "${word}" })).unwrap();
    assert_eq!(world.recorded(), [r#"inputText {"text":"${word}"}"#]);
}

#[test]
fn what_is_remembered_under_a_secret_name_is_secret_at_once() {
    let world = World::with(FIELD, |setup| setup.secret("pin", "4711"));
    world.call("inputTextRandom", json!({ "variable": "pin", "prefix": "" })).unwrap();
    let typed = world.session.memory.get("pin").unwrap();
    assert_eq!(typed.len(), 6);
    for line in world.lines() {
        assert!(!line.contains(&typed), "{line}");
    }
}

#[test]
fn dumping_memory_shows_no_secret() {
    let world = World::with(FIELD, secret);
    let output = world.call("dumpMemory", json!({})).unwrap();
    assert_eq!(output.message, "greeting = say ***!\nword = ***");
    assert_eq!(output.structured, Some(json!({ "greeting": "say ***!", "word": "***" })));
}
