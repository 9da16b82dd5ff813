//! What a server is told with every call besides its arguments.

use serde_json::{Map, Value, json};
use trailblaze_model::driver::AgentMode;

use crate::dispatch::Context;

/// The argument that joins those of every call.
pub(super) const CONTEXT: &str = "_trailblazeContext";

/// The parameters of `tools/call`. The reserved key joins the arguments after they were validated, so that a strict
/// schema holds.
pub(super) fn call(mut args: Map<String, Value>, context: &Context<'_>, runtime: AgentMode) -> Value {
    let session = context.session;
    let info = session.device().info();
    let memory = Value::Object(session.memory.plain().map(|(name, text)| (name, text.into())).collect());
    let platform = info.driver.platform();
    let device = json!({
        "platform": platform.wire(),
        "widthPixels": info.width,
        "heightPixels": info.height,
        "driverType": info.driver.key(),
    });
    args.insert(CONTEXT.into(), json!({ "memory": memory, "device": device }));
    let invocation = format!("{}-{}", session.options.id, context.number());
    json!({
        "name": context.call.name,
        "arguments": args,
        "_meta": {
            "trailblazeInvocationId": invocation,
            "trailblaze": {
                "sessionId": session.options.id,
                "invocationId": invocation,
                "device": {
                    "id": info.id,
                    "platform": platform.key(),
                    "widthPixels": info.width,
                    "heightPixels": info.height,
                    "width": info.width,
                    "height": info.height,
                    "driverType": info.driver.key(),
                },
                "memory": memory,
                "capabilities": { "sampling": false },
                "runtime": runtime_key(runtime),
            },
        },
    })
}

fn runtime_key(runtime: AgentMode) -> &'static str {
    match runtime {
        AgentMode::Host => "host",
        AgentMode::OnDevice => "ondevice",
    }
}
