//! Every message of the contract as bytes and as JSON. These are what programs in other languages send and expect: a
//! line may be added here, and none may change.

use std::fmt::Write;

use buffa_descriptor::{FieldDescriptor, FieldKind, MessageIndex, ScalarType, SingularKind};
use connectrpc::CodecFormat;
use serde_json::{Map, Value, json};
use trailblaze_rpc::contract;

/// A message with everything set.
fn sample(message: MessageIndex) -> Value {
    let pool = contract::get().pool();
    let singular = |field: &FieldDescriptor, kind: SingularKind| match kind {
        SingularKind::Scalar(ScalarType::String) => json!(format!("{} ä", field.name())),
        SingularKind::Scalar(ScalarType::Bytes) => json!("AAH/"),
        SingularKind::Scalar(ScalarType::Bool) => json!(true),
        SingularKind::Scalar(ScalarType::Double) => json!(-0.5),
        SingularKind::Scalar(ScalarType::Int32) => json!(-7),
        SingularKind::Scalar(_) => json!(300),
        SingularKind::Enum(index) => json!(pool.enumeration(index).values()[1].name()),
        SingularKind::Message(index) => match pool.message(index).full_name() {
            "google.protobuf.Struct" | "google.protobuf.Value" => json!({ "a": [1.5, "b", null] }),
            _ => sample(index),
        },
    };
    let mut fields = Map::new();
    for field in pool.message(message).fields() {
        let value = match field.kind() {
            FieldKind::Singular(kind) => singular(field, kind),
            FieldKind::List(kind) => json!([singular(field, kind)]),
            FieldKind::Map { value, .. } => json!({ "key": singular(field, value) }),
        };
        fields.insert(field.json_name().to_owned(), value);
    }
    Value::Object(fields)
}

#[test]
fn the_bytes_of_every_message() {
    let contract = contract::get();
    let mut lines = String::new();
    for message in contract.pool().messages() {
        let name = message.full_name();
        // The entries of maps stand in the messages that have them.
        let Some(short) = name.strip_prefix("trailblaze.v1.").filter(|short| !short.contains('.')) else {
            continue;
        };
        let index = contract.pool().message_index(name).expect("it has a name");
        let sample = sample(index);
        let written = |format| contract.write(index, &sample, format).expect("it fits");
        let (bytes, text) = (written(CodecFormat::Proto), written(CodecFormat::Json));
        for (bytes, format) in [(&bytes, CodecFormat::Proto), (&text, CodecFormat::Json)] {
            let read = contract.read(index, bytes, format, &buffa::DecodeOptions::new());
            assert_eq!(read.as_ref(), Ok(&sample), "{name}");
        }
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        writeln!(lines, "{short}\n  {hex}\n  {}", String::from_utf8_lossy(&text)).expect("it is a text");
    }
    insta::assert_snapshot!(lines);
}
