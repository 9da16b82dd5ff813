//! Target files: every rule, with what a person reads when it is broken.

use crate::common::{check_prints, check_problems};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::driver::Driver;
use trailblaze_model::place::Source;
use trailblaze_model::target::{self, TargetFile};

#[track_caller]
fn check_target(text: &str, problems: &str) {
    check_problems(target::read, text, problems);
}

#[track_caller]
fn prints_target(text: &str, printed: &str) {
    check_prints(target::read, TargetFile::print, text, printed);
}

#[track_caller]
fn check_trailmap(text: &str, problems: &str) {
    check_problems(target::read_trailmap, text, problems);
}

#[track_caller]
fn prints_trailmap(text: &str, printed: &str) {
    let mut problems = Diagnostics::new();
    let target =
        target::read_trailmap(&Source::new("a.yaml", text), &mut problems).expect("the target reads");
    assert_eq!(target.print(), printed.trim_start_matches('\n'));
}

#[test]
fn a_trailmap_without_a_target_is_a_library() {
    let mut problems = Diagnostics::new();
    let source = Source::new("a.yaml", "id: shared\nwaypoints: [a]\n");
    assert_eq!(target::read_trailmap(&source, &mut problems), None);
    assert!(problems.is_empty());
}

#[test]
fn a_platform_stands_for_its_drivers() {
    let mut problems = Diagnostics::new();
    let text = "id: a\ndisplay_name: A\nplatforms: { android: { app_ids: [b] }, ios: }\n";
    let target = target::read(&Source::new("a.yaml", text), &mut problems).expect("the target reads");
    let block = |driver| target.block(driver).map(|block| block.key.as_str());
    assert_eq!(block(Driver::AndroidOndeviceInstrumentation), Some("android"));
    assert_eq!(block(Driver::IosAxe), Some("ios"));
    assert_eq!(block(Driver::RevylAndroid), None);
}

