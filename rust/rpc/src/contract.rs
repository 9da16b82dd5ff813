//! The contract as data: which methods there are, and how their messages are read and written.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use buffa::DecodeOptions;
use buffa::editions::FieldPresence;
use buffa_descriptor::reflect::{DynamicMessage, DynamicMessageSeed};
use buffa_descriptor::{DescriptorPool, FieldDescriptor, FieldKind, MessageIndex, ScalarType, SingularKind};
use connectrpc::{CodecFormat, MethodKind};
use serde::de::DeserializeSeed;
use serde_json::{Value, json};

use crate::misfit::{self, Misfit};

/// What the `.proto` files compile to, with all that they import; written by `cargo xtask codegen`.
pub const DESCRIPTORS: &[u8] = include_bytes!("contract.bin");

/// The package of everything that is ours.
pub const PACKAGE: &str = "trailblaze.v1";
/// The detail of every error.
pub const FAILURE: &str = "trailblaze.v1.Failure";

/// The contract of this version.
pub fn get() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let pool =
            DescriptorPool::decode(DESCRIPTORS).expect("the file is as 'cargo xtask codegen' wrote it");
        Contract::new(pool)
    });
    &CONTRACT
}

/// All services with their messages.
#[derive(Debug)]
pub struct Contract {
    pool: Arc<DescriptorPool>,
    /// By `service/method`.
    methods: BTreeMap<String, Method>,
}

/// One method of a service.
#[derive(Debug)]
pub struct Method {
    /// The full name of its service.
    pub service: String,
    pub name: String,
    /// The tool that it runs, if it runs one: its name with a small first letter.
    pub tool: String,
    pub kind: MethodKind,
    pub input: MessageIndex,
    pub output: MessageIndex,
    /// The full name of what it returns.
    pub returns: String,
}

impl Contract {
    fn new(pool: DescriptorPool) -> Self {
        let mut methods = BTreeMap::new();
        for service in pool.services() {
            for method in service.methods() {
                let (service, name) = (service.full_name().to_owned(), method.name().to_owned());
                let kind = match (method.is_client_streaming(), method.is_server_streaming()) {
                    (false, false) => MethodKind::Unary,
                    (false, true) => MethodKind::ServerStreaming,
                    (true, false) => MethodKind::ClientStreaming,
                    (true, true) => MethodKind::BidiStreaming,
                };
                let (input, output) = (method.input(), method.output());
                let returns = pool.message(output).full_name().to_owned();
                let tool = small_first(&name);
                let path = format!("{service}/{name}");
                methods.insert(path, Method { service, name, tool, kind, input, output, returns });
            }
        }
        Self { pool: Arc::new(pool), methods }
    }

    pub fn pool(&self) -> &DescriptorPool {
        &self.pool
    }

    /// By `service/method`, with the full name of the service.
    pub fn method(&self, path: &str) -> Option<&Method> {
        self.methods.get(path)
    }

    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.values()
    }

    /// Reads a message into the JSON of protobuf. The error is for whoever sent it.
    pub fn read(
        &self,
        message: MessageIndex,
        bytes: &[u8],
        format: CodecFormat,
        limits: &DecodeOptions,
    ) -> Result<Value, Misfit> {
        let name = || self.pool.message(message).full_name();
        let read = match format {
            CodecFormat::Proto => {
                DynamicMessage::decode_with_options(self.pool.clone(), message, bytes, limits)
                    .map_err(|error| format!("this is no {}: {error}", name()))?
            }
            CodecFormat::Json => {
                let text = std::str::from_utf8(bytes)
                    .map_err(|error| format!("this is no {}: the JSON is not UTF-8: {error}", name()))?;
                // An empty body is an empty message to curl.
                let text = if text.trim().is_empty() { "{}" } else { text };
                DynamicMessage::from_json(self.pool.clone(), message, text).map_err(|error| {
                    let found = misfit::find(&self.pool, message, text);
                    found.unwrap_or_else(|| format!("this is no {}: {error}", name()).into())
                })?
            }
            other => return Err(format!("'{other:?}' is no encoding of a {}", name()).into()),
        };
        let mut json =
            serde_json::to_value(&read).map_err(|error| format!("this is no {}: {error}", name()))?;
        whole_numbers(&mut json);
        Ok(json)
    }

    /// Writes a message. An error is a bug here: the value does not fit the contract.
    pub fn write(
        &self,
        message: MessageIndex,
        value: &Value,
        format: CodecFormat,
    ) -> Result<Vec<u8>, String> {
        let seed = DynamicMessageSeed::new(self.pool.clone(), message);
        let name = || self.pool.message(message).full_name();
        let written = seed.deserialize(value).map_err(|error| format!("this is no {}: {error}", name()))?;
        if format == CodecFormat::Proto {
            return written.try_encode_to_vec().map_err(|error| error.to_string());
        }
        let mut json = serde_json::to_value(&written).map_err(|error| error.to_string())?;
        whole_numbers(&mut json);
        self.say_defaults(message, &mut json);
        serde_json::to_vec(&json).map_err(|error| error.to_string())
    }

    /// The JSON of protobuf leaves out what is false, 0 or empty. `{}` is a poor answer to a person who asks whether
    /// something is visible, and the rules allow to say it.
    pub(crate) fn say_defaults(&self, message: MessageIndex, json: &mut Value) {
        let Some(map) = json.as_object_mut() else { return };
        for field in self.pool.message(message).fields() {
            if let Some(default) = default(field).filter(|_| field.presence() == FieldPresence::Implicit) {
                map.entry(field.json_name()).or_insert(default);
            }
        }
    }

    /// A `trailblaze.v1.Failure`, in binary.
    pub(crate) fn failure(&self, failure: &Value) -> Result<Vec<u8>, String> {
        let message = self.pool.message_index(FAILURE).ok_or("there is no Failure")?;
        self.write(message, failure, CodecFormat::Proto)
    }
}

fn default(field: &FieldDescriptor) -> Option<Value> {
    match field.kind() {
        FieldKind::Singular(SingularKind::Scalar(ScalarType::Bool)) => Some(json!(false)),
        FieldKind::Singular(SingularKind::Scalar(ScalarType::Int32 | ScalarType::Uint32)) => Some(json!(0)),
        FieldKind::Singular(SingularKind::Scalar(ScalarType::String)) => Some(json!("")),
        _ => None,
    }
}

/// `tap` for `Tap`.
fn small_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// The numbers of a Struct are doubles; tools, and people who read JSON, want integers where they can be.
fn whole_numbers(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(whole_numbers),
        Value::Object(values) => values.values_mut().for_each(whole_numbers),
        Value::Number(number) => {
            // Up to here a double holds every integer.
            const MOST: f64 = 9_007_199_254_740_992.0;
            if let Some(double) =
                number.as_f64().filter(|double| double.fract() == 0.0 && double.abs() <= MOST)
            {
                *value = Value::from(double as i64);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_a_struct_are_integers() {
        let mut value = json!({ "a": 5.0, "b": [1.5, -2.0], "c": 1e300, "d": "5.0" });
        whole_numbers(&mut value);
        insta::assert_snapshot!(value, @r#"{"a":5,"b":[1.5,-2],"c":1e+300,"d":"5.0"}"#);
    }
}
