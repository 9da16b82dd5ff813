//! One call from its bytes to its bytes, whatever method it is.
//!
//! Invariant: no panic crosses this boundary. A call runs on a thread of its own, and a panic there is `internal`.

use std::sync::Arc;

use axum::body::Bytes;
use buffa::DecodeOptions;
use connectrpc::dispatcher::{RequestStream, StreamingResult, UnaryResult};
use connectrpc::{
    CodecFormat, ConnectError, Dispatcher, EncodedBody, MethodDescriptor, Payload, RequestContext, Response,
};
use futures::{StreamExt, stream};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use trailblaze_engine::host::Cancel;

use crate::backend::{Backend, Call, Routing};
use crate::contract::{self, Method};
use crate::gate::Answered;
use crate::refusal::Refusal;
use crate::server::MOST_BYTES;
use crate::shelf::{Place, Shelf};
use crate::{health, reflection, reply, screenshot};

/// Serves every method of the contract.
pub(crate) struct Calls {
    pub(crate) backend: Arc<dyn Backend>,
    /// So many calls may be under way.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) shelf: Shelf,
}

/// A call that is ready to be run.
struct Ready {
    backend: Arc<dyn Backend>,
    method: &'static Method,
    call: Call,
    args: Map<String, Value>,
    format: CodecFormat,
    shelf: Shelf,
    /// Given back when the call has ended, not when nobody waits for it any more.
    room: OwnedSemaphorePermit,
}

/// Sets the flag when the future is dropped before its time: the caller went away, or its deadline passed.
struct CancelOnDrop(Option<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = self.0.take() {
            cancel.cancel();
        }
    }
}

fn find(path: &str) -> Result<&'static Method, ConnectError> {
    Ok(contract::get().method(path).ok_or_else(|| Refusal::UnknownMethod(path.to_owned()))?)
}

/// Tells the gate that the call itself had the last word.
fn answered(ctx: &RequestContext) -> Answered {
    ctx.extensions().get::<Answered>().cloned().unwrap_or_default()
}

impl Calls {
    fn ready(
        &self,
        method: &'static Method,
        ctx: &RequestContext,
        request: &Bytes,
        format: CodecFormat,
    ) -> Result<Ready, ConnectError> {
        let mut args = match read(method, request, format, ctx.decode_options())? {
            Value::Object(args) => args,
            _ => Map::new(),
        };
        let routing: Routing = reply::routing(&mut args);
        let room = self.room.clone().try_acquire_owned().map_err(|_| Refusal::Busy)?;
        let call = Call { routing, deadline: ctx.deadline(), cancel: Cancel::default() };
        let (backend, shelf) = (self.backend.clone(), self.shelf.clone());
        Ok(Ready { backend, method, call, args, format, shelf, room })
    }
}

impl Ready {
    /// Runs on a thread that may block.
    async fn run<T: Send + 'static>(self, work: fn(Ready) -> Result<T, Refusal>) -> Result<T, ConnectError> {
        let mut guard = CancelOnDrop(Some(self.call.cancel.clone()));
        let done = tokio::task::spawn_blocking(move || work(self)).await;
        guard.0 = None;
        match done {
            Ok(result) => result.map_err(ConnectError::from),
            Err(_) => Err(Refusal::Internal("the call panicked".to_owned()).into()),
        }
    }

    fn message(self) -> Result<EncodedBody, Refusal> {
        let Self { backend, method, call, args, format, shelf, room } = self;
        let made = reply::make(backend.as_ref(), &call, method, args)?;
        let written = shelf.put(write(method, &made, format)?);
        drop(room);
        Ok(written?.into())
    }

    /// All pieces, and the place of all of them together.
    fn pieces(self) -> Result<(Vec<Bytes>, Place), Refusal> {
        let pieces = screenshot::pieces(self.backend.as_ref(), &self.call, &self.args)?;
        let write = |piece| write(self.method, piece, self.format).map(Bytes::from);
        let pieces: Vec<Bytes> = pieces.iter().map(write).collect::<Result<_, _>>()?;
        let place = self.shelf.place(pieces.iter().map(Bytes::len).sum())?;
        Ok((pieces, place))
    }
}

