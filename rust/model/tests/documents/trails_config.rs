//! The `config` of a trail in the unified form: every key, with what a person reads when it is broken.

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
fn every_key_of_the_config() {
    prints(
        r#"
config:
  id: suite/case
  target: shop
  title: Buy
  description: One line
  priority: P1
  devices: { android: android-ondevice-instrumentation, web: PLAYWRIGHT_NATIVE }
  skip: { android-tablet: too wide, ios: "" }
  tags: [smoke, 7]
  context: Be quick
  memory: { count: 007, on: true, name: "a: b" }
  args:
    who: string
    times: { type: integer, description: How often, default: 3, required: false }
    mail: { type: string, default: '{{memory.email}}' }
    version: { type: string, default: 1.10 }
    flag: { type: boolean, default: '{{memory.flag}}' }
    list: { type: array, default: [1, two] }
    map: { type: object, default: { a: null } }
    none: { type: string, default: null, required: false }
  metadata: { source: HANDWRITTEN }
trail:
  - step: Go
"#,
        r#"
config:
  id: suite/case
  title: Buy
  description: One line
  target: shop
  priority: P1
  context: Be quick
  tags:
    - smoke
    - "7"
  devices:
    android: ANDROID_ONDEVICE_INSTRUMENTATION
    web: PLAYWRIGHT_NATIVE
  skip:
    android-tablet: too wide
    ios: ""
  memory:
    count: "007"
    "on": "true"
    name: "a: b"
  args:
    who:
      type: string
    times:
      type: integer
      description: How often
      default: 3
    mail:
      type: string
      default: "{{memory.email}}"
    version:
      type: string
      default: "1.10"
    flag:
      type: boolean
      default: "{{memory.flag}}"
    list:
      type: array
      default:
        - 1
        - two
    map:
      type: object
      default:
        a: null
    none:
      type: string
      default: null
  metadata:
    source: HANDWRITTEN
trail:
  - step: Go
"#,
    );
}

#[test]
fn a_config_alone_is_readable() {
    prints(
        r"
config: { id: a }
",
        r"
config:
  id: a
",
    );
    prints(
        r"
config:
",
        r"
config: {}
",
    );
}

#[test]
fn unknown_keys_of_the_config_are_warnings() {
    check(
        r"
config:
  titel: a
  platform: android
trail: [{ step: b }]
",
        r"
warning: a.yaml:2:3: 'config' has no key 'titel'; it has no effect
2 |   titel: a
  |   ^
hint: did you mean 'title'?
warning: a.yaml:3:3: 'config' has no key 'platform'; it has no effect
3 |   platform: android
  |   ^
hint: known keys: id, target, title, description, priority, context, tags, skip, memory, args, metadata, devices
",
    );
}

#[test]
fn values_of_the_config() {
    check(
        r"
config: [a]
trail: [{ step: b }]
",
        r"
error: a.yaml:1:9: 'config' must be a mapping, not a list
1 | config: [a]
  |         ^
hint: write 'key: value', each on a line of its own
",
    );
    check(
        r"
config:
  id: ''
trail: [{ step: b }]
",
        r"
error: a.yaml:2:3: 'id' is empty
2 |   id: ''
  |   ^
hint: leave it out: the trail is then called as its file is
",
    );
    check(
        r"
config:
  id: [a]
  tags: smoke
  memory: { a: [1], b: }
  skip: broken
  devices: ANDROID
  metadata: { a: { b: c } }
trail: [{ step: b }]
",
        r"
error: a.yaml:2:7: 'id' must be a text, not a list
2 |   id: [a]
  |       ^
hint: put quotes around a text that begins with '[' or '- '
error: a.yaml:3:9: 'tags' must be a list, not a single value
3 |   tags: smoke
  |         ^
hint: begin each item with '- ', on a line of its own
error: a.yaml:4:16: 'memory.a' must be a text, not a list
4 |   memory: { a: [1], b: }
  |                ^
hint: put quotes around a text that begins with '[' or '- '
error: a.yaml:4:22: 'memory.b' must be a text, not nothing
4 |   memory: { a: [1], b: }
  |                      ^
hint: write a text, or remove it
error: a.yaml:5:9: 'skip' must be a mapping from device classifiers to reasons, not a single value
5 |   skip: broken
  |         ^
hint: write 'skip: { android: broken }'
error: a.yaml:6:12: 'devices' must be a mapping, not a single value
6 |   devices: ANDROID
  |            ^
hint: write 'key: value', each on a line of its own
error: a.yaml:7:18: 'metadata.a' must be a text, not a mapping
7 |   metadata: { a: { b: c } }
  |                  ^
hint: put quotes around a text with '{' or ': ' in it
",
    );
}

