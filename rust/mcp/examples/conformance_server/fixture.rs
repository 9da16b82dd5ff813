//! The handler: what any service has, and what only the suite asks for.

#![expect(
    deprecated,
    reason = "the older protocol, which the suite asks for too, has what the newer one gave up"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientResult,
    CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InputRequiredResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use trailblaze_mcp::server::handler::typed;
use trailblaze_mcp::server::{Handler, answer};

use crate::asks::{self, Said};
use crate::offer;
use crate::plain::{PICTURE, Plain};

type Context = RequestContext<RoleServer>;

/// Which list changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    Tools,
    Prompts,
}

#[derive(Clone, Debug)]
pub(crate) struct Fixture {
    plain: Handler,
    changes: broadcast::Sender<Changed>,
}

fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

/// What the client declared, in the request itself or when it began.
fn capabilities(context: &Context) -> Value {
    json!(context.client_capabilities().unwrap_or_default())
}

fn text(args: &JsonObject, key: &str) -> String {
    args.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Three lines of a log, with pauses.
async fn log(context: &Context) {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let params = json!({ "level": "info", "logger": "conformance", "data": line });
        let notification = json!({ "method": "notifications/message", "params": params });
        if let Ok(notification) = serde_json::from_value(notification) {
            let _ = context.peer.send_notification(notification).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Asks the client something, as servers of the older protocol do.
async fn request(context: &Context, request: Value) -> Result<ClientResult, String> {
    let request = serde_json::from_value(request).map_err(|error| error.to_string())?;
    context.peer.send_request(request).await.map_err(|error| error.to_string())
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self { plain: Handler::new(Arc::new(Plain)), changes: broadcast::channel(16).0 }
    }

    /// Tools that need more than arguments; none when it is not one of these.
    async fn special(
        &self,
        name: &str,
        args: &JsonObject,
        context: &Context,
    ) -> Option<Result<Value, ErrorData>> {
        let done = |text: String| Ok(answer::result(vec![answer::text(text)]));
        let can = |what: &str| capabilities(context).get(what).is_some();
        let needs = |needed: ClientCapabilities| Err(ErrorData::missing_required_client_capability(needed));
        Some(match name {
            "test_tool_with_logging" => {
                log(context).await;
                done("done".to_owned())
            }
            "test_logging_tool" => {
                if context.meta.log_level().is_some() {
                    log(context).await;
                }
                done("done".to_owned())
            }
            "test_missing_capability" if !can("sampling") => {
                return Some(typed(json!({ "sampling": {} })).and_then(needs));
            }
            "test_missing_capability" => done("done".to_owned()),
            "test_streaming_elicitation" if !can("elicitation") => {
                return Some(typed(json!({ "elicitation": {} })).and_then(needs));
            }
            "test_trigger_tool_change" | "test_trigger_prompt_change" => {
                let changed = if name.contains("tool_change") { Changed::Tools } else { Changed::Prompts };
                // Nobody may be listening.
                let _ = self.changes.send(changed);
                done("done".to_owned())
            }
            "test_sampling" => {
                let message = json!({ "role": "user", "content": answer::text(text(args, "prompt")) });
                let params = json!({ "messages": [message], "maxTokens": 100 });
                let asked =
                    request(context, json!({ "method": "sampling/createMessage", "params": params })).await;
                match asked.map(|result| json!(result)) {
                    Ok(said) => done(format!(
                        "LLM response: {}",
                        said["content"]["text"].as_str().unwrap_or_default()
                    )),
                    Err(error) => Ok(answer::error(&error)),
                }
            }
            "test_elicitation" | "test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums" => {
                let message = args.get("message").and_then(Value::as_str).unwrap_or("Please fill this in");
                let params =
                    json!({ "mode": "form", "message": message, "requestedSchema": offer::form(name) });
                let asked =
                    request(context, json!({ "method": "elicitation/create", "params": params })).await;
                let verb = if name == "test_elicitation" { "User response" } else { "Elicitation completed" };
                match asked.map(|result| json!(result)) {
                    Ok(said) => {
                        let action = said["action"].as_str().unwrap_or_default();
                        done(format!("{verb}: action={action}, content={}", said["content"]))
                    }
                    Err(error) => Ok(answer::error(&error)),
                }
            }
            _ => return None,
        })
    }
}

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": { "listChanged": true },
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "completions": {},
            "logging": {},
        });
        let mut info = self.plain.get_info();
        info.capabilities =
            serde_json::from_value::<ServerCapabilities>(capabilities).expect("these are capabilities");
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.plain.get_tool(name)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        self.plain.list_tools(request, context).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = request.arguments.clone().unwrap_or_default();
        if let Some(result) = self.special(&request.name, &args, &context).await {
            return typed::<CallToolResult>(result?).map(CallToolResponse::Complete);
        }
        let answers = request.input_responses.clone().unwrap_or_default();
        let can = capabilities(&context);
        let said = Said { answers: &answers, state: request.request_state.as_deref(), can: &can };
        match asks::tool(&request.name, &said) {
            None => self.plain.call_tool(request, context).await,
            Some(Err(message)) => Err(invalid(message)),
            Some(Ok(result)) if result["resultType"] == "input_required" => {
                typed::<InputRequiredResult>(result).map(CallToolResponse::InputRequired)
            }
            Some(Ok(result)) => typed::<CallToolResult>(result).map(CallToolResponse::Complete),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.plain.list_resources(request, context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.plain.list_resource_templates(request, context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.plain.read_resource(request, context).await
    }

    async fn subscribe(&self, _request: SubscribeRequestParams, _context: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(&self, _request: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        // The newer protocol says with each request what it wants to hear.
        match context.meta.protocol_version() {
            Some(_) => Err(ErrorData::method_not_found::<rmcp::model::SetLevelRequestMethod>()),
            None => Ok(()),
        }
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        typed(json!({ "completion": { "values": ["paris", "park", "party"], "total": 3, "hasMore": false } }))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        typed(json!({ "prompts": offer::prompts() }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let args = request.arguments.clone().unwrap_or_default();
        let contents = match request.name.as_str() {
            "test_simple_prompt" => vec![answer::text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => {
                let (first, second) = (text(&args, "arg1"), text(&args, "arg2"));
                vec![answer::text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
            }
            "test_prompt_with_embedded_resource" => {
                let resource = json!({
                    "uri": text(&args, "resourceUri"), "mimeType": "text/plain",
                    "text": "Embedded resource content for testing.",
                });
                vec![
                    json!({ "type": "resource", "resource": resource }),
                    answer::text("Please process the embedded resource above."),
                ]
            }
            "test_prompt_with_image" => vec![
                json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" }),
                answer::text("Please analyze the image above."),
            ],
            "test_input_required_result_prompt" => {
                let answers: BTreeMap<String, Value> = request.input_responses.unwrap_or_default();
                let can = capabilities(&context);
                let said = Said { answers: &answers, state: None, can: &can };
                let result = asks::prompt(&said);
                return match result["resultType"] == "input_required" {
                    true => typed::<InputRequiredResult>(result).map(GetPromptResponse::InputRequired),
                    false => typed::<GetPromptResult>(result).map(GetPromptResponse::Complete),
                };
            }
            other => return Err(invalid(format!("unknown prompt '{other}'"))),
        };
        let messages: Vec<Value> =
            contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
        typed::<GetPromptResult>(json!({ "messages": messages })).map(GetPromptResponse::Complete)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.subscribe();
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.recv() => changed,
            };
            // What was not asked for is refused by the sink, which is the point of it.
            let _ = match changed {
                Ok(Changed::Tools) => context.sink().notify_tool_list_changed().await,
                Ok(Changed::Prompts) => context.sink().notify_prompt_list_changed().await,
                Err(_) => return Ok(()),
            };
        }
    }
}
