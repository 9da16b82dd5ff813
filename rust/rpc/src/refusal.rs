//! Why a call has no answer, and how that stands on the wire.

use axum::http::StatusCode;
use connectrpc::{ConnectError, ErrorCode, ErrorDetail};
use serde_json::{Value, json};
use trailblaze_model::base64;
use trailblaze_model::failure::Failure;
use trailblaze_model::names;

use crate::backend::Group;
use crate::misfit::Misfit;
use crate::server::MOST_BYTES;
use crate::{contract, gate};

/// JSON-RPC's "invalid params", which is documented for an invocation id that does not hold.
const INVALID_PARAMS: i32 = -32602;

/// Why a call was not run, or has no result to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No tool call has this invocation id, or it is over.
    UnknownInvocation(String),
    /// The invocation id belongs to another session than the one that was named.
    WrongSession { invocation: String, session: String },
    /// Nothing says which device or tool call is meant, and there are several.
    Ambiguous { devices: usize, invocations: usize },
    /// The tool call that asks was over before its wish was run.
    Over,
    /// No device has this id.
    UnknownDevice { id: String, known: Vec<String> },
    /// The device has no such commands.
    Unsupported(Group),
    /// Too much is under way already.
    Busy,
    /// Too many answers were asked for and not read yet.
    Crowded,
    /// Too many connections are open.
    NoPlace,
    /// It was not done in time.
    TimedOut,
    /// It was stopped because nobody waits for it.
    Cancelled,
    /// The request cannot be understood.
    Invalid(String),
    /// The request is no message of the contract.
    Misfit(Misfit),
    /// It was asked for with another verb than `POST`.
    WrongVerb(String),
    /// No service has this method; as `service/method`.
    UnknownMethod(String),
    /// Nobody can be asked how such a service is.
    UnknownService(String),
    /// No protocol has this `Content-Type`.
    UnknownType(String),
    /// The header for the deadline has no time; gRPC's has a unit.
    BadTimeout { name: &'static str, given: String, in_units: bool },
    /// The library that reads requests would not read this one.
    Unread { code: ErrorCode, message: String },
    /// The token is missing or wrong.
    Unauthenticated,
    /// The answer is larger than a message may be.
    TooLarge { bytes: usize, most: usize },
    /// A bug: a panic, or an answer that the contract does not allow.
    Internal(String),
    /// A tool failed, and the method has no other place to say so.
    Failed(ToolFailure),
}

/// A tool's own failure, as the wire has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFailure {
    pub kind: String,
    pub message: String,
    pub hint: String,
    /// What comes nearest, best first.
    pub candidates: Vec<String>,
}

