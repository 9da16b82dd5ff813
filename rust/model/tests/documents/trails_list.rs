//! The list form of trails: every rule, with what a person reads when it is broken.

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
        r#"
- config: { id: sample/login, title: Sign in, platform: android, priority: P1 }
- trailhead: { step: Launch, tools: [ { launchApp: { appId: com.example.app } } ] }
- prompts:
    - step: Open the sign-in page
      recording:
        tools:
          - tapOnElementWithText: { text: Sign in }
    - verify: The e-mail field is shown
      recordable: false
- tools:
    - pressBack: {}
- maestro:                    # oldest files only, see below
    - tapOn: { id: "com.example:id/button" }
"#,
        r"
- config:
    id: sample/login
    title: Sign in
    priority: P1
    platform: android
- trailhead:
    step: Launch
    tools:
      - launchApp:
          appId: com.example.app
- prompts:
    - step: Open the sign-in page
      recording:
        tools:
          - tapOnElementWithText:
              text: Sign in
    - verify: The e-mail field is shown
      recordable: false
- tools:
    - pressBack: {}
- tools:
    - maestro:
        commands:
          - tapOn:
              id: com.example:id/button
",
    );
}

#[test]
fn what_the_unified_form_can_say_is_printed_in_it() {
    prints(
        r"
- config: { id: a, driver: ANDROID_ONDEVICE_ACCESSIBILITY, source: { type: HANDWRITTEN, reason: by hand } }
- trailhead: { step: Launch, maxRetries: 2 }
- prompts: [{ step: Open }]
- prompts: [{ verify: Shown, maxRetries: 0 }]
",
        r"
config:
  id: a
  devices:
    android: ANDROID_ONDEVICE_ACCESSIBILITY
  metadata:
    source: HANDWRITTEN
    sourceReason: by hand
trailhead:
  step: Launch
  maxRetries: 2
trail:
  - step: Open
  - verify: Shown
    maxRetries: 0
",
    );
}

#[test]
fn what_only_the_list_form_can_say() {
    prints(
        r"
- trailhead: launchApp
",
        r"
- trailhead:
    tools:
      - launchApp: {}
",
    );
    prints(
        r"
- config: { skip: later }
",
        r"
- config:
    skip: later
",
    );
    prints(
        r"
- config: { platform: ios }
- prompts: [{ step: a }]
",
        r"
- config:
    platform: ios
- prompts:
    - step: a
",
    );
    prints(
        r"
- trailhead: { step: Launch }
",
        r"
- trailhead:
    step: Launch
",
    );
    prints(
        r"
- tools: []
",
        r"
- tools: []
",
    );
    prints(
        r"
- prompts: [{ step: a, recording: { tools: [] } }]
",
        r"
- prompts:
    - step: a
      recording:
        tools: []
",
    );
}

#[test]
fn a_driver_wins_over_a_platform() {
    prints(
        r"
- config: { platform: ios, driver: ANDROID_ONDEVICE_ACCESSIBILITY }
- tools: [{ pressBack: {} }]
",
        r"
- config:
    platform: android
    driver: ANDROID_ONDEVICE_ACCESSIBILITY
- tools:
    - pressBack: {}
",
    );
    prints(
        r"
- config: { platform: android-tablet, driver: android-ondevice-accessibility }
- tools: [{ pressBack: {} }]
",
        r"
- config:
    platform: android-tablet
    driver: ANDROID_ONDEVICE_ACCESSIBILITY
- tools:
    - pressBack: {}
",
    );
}

#[test]
fn a_blank_skip_is_none() {
    prints(
        r"
- config: { id: a, skip: '' }
",
        r"
config:
  id: a
",
    );
}

