//! What models and people read of the built-in tools.

use std::collections::BTreeMap;

use serde_json::Value;
use trailblaze_engine::builtin;
use trailblaze_engine::registry::Tool;

/// Every object of a schema with its path.
fn objects<'a>(schema: &'a Value, path: String, found: &mut Vec<(String, &'a Value)>) {
    if schema["properties"].is_object() {
        found.push((path.clone(), schema));
    }
    match schema {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| objects(value, format!("{path}/{key}"), found));
        }
        Value::Array(items) => items.iter().for_each(|item| objects(item, format!("{path}/[]"), found)),
        _ => {}
    }
}

#[test]
fn every_built_in_tool_describes_itself_and_each_of_its_arguments() {
    for tool in builtin::tools() {
        let name = &tool.name;
        assert!(tool.description.len() > 10, "{name} has no description");
        assert!(!tool.description.contains('\n'), "{name}: {}", tool.description);
        assert_eq!(tool.schema["type"], "object", "{name}");
        assert_eq!(tool.schema["additionalProperties"], false, "{name}");
        assert!(tool.schema["properties"].is_object(), "{name}");
        let mut found = Vec::new();
        objects(&tool.schema, String::new(), &mut found);
        for (path, object) in found {
            for (property, schema) in object["properties"].as_object().unwrap() {
                let description = schema["description"].as_str().unwrap_or_default();
                assert!(!description.is_empty(), "{name}{path}: '{property}' has no description");
            }
        }
        let descriptor = tool.descriptor();
        assert_eq!(descriptor["name"], **name);
        assert_eq!(descriptor["description"], tool.description);
        assert_eq!(descriptor["inputSchema"], tool.schema);
    }
}

#[test]
fn defaults_stand_in_the_schema() {
    let tools: BTreeMap<String, Tool> =
        builtin::tools().into_iter().map(|tool| (tool.name.clone(), tool)).collect();
    let default = |tool: &str, key: &str| tools[tool].schema["properties"][key]["default"].clone();
    assert_eq!(default("launchApp", "launchMode"), "REINSTALL");
    assert_eq!(default("swipe", "direction"), "DOWN");
    assert_eq!(default("inputText", "hideKeyboardAfter"), true);
    assert_eq!(default("inputTextRandom", "prefix"), "TBZ-");
    assert_eq!(default("inputTextRandom", "digitCount"), 6);
    assert_eq!(default("wait", "timeToWaitInSeconds"), 5);
    assert_eq!(default("dragByPoints", "durationMs"), 1000);
    assert_eq!(default("swipeWithRelativeCoordinates", "durationMs"), 400);
    assert_eq!(default("scrollUntilTextIsVisible", "visibilityPercentage"), 100);
    assert_eq!(default("scrollUntilTextIsVisible", "scrollStartPosition"), "CENTER");
    assert_eq!(default("assertVisibleBySelector", "timeoutMs"), 5000);
    assert_eq!(default("assertVisibleBySelector", "textMatchMode"), "EXACT");
    assert_eq!(default("findMatches", "timeoutMs"), 0);
    assert_eq!(default("waitForChange", "timeoutMs"), 8000);
    assert_eq!(default("waitForChange", "quietWindowMs"), 300);
    assert_eq!(default("waitForChange", "requireChange"), true);
    assert_eq!(default("assertWaypoint", "pollIntervalMs"), 250);
    assert_eq!(default("exec", "expectedExitCode"), 0);
    assert_eq!(default("android_writeImageToMediaStore", "mimeType"), "image/png");
}

