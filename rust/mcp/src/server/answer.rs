//! Results in the JSON of the protocol.

use serde_json::{Value, json};
use trailblaze_model::base64;
use trailblaze_model::failure::Failure;

/// A block of text.
pub fn text(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

/// A picture.
pub fn image(mime_type: &str, bytes: &[u8]) -> Value {
    json!({ "type": "image", "data": base64::encode(bytes), "mimeType": mime_type })
}

/// What a call that went well gives.
pub fn result(content: Vec<Value>) -> Value {
    json!({ "content": content, "isError": false })
}

/// The same with values for programs.
pub fn structured(content: Vec<Value>, structured: Value) -> Value {
    json!({ "content": content, "structuredContent": structured, "isError": false })
}

/// What a call that went wrong gives. The kind and what it is called on older wires stand beside the text.
pub fn failure(failure: &Failure) -> Value {
    let mut result = error(&format!("{}: {failure}", failure.kind));
    result["_meta"] = json!({
        "trailblaze": { "variant": failure.kind.variant(), "kind": failure.kind, "hint": failure.hint },
    });
    result
}

/// What a call gives that could not even begin.
pub fn error(message: &str) -> Value {
    json!({ "content": [text(message)], "isError": true })
}

/// The content of a resource that is text.
pub fn text_resource(uri: &str, mime_type: &str, text: impl Into<String>) -> Value {
    json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "text": text.into() }] })
}

/// The content of a resource that is not.
pub fn binary_resource(uri: &str, mime_type: &str, bytes: &[u8]) -> Value {
    json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "blob": base64::encode(bytes) }] })
}

#[cfg(test)]
mod tests {
    use trailblaze_model::failure::{Failure, FailureKind};

    #[test]
    fn a_failure_says_its_kind_and_what_to_do() {
        let failure = Failure::new(FailureKind::NeedsModel, "no model is set").hint("record it");
        insta::assert_snapshot!(super::failure(&failure), @r#"{"content":[{"type":"text","text":"NeedsModel: no model is set\nhint: record it"}],"isError":true,"_meta":{"trailblaze":{"variant":"ExceptionThrown","kind":"NeedsModel","hint":"record it"}}}"#);
    }

    #[test]
    fn pictures_and_texts_are_blocks() {
        let content = vec![super::text("a screen"), super::image("image/png", b"\x89PNG")];
        insta::assert_snapshot!(super::structured(content, serde_json::json!({ "nodes": 3 })), @r#"{"content":[{"type":"text","text":"a screen"},{"type":"image","data":"iVBORw==","mimeType":"image/png"}],"structuredContent":{"nodes":3},"isError":false}"#);
        insta::assert_snapshot!(super::text_resource("trailblaze://screen", "text/plain", "hi"), @r#"{"contents":[{"uri":"trailblaze://screen","mimeType":"text/plain","text":"hi"}]}"#);
        insta::assert_snapshot!(super::binary_resource("trailblaze://screen.png", "image/png", b"\x89PNG"), @r#"{"contents":[{"uri":"trailblaze://screen.png","mimeType":"image/png","blob":"iVBORw=="}]}"#);
    }
}
