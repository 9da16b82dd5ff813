//! Tool files and their modes: every rule, with what a person reads when it is broken.

use crate::common::{check_prints, check_problems};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::place::Source;
use trailblaze_model::tool::{self, ToolFile};

#[track_caller]
fn check(text: &str, problems: &str) {
    check_problems(tool::read, text, problems);
}

#[track_caller]
fn prints(text: &str, printed: &str) {
    check_prints(tool::read, ToolFile::print, text, printed);
}

#[test]
fn the_three_modes() {
    prints(
        r#"
id: shop_search
description: Types a query into the search field and submits it.
parameters:
  - { name: query, type: string, required: true, description: Text to search for }
  - { name: repeat, type: integer, required: false, default: 1 }
tools:
  - tapOnElementWithText: { text: Search }
  - inputText: { text: "{{query}}" }
  - pressKey: { keyCode: ENTER }
"#,
        r#"
id: shop_search
description: Types a query into the search field and submits it.
parameters:
  - name: query
    type: string
    required: true
    description: Text to search for
  - name: repeat
    type: integer
    required: false
    default: 1
tools:
  - tapOnElementWithText:
      text: Search
  - inputText:
      text: "{{query}}"
  - pressKey:
      keyCode: ENTER
"#,
    );
    prints(
        r"
id: a
class: com.example.Tool
",
        r"
id: a
class: com.example.Tool
",
    );
    prints(
        r#"
id: a
description: b
parameters: []
script: { source: "return 1" }
"#,
        r"
id: a
description: b
parameters: []
script:
  source: return 1
",
    );
    prints(
        r"
id: a
description: b
parameters: []
script: |
  const a = 1
  return a
",
        r"
id: a
description: b
parameters: []
script:
  source: |
    const a = 1
    return a
",
    );
    prints(
        r"
id: a
description: b
parameters: []
script: { file: ./a.js }
",
        r"
id: a
description: b
parameters: []
script:
  file: ./a.js
",
    );
}

#[test]
fn flags_and_parameters() {
    prints(
        r#"
id: a
description: b
surface_to_llm: false
is_recordable: false
requires_host: true
is_verification: true
supported_platforms: [ANDROID, web]
supported_drivers: [android, COMPOSE]
toolset: shop
groups: [z, y]
parameters:
  - { name: a, type: string }
  - { name: b, type: string, required: false }
  - { name: c, type: string, default: 1.10 }
  - { name: d, type: integer, default: 007 }
  - { name: e, type: boolean, default: "{{memory.on}}" }
  - { name: f, type: number, default: 1.50 }
  - { name: g, type: number, default: null }
tools:
  - unknown: { a: [1, { b: 007 }] }
"#,
        r#"
id: a
description: b
parameters:
  - name: a
    type: string
    required: true
  - name: b
    type: string
    required: false
  - name: c
    type: string
    required: false
    default: "1.10"
  - name: d
    type: integer
    required: false
    default: 7
  - name: e
    type: boolean
    required: false
    default: "{{memory.on}}"
  - name: f
    type: number
    required: false
    default: 1.5
  - name: g
    type: number
    required: false
    default: null
surface_to_llm: false
is_recordable: false
requires_host: true
is_verification: true
supported_platforms:
  - android
  - web
supported_drivers:
  - android-ondevice-accessibility
  - android-ondevice-instrumentation
  - compose
toolset: shop
groups:
  - "y"
  - z
tools:
  - unknown:
      a:
        - 1
        - b: "007"
"#,
    );
}

#[test]
fn exactly_one_mode() {
    check(
        r"
id: a
description: b
parameters: []
",
        r"
error: a.yaml:1:1: a tool needs one of 'class', 'tools' and 'script'
1 | id: a
  | ^
hint: 'tools' for a fixed list of calls, 'script' for logic, 'class' for code in the APK
",
    );
    check(
        r"
id: a
description: b
parameters: []
tools: [{ tap: {} }]
script: { source: x }
",
        r"
error: a.yaml:5:1: a tool has one of 'class', 'tools' and 'script'; 'tools' is there already
5 | script: { source: x }
  | ^
",
    );
    check(
        r"
id: a
class: b
script: { source: x }
",
        r"
error: a.yaml:3:1: a tool has one of 'class', 'tools' and 'script'; 'class' is there already
3 | script: { source: x }
  | ^
",
    );
    check(
        r"
id: a
clas: b
",
        r"
error: a.yaml:1:1: a tool needs one of 'class', 'tools' and 'script'
1 | id: a
  | ^
hint: 'tools' for a fixed list of calls, 'script' for logic, 'class' for code in the APK
error: a.yaml:2:1: a tool has no key 'clas'
2 | clas: b
  | ^
hint: did you mean 'class'?
",
    );
}

