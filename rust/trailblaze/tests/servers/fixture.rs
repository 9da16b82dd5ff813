//! The fixture toolset: a tool of each kind, once as a script and once as any other MCP server.

use insta::assert_snapshot;

use crate::lab::{call, lab, node, registered, run, tool};
use crate::space::Space;

const SCRIPT: &str = "script: ./tools/toolset.mjs";

/// Both, each in a workspace of its own.
fn both() -> [Space; 2] {
    [lab(&[SCRIPT]), lab(&[&node("server")])]
}

#[test]
fn a_tier_one_handler_takes_its_arguments_alone() {
    for space in both() {
        assert_eq!(call(&space, "lab_tierOne", &["--arg", "query=tea"]), "found tea");
    }
}

#[test]
fn a_tier_two_handler_reads_the_platform_and_the_memory() {
    let [script, server] = both();
    assert_eq!(call(&script, "lab_tierTwo", &["--memory", "x=7"]), "android 7");
    assert_eq!(call(&server, "lab_tierTwo", &["--memory", "x=7"]), "ANDROID 7");
}

#[test]
fn a_tool_with_supported_drivers_is_registered_under_that_driver() {
    for space in both() {
        assert!(registered(&space, &[]).contains(&"lab_forOneDriver".to_owned()));
        assert_eq!(call(&space, "lab_forOneDriver", &[]), "one driver");
    }
}

#[test]
fn a_tool_with_supported_drivers_is_skipped_for_other_drivers() {
    for space in both() {
        for driver in ["android-ondevice-instrumentation", "ios-host", "playwright-native"] {
            let names = registered(&space, &["--as", driver]);
            assert!(!names.contains(&"lab_forOneDriver".to_owned()), "{driver}: {names:?}");
            assert!(names.contains(&"lab_tierOne".to_owned()), "{driver}: {names:?}");
        }
    }
    let [script, _] = both();
    assert_snapshot!(run(&script, &["tools", "lab_forOneDriver", "--as", "ios-host"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the tool 'lab_forOneDriver' cannot be used here: it does not support the driver 'ios-host'
    ");
}

#[test]
fn a_tool_that_requires_the_host_is_registered_where_the_agent_is_on_the_host() {
    for space in both() {
        assert!(registered(&space, &["--agent", "host"]).contains(&"lab_forHosts".to_owned()));
        assert_eq!(call(&space, "lab_forHosts", &[]), "host");
    }
}

#[test]
fn a_tool_that_requires_the_host_is_skipped_where_the_agent_is_on_the_device() {
    let space = lab(&[SCRIPT]);
    let names = registered(&space, &["--agent", "on-device"]);
    assert_eq!(names, ["lab_forOneDriver", "lab_pushed", "lab_tierOne", "lab_tierTwo"]);
    assert_snapshot!(run(&space, &["tool", "run", "lab_forHosts", "--agent", "on-device"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the tool 'lab_forHosts' cannot be used here: it needs the agent on the host, and the agent runs on the device
    ");
}

#[test]
fn a_tool_with_a_toolset_joins_that_toolset() {
    for space in both() {
        let pushed = tool(&space, "lab_pushed");
        assert_eq!((&pushed["toolsets"][0], &pushed["offered"]), (&"otherToolset".into(), &false.into()));
        let plain = tool(&space, "lab_tierOne");
        assert_eq!(plain["toolsets"], serde_json::json!([]));
    }
}

#[test]
fn a_target_pulls_the_toolset_that_a_tool_pushed_itself_into() {
    let space = lab(&[]);
    space.target("    tool_sets: [otherToolset]\nmcp_servers:\n  - script: ./tools/toolset.mjs\n");
    assert_eq!(tool(&space, "lab_pushed")["offered"], true);
    assert_eq!(tool(&space, "lab_tierOne")["offered"], false);
}

#[test]
fn a_toolset_file_pulls_a_tool_of_a_server_by_its_name() {
    let space = lab(&[]);
    space.toolset("labSet", "tools: [lab_tierOne]");
    space.target(&format!("    tool_sets: [labSet]\nmcp_servers:\n  - {}\n", node("server")));
    let pulled = tool(&space, "lab_tierOne");
    assert_eq!((&pulled["toolsets"][0], &pulled["offered"]), (&"labSet".into(), &true.into()));
}
