//! Maestro commands: every form of every command that runs, and every way to get one wrong.

mod whereabouts;

use serde_json::Value;
use trailblaze_model::action::Key;
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::maestro::{
    COMMANDS, Command, Condition, Direction, KEYS_BY_NAME, Kind, LaunchApp, Point, PressedKey,
    ScrollUntilVisible, Swipe, Tap, Target, check_commands, later_reason, read_command, read_commands,
};
use trailblaze_model::place::Source;
use trailblaze_model::selector::Selector;
use trailblaze_model::yaml;

fn value(text: &str) -> Value {
    yaml::read(&Source::new("a.yaml", text), &mut Diagnostics::new()).expect("this is YAML").to_json()
}

/// A command without label that is not optional.
#[track_caller]
fn reads(text: &str, kind: Kind) {
    let command = command(text);
    assert_eq!((command.label, command.optional, command.kind), (None, false, kind));
    assert_eq!(check_commands(&Value::Array(vec![value(text)])), []);
}

#[track_caller]
fn command(text: &str) -> Command {
    read_command(&value(text)).unwrap_or_else(|problem| panic!("{text}: {problem:?}"))
}

#[track_caller]
fn fails(text: &str, pointer: &str, message: &str, hint: Option<&str>) {
    let value = value(text);
    let problem = read_command(&value).expect_err("this is wrong");
    assert!(value.pointer(&problem.pointer).is_some(), "{problem:?} points nowhere");
    assert_eq!(
        (problem.pointer.as_str(), problem.message.as_str(), problem.hint.as_deref()),
        (pointer, message, hint)
    );
    assert_eq!(check_commands(&Value::Array(vec![value])).len(), 1);
}

/// Wrong now, and fine in a document where a token stands for the value.
#[track_caller]
fn open(text: &str) {
    let commands = Value::Array(vec![value(text)]);
    assert_eq!(check_commands(&commands), []);
    assert!(read_commands(&commands).is_err());
}

fn at(selector: Selector) -> Target {
    Target { selector, point: None }
}

fn tap(target: Target) -> Tap {
    Tap { target, repeat: 1, double: false, delay_ms: 100, retry_if_no_change: false }
}

#[test]
fn taps() {
    reads("tapOn: Sign in", Kind::Tap(tap(at(Selector::text("Sign in")))));
    reads("tapOn: 007", Kind::Tap(tap(at(Selector::text("007")))));
    reads("tapOn: true", Kind::Tap(tap(at(Selector::text("true")))));
    reads("tapOn: { id: ok }", Kind::Tap(tap(at(Selector::id("ok")))));
    let selector = Selector {
        enabled: Some(true),
        selected: Some(false),
        checked: Some(true),
        focused: Some(false),
        index: Some(-2),
        ..Selector::text("a")
    };
    reads(
        "tapOn: { text: a, enabled: true, selected: false, checked: 'true', focused: false, index: -2.9 }",
        Kind::Tap(tap(at(selector))),
    );
    reads(
        "tapOn: { point: '50%, 20%' }",
        Kind::Tap(tap(Target { selector: Selector::default(), point: Some(Point::Percent(50, 20)) })),
    );
    reads(
        "tapOn: { text: a, point: '3,-4', repeat: 3, delay: 1_000, retryTapIfNoChange: true, waitUntilVisible: false, waitToSettleTimeoutMs: 500 }",
        Kind::Tap(Tap {
            target: Target { selector: Selector::text("a"), point: Some(Point::Pixels(3, -4)) },
            repeat: 3,
            double: false,
            delay_ms: 1_000,
            retry_if_no_change: true,
        }),
    );
    let Kind::Tap(double) = command("doubleTapOn: { id: a, delay: 50 }").kind else { panic!() };
    assert!(double.double && double.delay_ms == 50);
    reads("longPressOn: a", Kind::LongPress { target: at(Selector::text("a")) });
    reads(
        "longPressOn: { id: b, point: '1%,2%' }",
        Kind::LongPress { target: Target { selector: Selector::id("b"), point: Some(Point::Percent(1, 2)) } },
    );
}

