//! What each method returns. Most run a tool, and differ only in how its answer becomes their message: that is known by
//! the message they return.

use serde_json::{Map, Value, json};

use crate::backend::{Backend, Call, Device, Group, Routing};
use crate::contract::{Method, PACKAGE};
use crate::refusal::{Refusal, ToolFailure};

/// Makes the message that a method returns, in the JSON of protobuf.
type Reply = fn(&Wish<'_>) -> Result<Value, Refusal>;

/// One call of a method.
struct Wish<'a> {
    backend: &'a dyn Backend,
    call: &'a Call,
    method: &'a Method,
    /// Without the routing.
    args: Map<String, Value>,
}

/// By what is returned. A method that returns something else is not served, and a test fails.
const REPLIES: &[(&str, Reply)] = &[
    ("ActionResult", action),
    ("ShellResult", shell),
    ("IsVisibleResponse", value),
    ("HasTextResponse", value),
    ("GetElementTextResponse", value),
    ("GetElementCountResponse", value),
    ("EvaluateJsResponse", value),
    ("ScreenState", screen),
    ("CallToolResponse", any_tool),
    ("GetMemoryResponse", get_memory),
    ("SetMemoryResponse", set_memory),
    ("ListMemoryResponse", list_memory),
    ("ListDevicesResponse", devices),
    ("GetDesktopStatusResponse", desktop_status),
    ("TrailblazeToolRegistry", registry),
];

/// Arguments that the document of the contract calls otherwise than the tool does.
const RENAMED: &[(&str, &str, &str)] =
    &[("launchApp", "packageId", "appId"), ("stopApp", "packageId", "appId")];

fn reply(method: &Method) -> Option<Reply> {
    let short = method.returns.strip_prefix(PACKAGE)?.strip_prefix('.')?;
    REPLIES.iter().find(|(name, _)| *name == short).map(|(_, reply)| *reply)
}

/// The group of a service; none for the commands that every device has.
fn group(method: &Method) -> Option<Group> {
    let service = method.service.rsplit('.').next();
    [Group::Maestro, Group::Playwright, Group::Desktop]
        .into_iter()
        .find(|group| Some(group.service()) == service)
}

/// Takes the routing out of a request.
pub(crate) fn routing(request: &mut Map<String, Value>) -> Routing {
    let mut take = |key: &str| match request.shift_remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    Routing {
        device_id: take("deviceId"),
        session_id: take("sessionId"),
        invocation_id: take("invocationId"),
    }
}

/// Answers a call.
pub(crate) fn make(
    backend: &dyn Backend,
    call: &Call,
    method: &Method,
    mut args: Map<String, Value>,
) -> Result<Value, Refusal> {
    let reply =
        reply(method).ok_or_else(|| Refusal::Internal(format!("nobody makes a {}", method.returns)))?;
    for (tool, theirs, ours) in RENAMED {
        if *tool == method.tool
            && let Some(value) = args.shift_remove(*theirs)
        {
            args.insert((*ours).to_owned(), value);
        }
    }
    if let Some(group) = group(method)
        && group != Group::Desktop
        && !backend.groups(call)?.contains(&group)
    {
        return Err(Refusal::Unsupported(group));
    }
    reply(&Wish { backend, call, method, args })
}

impl Wish<'_> {
    /// The answer of the tool with the method's name.
    fn run(&self) -> Result<Value, Refusal> {
        let mut answer = self.backend.run(self.call, &self.method.tool, self.args.clone())?;
        if answer["kind"] == "MissingRequiredArgs" {
            for (_, theirs, ours) in RENAMED.iter().filter(|(tool, ..)| *tool == self.method.tool) {
                let message = answer["errorMessage"].as_str().unwrap_or_default();
                answer["errorMessage"] = message.replace(&format!("'{ours}'"), &format!("'{theirs}'")).into();
            }
        }
        Ok(answer)
    }

    /// The same, for methods that have no place for a failure in what they return.
    fn ask(&self) -> Result<Value, Refusal> {
        let answer = self.run()?;
        if answer["success"] == true { Ok(answer) } else { Err(Refusal::Failed(ToolFailure::of(&answer))) }
    }

    /// A text that the request must have.
    fn text(&self, key: &str) -> Result<&str, Refusal> {
        self.args.get(key).and_then(Value::as_str).ok_or_else(|| {
            let message = format!("'{}' needs '{key}'", self.method.tool);
            Refusal::Failed(ToolFailure {
                kind: "MissingRequiredArgs".to_owned(),
                message,
                ..ToolFailure::default()
            })
        })
    }
}

