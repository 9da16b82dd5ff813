//! A [`Service`] as the MCP library sees it.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use trailblaze_engine::host::Cancel;

use super::{Caller, Progress, Service};

/// Serves a service. Clones serve the same one.
#[derive(Clone)]
pub struct Handler {
    service: Arc<dyn Service>,
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Handler({})", self.service.about().name)
    }
}

/// The methods that are answered below.
const METHODS: [&str; 5] =
    ["tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read"];

/// A result of the library's types from what a service said. That it is the whole result is only said to those whose
/// protocol knows other kinds; the library takes it out again for the rest.
pub fn typed<T: DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    if let Value::Object(result) = &mut value {
        result.entry("resultType").or_insert_with(|| "complete".into());
    }
    serde_json::from_value(value)
        .map_err(|error| bug(&format!("an answer is not what the protocol asks for: {error}")))
}

fn bug(message: &str) -> ErrorData {
    ErrorData::internal_error(message.to_owned(), None)
}

/// Whoever stops waiting for a call stops the call.
struct StopOnDrop(Cancel);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Handler {
    pub fn new(service: Arc<dyn Service>) -> Self {
        Self { service }
    }

    /// Runs what blocks on a thread of its own, passes progress on meanwhile, and tells it when nobody waits any more.
    async fn run<T: Send + 'static>(
        &self,
        context: RequestContext<RoleServer>,
        work: impl FnOnce(&dyn Service, &Caller) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let cancel = Cancel::default();
        let _stop = StopOnDrop(cancel.clone());
        let caller = Caller::new(cancel.clone(), move |progress| {
            // Nobody listens any more: so be it.
            let _ = sender.send(progress);
        });
        let service = self.service.clone();
        let token = context.meta.get_progress_token();
        let mut work = tokio::task::spawn_blocking(move || work(service.as_ref(), &caller));
        let done = loop {
            tokio::select! {
                biased;
                Some(progress) = receiver.recv() => tell(&context.peer, token.as_ref(), progress).await,
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                done = &mut work => break done,
            }
        };
        while let Ok(progress) = receiver.try_recv() {
            tell(&context.peer, token.as_ref(), progress).await;
        }
        done.map_err(|_| bug("Trailblaze itself failed; this is a bug"))
    }
}

/// Only those who asked are told.
async fn tell(peer: &Peer<RoleServer>, token: Option<&ProgressToken>, progress: Progress) {
    let Some(token) = token else { return };
    let mut params =
        ProgressNotificationParam::new(token.clone(), progress.done).with_message(progress.message);
    params.total = progress.total;
    // A client that is gone will not miss it.
    let _ = peer.notify_progress(params).await;
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = self.service.about();
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let mut implementation = Implementation::new(about.name, about.version);
        implementation.title = Some(about.title);
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(about.instructions)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    /// Asked for the headers that repeat arguments.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.service.tools().into_iter().find(|tool| tool["name"] == name)?;
        serde_json::from_value(tool).ok()
    }

    /// What the library could not read: a method that nobody knows, or one of ours with parameters that it does not take.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match METHODS.contains(&method.as_str()) {
            true => ErrorData::invalid_params(
                format!("the parameters of '{method}' are of the wrong types"),
                None,
            ),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method '{method}'"), None),
        })
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        typed(json!({ "tools": self.service.tools() }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, args) = (request.name.into_owned(), request.arguments.unwrap_or_default());
        let called = name.clone();
        let result = self.run(context, move |service, caller| service.call(&name, args, caller)).await?;
        let result =
            result.ok_or_else(|| ErrorData::invalid_params(format!("unknown tool '{called}'"), None))?;
        typed::<CallToolResult>(result).map(CallToolResponse::Complete)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.run(context, |service, _| service.resources()).await?;
        typed(json!({ "resources": resources }))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        typed(json!({ "resourceTemplates": self.service.templates() }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.to_string();
        let asked = uri.clone();
        let read = self.run(context, move |service, caller| service.read(&uri, caller)).await?;
        let error = |code, message| ErrorData::new(code, message, Some(json!({ "uri": asked })));
        let result = read
            .map_err(|message| error(ErrorCode::INTERNAL_ERROR, message))?
            .ok_or_else(|| error(ErrorCode::RESOURCE_NOT_FOUND, format!("there is no resource '{asked}'")))?;
        typed::<ReadResourceResult>(result).map(ReadResourceResponse::Complete)
    }
}