#[test]
fn assertions_and_waits() {
    reads("assertVisible: a", Kind::AssertVisible(Selector::text("a")));
    reads("assertVisible: { id: a }", Kind::AssertVisible(Selector::id("a")));
    reads("assertNotVisible: a", Kind::AssertNotVisible(Selector::text("a")));
    reads("copyTextFrom: { id: a }", Kind::CopyTextFrom(Selector::id("a")));
    let visible = |timeout_ms| Kind::ExtendedWaitUntil {
        condition: Condition::Visible(Selector::text("a")),
        timeout_ms,
    };
    reads("extendedWaitUntil: { visible: a, timeout: 5000 }", visible(5_000));
    reads("extendedWaitUntil: { visible: { text: a }, timeout: '5_000' }", visible(5_000));
    reads("extendedWaitUntil: { visible: a }", visible(17_000));
    let condition = Condition::NotVisible(Selector::id("a"));
    reads(
        "extendedWaitUntil: { notVisible: { id: a } }",
        Kind::ExtendedWaitUntil { condition, timeout_ms: 17_000 },
    );
    reads("waitForAnimationToEnd", Kind::WaitForAnimationToEnd { timeout_ms: 15_000 });
    reads("waitForAnimationToEnd: {}", Kind::WaitForAnimationToEnd { timeout_ms: 15_000 });
    reads("waitForAnimationToEnd: { timeout: 10 }", Kind::WaitForAnimationToEnd { timeout_ms: 10 });
}

#[test]
fn scrolls_and_swipes() {
    reads("scroll", Kind::Scroll);
    reads("scroll: {}", Kind::Scroll);
    let usual = ScrollUntilVisible {
        element: Selector::text("a"),
        direction: Direction::Down,
        timeout_ms: 20_000,
        speed: 40,
        visibility_percentage: 100,
        center_element: false,
    };
    reads("scrollUntilVisible: { element: a }", Kind::ScrollUntilVisible(usual.clone()));
    reads(
        "scrollUntilVisible: { element: a, timeout: -1, speed: 40, visibilityPercentage: 250 }",
        Kind::ScrollUntilVisible(usual.clone()),
    );
    reads(
        "scrollUntilVisible: { element: { id: b }, direction: left, timeout: 5, speed: 400, visibilityPercentage: -3, centerElement: true }",
        Kind::ScrollUntilVisible(ScrollUntilVisible {
            element: Selector::id("b"),
            direction: Direction::Left,
            timeout_ms: 5,
            speed: 100,
            visibility_percentage: 0,
            center_element: true,
        }),
    );
    let swipe = |swipe| Kind::Swipe { swipe, duration_ms: 400 };
    reads("swipe: { direction: Up }", swipe(Swipe::Direction(Direction::Up)));
    reads(
        "swipe: { start: '1,2', end: '3,4' }",
        swipe(Swipe::Points(Point::Pixels(1, 2), Point::Pixels(3, 4))),
    );
    reads(
        "swipe: { start: '0%,100%', end: '50%, 50%', duration: 1000 }",
        Kind::Swipe {
            swipe: Swipe::Points(Point::Percent(0, 100), Point::Percent(50, 50)),
            duration_ms: 1_000,
        },
    );
    let from = Box::new(at(Selector::text("a")));
    reads(
        "swipe: { direction: RIGHT, from: a }",
        swipe(Swipe::Element { from, direction: Direction::Right }),
    );
    let from = Box::new(Target { selector: Selector::id("a"), point: Some(Point::Percent(1, 2)) });
    reads(
        "swipe: { direction: RIGHT, from: { id: a, point: '1%,2%' } }",
        swipe(Swipe::Element { from, direction: Direction::Right }),
    );
}

