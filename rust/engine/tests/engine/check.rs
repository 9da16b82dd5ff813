//! What can be seen of documents without a device.

use trailblaze_engine::check::{Checker, cycles};
use trailblaze_engine::registry::{Registry, Scope, Source as ToolSource};
use trailblaze_engine::{builtin, yaml_tool};
use trailblaze_model::diagnostic::{Code, Diagnostics, Severity};
use trailblaze_model::place::Source;
use trailblaze_model::trail;
use trailblaze_model::waypoint::{self, Waypoint};

use crate::support::{scope, tool_file};

const OWN: &str = "
id: own_fill
description: d
parameters: [{ name: text, type: string, required: true }]
tools: [{ inputText: { text: '{{text}}' } }]
";
const SCRIPT: &str = "id: own_script\ndescription: d\nparameters: []\nscript: { source: 'return 1' }\n";
const CLASS: &str = "id: own_class\nclass: com.example.Tool\n";

fn registry() -> Registry {
    registry_with(false)
}

fn registry_with(has_servers: bool) -> Registry {
    let own = [OWN, SCRIPT, CLASS].map(|text| {
        let file = tool_file(text);
        let at = file.at.clone();
        yaml_tool::tool(file, ToolSource::File(at), yaml_tool::Bodies::default())
    });
    let tools = builtin::tools().into_iter().chain(own);
    Registry::build(
        &Scope { has_servers, ..scope() },
        tools,
        builtin::later(),
        &builtin::toolsets(),
        &mut Vec::new(),
    )
}

/// `line:column code message`, `?` before warnings.
fn lines(problems: &[trailblaze_model::diagnostic::Diagnostic]) -> Vec<String> {
    let line = |problem: &trailblaze_model::diagnostic::Diagnostic| {
        let mark = if problem.severity == Severity::Warning { "?" } else { "" };
        let at = problem.at.as_ref().map(|at| at.place.to_string()).unwrap_or_default();
        format!("{mark}{at} {:?}: {}", problem.code, problem.message)
    };
    problems.iter().map(line).collect()
}

fn checker(registry: &Registry) -> Checker<'_> {
    Checker { registry, waypoints: &[] }
}

#[track_caller]
fn check_trail(text: &str, has_servers: bool, expected: &[&str]) {
    let source = Source::new("a.trail.yaml", text);
    let mut diagnostics = Diagnostics::new();
    let trail = trail::read(&source, &mut diagnostics).unwrap_or_else(|| panic!("{diagnostics:?}"));
    let mut problems = Vec::new();
    checker(&registry_with(has_servers)).trail(&source, &trail, &mut problems);
    assert_eq!(lines(&problems), expected);
}

#[track_caller]
fn check_call(call: &str, expected: &[&str]) {
    check_trail(
        &format!("- config: {{ args: {{ n: {{ type: integer, default: 1 }} }} }}\n- tools:\n    - {call}\n"),
        false,
        expected,
    );
}

#[test]
fn a_good_call_has_no_problems() {
    check_call("tap: { text: Go }", &[]);
    check_call("own_fill: { text: 5 }", &[]);
    check_call("tapOnPoint: { x: '{{args.n}}', y: '${y}', reason: why }", &[]);
    check_call(
        "maestro: { commands: [back, { eraseText: '${n}' }, { swipe: { start: '{{a}}', end: '${b}' } }] }",
        &[],
    );
}

