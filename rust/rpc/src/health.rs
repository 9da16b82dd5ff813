//! `grpc.health.v1`: the server answers as long as it is there.

use serde_json::{Value, json};

use crate::contract::Contract;

pub(crate) const SERVICE: &str = "grpc.health.v1.Health";

/// How a service is; the error is the name of one that there is not.
pub(crate) fn status(contract: &Contract, request: &Value) -> Result<Value, String> {
    let service = request["service"].as_str().unwrap_or_default();
    let known = service.is_empty() || contract.pool().service_by_name(service).is_some();
    if known { Ok(json!({ "status": "SERVING" })) } else { Err(service.to_owned()) }
}

/// What a watcher of an unknown service is told; it might come.
pub(crate) fn unknown() -> Value {
    json!({ "status": "SERVICE_UNKNOWN" })
}
