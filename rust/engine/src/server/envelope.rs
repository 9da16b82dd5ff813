//! What a server is told with every call besides its arguments.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use trailblaze_model::driver::AgentMode;

use crate::dispatch::Context;

/// The argument that joins those of every call.
pub const CONTEXT: &str = "_trailblazeContext";

/// One `tools/call` on its way to a server.
#[derive(Clone, Debug)]
pub struct Call {
    pub tool: String,
    pub session: String,
    /// What the calls that the tool makes itself name. A server that others could speak for gets one that cannot be
    /// guessed.
    pub invocation: String,
    /// Where such calls go to, from a server that is not in this process.
    pub base_url: Option<String>,
    /// The arguments as a JSON object.
    pub arguments: String,
    /// `_trailblazeContext` as JSON, unless the server does not take it.
    context: Option<String>,
    /// What `_meta.trailblaze` says of the session, as JSON.
    about: String,
}

impl Call {
    pub(super) fn new(args: &Map<String, Value>, context: &Context<'_>, runtime: AgentMode) -> Self {
        let session = context.session;
        let memory = &session.memory.plain().collect();
        let info = session.device().info();
        let (width, height) = (info.width, info.height);
        let driver = info.driver.key();
        let platform = info.driver.platform();
        let device = ContextDevice {
            platform: platform.wire(),
            width_pixels: width,
            height_pixels: height,
            driver_type: driver,
        };
        let about = About {
            device: MetaDevice {
                id: &info.id,
                platform: platform.key(),
                width_pixels: width,
                height_pixels: height,
                width,
                height,
                driver_type: driver,
            },
            memory,
            capabilities: Capabilities { sampling: false },
            runtime: runtime_key(runtime),
        };
        Self {
            tool: context.call.name.clone(),
            session: session.options.id.clone(),
            invocation: format!("{}-{}", session.options.id, context.number()),
            base_url: None,
            arguments: json(args),
            context: Some(json(&LegacyContext { memory, device })),
            about: json(&about),
        }
    }

    /// A call that no session makes.
    pub fn outside(tool: &str, args: &Map<String, Value>) -> Self {
        Self {
            tool: tool.to_owned(),
            session: String::new(),
            invocation: String::new(),
            base_url: None,
            arguments: json(args),
            context: None,
            about: "{}".to_owned(),
        }
    }

    /// For a server that takes no arguments but those of its schema; `_meta` has the same.
    pub fn leave_out_context(&mut self) {
        self.context = None;
    }

    /// The parameters of `tools/call`. The reserved key joins the arguments after they were validated, so that a strict
    /// schema holds. `meta` are more entries of `_meta`, each with a comma behind it.
    pub fn params(&self, meta: &str) -> String {
        let (tool, invocation) = (json(&self.tool), json(&self.invocation));
        let context = self.context.as_ref().map(|context| format!(r#"{{"{CONTEXT}":{context}}}"#));
        let arguments = joined(&self.arguments, context.as_deref().unwrap_or("{}"));
        let trailblaze = self.trailblaze();
        format!(
            r#"{{"name":{tool},"arguments":{arguments},"_meta":{{{meta}"trailblazeInvocationId":{invocation},"trailblaze":{trailblaze}}}}}"#
        )
    }

    /// The same without what Trailblaze adds, for a server that takes [`Self::trailblaze`] beside it.
    pub fn brief_params(&self) -> String {
        let (tool, invocation) = (json(&self.tool), json(&self.invocation));
        let arguments = &self.arguments;
        format!(
            r#"{{"name":{tool},"arguments":{arguments},"_meta":{{"trailblazeInvocationId":{invocation}}}}}"#
        )
    }

    /// `_meta.trailblaze` as JSON.
    pub fn trailblaze(&self) -> String {
        let base_url = match &self.base_url {
            Some(url) => format!(r#""baseUrl":{},"#, json(url)),
            None => String::new(),
        };
        let (session, invocation) = (json(&self.session), json(&self.invocation));
        let ids = format!(r#"{{{base_url}"sessionId":{session},"invocationId":{invocation}}}"#);
        joined(&ids, &self.about)
    }
}

/// Two JSON objects as one.
fn joined(one: &str, other: &str) -> String {
    match (one, other) {
        ("{}", object) | (object, "{}") => object.to_owned(),
        _ => format!("{},{}", &one[..one.len() - 1], &other[1..]),
    }
}

type Memory = BTreeMap<String, String>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextDevice {
    platform: &'static str,
    width_pixels: i32,
    height_pixels: i32,
    driver_type: &'static str,
}

#[derive(Serialize)]
struct LegacyContext<'a> {
    memory: &'a Memory,
    device: ContextDevice,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MetaDevice<'a> {
    id: &'a str,
    platform: &'static str,
    width_pixels: i32,
    height_pixels: i32,
    width: i32,
    height: i32,
    driver_type: &'static str,
}

#[derive(Serialize)]
struct Capabilities {
    sampling: bool,
}

#[derive(Serialize)]
struct About<'a> {
    device: MetaDevice<'a>,
    memory: &'a Memory,
    capabilities: Capabilities,
    runtime: &'static str,
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON")
}

fn runtime_key(runtime: AgentMode) -> &'static str {
    match runtime {
        AgentMode::Host => "host",
        AgentMode::OnDevice => "ondevice",
    }
}
