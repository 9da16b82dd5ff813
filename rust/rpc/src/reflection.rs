//! `grpc.reflection.v1`, and `v1alpha` for older clients: the server explains its own services.

use std::collections::BTreeSet;

use buffa::Message;
use buffa_descriptor::DescriptorPool;
use buffa_descriptor::generated::descriptor::FileDescriptorProto;
use serde_json::{Value, json};
use trailblaze_model::base64;

/// gRPC's codes for these.
const NOT_FOUND: u32 = 5;
const INVALID: u32 = 3;

/// Answers one question.
pub(crate) fn answer(pool: &DescriptorPool, request: Value) -> Value {
    let text = |key: &str| request[key].as_str();
    let (key, answer) = if text("listServices").is_some() {
        let names: Vec<Value> =
            pool.services().iter().map(|service| json!({ "name": service.full_name() })).collect();
        ("listServicesResponse", json!({ "service": names }))
    } else if let Some(name) = text("fileByFilename") {
        found(pool, pool.file_by_name(name), name)
    } else if let Some(symbol) = text("fileContainingSymbol") {
        found(pool, pool.file_containing_symbol(symbol), symbol)
    } else if let Some(name) = text("allExtensionNumbersOfType") {
        match pool.message_by_name(name) {
            Some(_) => ("allExtensionNumbersResponse", json!({ "baseTypeName": name })),
            None => missing(name),
        }
    } else if let Some(name) = request["fileContainingExtension"]["containingType"].as_str() {
        missing(&format!("an extension of {name}"))
    } else {
        error(INVALID, "the request asks nothing")
    };
    let mut response = json!({ "validHost": text("host").unwrap_or_default() });
    response[key] = answer;
    response["originalRequest"] = request;
    response
}

fn found(pool: &DescriptorPool, file: Option<&FileDescriptorProto>, what: &str) -> (&'static str, Value) {
    let Some(file) = file else { return missing(what) };
    let mut files = Vec::new();
    with_imports(pool, file, &mut BTreeSet::new(), &mut files);
    ("fileDescriptorResponse", json!({ "fileDescriptorProto": files }))
}

/// The file, and after it all that it needs.
fn with_imports(
    pool: &DescriptorPool,
    file: &FileDescriptorProto,
    seen: &mut BTreeSet<String>,
    files: &mut Vec<String>,
) {
    if !seen.insert(file.name.clone().unwrap_or_default()) {
        return;
    }
    files.push(base64::encode(&file.encode_to_vec()));
    for import in file.dependency.iter().filter_map(|name| pool.file_by_name(name)) {
        with_imports(pool, import, seen, files);
    }
}

fn missing(what: &str) -> (&'static str, Value) {
    error(NOT_FOUND, &format!("there is no {what}"))
}

fn error(code: u32, message: &str) -> (&'static str, Value) {
    ("errorResponse", json!({ "errorCode": code, "errorMessage": message }))
}
