//! What stands in a tool file: calls, scripts, parameters and flags.

use crate::common::check_problems;
use trailblaze_model::tool;

#[track_caller]
fn check(text: &str, problems: &str) {
    check_problems(tool::read, text, problems);
}

#[test]
fn the_calls_of_a_tool() {
    check(
        r"
id: a
description: b
parameters: []
tools:
",
        r"
error: a.yaml:4:6: 'tools' must be a list, not nothing
4 | tools:
  |      ^
hint: begin each item with '- ', on a line of its own
",
    );
    check(
        r"
id: a
description: b
parameters: []
tools: []
",
        r"
error: a.yaml:4:1: 'tools' needs at least one call
4 | tools: []
  | ^
",
    );
    check(
        r"
id: a
description: b
parameters: []
tools: { tap: {} }
",
        r"
error: a.yaml:4:8: 'tools' must be a list, not a mapping
4 | tools: { tap: {} }
  |        ^
hint: begin each item with '- ', on a line of its own
",
    );
    check(
        r"
id: a
description: b
parameters: []
tools: [tap]
",
        r"
error: a.yaml:4:9: a tool call is a mapping with one key, not a single value
4 | tools: [tap]
  |         ^
hint: write 'tap: {}'
",
    );
}

#[test]
fn the_script_of_a_tool() {
    check(
        r"
id: a
description: b
parameters: []
script:
",
        r"
error: a.yaml:4:1: 'script' is empty
4 | script:
  | ^
hint: write a text behind 'script:'
",
    );
    check(
        r"
id: a
description: b
parameters: []
script: { source: '' }
",
        r"
error: a.yaml:4:19: 'source' is empty
4 | script: { source: '' }
  |                   ^
hint: write a text behind 'source:'
",
    );
    check(
        r"
id: a
description: b
parameters: []
script: {}
",
        r"
error: a.yaml:4:9: 'script' needs either 'source' or 'file'
4 | script: {}
  |         ^
",
    );
    check(
        r"
id: a
description: b
parameters: []
script: { source: x, file: y }
",
        r"
error: a.yaml:4:9: 'script' needs either 'source' or 'file'
4 | script: { source: x, file: y }
  |         ^
",
    );
    check(
        r"
id: a
description: b
parameters: []
script: ./a.js
",
        r"
error: a.yaml:4:1: 'script' is JavaScript, not the name of a file
4 | script: ./a.js
  | ^
hint: write 'script: { file: ./a.js }'
",
    );
    check(
        r"
id: a
description: b
parameters: []
script: { sorce: x }
",
        r"
error: a.yaml:4:9: 'script' needs either 'source' or 'file'
4 | script: { sorce: x }
  |         ^
error: a.yaml:4:11: 'script' has no key 'sorce'
4 | script: { sorce: x }
  |           ^
hint: did you mean 'source'?
",
    );
    check(
        r"
id: a
description: b
parameters: []
script: [x]
",
        r"
error: a.yaml:4:9: 'script' must be a mapping, not a list
4 | script: [x]
  |         ^
hint: write 'key: value', each on a line of its own
",
    );
}

#[test]
fn parameters() {
    check(
        r"
id: a
description: b
parameters: {}
tools: [{ tap: {} }]
",
        r"
error: a.yaml:3:13: 'parameters' must be a list, not a mapping
3 | parameters: {}
  |             ^
hint: begin each item with '- ', on a line of its own
",
    );
    check(
        r"
id: a
description: b
parameters:
  - name
  - { name: a }
  - { type: string }
  - { name: b, type: strin }
  - { name: c, type: list }
  - { name: d.e, type: string }
  - { name: f, type: string }
  - { name: f, type: string }
  - { name: g, type: integer, default: 1.5 }
  - { name: h, type: boolean, default: maybe }
  - { name: i, type: number, default: [] }
  - { name: j, type: string, required: true, default: x }
  - { name: k, type: string, required: perhaps }
  - { name: l, type: string, defualt: x }
tools: [{ tap: {} }]
",
        r"
error: a.yaml:4:5: a parameter must be a mapping, not a single value
4 |   - name
  |     ^
hint: write 'key: value', each on a line of its own
error: a.yaml:5:5: a parameter needs 'type'
5 |   - { name: a }
  |     ^
hint: add 'type: …'
error: a.yaml:6:5: a parameter needs 'name'
6 |   - { type: string }
  |     ^
hint: add 'name: …'
error: a.yaml:7:22: unknown type 'strin'
7 |   - { name: b, type: strin }
  |                      ^
hint: did you mean 'string'?
error: a.yaml:8:22: unknown type 'list'
8 |   - { name: c, type: list }
  |                      ^
hint: known types: string, integer, boolean, number
error: a.yaml:9:13: 'd.e' cannot name a parameter
9 |   - { name: d.e, type: string }
  |             ^
hint: use letters, digits and '_'
error: a.yaml:11:13: the parameter 'f' is declared twice
11 |   - { name: f, type: string }
   |             ^
error: a.yaml:12:40: the default does not fit the type 'integer'
12 |   - { name: g, type: integer, default: 1.5 }
   |                                        ^
error: a.yaml:13:40: the default does not fit the type 'boolean'
13 |   - { name: h, type: boolean, default: maybe }
   |                                        ^
error: a.yaml:14:39: the default does not fit the type 'number'
14 |   - { name: i, type: number, default: [] }
   |                                       ^
error: a.yaml:15:46: the parameter 'j' is required, so its default is never used
15 |   - { name: j, type: string, required: true, default: x }
   |                                              ^
error: a.yaml:16:40: 'required' must be true or false
16 |   - { name: k, type: string, required: perhaps }
   |                                        ^
hint: write 'required: true' or 'required: false'
error: a.yaml:17:30: a parameter has no key 'defualt'
17 |   - { name: l, type: string, defualt: x }
   |                              ^
hint: did you mean 'default'?
",
    );
}

#[test]
fn flags() {
    check(
        r"
id: a
class: b
surface_to_llm: maybe
supported_platforms: [androd]
supported_drivers: [android-ondevice, x]
groups: a
",
        r"
error: a.yaml:3:17: 'surface_to_llm' must be true or false
3 | surface_to_llm: maybe
  |                 ^
hint: write 'surface_to_llm: true' or 'surface_to_llm: false'
error: a.yaml:4:23: unknown platform 'androd'
4 | supported_platforms: [androd]
  |                       ^
hint: did you mean 'android'?
error: a.yaml:5:21: unknown driver 'android-ondevice'
5 | supported_drivers: [android-ondevice, x]
  |                     ^
hint: did you mean 'android-ondevice-accessibility'?
error: a.yaml:5:39: unknown driver 'x'
5 | supported_drivers: [android-ondevice, x]
  |                                       ^
hint: known drivers: android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
error: a.yaml:6:9: 'groups' must be a list, not a single value
6 | groups: a
  |         ^
hint: begin each item with '- ', on a line of its own
",
    );
}

#[test]
fn a_tool_is_a_mapping() {
    check(
        r"
- id: a
",
        r"
error: a.yaml:1:1: a tool must be a mapping, not a list
1 | - id: a
  | ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
tap
",
        r"
error: a.yaml:1:1: a tool must be a mapping, not a single value
1 | tap
  | ^
hint: write 'key: value', each on a line of its own
",
    );
}
