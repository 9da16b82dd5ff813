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

#[test]
fn limits_of_servers() {
    prints_workspace(
        r"
mcpServers:
  - { name: a, command: b, limits: { firstAnswer: 60, call: 0.5, longestCall: 1200, close: 1.25, term: 1 } }
  - { name: c, transport: http, url: http://d, limits: {} }
",
        r"
mcpServers:
  - name: a
    command: b
    limits:
      firstAnswer: 60
      call: 0.5
      longestCall: 1200
      close: 1.25
      term: 1
  - name: c
    transport: http
    url: http://d
",
    );
    check_workspace(
        r"
mcpServers:
  - { name: a, command: b, limits: { call: 0, first: 1, term: soon, close: 90000 } }
  - { name: c, command: d, limits: { call: 9, longestCall: 8 } }
  - { name: e, command: f, limits: 9 }
",
        r"
error: a.yaml:2:44: 'call' must be a number of seconds, more than 0 and at most a day
2 |   - { name: a, command: b, limits: { call: 0, first: 1, term: soon, close: 90000 } }
  |                                            ^
hint: for example 'call: 60' or 'call: 0.5'
error: a.yaml:2:47: 'limits' has no key 'first'
2 |   - { name: a, command: b, limits: { call: 0, first: 1, term: soon, close: 90000 } }
  |                                               ^
hint: did you mean 'firstAnswer'?
error: a.yaml:2:63: 'term' must be a number of seconds, more than 0 and at most a day
2 |   - { name: a, command: b, limits: { call: 0, first: 1, term: soon, close: 90000 } }
  |                                                               ^
hint: for example 'term: 60' or 'term: 0.5'
error: a.yaml:2:76: 'close' must be a number of seconds, more than 0 and at most a day
2 |   - { name: a, command: b, limits: { call: 0, first: 1, term: soon, close: 90000 } }
  |                                                                            ^
hint: for example 'close: 60' or 'close: 0.5'
error: a.yaml:3:47: 'longestCall' is shorter than 'call'
3 |   - { name: c, command: d, limits: { call: 9, longestCall: 8 } }
  |                                               ^
hint: 'call' is the time without a sign of progress, 'longestCall' that with all of it
error: a.yaml:4:36: 'limits' must be a mapping, not a single value
4 |   - { name: e, command: f, limits: 9 }
  |                                    ^
hint: write 'key: value', each on a line of its own
",
    );
}

#[test]
fn urls_of_servers() {
    for url in ["http://a", "HTTPS://a.b/c?d=e@f", "http://[::1]:80/mcp", "http://[::1]"] {
        check_workspace(&format!("\nmcpServers: [{{ name: a, transport: http, url: '{url}' }}]\n"), "\n");
    }
    check_workspace(
        r"
mcpServers:
  - { name: a, transport: http, url: ftp://x }
  - { name: b, transport: http, url: 'http://me:word@x/mcp' }
  - { name: c, transport: http, url: 'http://:80/' }
  - { name: d, transport: http, url: 'http://x:99999/' }
  - { name: e, transport: http, url: 'http://x/a b' }
  - { name: f, transport: http, url: 'localhost:80' }
",
        r"
error: a.yaml:2:38: the URL of this server does not begin with 'http://' or 'https://'
2 |   - { name: a, transport: http, url: ftp://x }
  |                                      ^
hint: for example 'url: http://127.0.0.1:8000/mcp'
error: a.yaml:3:38: the URL of this server has a user in it, which is not supported
3 |   - { name: b, transport: http, url: 'http://me:****@x/mcp' }
  |                                      ^
hint: take out what stands before the '@'
error: a.yaml:4:38: the URL of this server names no host
4 |   - { name: c, transport: http, url: 'http://:80/' }
  |                                      ^
hint: for example 'url: http://127.0.0.1:8000/mcp'
error: a.yaml:5:38: the URL of this server has a port that is not a number up to 65535
5 |   - { name: d, transport: http, url: 'http://x:99999/' }
  |                                      ^
hint: for example 'url: http://127.0.0.1:8000/mcp'
error: a.yaml:6:38: the URL of this server has a space in it
6 |   - { name: e, transport: http, url: 'http://x/a b' }
  |                                      ^
hint: write it as '%20'
error: a.yaml:7:38: the URL of this server does not begin with 'http://' or 'https://'
7 |   - { name: f, transport: http, url: 'localhost:80' }
  |                                      ^
hint: for example 'url: http://127.0.0.1:8000/mcp'
",
    );
}