#[test]
fn what_is_wrong_with_a_call_is_reported_at_its_place() {
    check_call("tpa: {}", &["3:7 UnknownTool: unknown tool 'tpa'"]);
    check_call("inputText: {}", &["3:7 MissingArgument: 'inputText': 'text' is missing"]);
    check_call("own_fill: {}", &["3:7 MissingArgument: 'own_fill': 'text' is missing"]);
    check_call(
        "tapOnPoint: { x: a, y: 1, z: 2 }",
        &[
            "3:24 BadArgument: 'tapOnPoint': 'x' must be a whole number, not 'a'",
            "3:33 UnknownArgument: 'tapOnPoint': there is no argument 'z'",
        ],
    );
    check_call("tap: { text: '{{args.m}}' }", &["3:20 BadToken: the trail declares no argument 'm'"]);
    check_call(
        "tap: { text: '{{args.n + 1}}' }",
        &["3:20 BadToken: 'args.n + 1' is an expression; only names with dots are allowed"],
    );
    check_call(
        "tap: { text: 'a (' }",
        &["?3:20 BadPattern: 'a (' is no regular expression (unclosed group) and is taken literally"],
    );
    check_call(
        "maestro: { commands: [{ extendedWaitUntil: { visible: 'a (' } }] }",
        &["?3:61 BadPattern: 'a (' is no regular expression (unclosed group) and is taken literally"],
    );
    check_call("own_fill: { text: 'a (' }", &[]);
    check_call("maestro: { commands: [back, fly] }", &["3:35 MaestroCommand: unknown Maestro command 'fly'"]);
}

#[test]
fn an_unknown_argument_is_reported_at_its_key() {
    check_call("tap: { txt: Go }", &["3:14 UnknownArgument: 'tap': there is no argument 'txt'"]);
}

#[test]
fn a_call_that_gives_none_of_the_arguments_it_needs_one_of_is_incomplete() {
    let tap = "3:7 MissingArgument: 'tap' needs 'text', 'id' or 'ref', or 'x' and 'y'";
    check_call("tap: {}", &[tap]);
    check_call("tap: { text: null, longPress: true }", &[tap]);
    check_call("tap: { x: 1 }", &["3:7 MissingArgument: 'tap' needs 'y' as well as 'x'"]);
    check_call("tap: { y: 1 }", &["3:7 MissingArgument: 'tap' needs 'x' as well as 'y'"]);
    check_call("tap: { text: '${who}' }", &[]);
    check_call("tap: { x: '${x}', y: '${y}' }", &[]);
    check_call("assertVisible: {}", &["3:7 MissingArgument: 'assertVisible' needs 'text' or 'id'"]);
    check_call("isVisible: {}", &["3:7 MissingArgument: 'isVisible' needs 'text' or 'id'"]);
    let scroll = "3:7 MissingArgument: 'scrollUntilTextIsVisible' needs 'text', 'textRegex' or 'id'";
    check_call("scrollUntilTextIsVisible: {}", &[scroll]);
    check_call("scrollUntilTextIsVisible: { text: '' }", &[scroll]);
    check_call("scrollUntilTextIsVisible: { id: a }", &[]);
    check_call(
        "tapOnAccessibilityNode: { longPress: true }",
        &["3:7 MissingArgument: 'tapOnAccessibilityNode' needs at least one of its expressions"],
    );
}

#[test]
fn points_and_numbers_that_no_screen_has_are_wrong() {
    check_call(
        "swipeWithRelativeCoordinates: { startRelative: '50%', endRelative: '5,5' }",
        &[
            "3:54 BadArgument: 'swipeWithRelativeCoordinates': 'startRelative': '50%' is no point like \"50%,20%\"",
            "3:74 BadArgument: 'swipeWithRelativeCoordinates': 'endRelative': '5,5' is no point like \"50%,20%\"",
        ],
    );
    check_call(
        "swipeWithRelativeCoordinates: { startRelative: '{{from}}', endRelative: '50%, ${to}%' }",
        &[],
    );
    check_call(
        "tapOn: { selector: { androidAccessibility: { textRegex: a } }, relativePoint: 'middle' }",
        &["3:85 BadArgument: 'tapOn': 'relativePoint': 'middle' is no point like \"50%,20%\""],
    );
    check_call(
        "tapOnPoint: { x: 99999999999999, y: '-99999999999999' }",
        &[
            "3:24 BadArgument: 'tapOnPoint': 'x' must be at most 2147483647",
            "3:43 BadArgument: 'tapOnPoint': 'y' must be at least -2147483648",
        ],
    );
    check_call(
        "tap: { x: 99999999999999, y: 1 }",
        &["3:17 BadArgument: 'tap': 'x' must be at most 2147483647"],
    );
    check_call("scroll: { amount: -1 }", &["3:25 BadArgument: 'scroll': 'amount' must be at least 0"]);
}

