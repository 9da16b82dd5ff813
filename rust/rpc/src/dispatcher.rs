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
use crate::refusal::Refusal;
use crate::server::{MOST_BYTES, Token};
use crate::{health, reflection, reply, screenshot};

/// Serves every method of the contract.
pub(crate) struct Calls {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) token: Option<Token>,
    /// So many calls may be under way.
    pub(crate) room: Arc<Semaphore>,
}

/// A call that is ready to be run.
struct Ready {
    backend: Arc<dyn Backend>,
    method: &'static Method,
    call: Call,
    args: Map<String, Value>,
    format: CodecFormat,
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

impl Calls {
    fn find(&self, path: &str, ctx: &RequestContext) -> Result<&'static Method, ConnectError> {
        if let Some(token) = &self.token
            && !token.is_in(ctx.headers())
        {
            return Err(Refusal::Unauthenticated.into());
        }
        contract::get()
            .method(path)
            .ok_or_else(|| ConnectError::unimplemented(format!("there is no method '{path}'")))
    }

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
        Ok(Ready { backend: self.backend.clone(), method, call, args, format, room })
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
        let Self { backend, method, call, args, format, room } = self;
        let made = reply::make(backend.as_ref(), &call, method, args)?;
        let written = write(method, &made, format);
        drop(room);
        written
    }

    fn pieces(self) -> Result<Vec<EncodedBody>, Refusal> {
        let pieces = screenshot::pieces(self.backend.as_ref(), &self.call, &self.args)?;
        pieces.iter().map(|piece| write(self.method, piece, self.format)).collect()
    }
}

fn read(
    method: &Method,
    request: &Bytes,
    format: CodecFormat,
    limits: &DecodeOptions,
) -> Result<Value, Refusal> {
    contract::get().read(method.input, request, format, limits).map_err(Refusal::Invalid)
}

fn write(method: &Method, message: &Value, format: CodecFormat) -> Result<EncodedBody, Refusal> {
    let bytes = contract::get().write(method.output, message, format).map_err(Refusal::Internal)?;
    if bytes.len() > MOST_BYTES {
        return Err(Refusal::TooLarge { bytes: bytes.len(), most: MOST_BYTES });
    }
    Ok(Bytes::from(bytes).into())
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
        let ready = self.find(path, &ctx).and_then(|method| {
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
            let status = health::status(contract::get(), &asked)
                .ok_or_else(|| ConnectError::not_found("there is no such service"))?;
            Ok(Ok(write(method, &status, format)?))
        });
        Box::pin(async move {
            let body = match ready? {
                Ok(body) => body,
                Err(ready) => ready.run(Ready::message).await?,
            };
            Ok(Response::new(body))
        })
    }

    fn call_server_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let ready = self.find(path, &ctx).and_then(|method| {
            if method.service != health::SERVICE {
                return Ok(Err(self.ready(method, &ctx, &request, format)?));
            }
            let asked = read(method, &request, format, ctx.decode_options())?;
            let status = health::status(contract::get(), &asked).unwrap_or_else(health::unknown);
            Ok(Ok(write(method, &status, format)?))
        });
        Box::pin(async move {
            let stream = match ready? {
                // Nothing changes while the server is there.
                Ok(status) => stream::iter([Ok(status)]).chain(stream::pending()).boxed(),
                Err(ready) => {
                    let pieces = ready.run(Ready::pieces).await?;
                    stream::iter(pieces.into_iter().map(Ok)).boxed()
                }
            };
            Ok(Response::new(stream))
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
        let method = self.find(path, &ctx);
        Box::pin(async move {
            let method = method?;
            let answers = requests.map(move |request| {
                let asked = read(method, &request?, format, ctx.decode_options())?;
                let answer = reflection::answer(contract::get().pool(), asked);
                Ok(write(method, &answer, format)?)
            });
            Ok(Response::new(answers.boxed()))
        })
    }
}