#[test]
fn keys_and_texts() {
    reads("back", Kind::Back);
    reads("back: {}", Kind::Back);
    reads("hideKeyboard", Kind::HideKeyboard);
    reads("hide keyboard", Kind::HideKeyboard);
    reads("pasteText", Kind::PasteText);
    reads("pressKey: Enter", Kind::PressKey(PressedKey::Key(Key::Enter)));
    reads("pressKey: { key: remote dpad CENTER }", Kind::PressKey(PressedKey::Key(Key::DpadCenter)));
    for (name, key) in KEYS_BY_NAME {
        reads(&format!("pressKey: {name}"), Kind::PressKey(*key));
    }
    reads("inputText: 007", Kind::InputText("007".into()));
    reads("inputText: { text: a b }", Kind::InputText("a b".into()));
    reads("inputText: ''", Kind::InputText(String::new()));
    for (text, count) in [
        ("eraseText", Some(50)),
        ("eraseText: {}", Some(50)),
        ("eraseText: 5", Some(5)),
        ("eraseText: { charactersToErase: 7 }", Some(7)),
        ("eraseText: { charactersToErase: }", None),
        ("eraseText:", None),
    ] {
        reads(text, Kind::EraseText { count });
    }
}

#[test]
fn apps() {
    let app = |app_id: Option<&str>| LaunchApp {
        app_id: app_id.map(str::to_owned),
        clear_state: false,
        stop_app: true,
        permissions: Vec::new(),
        arguments: serde_json::Map::new(),
    };
    reads("launchApp", Kind::LaunchApp(app(None)));
    reads("launchApp: a.b", Kind::LaunchApp(app(Some("a.b"))));
    reads("launchApp: { url: a.b }", Kind::LaunchApp(app(Some("a.b"))));
    reads(
        "launchApp: { appId: a.b, clearState: true, clearKeychain: true, stopApp: false, permissions: { all: deny, camera: unset }, arguments: { n: 1 } }",
        Kind::LaunchApp(LaunchApp {
            clear_state: true,
            stop_app: false,
            permissions: vec![("all".into(), "deny".into()), ("camera".into(), "unset".into())],
            arguments: serde_json::Map::from_iter([("n".to_owned(), 1.into())]),
            ..app(Some("a.b"))
        }),
    );
    for (name, kind) in [
        ("stopApp", (|app_id| Kind::StopApp { app_id }) as fn(Option<String>) -> Kind),
        ("clearState", |app_id| Kind::ClearState { app_id }),
    ] {
        reads(name, kind(None));
        reads(&format!("{name}: a.b"), kind(Some("a.b".into())));
        reads(&format!("{name}: {{ appId: a.b }}"), kind(Some("a.b".into())));
    }
    reads("openLink: app://x", Kind::OpenLink { link: "app://x".into() });
    reads(
        "openLink: { link: app://x, browser: true, autoVerify: false }",
        Kind::OpenLink { link: "app://x".into() },
    );
}

#[test]
fn every_command_has_a_label_and_may_be_optional() {
    let labelled = command("tapOn: { text: a, label: Go, optional: true }");
    assert_eq!((labelled.name, labelled.label.as_deref(), labelled.optional), ("tapOn", Some("Go"), true));
    assert!(command("back: { optional: true }").optional);
    assert!(command("extendedWaitUntil: { visible: { text: a, optional: true } }").optional);
    assert!(command("swipe: { direction: UP, from: { text: a, optional: 'true' } }").optional);
    fails(
        "back: { optional: maybe }",
        "/back/optional",
        "'optional' must be true or false, not 'maybe'",
        None,
    );
    fails(
        "scrollUntilVisible: { element: { text: a, optional: [] } }",
        "/scrollUntilVisible/element/optional",
        "'optional' must be a text",
        None,
    );
}

