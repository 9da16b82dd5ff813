//! The contract against the tools: each command has its tool with the same arguments, and each tool is a command or
//! is on the list of those that are called by their name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use buffa_descriptor::{FieldDescriptor, FieldKind, ScalarType, SingularKind};
use connectrpc::MethodKind;
use trailblaze_engine::builtin;

use super::*;
use crate::contract;

const ROUTING: [(u32, &str); 3] = [(4, "device_id"), (5, "session_id"), (6, "invocation_id")];

/// Built-in tools that have no method of their own: `CallTool` runs them.
const ONLY_BY_NAME: &[&str] = &[
    "android_adbShell",
    "android_grantAppOpsPermission",
    "android_grantPermissions",
    "android_sendBroadcast",
    "android_systemUiDemoMode",
    "android_writeBytesToFile",
    "android_writeFileToDownloads",
    "android_writeImageToMediaStore",
    "assertEquals",
    "assertMath",
    "assertNotEquals",
    "assertNotVisibleBySelector",
    "assertVisibleBySelector",
    "assertVisibleWithAccessibilityText",
    "assertVisibleWithResourceId",
    "assertVisibleWithText",
    "assertWaypoint",
    "dragByPoints",
    "dragTo",
    "dumpMemory",
    "exec",
    "findMatches",
    "inputTextRandom",
    "longPress",
    "longPressElementWithAccessibilityText",
    "longPressOnElementWithText",
    "maestro",
    "mobile_clearAppData",
    "mobile_listInstalledApps",
    "mobile_listInstalledAppsDetailed",
    "mobile_maestro",
    "mobile_pasteClipboard",
    "mobile_setClipboard",
    "reloadTools",
    "requestDetailedViewHierarchy",
    "runCommand",
    "runTrail",
    "swipeBetweenElements",
    "swipeWithRelativeCoordinates",
    "takeSnapshot",
    "tapOn",
    "tapOnAccessibilityNode",
    "tapOnElementByNodeId",
    "tapOnElementBySelector",
    "tapOnElementWithAccessibilityText",
    "tapOnElementWithText",
    "tapOnPoint",
    "touchWithFingers",
    "waitForChange",
    "waitUntilNotVisible",
];

/// Notes which tools are run, and has everything.
#[derive(Default)]
struct Notes {
    tools: Mutex<Vec<String>>,
}

impl Backend for Notes {
    fn run(&self, _call: &Call, tool: &str, _args: Map<String, Value>) -> Result<Value, Refusal> {
        self.tools.lock().expect("no test panics here").push(tool.to_owned());
        Ok(json!({ "success": true, "structuredContent": { "value": null } }))
    }

    fn screenshot(&self, _call: &Call) -> Result<Vec<u8>, Refusal> {
        Ok(Vec::new())
    }

    fn memory(&self, _call: &Call) -> Result<BTreeMap<String, String>, Refusal> {
        Ok(BTreeMap::new())
    }

    fn remember(&self, _call: &Call, _name: &str, _text: &str) -> Result<(), Refusal> {
        Ok(())
    }

    fn devices(&self, _call: &Call) -> Result<Vec<Device>, Refusal> {
        Ok(Vec::new())
    }

    fn registry(&self, _call: &Call) -> Result<Value, Refusal> {
        Ok(json!({}))
    }

    fn groups(&self, _call: &Call) -> Result<Vec<Group>, Refusal> {
        Ok(vec![Group::Maestro, Group::Playwright])
    }
}

fn own_methods() -> impl Iterator<Item = &'static Method> {
    contract::get().methods().filter(|method| method.service.starts_with(PACKAGE))
}

/// The methods that run the tool with their name.
fn commands() -> Vec<&'static Method> {
    let runs_its_tool = |method: &&Method| {
        let notes = Notes::default();
        let _ = make(&notes, &Call::default(), method, Map::new());
        notes.tools.into_inner().expect("no test panics here") == [method.tool.clone()]
    };
    own_methods().filter(|method| method.kind == MethodKind::Unary).filter(runs_its_tool).collect()
}

#[test]
fn somebody_answers_every_method() {
    for method in own_methods().filter(|method| method.kind == MethodKind::Unary) {
        let made = make(&Notes::default(), &Call::default(), method, Map::new());
        assert!(!matches!(made, Err(Refusal::Internal(_))), "{}: {made:?}", method.name);
        if let Ok(made) = made {
            let written = contract::get().write(method.output, &made, connectrpc::CodecFormat::Proto);
            assert!(written.is_ok(), "{}: {written:?}", method.name);
        }
    }
    let streams: Vec<&str> =
        own_methods().filter(|m| m.kind != MethodKind::Unary).map(|m| m.name.as_str()).collect();
    assert_eq!(streams, ["TakeScreenshot"]);
}