#[test]
fn one_config_and_first() {
    check(
        r"
- config: { id: a }
- config: { id: b }
- tools: []
",
        r"
error: a.yaml:2:3: a trail has one 'config'; this is a second one
2 | - config: { id: b }
  |   ^
",
    );
    check(
        r"
- tools: []
- config: { id: a }
",
        r"
error: a.yaml:2:3: 'config' must be the first item
2 | - config: { id: a }
  |   ^
",
    );
}

#[test]
fn a_trailhead_stands_before_the_steps() {
    check(
        r"
- tools: []
- trailhead: launchApp
",
        r"
error: a.yaml:2:3: 'trailhead' must stand before the steps, and only once
2 | - trailhead: launchApp
  |   ^
",
    );
    check(
        r"
- trailhead: launchApp
- trailhead: launchApp
",
        r"
error: a.yaml:2:3: 'trailhead' must stand before the steps, and only once
2 | - trailhead: launchApp
  |   ^
",
    );
    check(
        r"
- prompts: []
- trailhead: launchApp
",
        r"
error: a.yaml:2:3: 'trailhead' must stand before the steps, and only once
2 | - trailhead: launchApp
  |   ^
",
    );
}

#[test]
fn a_trailhead_does_something() {
    check(
        r"
- trailhead:
",
        r"
error: a.yaml:1:12: 'trailhead' must be a mapping, not nothing
1 | - trailhead:
  |            ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
- trailhead: {}
",
        r"
error: a.yaml:1:14: 'trailhead' needs 'step', or 'tools' with at least one call
1 | - trailhead: {}
  |              ^
",
    );
    check(
        r"
- trailhead: { tools: [] }
",
        r"
error: a.yaml:1:14: 'trailhead' needs 'step', or 'tools' with at least one call
1 | - trailhead: { tools: [] }
  |              ^
",
    );
    check(
        r"
- trailhead: { step: '' }
",
        r"
error: a.yaml:1:14: 'trailhead' needs 'step', or 'tools' with at least one call
1 | - trailhead: { step: '' }
  |              ^
",
    );
    check(
        r"
- trailhead: { step: a, recording: {} }
",
        r"
error: a.yaml:1:25: 'trailhead' has no key 'recording'
1 | - trailhead: { step: a, recording: {} }
  |                         ^
hint: known keys: step, tools, maxRetries
",
    );
    check(
        r"
- trailhead: [launchApp]
",
        r"
error: a.yaml:1:14: 'trailhead' must be a mapping, not a list
1 | - trailhead: [launchApp]
  |              ^
hint: write 'key: value', each on a line of its own
",
    );
}

#[test]
fn items_have_one_key() {
    check(
        r"
- config: { id: a }
  tools: []
",
        r"
error: a.yaml:2:3: an item has one key; 'tools' is a second one
2 |   tools: []
  |   ^
hint: start each item with its own '-'
",
    );
    check(
        r"
- prompt: []
",
        r"
error: a.yaml:1:3: unknown item 'prompt'
1 | - prompt: []
  |   ^
hint: did you mean 'prompts'?
",
    );
    check(
        r"
- tapOn: { text: a }
",
        r"
error: a.yaml:1:3: unknown item 'tapOn'
1 | - tapOn: { text: a }
  |   ^
hint: to call a tool, put it into an item 'tools'
",
    );
    check(
        r"
- tools
",
        r"
error: a.yaml:1:3: an item is a mapping with one key, not a single value
1 | - tools
  |   ^
hint: known items: config, trailhead, prompts, tools, maestro
",
    );
    check(
        r"
- {}
",
        r"
error: a.yaml:1:3: an item needs a key
1 | - {}
  |   ^
hint: known items: config, trailhead, prompts, tools, maestro
",
    );
    check(
        r"
- - tools: []
",
        r"
error: a.yaml:1:3: an item is a mapping with one key, not a list
1 | - - tools: []
  |   ^
hint: known items: config, trailhead, prompts, tools, maestro
",
    );
    check(
        r"
[]
",
        r"
error: a.yaml:1:1: the trail has no steps
1 | []
  | ^
hint: add an item 'prompts' or 'tools'
",
    );
    check(
        r"
- prompts: a
",
        r"
error: a.yaml:1:12: 'prompts' must be a list, not a single value
1 | - prompts: a
  |            ^
hint: begin each item with '- ', on a line of its own
",
    );
    check(
        r"
- tools: { tap: {} }
",
        r"
error: a.yaml:1:10: 'tools' must be a list, not a mapping
1 | - tools: { tap: {} }
  |          ^
hint: begin each item with '- ', on a line of its own
",
    );
}

