//! `trailblaze check`: what can be seen without a device.

use insta::assert_snapshot;

use crate::space::{Space, trail_text};

#[test]
fn a_good_workspace_has_nothing_to_say() {
    let space = Space::lab();
    space.trail("good", &["tap: { text: Add one }"]);
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 0
    ----- stdout
    3 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
    assert_snapshot!(space.run(&["check", "--json"]).to_string(), @r#"
    exit: 0
    ----- stdout
    {
      "files": 3,
      "errors": [],
      "warnings": []
    }
    ----- stderr
    "#);
}

/// Mistakes in two files, and a warning.
fn bad_workspace() -> Space {
    let space = Space::lab();
    space.trail("wrong", &["tapp: { text: Add one }", "tap: { txt: Add one }", "inputText: {}"]);
    space.write(
        "trails/more.trail.yaml",
        "config: { titel: More }\ntrail:\n  - stepp: Typo\n  - step: Tap\n    recording:\n      android: [ { wait: { timeToWaitInSeconds: soon } } ]\n",
    );
    space
}

#[test]
fn all_mistakes_are_told_at_once_with_place_and_hint() {
    let space = bad_workspace();
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    4 files checked: 6 errors, 1 warning
    ----- stderr
    warning: trails/more.trail.yaml:1:11: 'config' has no key 'titel'; it has no effect
    1 | config: { titel: More }
      |           ^
    hint: did you mean 'title'?

    error: trails/more.trail.yaml:3:5: a step has no key 'stepp'
    3 |   - stepp: Typo
      |     ^
    hint: did you mean 'step'?

    error: trails/more.trail.yaml:3:5: a step needs 'step' or 'verify'
    3 |   - stepp: Typo
      |     ^

    error: trails/more.trail.yaml:6:49: 'wait': 'timeToWaitInSeconds' must be a whole number, not 'soon'
    6 |       android: [ { wait: { timeToWaitInSeconds: soon } } ]
      |                                                 ^

    error: trails/wrong.trail.yaml:8:20: unknown tool 'tapp'
    8 |       android: [ { tapp: { text: Add one } } ]
      |                    ^
    hint: did you mean 'tap'?

    error: trails/wrong.trail.yaml:11:27: 'tap': there is no argument 'txt'
    11 |       android: [ { tap: { txt: Add one } } ]
       |                           ^
    hint: did you mean 'text'?

    error: trails/wrong.trail.yaml:14:20: 'inputText': 'text' is missing
    14 |       android: [ { inputText: {} } ]
       |                    ^
    ");
}

#[test]
fn mistakes_in_json_are_a_contract() {
    let space = bad_workspace();
    let ran = space.run(&["check", "--json"]);
    assert_snapshot!(ran.to_string());
    for list in ["errors", "warnings"] {
        for problem in ran.json()[list].as_array().unwrap() {
            let keys: Vec<&str> = problem.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["file", "line", "column", "code", "message", "hint"]);
        }
    }
}

#[test]
fn columns_count_characters_from_1() {
    let space = Space::lab();
    space.write("trails/wide.trail.yaml", "trail:\n  - { step: \"日本語😀\", stepp: x }\n");
    let errors = space.run(&["check", "--json"]).exits(3).json();
    let error = &errors["errors"][0];
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(2), Some(21)), "{errors:#}");
}