#[test]
fn commands_are_names_or_mappings_with_one_key() {
    fails("tabOn: a", "", "unknown Maestro command 'tabOn'", Some("did you mean 'tapOn'?"));
    fails("fly", "", "unknown Maestro command 'fly'", None);
    let hint = Some("indent the options of a command below its name");
    fails("{ tapOn: a, text: b }", "", "a command has one key; here are 2: tapOn and text", hint);
    fails("{}", "", "a command needs a name", None);
    fails("[]", "", "a command is a name, or a mapping with one key", None);
    fails("5", "", "a command is a name, or a mapping with one key", None);
    fails("tapOn:", "/tapOn", "'tapOn' has no value", Some("write '- tapOn' if it needs none"));
    fails("tapOn: [a]", "/tapOn", "'tapOn' does not take a list", None);
    assert_eq!(
        read_commands(&value("tapOn: a")).unwrap_err()[0].message,
        "'commands' must be a list of Maestro commands"
    );
    let several =
        read_commands(&value("[back, tapOn, scroll, { swipe: { direction: up, speed: 3 } }]")).unwrap_err();
    let pointers: Vec<&str> = several.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(pointers, ["/1", "/3/swipe/speed"]);
}

#[test]
fn commands_that_run_later_say_so() {
    for (name, reason) in COMMANDS {
        let problem = read_command(&Value::from(*name)).err().filter(|problem| problem.later);
        assert_eq!(problem.is_some(), reason.is_some(), "{name}");
        assert_eq!(later_reason(name), *reason);
    }
    fails(
        "runFlow: a.yaml",
        "",
        "the Maestro command 'runFlow' cannot run: it comes with Maestro flows, which this version does not run yet",
        None,
    );
}

#[test]
fn relations_of_elements() {
    let selector =
        |text: &str| match read_command(&value(&format!("assertVisible: {{ {text} }}"))).unwrap().kind {
            Kind::AssertVisible(selector) => selector.to_string(),
            other => panic!("{other:?}"),
        };
    assert_eq!(selector("below: a"), "below (text 'a')");
    assert_eq!(
        selector("text: a, rightOf: { id: b, index: 1 }, childOf: { above: c }"),
        "text 'a', right of (id 'b', index 1), inside of (above (text 'c'))"
    );
    assert_eq!(
        selector("containsChild: a, containsDescendants: [b, { id: c }], leftOf: d"),
        "left of (text 'd'), with a child (text 'a'), containing (text 'b'), containing (id 'c')"
    );
    assert_eq!(
        selector("width: 10, height: 20, tolerance: 2, traits: square long-text"),
        "width 10, height 20, square, long-text"
    );
    fails(
        "tapOn: { traits: round }",
        "/tapOn/traits",
        "unknown trait 'round'",
        Some("use text, square or long-text"),
    );
    fails("tapOn: { css: a }", "/tapOn/css", "'css' is for web pages, and this is an Android screen", None);
    fails(
        "tapOn: { below: { txt: a } }",
        "/tapOn/below/txt",
        "the selector has no option 'txt'",
        Some("did you mean 'text'?"),
    );
    fails(
        "tapOn: { containsDescendants: a }",
        "/tapOn/containsDescendants",
        "'containsDescendants' must be a list of selectors",
        None,
    );
}

