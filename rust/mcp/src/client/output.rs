//! Results against the output schemas that tools declare.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use trailblaze_engine::schema::{Tokens, validate};
use trailblaze_model::failure::{Failure, FailureKind};

/// The output schemas of a server's tools, by name.
#[derive(Debug, Default)]
pub(super) struct Schemas(Mutex<HashMap<String, Arc<Value>>>);

impl Schemas {
    /// Takes them from `tools/list`.
    pub(super) fn learn(&self, tools: &[Value]) {
        let schemas = tools.iter().filter_map(|tool| {
            let schema = tool.get("outputSchema").filter(|schema| schema.is_object())?;
            Some((tool["name"].as_str()?.to_owned(), Arc::new(schema.clone())))
        });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = schemas.collect();
    }

    /// Checks the result of a call.
    pub(super) fn check(&self, tool: &str, result: &Value) -> Result<(), Failure> {
        let schema = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(tool).cloned();
        schema.map_or(Ok(()), |schema| fits(tool, &schema, result))
    }
}

fn fits(name: &str, schema: &Value, result: &Value) -> Result<(), Failure> {
    // A failure has a text only.
    if !matches!(result["isError"], Value::Null | Value::Bool(false)) {
        return Ok(());
    }
    let wrong = |why: &str| {
        let message = format!("what '{name}' answered does not fit its own output schema: {why}");
        Err(Failure::new(FailureKind::Exception, message))
    };
    match &result["structuredContent"] {
        Value::Null => wrong("'structuredContent' is missing"),
        Value::Object(content) => match validate(schema, &mut content.clone(), Tokens::None).first() {
            Some(problem) => wrong(&problem.message),
            None => Ok(()),
        },
        _ if schema["type"] == "object" => wrong("'structuredContent' is not an object"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(result: Value, expected: &str) {
        let schemas = Schemas::default();
        let schema =
            json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
        schemas.learn(&[json!({ "name": "count", "outputSchema": schema }), json!({ "name": "other" })]);
        let found = schemas.check("count", &result);
        assert_eq!(found.err().map(|failure| failure.message).unwrap_or_default(), expected);
        assert_eq!(schemas.check("other", &result), Ok(()));
    }

    #[test]
    fn results_against_their_schema() {
        check(json!({ "structuredContent": { "n": 1 } }), "");
        check(json!({ "isError": true, "content": [] }), "");
        let prefix = "what 'count' answered does not fit its own output schema: ";
        check(json!({ "content": [] }), &format!("{prefix}'structuredContent' is missing"));
        check(json!({ "structuredContent": {} }), &format!("{prefix}'n' is missing"));
        check(json!({ "structuredContent": [] }), &format!("{prefix}'structuredContent' is not an object"));
    }
}
