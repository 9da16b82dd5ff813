//! `grpc.health.v1`: the server answers as long as it is there.

use serde_json::{Value, json};

use crate::contract::Contract;

pub(crate) const SERVICE: &str = "grpc.health.v1.Health";

/// How a service is; none when there is no such service.
pub(crate) fn status(contract: &Contract, request: &Value) -> Option<Value> {
    let service = request["service"].as_str().unwrap_or_default();
    let known = service.is_empty() || contract.pool().service_by_name(service).is_some();
    known.then(|| json!({ "status": "SERVING" }))
}

/// What a watcher of an unknown service is told; it might come.
pub(crate) fn unknown() -> Value {
    json!({ "status": "SERVICE_UNKNOWN" })
}