#[test]
fn paths_choose_what_is_checked() {
    let space = bad_workspace();
    space.trail("good/fine", &[]);
    assert_snapshot!(space.run(&["check", "trails/good"]).to_string(), @"
    exit: 0
    ----- stdout
    3 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
    space.run(&["check", "trails/wrong.trail.yaml"]).exits(3);
}

#[test]
fn a_target_may_be_named() {
    let space = Space::lab();
    space.trail("good", &[]);
    space.run(&["check", "--target", "lab"]).exits(0);
    assert_snapshot!(space.run(&["check", "--target", "lap"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 1 error, 0 warnings
    ----- stderr
    error: trails/good.trail.yaml:1:1: unknown target 'lap'
    1 | trailhead:
      | ^
    hint: did you mean 'lab'?
    ");
}

#[test]
fn patterns_that_do_not_compile_are_warnings() {
    let space = Space::lab();
    space.trail("pattern", &["assertVisibleWithText: { text: \"(Count\" }", "tap: { id: \"[\" }"]);
    assert_snapshot!(space.run(&["check"]).to_string(), @r#"
    exit: 0
    ----- stdout
    3 files checked: 0 errors, 2 warnings
    ----- stderr
    warning: trails/pattern.trail.yaml:8:51: '(Count' is no regular expression (unclosed group) and is taken literally
    8 |       android: [ { assertVisibleWithText: { text: "(Count" } } ]
      |                                                   ^
    hint: put '\Q' before a text that is meant literally

    warning: trails/pattern.trail.yaml:11:31: '[' is no regular expression (unclosed character class) and is taken literally
    11 |       android: [ { tap: { id: "[" } } ]
       |                               ^
    hint: put '\Q' before a text that is meant literally
    "#);
}

#[test]
fn maestro_commands_are_checked_one_by_one() {
    let space = Space::lab();
    space.trail(
        "maestro",
        &["maestro: { commands: [ tapon: Add one, { tapOn: { txt: x } }, back, { runScript: x.js } ] }"],
    );
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    3 files checked: 3 errors, 0 warnings
    ----- stderr
    error: trails/maestro.trail.yaml:8:43: unknown Maestro command 'tapon'
    8 |       android: [ { maestro: { commands: [ tapon: Add one, { tapOn: { txt: x } }, back, { runScript: x.js } ] } } ]
      |                                           ^
    hint: did you mean 'tapOn'?

    error: trails/maestro.trail.yaml:8:75: the selector has no option 'txt'
    8 |       android: [ { maestro: { commands: [ tapon: Add one, { tapOn: { txt: x } }, back, { runScript: x.js } ] } } ]
      |                                                                           ^
    hint: did you mean 'text'?

    error: trails/maestro.trail.yaml:8:88: the Maestro command 'runScript' cannot run: it comes with Maestro flows, which this version does not run yet
    8 | ndroid: [ { maestro: { commands: [ tapon: Add one, { tapOn: { txt: x } }, back, { runScript: x.js } ] } } ]
      |                                                                                 ^
    ");
}

#[test]
fn tokens_of_arguments_that_nobody_declared() {
    let space = Space::lab();
    let text = trail_text(
        "args: { who: string }",
        &["inputText: { text: \"{{args.woh}} {{args.who}} {{args.who + 1}}\" }"],
    );
    space.write("trails/tokens.trail.yaml", text);
    assert_snapshot!(space.run(&["check"]).to_string(), @r#"
    exit: 3
    ----- stdout
    3 files checked: 2 errors, 0 warnings
    ----- stderr
    error: trails/tokens.trail.yaml:9:39: the trail declares no argument 'woh'
    9 |       android: [ { inputText: { text: "{{args.woh}} {{args.who}} {{args.who + 1}}" } } ]
      |                                       ^
    hint: did you mean 'who'?

    error: trails/tokens.trail.yaml:9:39: 'args.who + 1' is an expression; only names with dots are allowed
    9 |       android: [ { inputText: { text: "{{args.woh}} {{args.who}} {{args.who + 1}}" } } ]
      |                                       ^
    hint: use its name
    "#);
}

#[test]
fn a_step_that_other_devices_have_recorded() {
    let space = Space::lab();
    space.write(
        "trails/half.trail.yaml",
        "trail:\n  - step: Both\n    recording: { android: [], ios: [] }\n  - step: One\n    recording: { ios: [ { anything: {} } ] }\n",
    );
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 0
    ----- stdout
    3 files checked: 0 errors, 1 warning
    ----- stderr
    warning: trails/half.trail.yaml:4:5: this step has no recording for android, other steps have
    4 |   - step: One
      |     ^
    hint: record it, or write 'android: []' if there is nothing to do
    ");
}

#[test]
fn recordings_for_other_platforms_are_not_ours_to_check() {
    let space = Space::lab();
    space.write(
        "trails/other.trail.yaml",
        "trail:\n  - step: Tap\n    recording: { android: [], web: [ { web_click: { ref: e1 } } ] }\n",
    );
    space.run(&["check"]).exits(0);
}