#[test]
fn drivers_have_names() {
    check(
        r"
config:
  devices: { android: ANDROID_ONDEVICE_ACCESSIBILTY, ios: { driver: IOS_HOST }, web: selenium }
trail: [{ step: b }]
",
        r"
error: a.yaml:2:23: unknown driver 'ANDROID_ONDEVICE_ACCESSIBILTY'
2 |   devices: { android: ANDROID_ONDEVICE_ACCESSIBILTY, ios: { driver: IOS_HOST }, web: selenium }
  |                       ^
hint: did you mean 'android-ondevice-accessibility'?
error: a.yaml:2:59: a driver must be a text, not a mapping
2 |   devices: { android: ANDROID_ONDEVICE_ACCESSIBILTY, ios: { driver: IOS_HOST }, web: selenium }
  |                                                           ^
hint: put quotes around a text with '{' or ': ' in it
error: a.yaml:2:86: unknown driver 'selenium'
2 | ices: { android: ANDROID_ONDEVICE_ACCESSIBILTY, ios: { driver: IOS_HOST }, web: selenium }
  |                                                                                 ^
hint: known drivers: android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
",
    );
}

#[test]
fn declared_arguments() {
    check(
        r"
config:
  args:
    1st: string
    a-b: string
    b: text
    c: {}
    d: { type: strin }
    e: { type: string, default: x, required: true }
    f: { type: string, required: false }
    g: { type: integer, default: many }
    h: { type: boolean, default: 1 }
    i: { type: array, default: { a: b } }
    j: { type: string, defualt: x }
    k: [string]
    l:
trail: [{ step: b }]
",
        r"
error: a.yaml:3:5: '1st' cannot name an argument
3 |     1st: string
  |     ^
hint: use letters, digits and '_', and begin with no digit
error: a.yaml:4:5: 'a-b' cannot name an argument
4 |     a-b: string
  |     ^
hint: use letters, digits and '_', and begin with no digit
error: a.yaml:5:8: unknown type 'text'
5 |     b: text
  |        ^
hint: known types: string, integer, boolean, array, object
error: a.yaml:6:8: the argument 'c' needs 'type'
6 |     c: {}
  |        ^
hint: add 'type: …'
error: a.yaml:7:16: unknown type 'strin'
7 |     d: { type: strin }
  |                ^
hint: did you mean 'string'?
error: a.yaml:8:36: 'required' contradicts 'default'
8 |     e: { type: string, default: x, required: true }
  |                                    ^
hint: an argument is required exactly when it has no default; leave 'required' out
error: a.yaml:9:24: 'required' contradicts 'default'
9 |     f: { type: string, required: false }
  |                        ^
hint: an argument is required exactly when it has no default; leave 'required' out
error: a.yaml:10:34: the default does not fit the type 'integer'
10 |     g: { type: integer, default: many }
   |                                  ^
error: a.yaml:11:34: the default does not fit the type 'boolean'
11 |     h: { type: boolean, default: 1 }
   |                                  ^
error: a.yaml:12:32: the default does not fit the type 'array'
12 |     i: { type: array, default: { a: b } }
   |                                ^
error: a.yaml:13:24: an argument has no key 'defualt'
13 |     j: { type: string, defualt: x }
   |                        ^
hint: did you mean 'default'?
error: a.yaml:14:8: an argument must be a mapping, not a list
14 |     k: [string]
   |        ^
hint: write 'key: value', each on a line of its own
error: a.yaml:15:6: 'type' must be a text, not nothing
15 |     l:
   |      ^
hint: write a text, or remove it
",
    );
    check(
        r"
config:
  args: string
trail: [{ step: b }]
",
        r"
error: a.yaml:2:9: 'args' must be a mapping, not a single value
2 |   args: string
  |         ^
hint: write 'key: value', each on a line of its own
",
    );
}
