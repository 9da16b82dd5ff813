//! The part of the fixture that any service could be: tools that answer, and resources.

use std::time::Duration;

use serde_json::{Map, Value, json};
use trailblaze_mcp::server::{About, Caller, Service, answer};

use crate::offer;

/// A picture of one red point.
pub(crate) const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// A sound of no length.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct Plain;

fn image() -> Value {
    json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" })
}

fn resource(uri: &str, mime_type: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": text } })
}

impl Service for Plain {
    fn about(&self) -> About {
        About {
            name: "trailblaze-conformance".to_owned(),
            title: "Trailblaze, conformance".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: "For the conformance suite".to_owned(),
        }
    }

    fn tools(&self) -> Vec<Value> {
        offer::tools()
    }

    fn call(&self, name: &str, args: Map<String, Value>, caller: &Caller) -> Option<Value> {
        let content = match name {
            "test_simple_text" => vec![answer::text("This is a simple text response for testing.")],
            "test_image_content" => vec![image()],
            "test_audio_content" => vec![json!({ "type": "audio", "data": SOUND, "mimeType": "audio/wav" })],
            "test_embedded_resource" => vec![resource(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content.",
            )],
            "test_multiple_content_types" => vec![
                answer::text("Multiple content types test:"),
                image(),
                resource(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#,
                ),
            ],
            "test_error_handling" => {
                return Some(answer::error("This tool intentionally returns an error for testing"));
            }
            "test_tool_with_progress" => {
                for done in [0.0, 50.0, 100.0] {
                    caller.progress(done, Some(100.0), "on its way");
                    std::thread::sleep(PAUSE);
                }
                vec![answer::text("done")]
            }
            "test_reconnection" => {
                std::thread::sleep(PAUSE);
                vec![answer::text("done")]
            }
            "json_schema_2020_12_tool" | "test_header" => vec![answer::text(Value::Object(args).to_string())],
            _ => return None,
        };
        Some(answer::result(content))
    }

    fn resources(&self) -> Vec<Value> {
        let resource = |uri: &str, name: &str, mime_type: &str| json!({ "uri": uri, "name": name, "description": format!("The {name}"), "mimeType": mime_type });
        vec![
            resource("test://static-text", "text that never changes", "text/plain"),
            resource("test://static-binary", "picture that never changes", "image/png"),
            resource("test://watched-resource", "text that can be watched", "text/plain"),
        ]
    }

    fn templates(&self) -> Vec<Value> {
        vec![json!({
            "uriTemplate": "test://template/{id}/data", "name": "data by id", "description": "The data of an id",
            "mimeType": "application/json",
        })]
    }

    fn read(&self, uri: &str, _caller: &Caller) -> Result<Option<Value>, String> {
        let id = || uri.strip_prefix("test://template/")?.strip_suffix("/data");
        Ok(match uri {
            "test://static-text" => Some(answer::text_resource(
                uri,
                "text/plain",
                "This is the content of the static text resource.",
            )),
            "test://static-binary" => {
                Some(json!({ "contents": [{ "uri": uri, "mimeType": "image/png", "blob": PICTURE }] }))
            }
            "test://watched-resource" => {
                Some(answer::text_resource(uri, "text/plain", "This can be watched."))
            }
            _ => id().map(|id| {
                let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                answer::text_resource(uri, "application/json", data.to_string())
            }),
        })
    }
}