#[test]
fn targets() {
    prints_target(
        r"
id: shop
display_name: Shop
mcp_servers:
  - script: ./tools/shop/login.ts
platforms:
  android:
    app_ids: [com.example.shop.debug, com.example.shop]
    tool_sets: [core_interaction, shop_login]
    excluded_tools: [tapOnPoint]
",
        r"
id: shop
display_name: Shop
mcp_servers:
  - script: ./tools/shop/login.ts
platforms:
  android:
    app_ids:
      - com.example.shop.debug
      - com.example.shop
    tool_sets:
      - core_interaction
      - shop_login
    excluded_tools:
      - tapOnPoint
",
    );
    prints_target(
        r"
id: shop
display_name: Shop
mcpServers:
  - { command: python, args: [a.py], env: { A: 1 } }
  - { command: [python, b.py], workingDir: ./tools }
platforms:
  android: { tools: [a], drivers: [revyl-android], min_build_version: 1.10 }
  playwright-native: { base_url: http://localhost }
sim: { app: ./app.js }
script_hosts: [example.com]
has_custom_ios_driver: true
icon: a.png
",
        r#"
id: shop
display_name: Shop
mcp_servers:
  - name: python a.py
    command: python
    args:
      - a.py
    env:
      A: "1"
  - name: python b.py
    command: python
    args:
      - b.py
    workingDir: ./tools
platforms:
  android:
    tools:
      - a
    drivers:
      - revyl-android
    min_build_version: "1.10"
  playwright-native:
    base_url: http://localhost
sim:
  app: ./app.js
script_hosts:
  - example.com
has_custom_ios_driver: true
icon: a.png
"#,
    );
}

#[test]
fn a_grant_is_a_host() {
    prints_target(
        r"
id: a
display_name: A
script_hosts: [api.example.com, LOCALHOST, 'localhost:8080', '*.example.com', 127.0.0.1, '[::1]', '[::1]:80']
",
        r#"
id: a
display_name: A
script_hosts:
  - api.example.com
  - LOCALHOST
  - localhost:8080
  - "*.example.com"
  - "127.0.0.1"
  - "[::1]"
  - "[::1]:80"
"#,
    );
    check_target(
        r"
id: a
display_name: A
script_hosts: [https://a.org, a.org]
",
        r"
error: a.yaml:3:16: 'https://a.org' is no host that can be granted
3 | script_hosts: [https://a.org, a.org]
  |                ^
hint: write 'api.example.com', 'localhost:8080' or '*.example.com'
",
    );
    let bad = [
        "a.org/x",
        "",
        " ",
        "a b",
        "a.org ",
        "8080",
        "*",
        "*.",
        "api.*.com",
        "*.a.org:80",
        "a.org:",
        "a.org:0",
        "a.org:99999",
        "a.org:+80",
        ".a.org",
        "a..org",
        "a.org.",
        "user@a.org",
        "[::1",
        "[x]",
        "::1",
    ];
    for grant in bad {
        let mut problems = Diagnostics::new();
        let text = format!("id: a\ndisplay_name: A\nscript_hosts: ['{grant}']\n");
        assert_eq!(target::read(&Source::new("a.yaml", text), &mut problems), None, "{grant}");
        let problem = problems.errors().next().unwrap().to_string();
        assert!(problem.starts_with(&format!("error: a.yaml:3:16: '{grant}' is no host")), "{problem}");
    }
}

#[test]
fn target_problems() {
    check_target(
        r"
id: a
",
        r"
error: a.yaml:1:1: a target needs 'display_name'
1 | id: a
  | ^
hint: add 'display_name: …'
",
    );
    check_target(
        r"
display_name: A
platform: {}
",
        r"
error: a.yaml:1:1: a target needs 'id'
1 | display_name: A
  | ^
hint: add 'id: …'
error: a.yaml:2:1: a target has no key 'platform'
2 | platform: {}
  | ^
hint: did you mean 'platforms'?
",
    );
    check_target(
        r"
id: a
display_name: A
platforms: [android]
",
        r"
error: a.yaml:3:12: 'platforms' must be a mapping, not a list
3 | platforms: [android]
  |            ^
hint: write 'key: value', each on a line of its own
",
    );
    check_target(
        r"
id: a
display_name: A
platforms:
  androd: {}
  amiga: {}
  android: { app_id: a, drivers: [ios-host], tool_sets: a }
  ios-host: { drivers: [revyl-ios] }
  web: []
",
        r"
error: a.yaml:4:3: unknown platform 'androd'
4 |   androd: {}
  |   ^
hint: did you mean 'android'?
error: a.yaml:5:3: unknown platform 'amiga'
5 |   amiga: {}
  |   ^
hint: known platforms: android, ios, web, desktop, android-ondevice-accessibility, android-ondevice-instrumentation, ios-host, ios-axe, playwright-native, playwright-electron, revyl-android, revyl-ios, compose
error: a.yaml:6:14: a platform has no key 'app_id'
6 |   android: { app_id: a, drivers: [ios-host], tool_sets: a }
  |              ^
hint: did you mean 'app_ids'?
error: a.yaml:6:25: the driver 'ios-host' does not belong to 'android'
6 |   android: { app_id: a, drivers: [ios-host], tool_sets: a }
  |                         ^
error: a.yaml:6:57: 'tool_sets' must be a list, not a single value
6 |   android: { app_id: a, drivers: [ios-host], tool_sets: a }
  |                                                         ^
hint: begin each item with '- ', on a line of its own
error: a.yaml:7:15: the driver 'revyl-ios' does not belong to 'ios-host'
7 |   ios-host: { drivers: [revyl-ios] }
  |               ^
error: a.yaml:8:8: a platform must be a mapping, not a list
8 |   web: []
  |        ^
hint: write 'key: value', each on a line of its own
",
    );
    check_target(
        r"
id: a
display_name: A
sim: ./app.js
",
        r"
error: a.yaml:3:6: 'sim' must be a mapping, not a single value
3 | sim: ./app.js
  |      ^
hint: write 'key: value', each on a line of its own
",
    );
    check_target(
        r"
id: a
display_name: A
sim: {}
",
        r"
error: a.yaml:3:6: 'sim' needs 'app'
3 | sim: {}
  |      ^
hint: add 'app: …'
",
    );
    check_target(
        r"
id: a
display_name: A
tools: [tap]
has_custom_ios_driver: maybe
",
        r"
warning: a.yaml:3:1: 'tools' of a target has no effect
3 | tools: [tap]
  | ^
hint: name tools under 'platforms', for example 'android: { tools: […] }'
error: a.yaml:4:24: 'has_custom_ios_driver' must be true or false
4 | has_custom_ios_driver: maybe
  |                        ^
hint: write 'has_custom_ios_driver: true' or 'has_custom_ios_driver: false'
",
    );
}

#[test]
fn servers_of_a_target() {
    check_target(
        r"
id: a
display_name: A
mcp_servers:
  - script: a.ts
    command: b
  - {}
  - script: ''
  - script: a.ts
    env: { A: b }
  - command: []
  - command: ' '
  - { url: http://a }
  - { transport: http, url: http://a, args: [b] }
  - { transport: pigeon, url: http://a }
  - { comand: b }
  - a.ts
",
        r"
error: a.yaml:4:5: a server has exactly one of 'script', 'command' and 'url'
4 |   - script: a.ts
  |     ^
hint: 'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'
error: a.yaml:6:5: a server has exactly one of 'script', 'command' and 'url'
6 |   - {}
  |     ^
hint: 'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'
error: a.yaml:7:13: 'script' is empty
7 |   - script: ''
  |             ^
hint: write a text behind 'script:'
error: a.yaml:9:5: 'env' belongs to 'command'
9 |     env: { A: b }
  |     ^
error: a.yaml:10:5: 'command' is empty
10 |   - command: []
   |     ^
hint: write a text behind 'command:'
error: a.yaml:11:14: 'command' is empty
11 |   - command: ' '
   |              ^
hint: write a text behind 'command:'
error: a.yaml:12:5: a server has exactly one of 'script', 'command' and 'url'
12 |   - { url: http://a }
   |     ^
hint: 'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'
error: a.yaml:13:39: 'args' belongs to 'command'
13 |   - { transport: http, url: http://a, args: [b] }
   |                                       ^
error: a.yaml:14:7: unknown transport 'pigeon'
14 |   - { transport: pigeon, url: http://a }
   |       ^
hint: use 'stdio' or 'http'
error: a.yaml:15:5: a server has exactly one of 'script', 'command' and 'url'
15 |   - { comand: b }
   |     ^
hint: 'script: FILE', 'command: PROGRAM' with 'args', or 'transport: http' with 'url'
error: a.yaml:15:7: a server has no key 'comand'
15 |   - { comand: b }
   |       ^
hint: did you mean 'command'?
error: a.yaml:16:5: a server must be a mapping, not a single value
16 |   - a.ts
   |     ^
hint: write 'key: value', each on a line of its own
",
    );
    check_target(
        r"
id: a
display_name: A
mcp_servers: a.ts
",
        r"
error: a.yaml:3:14: the list of servers must be a list, not a single value
3 | mcp_servers: a.ts
  |              ^
hint: begin each item with '- ', on a line of its own
",
    );
    check_target(
        r"
id: a
display_name: A
mcp_servers:
  - script: a.ts
  - script: a.ts
",
        r"
error: a.yaml:5:5: two servers are called 'a.ts'
5 |   - script: a.ts
  |     ^
",
    );
    check_target(
        r"
id: a
display_name: A
mcp_servers: []
mcpServers: []
",
        r"
error: a.yaml:4:1: 'mcpServers' and 'mcp_servers' are the same key; keep one of them
4 | mcpServers: []
  | ^
",
    );
}

#[test]
fn trailmaps() {
    prints_trailmap(
        r"
id: shop
dependencies: [base]
target:
  display_name: Shop
  platforms: { android: { app_ids: [a] } }
",
        r"
id: shop
display_name: Shop
platforms:
  android:
    app_ids:
      - a
",
    );
    prints_trailmap(
        r"
id: shop
target: { id: other, display_name: Shop }
",
        r"
id: other
display_name: Shop
",
    );
}

#[test]
fn trailmap_problems() {
    check_trailmap(
        r"
target: { display_name: Shop }
",
        r"
error: a.yaml:1:1: a trailmap needs 'id'
1 | target: { display_name: Shop }
  | ^
hint: add 'id: …'
",
    );
    check_trailmap(
        r"
id: a
target: {}
foo: 1
",
        r"
error: a.yaml:2:9: a target needs 'display_name'
2 | target: {}
  |         ^
hint: add 'display_name: …'
error: a.yaml:3:1: a trailmap has no key 'foo'
3 | foo: 1
  | ^
hint: known keys: id, dependencies, target, defaults, platforms, exports, toolsets, waypoints, trails
",
    );
}

#[test]
fn keys_of_a_trailmap_without_effect() {
    check_trailmap(
        r"
id: a
dependencies: [base]
target: { display_name: A }
defaults: { android: { app_ids: [a] } }
platforms: {}
exports: [b]
toolsets: [c]
trails: [d]
",
        r"
warning: a.yaml:2:1: 'dependencies' of a trailmap has no effect here
2 | dependencies: [base]
  | ^
hint: the tools and toolsets of every trailmap are there for all of them
warning: a.yaml:4:1: 'defaults' of a trailmap has no effect here
4 | defaults: { android: { app_ids: [a] } }
  | ^
hint: write it below 'platforms' of each 'target'
warning: a.yaml:5:1: 'platforms' of a trailmap has no effect here
5 | platforms: {}
  | ^
hint: write it below 'target'
warning: a.yaml:6:1: 'exports' of a trailmap has no effect here
6 | exports: [b]
  | ^
hint: the tools of every trailmap are there for all of them
warning: a.yaml:7:1: 'toolsets' of a trailmap has no effect here
7 | toolsets: [c]
  | ^
hint: toolsets are found by their folder, 'toolsets'
warning: a.yaml:8:1: 'trails' of a trailmap has no effect here
8 | trails: [d]
  | ^
hint: trails are found by their folder
",
    );
}
