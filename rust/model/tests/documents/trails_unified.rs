//! The unified form of trails: every rule, with what a person reads when it is broken.

use crate::common::{check_prints, check_problems};
use trailblaze_model::trail::{self, Trail};

#[track_caller]
fn check(text: &str, problems: &str) {
    check_problems(trail::read, text, problems);
}

#[track_caller]
fn prints(text: &str, printed: &str) {
    check_prints(trail::read, Trail::print, text, printed);
}

#[test]
fn the_example_of_the_format_page() {
    prints(
        r"
config:                      # optional; every field is optional
  id: sample/login
  target: sample
  devices: { android: ANDROID_ONDEVICE_ACCESSIBILITY }
trailhead:                   # optional, step 0
  step: Open the app on a clean install
  recording:
    android: { launchApp: { appId: com.example.app } }
trail:                       # required and non-empty
  - step: Open the sign-in page
    recording:
      android:
        - tapOnElementBySelector: { nodeSelector: { androidAccessibility: { textRegex: Sign in } } }
      android-tablet: []     # explicit no-op
  - verify: The e-mail field is shown
    maxRetries: 6
  - step: Dismiss whatever survey shows up
    recordable: false
",
        r"
config:
  id: sample/login
  target: sample
  devices:
    android: ANDROID_ONDEVICE_ACCESSIBILITY
trailhead:
  step: Open the app on a clean install
  recording:
    android:
      launchApp:
        appId: com.example.app
trail:
  - step: Open the sign-in page
    recording:
      android:
        - tapOnElementBySelector:
            nodeSelector:
              androidAccessibility:
                textRegex: Sign in
      android-tablet: []
  - verify: The e-mail field is shown
    maxRetries: 6
  - step: Dismiss whatever survey shows up
    recordable: false
",
    );
}

#[test]
fn trailheads_and_calls_in_every_shape() {
    prints(
        r#"
trailhead:
  step: Nothing to do
  recording: { android: {} }
trail:
  - step: 5
    recording:
      android:
        - pressBack:
        - nobodyKnowsThis: { deep: [1, { a: "007" }], "odd: key": ~ }
      ios: []
  - step: Not recorded anywhere
    recording: {}
"#,
        r#"
trailhead:
  step: Nothing to do
  recording:
    android: {}
trail:
  - step: "5"
    recording:
      android:
        - pressBack: {}
        - nobodyKnowsThis:
            deep:
              - 1
              - a: "007"
            "odd: key": null
      ios: []
  - step: Not recorded anywhere
    recording: {}
"#,
    );
}

#[test]
fn keys_of_the_root() {
    check(
        r"
trial:
  - step: a
",
        r"
error: a.yaml:1:1: a trail has no key 'trial'
1 | trial:
  | ^
hint: did you mean 'trail'?
error: a.yaml:1:1: a trail needs 'trail:' with a list of steps
1 | trial:
  | ^
hint: write 'trail:' and below it '- step: …'
",
    );
    check(
        r"
trail:
  - step: a
steps: []
",
        r"
error: a.yaml:3:1: a trail has no key 'steps'
3 | steps: []
  | ^
hint: known keys: config, trailhead, trail
",
    );
    check(
        r"
config: {}
<<: {}
trail: [{step: a}]
",
        r"
error: a.yaml:2:1: a trail has no key '<<'
2 | <<: {}
  | ^
hint: YAML 1.2 has no merge keys; write the values out
",
    );
}

#[test]
fn a_trail_has_steps() {
    check(
        r"
{}
",
        r"
error: a.yaml:1:1: a trail needs 'trail:' with a list of steps
1 | {}
  | ^
hint: write 'trail:' and below it '- step: …'
",
    );
    check(
        r"
trail: []
",
        r"
error: a.yaml:1:8: 'trail' is empty
1 | trail: []
  |        ^
hint: add at least one step
",
    );
    check(
        r"
trail:
",
        r"
error: a.yaml:1:1: a trail needs 'trail:' with a list of steps
1 | trail:
  | ^
hint: write 'trail:' and below it '- step: …'
",
    );
    check(
        r"
config: {}
trail: []
",
        r"
error: a.yaml:2:8: 'trail' is empty
2 | trail: []
  |        ^
hint: add at least one step
",
    );
    check(
        r"
trailhead:
  step: a
",
        r"
error: a.yaml:1:1: a trail needs 'trail:' with a list of steps
1 | trailhead:
  | ^
hint: write 'trail:' and below it '- step: …'
",
    );
    check(
        r"
config: {}
trailhead: { step: a }
",
        r"
error: a.yaml:1:1: a trail needs 'trail:' with a list of steps
1 | config: {}
  | ^
hint: write 'trail:' and below it '- step: …'
",
    );
    check(
        r"
trail:
  step: a
",
        r"
error: a.yaml:2:3: 'trail' must be a list, not a mapping
2 |   step: a
  |   ^
hint: begin each item with '- ', on a line of its own
",
    );
    check(
        r"
trail: a
",
        r"
error: a.yaml:1:8: 'trail' must be a list, not a single value
1 | trail: a
  |        ^
hint: begin each item with '- ', on a line of its own
",
    );
}

