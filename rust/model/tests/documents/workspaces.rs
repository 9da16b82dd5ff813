//! Workspace files: every rule, with what a person reads when it is broken.

use crate::common::{check_prints, check_problems};
use trailblaze_model::workspace::{self, WorkspaceFile};

#[track_caller]
fn check_workspace(text: &str, problems: &str) {
    check_problems(workspace::read, text, problems);
}

#[track_caller]
fn prints_workspace(text: &str, printed: &str) {
    check_prints(workspace::read, WorkspaceFile::print, text, printed);
}

#[test]
fn workspaces() {
    prints_workspace(
        r"
target: shop_courier
platform: android
trailsDir: ./trails
mcpServers:
  - name: courier-tools
    command: python
    args: [./tools/server.py]
    workingDir: ./tools
    env: { STAGE: test }
  - name: shared-tools
    transport: http
    url: http://tools.internal:8080
",
        r"
target: shop_courier
platform: android
trailsDir: ./trails
mcpServers:
  - name: courier-tools
    command: python
    args:
      - ./tools/server.py
    workingDir: ./tools
    env:
      STAGE: test
  - name: shared-tools
    transport: http
    url: http://tools.internal:8080
",
    );
    prints_workspace(
        r"
mcp_servers: { a: { command: b, args: [1] }, c: { script: d.ts } }
",
        r#"
mcpServers:
  - name: a
    command: b
    args:
      - "1"
  - name: c
    script: d.ts
"#,
    );
    prints_workspace(
        r"
# nothing
",
        r"
{}
",
    );
    prints_workspace(
        r"
{}
", r"
{}
",
    );
    prints_workspace(
        r"
defaults: { target: a }
",
        r"
target: a
",
    );
}

#[test]
fn workspace_problems() {
    check_workspace(
        r"
targte: a
",
        r"
error: a.yaml:1:1: 'trailblaze.yaml' has no key 'targte'
1 | targte: a
  | ^
hint: did you mean 'target'?
",
    );
    check_workspace(
        r"
platform: androd
trailsDir: [a]
",
        r"
error: a.yaml:1:11: unknown platform 'androd'
1 | platform: androd
  |           ^
hint: did you mean 'android'?
error: a.yaml:2:12: 'trailsDir' must be a text, not a list
2 | trailsDir: [a]
  |            ^
hint: put quotes around a text that begins with '[' or '- '
",
    );
    check_workspace(
        r"
- target: a
",
        r"
error: a.yaml:1:1: 'trailblaze.yaml' must be a mapping, not a list
1 | - target: a
  | ^
hint: write 'key: value', each on a line of its own
",
    );
    check_workspace(
        r"
defaults: { target: a, llm: b, max: 1 }
targets: [a]
llm: {}
",
        r"
error: a.yaml:1:32: 'defaults' has no key 'max'
1 | defaults: { target: a, llm: b, max: 1 }
  |                                ^
hint: known keys: target, llm, max-llm-calls
warning: a.yaml:2:1: 'targets' has no effect
2 | targets: [a]
  | ^
hint: targets, tools and toolsets are found by their folders
warning: a.yaml:3:1: 'llm' has no effect
3 | llm: {}
  | ^
hint: this version has no model
",
    );
    check_workspace(
        r"
mcpServers:
  - command: python
  - { transport: http, url: http://a }
  - { name: a, command: b }
  - { name: a, command: c }
",
        r"
error: a.yaml:2:5: a server needs 'name'
2 |   - command: python
  |     ^
hint: messages name it by that
error: a.yaml:3:5: a server needs 'name'
3 |   - { transport: http, url: http://a }
  |     ^
hint: messages name it by that
error: a.yaml:5:5: two servers are called 'a'
5 |   - { name: a, command: c }
  |     ^
",
    );
    check_workspace(
        r"
mcp_servers: { '': { command: b }, c: }
",
        r"
error: a.yaml:1:20: the name of this server is empty
1 | mcp_servers: { '': { command: b }, c: }
  |                    ^
error: a.yaml:1:37: a server must be a mapping, not nothing
1 | mcp_servers: { '': { command: b }, c: }
  |                                     ^
hint: write 'key: value', each on a line of its own
",
    );
    check_workspace(
        r"
mcpServers: []
mcp_servers: {}
",
        r"
error: a.yaml:2:1: 'mcpServers' and 'mcp_servers' are the same key; keep one of them
2 | mcp_servers: {}
  | ^
",
    );
}
