//! What a server lists, and what is in the registry then.

use insta::assert_snapshot;
use serde_json::json;

use crate::lab::{lab, lab_with, node, registered, run, serve, tool};

#[test]
fn three_tools_of_a_server_are_three_entries_under_the_names_that_it_advertised() {
    let space = lab_with(
        r#"
  { name: "lab_first", handler: () => text(1) },
  { name: "lab_Second_v2", handler: () => text(2) },
  { name: "lab_third-one", handler: () => text(3) },
"#,
    );
    assert_eq!(registered(&space, &[]), ["lab_Second_v2", "lab_first", "lab_third-one"]);
}

#[test]
fn two_servers_with_one_name_for_a_tool_fail_and_both_are_named() {
    let space = lab(&[&node("one"), &node("two")]);
    serve(&space, "one", r#"{ name: "lab_login", handler: () => text("one") }"#);
    serve(&space, "two", r#"{ name: "lab_login", handler: () => text("two") }"#);
    assert_snapshot!(run(&space, &["tools"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:9:5: two tools are called 'lab_login': the server 'one' and the server 'two'
    hint: names are unique over all sources; rename one of them
    error: the workspace has errors
    hint: see above
    ");
    // Nothing runs then, either.
    space.trail("one", &["lab_login: {}"]);
    let ran = run(&space, &["run"]).exits(3);
    assert!(ran.stderr.contains("'one'") && ran.stderr.contains("'two'"), "{ran}");
}

#[test]
fn an_advertised_name_reaches_the_registry_unchanged() {
    let name = "lab_ios_Odd-Name.v2_ß";
    let space = lab_with(&format!(r#"{{ name: "{name}", handler: () => text("it") }}"#));
    assert_eq!(tool(&space, name)["name"], name);
    let registry = run(&space, &["registry"]).exits(0).json();
    assert!(registry["tools"].get(name).is_some(), "{registry}");
}

#[test]
fn what_is_recorded_has_the_advertised_name() {
    let space = lab_with(r#"{ name: "lab_Keep_v2", handler: () => text("it") }"#);
    space.trail("one", &["lab_Keep_v2: { a: 1 }"]);
    run(&space, &["run", "--events", "events.jsonl"]).exits(0);
    let events = space.read("events.jsonl");
    assert!(events.contains(r#""tool":"lab_Keep_v2""#), "{events}");
}

#[test]
fn the_reserved_argument_is_not_in_the_schema() {
    let schema =
        r#"{ type: "object", properties: { who: { type: "string" } }, additionalProperties: false }"#;
    let space = lab_with(&format!(
        r#"{{ name: "lab_strict", inputSchema: {schema}, handler: ({{ who }}) => text(who) }}"#
    ));
    let wanted = json!({ "type": "object", "properties": { "who": { "type": "string" } }, "additionalProperties": false });
    assert_eq!(tool(&space, "lab_strict")["inputSchema"], wanted);
    assert_eq!(crate::lab::call(&space, "lab_strict", &["--arg", "who=Zoë"]), "Zoë");
}

#[test]
fn a_server_filters_its_tools_itself_by_what_is_in_its_environment() {
    let space = lab_with(
        r#"...(process.env.TRAILBLAZE_DEVICE_PLATFORM === "IOS" ? [{ name: "lab_ios", handler: () => text(1) }] : [])"#,
    );
    assert_eq!(registered(&space, &[]), Vec::<String>::new());
    assert_eq!(registered(&space, &["--as", "ios-host"]), ["lab_ios"]);
}