#[test]
fn keys_of_a_step() {
    check(
        r"
trail:
  - step: a
    android: []
",
        r"
error: a.yaml:3:5: a step has no key 'android'
3 |     android: []
  |     ^
hint: known keys: step, verify, recording, recordable, maxRetries
",
    );
    check(
        r"
trail:
  - step: a
    recordings: {}
",
        r"
error: a.yaml:3:5: a step has no key 'recordings'
3 |     recordings: {}
  |     ^
hint: did you mean 'recording'?
",
    );
    check(
        r"
trail:
  - a
",
        r"
error: a.yaml:2:5: a step must be a mapping, not a single value
2 |   - a
  |     ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
trail:
  -
",
        r"
error: a.yaml:2:4: a step must be a mapping, not nothing
2 |   -
  |    ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
trail:
  - - step: a
",
        r"
error: a.yaml:2:5: a step must be a mapping, not a list
2 |   - - step: a
  |     ^
hint: write 'key: value', each on a line of its own
",
    );
}

#[test]
fn step_or_verify() {
    check(
        r"
trail:
  - step: a
    verify: b
",
        r"
error: a.yaml:3:5: a step has either 'step' or 'verify', not both
3 |     verify: b
  |     ^
",
    );
    check(
        r"
trail:
  - maxRetries: 1
",
        r"
error: a.yaml:2:5: a step needs 'step' or 'verify'
2 |   - maxRetries: 1
  |     ^
hint: write what to do behind 'step:', or what must hold behind 'verify:'
",
    );
    check(
        r"
trail:
  - step: ''
",
        r"
error: a.yaml:2:11: 'step' is empty
2 |   - step: ''
  |           ^
hint: write a text behind 'step:'
",
    );
    check(
        r"
trail:
  - verify: [a]
",
        r"
error: a.yaml:2:13: 'verify' must be a text, not a list
2 |   - verify: [a]
  |             ^
hint: put quotes around a text that begins with '[' or '- '
",
    );
    check(
        r"
trail:
  - step:
",
        r"
error: a.yaml:2:5: a step needs 'step' or 'verify'
2 |   - step:
  |     ^
hint: write what to do behind 'step:', or what must hold behind 'verify:'
",
    );
}

#[test]
fn every_problem_of_a_step_is_found() {
    check(
        r"
trailhead:
  recordable: 7
  maxRetries: abc
trail:
  - step: [1]
    maxRetries: abc
    recordable: 7
  - step: { a: b }
    recording: { android: [tap] }
",
        r"
error: a.yaml:2:3: 'trailhead' needs 'step'
2 |   recordable: 7
  |   ^
hint: add 'step: …'
error: a.yaml:2:15: 'recordable' must be true or false
2 |   recordable: 7
  |               ^
hint: write 'recordable: true' or 'recordable: false'
error: a.yaml:3:15: 'maxRetries' must be a whole number from 0 on
3 |   maxRetries: abc
  |               ^
hint: for example 'maxRetries: 3'
error: a.yaml:5:11: 'step' must be a text, not a list
5 |   - step: [1]
  |           ^
hint: put quotes around a text that begins with '[' or '- '
error: a.yaml:6:17: 'maxRetries' must be a whole number from 0 on
6 |     maxRetries: abc
  |                 ^
hint: for example 'maxRetries: 3'
error: a.yaml:7:17: 'recordable' must be true or false
7 |     recordable: 7
  |                 ^
hint: write 'recordable: true' or 'recordable: false'
error: a.yaml:8:11: 'step' must be a text, not a mapping
8 |   - step: { a: b }
  |           ^
hint: put quotes around a text with '{' or ': ' in it
error: a.yaml:9:28: a tool call is a mapping with one key, not a single value
9 |     recording: { android: [tap] }
  |                            ^
hint: write 'tap: {}'
",
    );
}