impl ToolFailure {
    /// Out of the answer to a call.
    pub(crate) fn of(answer: &Value) -> Self {
        let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
        let candidates = answer["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self {
            kind: answer["kind"].as_str().unwrap_or("Exception").to_owned(),
            message: text("errorMessage"),
            hint: text("hint"),
            candidates: candidates.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    /// As `trailblaze.v1.Failure`.
    pub(crate) fn to_json(&self) -> Value {
        let Self { kind, message, hint, candidates } = self;
        json!({ "kind": kind, "message": message, "hint": hint, "candidates": candidates })
    }

    fn status(&self) -> ErrorCode {
        match self.kind.as_str() {
            "MissingRequiredArgs" | "InvalidArguments" | "MaestroValidation" => ErrorCode::InvalidArgument,
            "UnknownTool" => ErrorCode::NotFound,
            "NotSupported" => ErrorCode::Unimplemented,
            "Timeout" => ErrorCode::DeadlineExceeded,
            "Interrupted" => ErrorCode::Canceled,
            "Device" | "App" | "Toolset" => ErrorCode::Unavailable,
            _ => ErrorCode::FailedPrecondition,
        }
    }
}

impl From<Failure> for ToolFailure {
    fn from(failure: Failure) -> Self {
        Self {
            kind: failure.kind.to_string(),
            message: failure.message,
            hint: failure.hint.unwrap_or_default(),
            candidates: failure.candidates.into_vec(),
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.into())
    }
}

impl Refusal {
    /// The status, and the kind that stands in the detail.
    fn status(&self) -> (ErrorCode, &str) {
        match self {
            Self::UnknownInvocation(_) => (ErrorCode::InvalidArgument, "UnknownInvocation"),
            Self::WrongSession { .. } => (ErrorCode::InvalidArgument, "WrongSession"),
            Self::Ambiguous { .. } => (ErrorCode::InvalidArgument, "InvocationRequired"),
            Self::Over => (ErrorCode::FailedPrecondition, "InvocationOver"),
            Self::UnknownDevice { .. } => (ErrorCode::NotFound, "UnknownDevice"),
            Self::Unsupported(_) => (ErrorCode::Unimplemented, "UnsupportedGroup"),
            Self::Busy | Self::Crowded | Self::NoPlace => (ErrorCode::ResourceExhausted, "Busy"),
            Self::TimedOut => (ErrorCode::DeadlineExceeded, "TimedOut"),
            Self::Cancelled => (ErrorCode::Canceled, "Cancelled"),
            Self::Invalid(_) | Self::Misfit(_) | Self::BadTimeout { .. } => {
                (ErrorCode::InvalidArgument, "InvalidRequest")
            }
            Self::WrongVerb(_) => (ErrorCode::Unimplemented, "InvalidRequest"),
            Self::UnknownMethod(_) => (ErrorCode::Unimplemented, "UnknownMethod"),
            Self::UnknownService(_) => (ErrorCode::NotFound, "UnknownService"),
            // As both protocols want it.
            Self::UnknownType(given) if given.starts_with("application/grpc") => {
                (ErrorCode::Unimplemented, "UnknownContentType")
            }
            Self::UnknownType(_) => (ErrorCode::Unknown, "UnknownContentType"),
            Self::Unread { code: ErrorCode::ResourceExhausted, .. } => {
                (ErrorCode::ResourceExhausted, "TooLarge")
            }
            Self::Unread { code, .. } => (*code, "InvalidRequest"),
            Self::Unauthenticated => (ErrorCode::Unauthenticated, "Unauthenticated"),
            Self::TooLarge { .. } => (ErrorCode::ResourceExhausted, "TooLarge"),
            Self::Internal(_) => (ErrorCode::Internal, "Internal"),
            Self::Failed(failure) => (failure.status(), &failure.kind),
        }
    }

    fn message(&self) -> String {
        match self {
            Self::UnknownInvocation(id) => {
                format!("Unknown invocation ID: {id}. The tool call may have completed or timed out.")
            }
            Self::WrongSession { invocation, session } if invocation.is_empty() => {
                format!("the device does not have the session '{session}'")
            }
            Self::WrongSession { invocation, session } => {
                format!("the invocation '{invocation}' does not belong to the session '{session}'")
            }
            Self::Ambiguous { devices, invocations } => {
                let (devices, calls) = (counted(*devices, "device"), counted(*invocations, "tool call"));
                format!(
                    "an invocation id is required: there are {devices} and {calls} under way, and the request does \
                     not say which is meant"
                )
            }
            Self::Over => "the tool call that asks ended before this was run".to_owned(),
            Self::UnknownDevice { id, .. } => format!("there is no device '{id}'"),
            Self::Unsupported(group) => format!("the device has no {} commands", group.name()),
            Self::Busy => "too many calls are under way".to_owned(),
            Self::Crowded => "too many large answers wait to be read".to_owned(),
            Self::NoPlace => "too many connections are open".to_owned(),
            Self::TimedOut => "the call was not done in time".to_owned(),
            Self::Cancelled => "the call was stopped".to_owned(),
            Self::Invalid(why) | Self::Unread { message: why, .. } => why.clone(),
            Self::Misfit(misfit) => misfit.message.clone(),
            Self::WrongVerb(verb) => format!("a method is not called with {verb}"),
            Self::UnknownMethod(path) if path.is_empty() => "the address names no method".to_owned(),
            Self::UnknownMethod(path) => format!("there is no method '{path}'"),
            Self::UnknownService(name) => format!("there is no service '{name}'"),
            Self::UnknownType(given) if given.is_empty() => "the request has no Content-Type".to_owned(),
            Self::UnknownType(given) => format!("the Content-Type '{given}' is not known here"),
            Self::BadTimeout { name, given, .. } => format!("'{given}' in the header '{name}' is no time"),
            Self::Unauthenticated => "this server wants a token".to_owned(),
            Self::TooLarge { bytes, most } => {
                format!("the answer has {bytes} bytes, at most {most} are sent")
            }
            Self::Internal(why) => format!("a bug in Trailblaze: {why}"),
            Self::Failed(failure) => failure.message.clone(),
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::UnknownInvocation(_) => "an invocation id holds as long as its tool call".to_owned(),
            Self::WrongSession { .. } => "leave session_id out, or pass on that of the tool call".to_owned(),
            Self::Over => "ask before the tool call answers".to_owned(),
            Self::TimedOut => "give it a longer deadline, or see what the device waits for".to_owned(),
            Self::TooLarge { .. } => "ask for less".to_owned(),
            Self::Ambiguous { .. } => {
                "pass on `_meta.trailblazeInvocationId` of the tool call, or name a device_id".to_owned()
            }
            Self::UnknownDevice { id, known } => names::nearest_hint(id, known.iter().map(String::as_str))
                .unwrap_or_else(|| match known.as_slice() {
                    [] => "no device is driven at the moment".to_owned(),
                    [only] => format!("there is {only}"),
                    known => format!("there are {}", known.join(", ")),
                }),
            Self::Unsupported(Group::Maestro) => "they are for phones".to_owned(),
            Self::Unsupported(Group::Playwright) => "they are for browsers".to_owned(),
            Self::Unsupported(Group::Desktop) => "no version drives desktop apps yet".to_owned(),
            Self::Busy => "try again when one of them has ended".to_owned(),
            Self::Crowded => "read them, or try again when one of them was read".to_owned(),
            Self::NoPlace => "keep one and use it again, or try again when one of them was closed".to_owned(),
            Self::WrongVerb(_) => "send it with POST".to_owned(),
            Self::UnknownMethod(path) => method_hint(path),
            Self::UnknownService(name) => names::nearest_hint(name, services())
                .unwrap_or_else(|| "reflection lists the services".to_owned()),
            Self::UnknownType(_) => "for JSON it is 'application/json'".to_owned(),
            Self::BadTimeout { in_units: false, .. } => {
                "it has milliseconds, with ten digits at most: '5000'".to_owned()
            }
            Self::BadTimeout { in_units: true, .. } => {
                "it has eight digits at most and one of the units H, M, S, m, u and n: '5000m'".to_owned()
            }
            Self::Unread { code: ErrorCode::ResourceExhausted, .. } => {
                format!("a message has {MOST_BYTES} bytes at most")
            }
            Self::Unauthenticated => {
                "send 'Authorization: Bearer TOKEN' with the server's '--rpc-token'".to_owned()
            }
            Self::Misfit(misfit) => misfit.hint.clone(),
            Self::Failed(failure) => failure.hint.clone(),
            _ => String::new(),
        }
    }

    /// As the body of an answer of Connect.
    pub fn into_body(self) -> Vec<u8> {
        ConnectError::from(self).to_json().to_vec()
    }

    /// What the library says in its own words.
    pub(crate) fn of_library(code: ErrorCode, message: &str) -> Self {
        match code {
            ErrorCode::DeadlineExceeded => Self::TimedOut,
            code => Self::Unread { code, message: message.to_owned() },
        }
    }

    /// As `trailblaze.v1.Failure`.
    fn to_json(&self) -> Value {
        if let Self::Failed(failure) = self {
            return failure.to_json();
        }
        let (_, kind) = self.status();
        let mut failure = json!({ "kind": kind, "message": self.message(), "hint": self.hint() });
        if matches!(self, Self::UnknownInvocation(_) | Self::WrongSession { .. }) {
            failure["code"] = INVALID_PARAMS.into();
        }
        failure
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn services() -> impl Iterator<Item = &'static str> {
    contract::get().pool().services().iter().map(|service| service.full_name())
}

/// What comes nearest to `service/method`: another method of the service, else another service. A method without a
/// service may be one of any.
fn method_hint(path: &str) -> String {
    let methods = || contract::get().methods();
    let Some((service, method)) = path.split_once('/') else {
        let meant = names::nearest(path, methods().map(|known| known.name.as_str()));
        let meant = meant.and_then(|name| methods().find(|known| known.name == name));
        let example = || "it is 'trailblaze.v1.SERVICE/METHOD', as in proto/trailblaze/v1".to_owned();
        let full = |known: &contract::Method| format!("did you mean '{}/{}'?", known.service, known.name);
        return meant.map_or_else(example, full);
    };
    let of_service = methods().filter(|known| known.service == service);
    names::nearest_hint(method, of_service.map(|known| known.name.as_str()))
        .or_else(|| names::nearest_hint(service, services().filter(|known| *known != service)))
        .unwrap_or_else(|| "reflection and proto/trailblaze/v1 have all methods".to_owned())
}

impl From<Refusal> for ConnectError {
    fn from(refusal: Refusal) -> Self {
        let (code, _) = refusal.status();
        let failure = refusal.to_json();
        let error = ConnectError::new(code, refusal.message());
        let error = match refusal {
            Refusal::UnknownMethod(_) => error.with_http_status(StatusCode::NOT_FOUND),
            Refusal::WrongVerb(_) => {
                error.with_http_status(StatusCode::METHOD_NOT_ALLOWED).with_headers(gate::allowed())
            }
            Refusal::UnknownType(_) => {
                error.with_http_status(StatusCode::UNSUPPORTED_MEDIA_TYPE).with_headers(gate::accepted())
            }
            _ => error,
        };
        let Ok(bytes) = contract::get().failure(&failure) else { return error };
        // The protocol wants base64 without padding.
        let value = base64::encode(&bytes).trim_end_matches('=').to_owned();
        let type_url = contract::FAILURE.to_owned();
        error.with_detail(ErrorDetail { type_url, value: Some(value), debug: Some(failure) })
    }
}
