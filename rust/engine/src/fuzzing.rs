//! What must hold of every message of a toolset server, whatever bytes it is. The fuzz targets and the random tests
//! call these.

use std::sync::Arc;

use serde_json::Value;
use trailblaze_model::failure::Failure;

use crate::server::{self, Listed, Provider, Server, answer};

/// A server that is only a name.
struct Nobody;

impl Provider for Nobody {
    fn name(&self) -> &str {
        "fuzz"
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        unreachable!("nothing is called")
    }
}

/// A list of tools gives tools with names of their own, or problems; an answer gives an output or a failure with a
/// message.
pub fn server(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    let provider: Arc<dyn Provider> = Arc::new(Nobody);
    let listed = match &value {
        Value::Array(tools) => Listed { tools: tools.clone(), registry: None },
        other => Listed { tools: vec![other.clone()], registry: Some(other.clone()) },
    };
    let mut problems = Vec::new();
    let tools = server::tools(&provider, &listed, None, &mut problems);
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), tools.len(), "two tools have one name");
    assert!(tools.len() + problems.len() >= listed.tools.len(), "a tool was lost without a word");
    if let Err(failure) = answer::output(&value) {
        assert!(!failure.message.is_empty(), "a failure says nothing: {value}");
    }
}
