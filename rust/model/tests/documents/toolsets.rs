//! Toolset files: every rule, with what a person reads when it is broken.

use crate::common::{check_prints, check_problems};
use trailblaze_model::toolset::{self, ToolsetFile};

#[track_caller]
fn check_toolset(text: &str, problems: &str) {
    check_problems(toolset::read, text, problems);
}

#[track_caller]
fn prints_toolset(text: &str, printed: &str) {
    check_prints(toolset::read, ToolsetFile::print, text, printed);
}

#[test]
fn toolsets() {
    prints_toolset(
        r"
id: shop
description: Tools of the shop
platforms: [android, WEB]
drivers: [android]
always_enabled: true
tools: [tap, unknownTool]
",
        r"
id: shop
description: Tools of the shop
platforms:
  - android
  - web
drivers:
  - android-ondevice-accessibility
  - android-ondevice-instrumentation
always_enabled: true
tools:
  - tap
  - unknownTool
",
    );
    prints_toolset(
        r"
id: a
",
        r"
id: a
tools: []
",
    );
}

#[test]
fn toolset_problems() {
    check_toolset(
        r"
description: a
",
        r"
error: a.yaml:1:1: a toolset needs 'id'
1 | description: a
  | ^
hint: add 'id: …'
",
    );
    check_toolset(
        r"
id: a
platforms: android
drivers: [androd, ios-hots]
always_enabled: sometimes
tools: [[a], ~]
includes: []
",
        r"
error: a.yaml:2:12: 'platforms' must be a list, not a single value
2 | platforms: android
  |            ^
hint: begin each item with '- ', on a line of its own
error: a.yaml:3:11: unknown driver 'androd'
3 | drivers: [androd, ios-hots]
  |           ^
hint: known drivers: android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
error: a.yaml:3:19: unknown driver 'ios-hots'
3 | drivers: [androd, ios-hots]
  |                   ^
hint: did you mean 'ios-host'?
error: a.yaml:4:17: 'always_enabled' must be true or false
4 | always_enabled: sometimes
  |                 ^
hint: write 'always_enabled: true' or 'always_enabled: false'
error: a.yaml:5:9: an item of 'tools' must be a text, not a list
5 | tools: [[a], ~]
  |         ^
hint: put quotes around a text that begins with '[' or '- '
error: a.yaml:5:14: an item of 'tools' must be a text, not nothing
5 | tools: [[a], ~]
  |              ^
hint: write a text, or remove it
error: a.yaml:6:1: a toolset has no key 'includes'
6 | includes: []
  | ^
hint: known keys: id, description, platforms, drivers, always_enabled, tools
",
    );
    check_toolset(
        r"
id: [a]
",
        r"
error: a.yaml:1:5: 'id' must be a text, not a list
1 | id: [a]
  |     ^
hint: put quotes around a text that begins with '[' or '- '
",
    );
}
