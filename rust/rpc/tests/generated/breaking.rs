//! What programs that were built with an older contract would stumble over.

use buffa_descriptor::{DescriptorPool, FieldDescriptor, FieldKind, MessageDescriptor, SingularKind};

/// Everything of a package that is gone or means something else, one line each.
pub(crate) fn between(old: &DescriptorPool, new: &DescriptorPool, package: &str) -> Vec<String> {
    let ours = |name: &str| name.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
    let mut problems = Vec::new();
    for message in old.messages().iter().filter(|message| ours(message.full_name())) {
        match new.message_by_name(message.full_name()) {
            None => problems.push(format!("message {} is gone", message.full_name())),
            Some(now) => problems.extend(fields(old, message, new, now)),
        }
    }
    for known in old.enums().iter().filter(|known| ours(known.full_name())) {
        let name = known.full_name();
        let Some(now) = new.enum_by_name(name) else {
            problems.push(format!("enum {name} is gone"));
            continue;
        };
        for value in known.values() {
            if now.value(value.number()).map(|now| now.name()) != Some(value.name()) {
                problems.push(format!("value {} = {} of {name} is gone", value.name(), value.number()));
            }
        }
    }
    for service in old.services().iter().filter(|service| ours(service.full_name())) {
        for method in service.methods() {
            let path = format!("{}/{}", service.full_name(), method.name());
            let shape = |pool: &DescriptorPool, method: &buffa_descriptor::MethodDescriptor| {
                let stream = |on| if on { "stream " } else { "" };
                let name = |index| pool.message(index).full_name().to_owned();
                let takes = format!("{}{}", stream(method.is_client_streaming()), name(method.input()));
                format!(
                    "({takes}) returns ({}{})",
                    stream(method.is_server_streaming()),
                    name(method.output())
                )
            };
            let before = shape(old, method);
            let now =
                new.service_by_name(service.full_name()).and_then(|service| service.method(method.name()));
            match now.map(|now| shape(new, now)) {
                None => problems.push(format!("method {path} is gone")),
                Some(now) if now != before => {
                    problems.push(format!("method {path} was {before}, now is {now}"))
                }
                Some(_) => {}
            }
        }
    }
    problems
}

fn fields(
    old: &DescriptorPool,
    before: &MessageDescriptor,
    new: &DescriptorPool,
    now: &MessageDescriptor,
) -> Vec<String> {
    let name = before.full_name();
    let problem = |field: &FieldDescriptor| {
        let was = described(old, field);
        match now.field(field.number()).map(|field| described(new, field)) {
            None => Some(format!("field {was} of {name} is gone")),
            Some(is) if is != was => Some(format!("field {was} of {name} now is {is}")),
            Some(_) => None,
        }
    };
    before.fields().iter().filter_map(problem).collect()
}

/// `optional string text = 1`, with all that a program can notice.
fn described(pool: &DescriptorPool, field: &FieldDescriptor) -> String {
    let singular = |kind: SingularKind| match kind {
        SingularKind::Scalar(scalar) => format!("{scalar:?}").to_lowercase(),
        SingularKind::Enum(index) => pool.enumeration(index).full_name().to_owned(),
        SingularKind::Message(index) => pool.message(index).full_name().to_owned(),
    };
    let kind = match field.kind() {
        FieldKind::Singular(kind) => format!("{:?} {}", field.presence(), singular(kind)).to_lowercase(),
        FieldKind::List(kind) => format!("repeated {}", singular(kind)),
        FieldKind::Map { key, value } => format!("map<{key:?}, {}>", singular(value)),
    };
    format!("{kind} {} ({}) = {}", field.name(), field.json_name(), field.number())
}