fn action(wish: &Wish<'_>) -> Result<Value, Refusal> {
    Ok(result(&wish.run()?, "message"))
}

fn shell(wish: &Wish<'_>) -> Result<Value, Refusal> {
    Ok(result(&wish.run()?, "output"))
}

/// Whether it went well, what was said, and why not.
fn result(answer: &Value, text: &str) -> Value {
    if answer["success"] == true {
        return json!({ "success": true, text: answer["textContent"].as_str().unwrap_or_default() });
    }
    json!({ "success": false, "failure": ToolFailure::of(answer).to_json() })
}

fn value(wish: &Wish<'_>) -> Result<Value, Refusal> {
    let mut answer = wish.ask()?;
    Ok(json!({ "value": answer["structuredContent"]["value"].take() }))
}

fn screen(wish: &Wish<'_>) -> Result<Value, Refusal> {
    let answer = wish.ask()?;
    let screen = &answer["structuredContent"];
    let node = |node: &Value| {
        let bounds = match node["bounds"].as_array().map(Vec::as_slice) {
            Some([left, top, right, bottom]) => {
                json!({ "left": left, "top": top, "right": right, "bottom": bottom })
            }
            _ => Value::Null,
        };
        json!({ "text": node["text"], "id": node["id"], "bounds": bounds })
    };
    let nodes: Vec<Value> = screen["nodes"].as_array().into_iter().flatten().map(node).collect();
    Ok(json!({
        "width": screen["width"], "height": screen["height"], "nodes": nodes, "text": answer["textContent"],
    }))
}

fn any_tool(wish: &Wish<'_>) -> Result<Value, Refusal> {
    let args = match wish.args.get("arguments") {
        Some(Value::Object(args)) => args.clone(),
        _ => Map::new(),
    };
    let mut answer = wish.backend.run(wish.call, wish.text("name")?, args)?;
    let mut made = result(&answer, "message");
    if let Some(structured) = answer.get_mut("structuredContent") {
        made["structuredContent"] = structured.take();
    }
    Ok(made)
}

fn get_memory(wish: &Wish<'_>) -> Result<Value, Refusal> {
    let key = wish.text("key")?;
    let mut memory = wish.backend.memory(wish.call)?;
    Ok(json!({ "value": memory.remove(key) }))
}

fn set_memory(wish: &Wish<'_>) -> Result<Value, Refusal> {
    wish.backend.remember(wish.call, wish.text("key")?, wish.text("value")?)?;
    Ok(json!({}))
}

fn list_memory(wish: &Wish<'_>) -> Result<Value, Refusal> {
    Ok(json!({ "entries": wish.backend.memory(wish.call)? }))
}

fn devices(wish: &Wish<'_>) -> Result<Value, Refusal> {
    let device = |device: Device| {
        let Device { id, platform, driver, width, height, session_id, groups } = device;
        let groups: Vec<&str> = groups.into_iter().map(Group::name).collect();
        json!({
            "id": id, "platform": platform, "driver": driver, "width": width, "height": height,
            "sessionId": session_id, "groups": groups,
        })
    };
    let devices: Vec<Value> = wish.backend.devices(wish.call)?.into_iter().map(device).collect();
    Ok(json!({ "devices": devices }))
}

fn desktop_status(wish: &Wish<'_>) -> Result<Value, Refusal> {
    if wish.backend.groups(wish.call)?.contains(&Group::Desktop) {
        return Ok(json!({ "available": true }));
    }
    Ok(json!({ "available": false, "reason": "no version drives desktop apps yet" }))
}

fn registry(wish: &Wish<'_>) -> Result<Value, Refusal> {
    wish.backend.registry(wish.call)
}

#[cfg(test)]
mod tests;