#[test]
fn elements() {
    for name in ["tapOn", "doubleTapOn", "longPressOn", "assertVisible", "assertNotVisible", "copyTextFrom"] {
        fails(name, "", &format!("'{name}' needs an element"), None);
        let hint = Some("name it by 'text' or 'id'");
        fails(&format!("{name}: {{}}"), &format!("/{name}"), &format!("'{name}' needs an element"), hint);
        fails(
            &format!("{name}: {{ text: }}"),
            &format!("/{name}"),
            &format!("'{name}' needs an element"),
            hint,
        );
    }
    fails(
        "tapOn: { txt: a }",
        "/tapOn/txt",
        "the selector has no option 'txt'",
        Some("did you mean 'text'?"),
    );
    fails("tapOn: { text: { a: b } }", "/tapOn/text", "'text' must be a text", None);
    fails(
        "tapOn: { text: a, enabled: 1 }",
        "/tapOn/enabled",
        "'enabled' must be true or false, not '1'",
        None,
    );
    fails("tapOn: { text: a, index: first }", "/tapOn/index", "'index' must be a number, not 'first'", None);
    fails("tapOn: { text: a, index: NaN }", "/tapOn/index", "'index' must be a number, not 'NaN'", None);
    fails("tapOn: { text: a, repeat: -1 }", "/tapOn/repeat", "'repeat' must not be negative", None);
    fails("tapOn: { text: a, delay: soon }", "/tapOn/delay", "'delay' must be a number, not 'soon'", None);
    let hint = Some("write \"50%,20%\" with 0 to 100, or \"540,1200\"");
    for point in ["50%,20", "101%,5%", "-1%,5%", "1", "a,b", "1,2,3"] {
        fails(
            &format!("tapOn: {{ point: '{point}' }}"),
            "/tapOn/point",
            &format!("'{point}' is no point"),
            hint,
        );
    }
    fails(
        "assertVisible: { text: a, point: '1,2' }",
        "/assertVisible/point",
        "the selector has no option 'point'",
        Some(
            "options: text, id, enabled, selected, checked, focused, index, width, height, tolerance, traits, below, \
             above, leftOf, rightOf, containsChild, containsDescendants, childOf, label, optional",
        ),
    );
    fails(
        "tapOn: { text: a, 'odd/~key': 1 }",
        "/tapOn/odd~1~0key",
        "the selector has no option 'odd/~key'",
        Some(
            "options: text, id, enabled, selected, checked, focused, index, width, height, tolerance, traits, below, above, leftOf, rightOf, containsChild, containsDescendants, childOf, retryTapIfNoChange, waitUntilVisible, repeat, delay, waitToSettleTimeoutMs, point, label, optional",
        ),
    );
}

#[test]
fn waits_scrolls_and_swipes_that_are_wrong() {
    let either = "'extendedWaitUntil' needs either 'visible' or 'notVisible'";
    fails("extendedWaitUntil", "", either, None);
    fails("extendedWaitUntil: { timeout: 5 }", "/extendedWaitUntil", either, None);
    fails("extendedWaitUntil: { visible: a, notVisible: b }", "/extendedWaitUntil", either, None);
    fails(
        "extendedWaitUntil: { visible: [a] }",
        "/extendedWaitUntil/visible",
        "'extendedWaitUntil' does not take a list",
        None,
    );
    fails(
        "extendedWaitUntil: { visible: a, timeout: -5 }",
        "/extendedWaitUntil/timeout",
        "'timeout' must not be negative",
        None,
    );
    let message = "'waitForAnimationToEnd' takes no single value, not '500'";
    fails("waitForAnimationToEnd: 500", "/waitForAnimationToEnd", message, None);
    fails("scroll: down", "/scroll", "'scroll' takes no single value, not 'down'", None);
    fails(
        "back: { times: 2 }",
        "/back/times",
        "'back' has no option 'times'",
        Some("options: label, optional"),
    );
    fails(
        "hide keyboard: { x: 1 }",
        "/hide keyboard/x",
        "'hideKeyboard' has no option 'x'",
        Some("options: label, optional"),
    );
    fails("scrollUntilVisible: a", "/scrollUntilVisible", "'scrollUntilVisible' needs 'element'", None);
    fails(
        "scrollUntilVisible: { direction: UP }",
        "/scrollUntilVisible",
        "'scrollUntilVisible' needs 'element'",
        None,
    );
    let hint = Some("name it by 'text' or 'id'");
    fails(
        "scrollUntilVisible: { element: {} }",
        "/scrollUntilVisible/element",
        "'scrollUntilVisible' needs an element",
        hint,
    );
    let hint = Some("use UP, DOWN, LEFT or RIGHT");
    fails("swipe: { direction: north }", "/swipe/direction", "unknown direction 'north'", hint);
    let hint = Some("'direction', or 'direction' with 'from', or 'start' with 'end'");
    for text in ["swipe", "swipe: up", "swipe: {}"] {
        let pointer = if text == "swipe" { "" } else { "/swipe" };
        fails(text, pointer, "'swipe' needs a direction, or a start and an end", hint);
    }
    for text in ["{ direction: UP, start: '1,2' }", "{ start: '1,2' }", "{ end: '1,2' }", "{ from: a }"] {
        fails(&format!("swipe: {text}"), "/swipe", "'swipe' mixes its shapes", hint);
    }
    fails(
        "swipe: { start: '1,2', end: '3%,4%' }",
        "/swipe",
        "'start' and 'end' must both use % or both not",
        None,
    );
}

