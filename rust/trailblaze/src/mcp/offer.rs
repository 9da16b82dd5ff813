//! The list of tools. It is a contract: names and arguments are what other programs were set up with.

use serde_json::{Value, json};

/// What a model should know before it calls anything.
const INSTRUCTIONS: &str = "Trailblaze tests mobile apps. 'screen' shows what is on the device: one \
    element per line, [name] in front where an element can be acted on, with what can be done to it (tap, edit, hold, \
    scroll). 'tools' lists what can be done in the app, 'tool' does it; pass a name from the screen as 'ref' to tools \
    that take one. A fresh device shows its home screen: begin with the tool 'launchApp'; 'devices' names the app. The \
    session stays open between calls. 'trail_run' runs saved tests on fresh devices. \
    'trail_record' writes what was done as a test that can be run again.";

/// The same for the device that there is.
pub(super) fn instructions(is_phone: bool) -> String {
    let phone = " The device is a real phone on a cable: what is done on it is done, also to what is on it besides the \
        app. 'trail_run' runs on it, too, so look at the screen again afterwards.";
    if is_phone { format!("{INSTRUCTIONS}{phone}") } else { INSTRUCTIONS.to_owned() }
}

pub(super) fn tools() -> Vec<Value> {
    let device = json!({ "type": "string", "description": "Which device, as 'devices' names it; the workspace's own unless given" });
    let path = json!({ "type": "string", "description": "A trail file, a folder or a glob, relative to the workspace; everything unless given" });
    let texts = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let values = |description: &str| json!({ "type": "object", "additionalProperties": { "type": "string" }, "description": description });
    vec![
        tool("devices", "Lists the devices that can be driven", Effect::Looks, &[], json!({})),
        tool(
            "screen",
            "Shows what is on the screen now: a compact text of all that can be seen and acted on, a picture, or both",
            Effect::Looks,
            &[],
            json!({
                "device": device,
                "format": { "type": "string", "enum": ["text", "image", "both"], "description": "'text' unless given" },
            }),
        ),
        tool(
            "tools",
            "Lists the tools of the app under test, or shows one with its arguments",
            Effect::Looks,
            &[],
            json!({
                "device": device,
                "name": { "type": "string", "description": "Show this one with its arguments" },
                "all": { "type": "boolean", "description": "Also those that are not meant for models" },
            }),
        ),
        tool(
            "tool",
            "Runs one tool on the device",
            Effect::Acts,
            &["name"],
            json!({
                "device": device,
                "name": { "type": "string", "description": "The tool, as 'tools' names it" },
                "arguments": { "type": "object", "description": "Its arguments" },
                "step": { "type": "string", "description": "What this is for, in words; becomes the text of the step when it is recorded" },
                "screen": { "type": "boolean", "description": "Also show the screen afterwards" },
            }),
        ),
        tool(
            "step",
            "Does what a sentence says, with the model that Trailblaze itself is set up with",
            Effect::Acts,
            &["text"],
            json!({
                "device": device,
                "text": { "type": "string", "description": "What to do, or what to check" },
                "verify": { "type": "boolean", "description": "It is a check: nothing may be changed" },
            }),
        ),
        tool(
            "trail_run",
            "Runs trails on fresh devices and says how they ended",
            Effect::Acts,
            &[],
            json!({
                "path": path,
                "tags": texts("Only trails with one of these tags"),
                "filters": texts("Only trails whose id or title contains one of these"),
                "memory": values("Values that are remembered before the first step"),
                "args": values("Values of the arguments that trails declare"),
                "record": { "type": "string", "description": "Write what the one trail did to this file of the workspace" },
            }),
        ),
        tool(
            "trail_check",
            "Checks trails, tools and configuration without a device, and lists the trails",
            Effect::Looks,
            &[],
            json!({ "path": path }),
        ),
        tool(
            "trail_record",
            "Writes what 'tool' did on the device as a trail that can be run again",
            Effect::Adds,
            &["file"],
            json!({
                "device": device,
                "file": { "type": "string", "description": "A new file of the workspace that ends with .trail.yaml" },
                "title": { "type": "string", "description": "What the trail is about" },
                "clear": { "type": "boolean", "description": "Begin a new recording afterwards" },
            }),
        ),
        tool(
            "reload",
            "Reads the workspace again, starts its toolset servers anew, and says which tools came and went",
            Effect::Restarts,
            &[],
            json!({
                "device": device,
                "restart": { "type": "boolean", "description": "Also begin with a fresh device and a new recording" },
            }),
        ),
    ]
}

/// What a tool changes, so that programs know when to ask a person.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing.
    Looks,
    /// Whatever tools of apps and of toolsets do, on the device under test and outside of it.
    Acts,
    /// A new file; nothing is overwritten.
    Adds,
    /// What Trailblaze itself keeps: toolset servers, and on demand the device with what was done on it.
    Restarts,
}

fn tool(name: &str, description: &str, effect: Effect, required: &[&str], properties: Value) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    json!({
        "name": name,
        "description": description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": effect == Effect::Looks,
            "destructiveHint": matches!(effect, Effect::Acts | Effect::Restarts),
            "idempotentHint": matches!(effect, Effect::Looks | Effect::Restarts),
            "openWorldHint": effect == Effect::Acts,
        },
    })
}