/// L = offered to a model, R = recordable, V = verification, H = needs the host, as in the table of the
/// trail format; D = hands over to others, which are recorded instead. Below the line: the primitives, which the table does not have.
const FLAGS: &[(&str, &str)] = &[
    ("tapOnElementBySelector", "R"),
    ("tapOn", "R"),
    ("tapOnPoint", "LR"),
    ("tapOnElementWithText", "R"),
    ("tapOnElementWithAccessibilityText", "R"),
    ("longPressOnElementWithText", "R"),
    ("longPressElementWithAccessibilityText", "R"),
    ("tapOnAccessibilityNode", "R"),
    ("assertVisibleBySelector", "RV"),
    ("assertNotVisibleBySelector", "RV"),
    ("assertVisibleWithText", "RV"),
    ("assertNotVisibleWithText", "LRV"),
    ("assertVisibleWithAccessibilityText", "RV"),
    ("assertVisibleWithResourceId", "RV"),
    // The table has H as well; here waypoints come with the session, wherever the agent runs.
    ("assertWaypoint", "LRV"),
    ("launchApp", "LR"),
    ("stopApp", "LR"),
    ("openUrl", "LR"),
    ("swipe", "LR"),
    ("swipeWithRelativeCoordinates", "R"),
    ("dragByPoints", "R"),
    ("scrollUntilTextIsVisible", "LR"),
    ("inputText", "LR"),
    ("inputTextRandom", "LR"),
    ("eraseText", "LR"),
    ("clearText", "LR"),
    ("hideKeyboard", "LR"),
    ("pressKey", "LR"),
    ("pressBack", "LR"),
    ("wait", "LR"),
    ("waitForChange", "LR"),
    ("waitUntilNotVisible", ""),
    ("findMatches", ""),
    ("networkConnection", "LR"),
    ("mobile_setClipboard", "LR"),
    ("mobile_pasteClipboard", "LR"),
    ("setClipboard", "LR"),
    ("pasteClipboard", "LR"),
    ("mobile_clearAppData", "R"),
    ("mobile_listInstalledApps", "L"),
    ("mobile_listInstalledAppsDetailed", ""),
    ("takeSnapshot", "LR"),
    ("maestro", "R"),
    ("mobile_maestro", "R"),
    ("assertEquals", "LRV"),
    ("assertNotEquals", "LRV"),
    ("assertMath", "LRV"),
    ("dumpMemory", "LR"),
    ("runTrail", "LR"),
    ("android_adbShell", ""),
    ("android_sendBroadcast", ""),
    ("android_grantPermissions", "R"),
    ("android_grantAppOpsPermission", "R"),
    ("android_systemUiDemoMode", "R"),
    ("android_writeBytesToFile", ""),
    ("android_writeFileToDownloads", ""),
    ("android_writeImageToMediaStore", ""),
    ("reloadTools", "H"),
    ("exec", "H"),
    ("runCommand", "H"),
    // The table has L and LV for the form with `ref`; that with text and id is recordable.
    ("tap", "LR"),
    ("assertVisible", "LRV"),
    ("tapOnElementByNodeId", "LD"),
    ("longPress", "LD"),
    ("dragTo", "LD"),
    ("requestDetailedViewHierarchy", "L"),
    // Primitives.
    ("swipeBetweenElements", "LR"),
    ("touchWithFingers", "LR"),
    ("scroll", "LR"),
    ("pinch", "LR"),
    ("pressHome", "LR"),
    ("setOrientation", "LR"),
    ("setLocation", "LR"),
    ("waitUntilVisible", "LRV"),
    ("isVisible", "R"),
    ("hasText", "R"),
    ("getElementText", "R"),
    ("getElementCount", "R"),
    ("captureScreen", "R"),
    ("clearAppData", "R"),
    ("grantPermission", "R"),
    ("adbShell", "R"),
];

#[test]
fn the_flags_of_every_built_in_tool_are_those_of_the_table() {
    let mut expected: BTreeMap<&str, &str> = FLAGS.iter().copied().collect();
    assert_eq!(expected.len(), FLAGS.len());
    for tool in builtin::tools() {
        let flags = &tool.flags;
        let letters = [
            (flags.is_for_llm, 'L'),
            (flags.is_recordable, 'R'),
            (flags.is_verification, 'V'),
            (flags.requires_host, 'H'),
            (flags.is_delegating, 'D'),
        ];
        let actual: String = letters.iter().filter(|(on, _)| *on).map(|(_, letter)| *letter).collect();
        assert_eq!(expected.remove(tool.name.as_str()), Some(actual.as_str()), "{}", tool.name);
    }
    assert_eq!(expected, BTreeMap::new());
}

#[test]
fn names_of_the_format_that_come_later_are_known_with_a_reason() {
    let later: Vec<String> = builtin::later().map(|(name, _)| name).collect();
    let expected =
        ["script", "rememberText", "rememberNumber", "rememberWithAi", "assertWithAi", "objectiveStatus"];
    assert_eq!(later, expected);
    assert!(builtin::later().all(|(_, reason)| reason.contains("this version")));
}

#[test]
fn the_default_toolsets_are_those_of_the_format() {
    let sets: BTreeMap<String, bool> =
        builtin::toolsets().into_iter().map(|(_, set)| (set.id, set.always_enabled)).collect();
    let always = ["core_interaction", "meta", "android_framework", "android_primitives", "mobile_primitives"];
    for id in always {
        assert_eq!(sets.get(id), Some(&true), "{id}");
    }
    for id in ["navigation", "verification", "memory", "observation"] {
        assert_eq!(sets.get(id), Some(&false), "{id}");
    }
    assert_eq!(sets.len(), 9);
}
