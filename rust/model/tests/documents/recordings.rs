//! Recordings and calls in trails: every rule, with what a person reads when it is broken.

use crate::common::check_problems;
use trailblaze_model::trail;

#[track_caller]
fn check(text: &str, problems: &str) {
    check_problems(trail::read, text, problems);
}

#[test]
fn recordings_are_mappings_from_classifiers_to_lists() {
    check(
        r"
trail:
  - step: a
    recording:
      - tap: {}
",
        r"
error: a.yaml:4:7: 'recording' must be a mapping from device classifiers to calls, not a list
4 |       - tap: {}
  |       ^
hint: write 'recording:', below it 'android:', and below that the list of calls
",
    );
    check(
        r"
trail:
  - step: a
    recording: tap
",
        r"
error: a.yaml:3:16: 'recording' must be a mapping from device classifiers to calls, not a single value
3 |     recording: tap
  |                ^
hint: write 'recording:', below it 'android:', and below that the list of calls
",
    );
    check(
        r"
trail:
  - step: a
    recording:
",
        r"
error: a.yaml:3:14: 'recording' must be a mapping from device classifiers to calls, not nothing
3 |     recording:
  |              ^
hint: write 'recording:', below it 'android:', and below that the list of calls
",
    );
    check(
        r"
trail:
  - step: a
    recording:
      android: { tap: {} }
",
        r"
error: a.yaml:4:16: a recording must be a list, not a mapping
4 |       android: { tap: {} }
  |                ^
hint: begin each item with '- ', on a line of its own
",
    );
    check(
        r"
trail:
  - step: a
    recording:
      android:
",
        r"
error: a.yaml:4:7: the recording for 'android' is empty
4 |       android:
  |       ^
hint: write 'android: []' for a step that does nothing there
",
    );
    check(
        r"
trail:
  - step: a
    recording: { android: tap }
",
        r"
error: a.yaml:3:27: a recording must be a list, not a single value
3 |     recording: { android: tap }
  |                           ^
hint: begin each item with '- ', on a line of its own
",
    );
}

#[test]
fn tool_calls_have_one_key() {
    check(
        r"
trail:
  - step: a
    recording:
      android:
        - tap: {}
          text: b
",
        r"
error: a.yaml:6:11: a tool call has one key, the tool's name; 'text' is a second one
6 |           text: b
  |           ^
hint: start each call with its own '-', and indent arguments below the name
",
    );
    check(
        r"
trail:
  - step: a
    recording: { android: [pressBack, {}, [], ~] }
",
        r"
error: a.yaml:3:28: a tool call is a mapping with one key, not a single value
3 |     recording: { android: [pressBack, {}, [], ~] }
  |                            ^
hint: write 'pressBack: {}'
error: a.yaml:3:39: a tool call needs the name of a tool
3 |     recording: { android: [pressBack, {}, [], ~] }
  |                                       ^
error: a.yaml:3:43: a tool call is a mapping with one key, not a list
3 |     recording: { android: [pressBack, {}, [], ~] }
  |                                           ^
hint: write 'toolName: {arguments}'
error: a.yaml:3:47: a tool call is a mapping with one key, not nothing
3 |     recording: { android: [pressBack, {}, [], ~] }
  |                                               ^
hint: write 'toolName: {arguments}'
",
    );
    check(
        r"
trail:
  - step: a
    recording: { android: [{ tap: b }, { tap: [b] }] }
",
        r"
error: a.yaml:3:35: the arguments of 'tap' must be a mapping, not a single value
3 |     recording: { android: [{ tap: b }, { tap: [b] }] }
  |                                   ^
hint: write 'key: value', each on a line of its own
error: a.yaml:3:47: the arguments of 'tap' must be a mapping, not a list
3 |     recording: { android: [{ tap: b }, { tap: [b] }] }
  |                                               ^
hint: write 'key: value', each on a line of its own
",
    );
}

#[test]
fn a_step_that_is_not_recordable() {
    check(
        r"
trail:
  - step: a
    recordable: false
    recording: { android: [{ tap: {} }] }
",
        r"
error: a.yaml:3:5: a step that is not recordable cannot have a recording
3 |     recordable: false
  |     ^
hint: remove the recording, or 'recordable: false'
",
    );
    check(
        r"
trail:
  - step: a
    recordable: no
",
        r"
error: a.yaml:3:17: 'recordable' must be true or false
3 |     recordable: no
  |                 ^
hint: write 'recordable: true' or 'recordable: false'
",
    );
}