fn read(
    method: &Method,
    request: &Bytes,
    format: CodecFormat,
    limits: &DecodeOptions,
) -> Result<Value, Refusal> {
    contract::get().read(method.input, request, format, limits).map_err(Refusal::Misfit)
}

fn write(method: &Method, message: &Value, format: CodecFormat) -> Result<Vec<u8>, Refusal> {
    let bytes = contract::get().write(method.output, message, format).map_err(Refusal::Internal)?;
    if bytes.len() > MOST_BYTES {
        return Err(Refusal::TooLarge { bytes: bytes.len(), most: MOST_BYTES });
    }
    Ok(bytes)
}

impl Dispatcher for Calls {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        Some(MethodDescriptor::from_kind(contract::get().method(path)?.kind))
    }

    fn call_unary(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Payload,
        format: CodecFormat,
    ) -> UnaryResult {
        let answered = answered(&ctx);
        let ready = find(path).and_then(|method| {
            let request = request.encoded()?;
            if method.kind != connectrpc::MethodKind::Unary {
                let message = format!("'{}' answers with a stream", method.name);
                let hint = "ask with the Content-Type application/connect+json or application/connect+proto";
                return Err(Refusal::Invalid(format!("{message}; {hint}")).into());
            }
            if method.service != health::SERVICE {
                return Ok(Err(self.ready(method, &ctx, &request, format)?));
            }
            let asked = read(method, &request, format, ctx.decode_options())?;
            let status = health::status(contract::get(), &asked).map_err(Refusal::UnknownService)?;
            Ok(Ok(Bytes::from(write(method, &status, format)?).into()))
        });
        Box::pin(async move {
            let body = match ready {
                Ok(Ok(body)) => Ok(body),
                Ok(Err(ready)) => ready.run(Ready::message).await,
                Err(refusal) => Err(refusal),
            };
            answered.by(body).map(Response::new)
        })
    }

    fn call_server_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let answered = answered(&ctx);
        let ready = find(path).and_then(|method| {
            if method.service != health::SERVICE {
                return Ok(Err(self.ready(method, &ctx, &request, format)?));
            }
            let asked = read(method, &request, format, ctx.decode_options())?;
            let status = health::status(contract::get(), &asked).unwrap_or_else(|_| health::unknown());
            Ok(Ok(Bytes::from(write(method, &status, format)?).into()))
        });
        Box::pin(async move {
            let stream = match ready {
                // Nothing changes while the server is there.
                Ok(Ok(status)) => Ok(stream::iter([Ok(status)]).chain(stream::pending()).boxed()),
                Ok(Err(ready)) => ready.run(Ready::pieces).await.map(|(pieces, place)| {
                    let piece = move |piece: Bytes| {
                        let _until_the_last = &place;
                        Ok(EncodedBody::from(piece))
                    };
                    stream::iter(pieces).map(piece).boxed()
                }),
                Err(refusal) => Err(refusal),
            };
            answered.by(stream).map(Response::new)
        })
    }

    fn call_client_streaming(
        &self,
        path: &str,
        _ctx: RequestContext,
        _requests: RequestStream,
        _format: CodecFormat,
    ) -> UnaryResult {
        let error = ConnectError::unimplemented(format!("there is no method '{path}' that takes a stream"));
        Box::pin(async move { Err(error) })
    }

    /// Only reflection is asked in this way.
    fn call_bidi_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        requests: RequestStream,
        format: CodecFormat,
    ) -> StreamingResult {
        let answered = answered(&ctx);
        let answers = find(path).map(|method| {
            let answer = move |request: Result<Bytes, ConnectError>| {
                let unread =
                    |error: ConnectError| Refusal::of_library(error.code, &error.message.unwrap_or_default());
                let asked = read(method, &request.map_err(unread)?, format, ctx.decode_options())?;
                let answer = reflection::answer(contract::get().pool(), asked);
                Ok(Bytes::from(write(method, &answer, format)?).into())
            };
            requests.map(answer).boxed()
        });
        Box::pin(async move { answered.by(answers).map(Response::new) })
    }
}