#[test]
fn a_classifier_that_fits_no_device_is_a_warning() {
    let text = "
config:
  devices: { Android: ANDROID_ONDEVICE_ACCESSIBILITY }
  skip: { moon: far, ios-iphone: later }
trailhead:
  step: Begin
  recording: { andorid: { tap: { text: a } }, android: {} }
trail:
  - step: Go
    recording: { tablet: [], andorid-phone: [], android: [], '37': [] }
  - step: On
    recording: { android-phone-37: [], android: [], tablet: [], '37': [] }
";
    let source = Source::new("a.trail.yaml", text);
    let trail = trail::read(&source, &mut Diagnostics::new()).unwrap();
    let mut problems = Vec::new();
    checker(&registry()).trail(&source, &trail, &mut problems);
    problems.retain(|problem| problem.code != Code::Coverage);
    assert_eq!(
        lines(&problems),
        [
            "?3:14 UnknownName: no device is 'Android', so this is never used",
            "?4:11 UnknownName: no device is 'moon', so this is never used",
            "?7:16 UnknownName: no device is 'andorid', so this is never used",
            "?10:30 UnknownName: no device is 'andorid-phone', so this is never used",
        ]
    );
    let hints: Vec<&str> = problems.iter().filter_map(|problem| problem.hint.as_deref()).collect();
    assert_eq!(
        hints,
        [
            "did you mean 'android'?",
            "a classifier begins with a platform: android, ios, web, desktop",
            "did you mean 'android'?",
            "did you mean 'android'?",
        ]
    );
}

#[test]
fn a_classifier_that_fits_no_device_is_nothing_that_other_steps_lack() {
    let text = "trail:\n  - step: Go\n    recording: { andorid: [] }\n  - step: On\n";
    check_trail(text, false, &["?3:18 UnknownName: no device is 'andorid', so this is never used"]);
}

#[test]
fn what_this_version_cannot_run_says_so_at_load() {
    check_call(
        "rememberText: { prompt: a, variable: b }",
        &[
            "3:7 NotYet: the tool 'rememberText' cannot be used: it needs a model, which this version does not have yet",
        ],
    );
    // They run where there is a script engine, or on a phone; that shows when they are called.
    check_call("own_script: {}", &[]);
    check_call("own_class: { any: thing }", &[]);
    check_call(
        "maestro: { commands: [{ runFlow: a.yaml }] }",
        &[
            "3:29 NotYet: the Maestro command 'runFlow' cannot run: it comes with Maestro flows, which this version does not run yet",
        ],
    );
}

#[test]
fn orientations_and_places_are_checked_at_load() {
    check_call("setOrientation: { orientation: PORTRAIT }", &[]);
    check_call("setLocation: { latitude: '{{lat}}', longitude: 0 }", &[]);
    check_call(
        "setOrientation: { orientation: diagonal }",
        &[
            "3:38 BadArgument: 'setOrientation': 'orientation' must be one of PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT, UPSIDE_DOWN, not 'diagonal'",
        ],
    );
    check_call(
        "setLocation: { latitude: 0, longitude: 181 }",
        &["3:46 BadArgument: 'setLocation': 'longitude' must be at most 180"],
    );
    check_call(
        "maestro: { commands: [{ setOrientation: diagonal }] }",
        &["3:47 MaestroCommand: unknown orientation 'diagonal'"],
    );
}