#[test]
fn retries_are_counted() {
    check(
        r"
trail:
  - step: a
    maxRetries: -1
",
        r"
error: a.yaml:3:17: 'maxRetries' must be a whole number from 0 on
3 |     maxRetries: -1
  |                 ^
hint: for example 'maxRetries: 3'
",
    );
    check(
        r"
trail:
  - step: a
    maxRetries: often
",
        r"
error: a.yaml:3:17: 'maxRetries' must be a whole number from 0 on
3 |     maxRetries: often
  |                 ^
hint: for example 'maxRetries: 3'
",
    );
    check(
        r"
trail:
  - step: a
    maxRetries: 99999999999
",
        r"
error: a.yaml:3:17: 'maxRetries' must be a whole number from 0 on
3 |     maxRetries: 99999999999
  |                 ^
hint: for example 'maxRetries: 3'
",
    );
}

#[test]
fn a_trailhead_is_one_call() {
    check(
        r"
trailhead:
  step: a
  recording:
    android:
      - launchApp: {}
trail: [{ step: b }]
",
        r"
error: a.yaml:5:7: a trailhead is one tool call, written as a mapping, not a list
5 |       - launchApp: {}
  |       ^
hint: write 'android: { launchApp: { appId: … } }' without a dash
",
    );
    check(
        r"
trailhead:
  step: a
  recording:
    android:
      launchApp: {}
      tap: {}
trail: [{ step: b }]
",
        r"
error: a.yaml:6:7: a trailhead is one tool call; 'tap' is a second one
6 |       tap: {}
  |       ^
hint: move it into the first step
",
    );
    check(
        r"
trailhead:
  step: a
  recording: { android: launchApp }
trail: [{ step: b }]
",
        r"
error: a.yaml:3:25: a trailhead is one tool call, written as a mapping, not a single value
3 |   recording: { android: launchApp }
  |                         ^
hint: write 'android: { launchApp: { appId: … } }' without a dash
",
    );
    check(
        r"
trailhead:
  verify: a
trail: [{ step: b }]
",
        r"
error: a.yaml:2:3: 'trailhead' has no key 'verify'
2 |   verify: a
  |   ^
hint: known keys: step, recording, recordable, maxRetries
error: a.yaml:2:3: 'trailhead' needs 'step'
2 |   verify: a
  |   ^
hint: add 'step: …'
",
    );
    check(
        r"
trailhead: launchApp
trail: [{ step: b }]
",
        r"
error: a.yaml:1:12: 'trailhead' must be a mapping, not a single value
1 | trailhead: launchApp
  |            ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
trailhead:
  step: a
  recordable: false
  recording: { android: { launchApp: {} } }
trail: [{ step: b }]
",
        r"
error: a.yaml:3:3: a step that is not recordable cannot have a recording
3 |   recordable: false
  |   ^
hint: remove the recording, or 'recordable: false'
",
    );
}

#[test]
fn one_run_finds_them_all() {
    check(
        r"
config:
  titel: a
  devices: { android: x }
trailhead: []
trail:
  - stpe: a
  - step: a
    recording: []
    maxRetries: x
  - verify: b
    verify: c
steps: 1
",
        r"
warning: a.yaml:2:3: 'config' has no key 'titel'; it has no effect
2 |   titel: a
  |   ^
hint: did you mean 'title'?
error: a.yaml:3:23: unknown driver 'x'
3 |   devices: { android: x }
  |                       ^
hint: known drivers: android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
error: a.yaml:4:12: 'trailhead' must be a mapping, not a list
4 | trailhead: []
  |            ^
hint: write 'key: value', each on a line of its own
error: a.yaml:6:5: a step has no key 'stpe'
6 |   - stpe: a
  |     ^
hint: did you mean 'step'?
error: a.yaml:6:5: a step needs 'step' or 'verify'
6 |   - stpe: a
  |     ^
error: a.yaml:8:16: 'recording' must be a mapping from device classifiers to calls, not a list
8 |     recording: []
  |                ^
hint: write 'recording:', below it 'android:', and below that the list of calls
error: a.yaml:9:17: 'maxRetries' must be a whole number from 0 on
9 |     maxRetries: x
  |                 ^
hint: for example 'maxRetries: 3'
error: a.yaml:11:5: the key 'verify' stands here a second time
11 |     verify: c
   |     ^
hint: it is already in line 10; keep one of them
error: a.yaml:12:1: a trail has no key 'steps'
12 | steps: 1
   | ^
hint: known keys: config, trailhead, trail
",
    );
}