#[test]
fn every_request_has_the_routing_under_the_same_numbers() {
    for method in own_methods() {
        let request = contract::get().pool().message(method.input);
        for (number, name) in ROUTING {
            let field = request.field(number).map(|field| (field.name(), field.kind()));
            let wanted = FieldKind::Singular(SingularKind::Scalar(ScalarType::String));
            assert_eq!(field, Some((name, wanted)), "{}", request.full_name());
        }
    }
}

#[test]
fn every_command_has_a_tool_with_the_same_arguments() {
    let tools = builtin::tools();
    let mut problems = Vec::new();
    for method in commands().into_iter().filter(|method| group(method) != Some(Group::Playwright)) {
        let name = &method.tool;
        let Some(tool) = tools.iter().find(|tool| tool.name == *name) else {
            problems.push(format!("there is no tool '{name}'"));
            continue;
        };
        let renamed = |theirs: &str| {
            let found = RENAMED.iter().find(|(tool, from, _)| tool == name && *from == theirs);
            found.map_or(theirs, |(_, _, ours)| ours).to_owned()
        };
        let properties = tool.schema["properties"].as_object().cloned().unwrap_or_default();
        let request = contract::get().pool().message(method.input);
        let arguments =
            request.fields().iter().filter(|field| !ROUTING.iter().any(|(n, _)| *n == field.number()));
        let arguments: BTreeMap<String, &FieldDescriptor> =
            arguments.map(|field| (renamed(field.json_name()), field)).collect();
        for (argument, field) in &arguments {
            match properties.get(argument) {
                None => problems.push(format!("the tool '{name}' has no '{argument}'")),
                Some(schema) => {
                    problems.extend(misfit(field, schema).map(|why| format!("{name}.{argument}: {why}")))
                }
            }
        }
        let missing = properties.keys().filter(|property| !arguments.contains_key(*property));
        problems.extend(missing.map(|property| format!("the request of '{name}' has no '{property}'")));
    }
    assert_eq!(problems, Vec::<String>::new());
}

/// Why a field cannot hold what a schema wants.
fn misfit(field: &FieldDescriptor, schema: &Value) -> Option<String> {
    let FieldKind::Singular(kind) = field.kind() else { return Some("it is repeated".to_owned()) };
    let types = |schema: &Value| match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(one) => vec![one.clone()],
        _ => vec!["string".to_owned()],
    };
    let wanted = match kind {
        SingularKind::Scalar(ScalarType::String) | SingularKind::Enum(_) => "string",
        SingularKind::Scalar(ScalarType::Bool) => "boolean",
        SingularKind::Scalar(ScalarType::Int32 | ScalarType::Uint32) => "integer",
        SingularKind::Scalar(ScalarType::Double) => "number",
        SingularKind::Message(_) => "object",
        SingularKind::Scalar(other) => return Some(format!("no argument is a {other:?}")),
    };
    if !types(schema).iter().any(|known| known == wanted) {
        return Some(format!("the field is for '{wanted}', the schema says {}", schema["type"]));
    }
    if let SingularKind::Enum(index) = kind {
        let values = contract::get().pool().enumeration(index).values();
        let ours: BTreeSet<&str> = values.iter().filter(|v| v.number() != 0).map(|v| v.name()).collect();
        let choices = schema["enum"].as_array().map(|all| all.iter().filter_map(Value::as_str).collect());
        let consts = || {
            let all = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().filter_map(|one| one["const"].as_str()).collect()
        };
        let theirs: BTreeSet<&str> = choices.unwrap_or_else(consts);
        return (ours != theirs).then(|| format!("{ours:?} are not {theirs:?}"));
    }
    None
}

#[test]
fn every_tool_is_a_command_or_called_by_its_name() {
    let commands: BTreeSet<&str> = commands().into_iter().map(|method| method.tool.as_str()).collect();
    let tools: BTreeSet<String> = builtin::tools().into_iter().map(|tool| tool.name).collect();
    let without: Vec<&str> =
        tools.iter().map(String::as_str).filter(|tool| !commands.contains(tool)).collect();
    assert_eq!(without, ONLY_BY_NAME);
}