#[test]
fn what_a_mode_requires_and_forbids() {
    check(
        r"
id: a
tools: [{ tap: {} }]
",
        r"
error: a.yaml:1:1: a tool with 'tools' needs 'description'
1 | id: a
  | ^
hint: add 'description: …'
error: a.yaml:1:1: a tool with 'tools' needs 'parameters'
1 | id: a
  | ^
hint: write 'parameters: []' for a tool without any
",
    );
    check(
        r"
id: a
script: { source: x }
",
        r"
error: a.yaml:1:1: a tool with 'script' needs 'description'
1 | id: a
  | ^
hint: add 'description: …'
error: a.yaml:1:1: a tool with 'script' needs 'parameters'
1 | id: a
  | ^
hint: write 'parameters: []' for a tool without any
",
    );
    check(
        r"
id: a
class: b
description: c
parameters: []
",
        r"
error: a.yaml:3:1: 'description' cannot stand beside 'class'
3 | description: c
  | ^
hint: a class describes itself
error: a.yaml:4:1: 'parameters' cannot stand beside 'class'
4 | parameters: []
  | ^
hint: a class describes itself
",
    );
    check(
        r"
tools: [{ tap: {} }]
description: b
parameters: []
",
        r"
error: a.yaml:1:1: a tool needs 'id'
1 | tools: [{ tap: {} }]
  | ^
hint: add 'id: …'
",
    );
    check(
        r"
id: ''
class:
",
        r"
error: a.yaml:1:5: 'id' is empty
1 | id: ''
  |     ^
hint: write a text behind 'id:'
error: a.yaml:2:1: 'class' is empty
2 | class:
  | ^
hint: write a text behind 'class:'
",
    );
}

#[test]
fn descriptors_of_scripts() {
    prints(
        r"
script: ./search.ts
name: shop_search
description: Searches.
inputSchema:
  query: { type: string, description: What to search for }
  sort: { type: string, enum: [up, down], optional: true }
  count: { type: integer, optional: true }
supportedPlatforms: [ANDROID]
requiresHost: true
surfaceToLlm: false
isRecordable: false
",
        r"
id: shop_search
description: Searches.
parameters:
  - name: query
    type: string
    required: true
    description: What to search for
  - name: sort
    type: string
    required: false
  - name: count
    type: integer
    required: false
surface_to_llm: false
is_recordable: false
requires_host: true
supported_platforms:
  - android
script:
  file: ./search.ts
",
    );
    check(
        r"
script: ./search.ts
inputSchema:
  query: { type: array }
runtime: subprocess
_meta: {}
tools: []
",
        r"
warning: a.yaml:3:12: the type 'array' is read as 'string'
3 |   query: { type: array }
  |            ^
hint: known types: string, integer, boolean, number
warning: a.yaml:4:1: 'runtime' of a scripted tool has no effect here
4 | runtime: subprocess
  | ^
warning: a.yaml:5:1: '_meta' of a scripted tool has no effect here
5 | _meta: {}
  | ^
warning: a.yaml:6:1: 'tools' of a scripted tool has no effect here
6 | tools: []
  | ^
",
    );
    check(
        r"
script: ./search.ts
requireHost: true
inputSchema: [a]
",
        r"
error: a.yaml:2:1: a scripted tool has no key 'requireHost'
2 | requireHost: true
  | ^
hint: did you mean 'requiresHost'?
error: a.yaml:3:14: 'inputSchema' must be a mapping, not a list
3 | inputSchema: [a]
  |              ^
hint: write 'key: value', each on a line of its own
",
    );
    for (file, id) in [("tools/shop_search.yaml", "shop_search"), ("a/b.tool.yaml", "b"), ("c.yml", "c")] {
        let mut problems = Diagnostics::new();
        let tool = tool::read(&Source::new(file, "script: ./x.ts\n"), &mut problems);
        assert_eq!(tool.map(|tool| tool.id).as_deref(), Some(id), "{problems:?}");
    }
}

#[test]
fn metadata_of_tools() {
    prints(
        r"
id: a
description: b
trailhead: { to: home }
shortcut: { from: home, to: cart }
tools: [{ back: {} }]
",
        r"
id: a
description: b
parameters: []
tools:
  - back: {}
",
    );
    let mut problems = Diagnostics::new();
    let source = Source::new("a.tool.yaml", "id: a\nshortcut: { from: home, to: cart }\n");
    assert_eq!(tool::read(&source, &mut problems), None);
    let shown: Vec<String> = problems.sorted().iter().map(ToString::to_string).collect();
    let message =
        "warning: a.tool.yaml:2:1: a file with only 'shortcut' has no effect here: it defines no tool";
    assert_eq!(shown.len(), 1);
    assert!(shown[0].starts_with(message), "{shown:?}");
}