#[test]
fn a_server_may_bring_an_unknown_tool() {
    check_trail("- tools: [{ acme_pay: {} }]\n", true, &["?1:13 UnknownTool: unknown tool 'acme_pay'"]);
    check_trail("- tools: [{ tpa: {} }]\n", true, &["1:13 UnknownTool: unknown tool 'tpa'"]);
}

#[test]
fn a_waypoint_that_nobody_knows_is_found_at_its_place() {
    let waypoint = |id: &str| {
        let source = Source::new("a.waypoint.yaml", format!("id: {id}\nandroid: {{}}\n"));
        waypoint::read(&source, &mut Diagnostics::new()).unwrap()
    };
    let check = |call: &str, known: &[Waypoint]| {
        let source = Source::new("a.trail.yaml", format!("- tools:\n    - assertWaypoint: {call}\n"));
        let trail = trail::read(&source, &mut Diagnostics::new()).unwrap();
        let mut problems = Vec::new();
        Checker { waypoints: known, ..checker(&registry()) }.trail(&source, &trail, &mut problems);
        let hints: Vec<_> = problems.iter().filter_map(|problem| problem.hint.clone()).collect();
        (lines(&problems).join("; "), hints.join("; "))
    };
    let known = [waypoint("mail/inbox"), waypoint("mail/outbox")];
    let nothing = (String::new(), String::new());
    assert_eq!(check("{ waypoint: mail/inbox }", &known), nothing);
    assert_eq!(check("{ waypoint: 'mail/{{box}}' }", &known), nothing);
    let unknown = "2:35 UnknownName: there is no waypoint 'mail/inbx'".to_owned();
    assert_eq!(
        check("{ waypoint: mail/inbx }", &known),
        (unknown.clone(), "did you mean 'mail/inbox'?".to_owned())
    );
    let hint = "waypoints are files in trailblaze-config/waypoints".to_owned();
    assert_eq!(check("{ waypoint: mail/inbx }", &[]), (unknown, hint));
}

#[test]
fn recordings_for_other_platforms_are_left_alone() {
    let text = "trail:\n  - step: Go\n    recording: { ios: [{ nobody: {} }], android: [{ tpa: {} }] }\n";
    check_trail(text, false, &["3:53 UnknownTool: unknown tool 'tpa'"]);
}

#[test]
fn a_step_without_a_recording_that_others_have_is_a_warning() {
    let text = "trail:\n  - step: Go\n    recording: { android: [] }\n  - step: On\n";
    check_trail(text, false, &["?4:5 Coverage: this step has no recording for android, other steps have"]);
}

#[test]
fn the_body_of_a_tool_is_checked_like_a_trail() {
    let text = "
id: own_tool
description: d
parameters: [{ name: text, type: string, required: true }]
tools:
  - inputText: { text: '{{params.txet}} {{params.text}} {{other}}' }
  - inputText: {}
";
    let source = Source::new("tools/own.yaml", text);
    let mut problems = Vec::new();
    checker(&registry()).tool_file(&source, &tool_file(text), &mut problems);
    assert_eq!(
        lines(&problems),
        [
            "6:24 BadToken: the tool declares no parameter 'txet'",
            "7:5 MissingArgument: 'inputText': 'text' is missing",
        ]
    );
}

#[test]
fn tools_that_call_each_other_in_a_circle_are_found_once() {
    let file = |id: &str, calls: &str| {
        tool_file(&format!("id: {id}\ndescription: d\nparameters: []\ntools: [{calls}]\n"))
    };
    let files = [
        file("own_a", "{ tap: {} }, { own_b: {} }"),
        file("own_b", "{ own_c: {} }"),
        file("own_c", "{ own_a: {} }"),
        file("own_d", "{ own_a: {} }"),
        file("own_e", "{ own_e: {} }"),
    ];
    let found = cycles(&files);
    let messages: Vec<&str> = found.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "tools call each other in a circle: own_a → own_b → own_c → own_a",
            "tools call each other in a circle: own_e → own_e",
        ]
    );
}