#[test]
fn keys_texts_and_apps_that_are_wrong() {
    fails("pressKey", "", "'pressKey' needs 'key'", None);
    fails("pressKey: {}", "/pressKey", "'pressKey' needs 'key'", None);
    fails("pressKey: entre", "/pressKey", "unknown key 'entre'", Some("did you mean 'enter'?"));
    fails(
        "pressKey: { key: volumeup }",
        "/pressKey/key",
        "unknown key 'volumeup'",
        Some("did you mean 'volume up'?"),
    );
    fails("inputText", "", "'inputText' needs 'text'", None);
    fails(
        "inputText: { text: a, hide: true }",
        "/inputText/hide",
        "'inputText' has no option 'hide'",
        Some("options: text, label, optional"),
    );
    fails("eraseText: all", "/eraseText", "'all' is no number of characters", None);
    fails("eraseText: -1", "/eraseText", "'-1' is no number of characters", None);
    fails(
        "eraseText: { charactersToErase: -1 }",
        "/eraseText/charactersToErase",
        "'charactersToErase' must not be negative",
        None,
    );
    fails("openLink", "", "'openLink' needs 'link'", None);
    fails(
        "openLink: { link: a, browser: 1 }",
        "/openLink/browser",
        "'browser' must be true or false, not '1'",
        None,
    );
    fails(
        "launchApp: { permissions: [all] }",
        "/launchApp/permissions",
        "'permissions' must be a mapping",
        None,
    );
    let message = "'yes' is none of allow, deny and unset";
    fails("launchApp: { permissions: { all: yes } }", "/launchApp/permissions/all", message, None);
    fails("launchApp: { arguments: 1 }", "/launchApp/arguments", "'arguments' must be a mapping", None);
    fails(
        "launchApp: { appid: a }",
        "/launchApp/appid",
        "'launchApp' has no option 'appid'",
        Some("did you mean 'appId'?"),
    );
    fails("stopApp: { appId: [a] }", "/stopApp/appId", "'appId' must be a text", None);
    fails(
        "clearState: { id: a }",
        "/clearState/id",
        "'clearState' has no option 'id'",
        Some("options: appId, label, optional"),
    );
}

#[test]
fn tokens_stand_for_values_that_are_known_later() {
    open("pressKey: '{{key}}'");
    open("eraseText: '${count}'");
    open("eraseText: { charactersToErase: '${count}' }");
    open("tapOn: { text: a, index: '{{n}}' }");
    open("tapOn: { enabled: '{{on}}' }");
    open("tapOn: { point: '{{x}},{{y}}' }");
    open("swipe: { direction: '{{way}}' }");
    open("swipe: { start: '{{from}}', end: '1%,2%' }");
    open("waitForAnimationToEnd: { timeout: '${ms}' }");
    open("launchApp: { appId: a, clearState: '${clear}', permissions: { all: '{{p}}' } }");
    reads("inputText: '{{name}}'", Kind::InputText("{{name}}".into()));
}