#[test]
fn recordings_need_tools() {
    check(
        r"
- prompts:
    - step: a
      recording: {}
",
        r"
error: a.yaml:3:18: 'recording' needs 'tools'
3 |       recording: {}
  |                  ^
hint: write 'recording: {tools: []}' for a step that does nothing
",
    );
    check(
        r"
- prompts:
    - step: a
      recording:
",
        r"
error: a.yaml:3:16: 'recording' must be a mapping, not nothing
3 |       recording:
  |                ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
- prompts:
    - step: a
      recording: [{ tap: {} }]
",
        r"
error: a.yaml:3:18: 'recording' must be a mapping, not a list
3 |       recording: [{ tap: {} }]
  |                  ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
- prompts:
    - step: a
      recording: { android: [] }
",
        r"
error: a.yaml:3:18: 'recording' needs 'tools'
3 |       recording: { android: [] }
  |                  ^
hint: write 'recording: {tools: []}' for a step that does nothing
error: a.yaml:3:20: 'recording' has no key 'android'
3 |       recording: { android: [] }
  |                    ^
hint: known keys: tools
",
    );
    check(
        r"
- prompts:
    - step: a
      recordable: false
      recording: { tools: [{ tap: {} }] }
",
        r"
error: a.yaml:3:7: a step that is not recordable cannot have a recording
3 |       recordable: false
  |       ^
hint: remove the recording, or 'recordable: false'
",
    );
}

#[test]
fn steps_follow_the_same_rules() {
    check(
        r"
- prompts:
    - step: a
      verify: b
    - android: []
    - a
",
        r"
error: a.yaml:3:7: a step has either 'step' or 'verify', not both
3 |       verify: b
  |       ^
error: a.yaml:4:7: a step has no key 'android'
4 |     - android: []
  |       ^
hint: known keys: step, verify, recording, recordable, maxRetries
error: a.yaml:4:7: a step needs 'step' or 'verify'
4 |     - android: []
  |       ^
error: a.yaml:5:7: a step must be a mapping, not a single value
5 |     - a
  |       ^
hint: write 'key: value', each on a line of its own
",
    );
}

#[test]
fn keys_of_the_config() {
    check(
        r"
- config: { ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
- tools: []
",
        r"
warning: a.yaml:1:13: 'config' has no key 'ids'; it has no effect
1 | - config: { ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
  |             ^
hint: did you mean 'id'?
warning: a.yaml:1:21: 'electron' has no effect
1 | - config: { ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
  |                     ^
hint: Trailblaze drives Android
warning: a.yaml:1:35: 'config' has no key 'devices'; it has no effect
1 | - config: { ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
  |                                   ^
hint: known keys: id, target, title, description, priority, context, tags, skip, memory, args, metadata, platform, driver, source, electron
error: a.yaml:1:54: 'skip' must be a text, not a mapping
1 | - config: { ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
  |                                                      ^
hint: put quotes around a text with '{' or ': ' in it
error: a.yaml:1:78: 'source' must be a mapping, not a single value
1 | - config: { ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
  |                                                                              ^
hint: write 'key: value', each on a line of its own
error: a.yaml:1:92: unknown driver 'x'
1 |  ids: a, electron: {}, devices: {}, skip: { android: x }, source: hand, driver: x }
  |                                                                                 ^
hint: known drivers: android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
",
    );
}
