//! What a server is told with every call besides its arguments.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::order;

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
    /// What it is told of the session; nothing when no session calls.
    about: Option<About>,
    /// Whether `_trailblazeContext` joins the arguments.
    has_context: bool,
}

/// A session as a server sees it.
#[derive(Clone, Debug)]
struct About {
    id: String,
    driver: Driver,
    width: i32,
    height: i32,
    memory: BTreeMap<String, String>,
    runtime: AgentMode,
}

impl Call {
    pub(super) fn new(args: &Map<String, Value>, context: &Context<'_>, runtime: AgentMode) -> Self {
        let session = context.session;
        let info = session.device().info();
        let about = About {
            id: info.id.clone(),
            driver: info.driver,
            width: info.width,
            height: info.height,
            memory: order::map(session.memory.plain()),
            runtime,
        };
        Self {
            tool: context.call.name.clone(),
            session: session.options.id.clone(),
            invocation: format!("{}-{}", session.options.id, context.number()),
            base_url: None,
            arguments: json(args),
            about: Some(about),
            has_context: true,
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
            about: None,
            has_context: false,
        }
    }

    /// For a server that takes no arguments but those of its schema; `_meta` has the same.
    pub fn leave_out_context(&mut self) {
        self.has_context = false;
    }

    /// The parameters of `tools/call`. The reserved key joins the arguments after they were validated, so that a strict
    /// schema holds. `meta` are more entries of `_meta`, each with a comma behind it.
    pub fn params(&self, meta: &str) -> String {
        let (tool, invocation) = (json(&self.tool), json(&self.invocation));
        let context = self.about.as_ref().filter(|_| self.has_context).map(About::context);
        let arguments = joined(&self.arguments, context.as_deref().unwrap_or("{}"));
        let trailblaze = self.trailblaze();
        format!(
            r#"{{"name":{tool},"arguments":{arguments},"_meta":{{{meta}"trailblazeInvocationId":{invocation},"trailblaze":{trailblaze}}}}}"#
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
        joined(&ids, self.about.as_ref().map(About::meta).as_deref().unwrap_or("{}"))
    }
}

/// Two JSON objects as one.
fn joined(one: &str, other: &str) -> String {
    match (one, other) {
        ("{}", object) | (object, "{}") => object.to_owned(),
        _ => format!("{},{}", &one[..one.len() - 1], &other[1..]),
    }
}

impl About {
    /// The reserved argument.
    fn context(&self) -> String {
        let device = ContextDevice {
            platform: self.driver.platform().wire(),
            width_pixels: self.width,
            height_pixels: self.height,
            driver_type: self.driver.key(),
        };
        let context = json(&Legacy { memory: &self.memory, device });
        format!(r#"{{"{CONTEXT}":{context}}}"#)
    }

    fn meta(&self) -> String {
        let device = MetaDevice {
            id: &self.id,
            platform: self.driver.platform().key(),
            width_pixels: self.width,
            height_pixels: self.height,
            width: self.width,
            height: self.height,
            driver_type: self.driver.key(),
        };
        let capabilities = Capabilities { sampling: false };
        json(&Meta { device, memory: &self.memory, capabilities, runtime: runtime_key(self.runtime) })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextDevice {
    platform: &'static str,
    width_pixels: i32,
    height_pixels: i32,
    driver_type: &'static str,
}

#[derive(Serialize)]
struct Legacy<'a> {
    memory: &'a BTreeMap<String, String>,
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
struct Meta<'a> {
    device: MetaDevice<'a>,
    memory: &'a BTreeMap<String, String>,
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
