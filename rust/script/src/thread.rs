//! The runtime's own thread: loads the modules, then answers calls until the caller hangs up or a limit is hit.

use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use rquickjs::function::Args;
use rquickjs::promise::PromiseState;
use rquickjs::{
    Context, Ctx, Error, Exception, Function, Module as JsModule, Object, Promise, Result as JsResult,
    Runtime, Value,
};
use trailblaze_engine::script::{Module, ScriptError, ScriptLimits};

use crate::console::Console;
use crate::deadline::Deadline;
use crate::error::caught;
use crate::host::{Reply, soon};
use crate::modules::{Names, Sources};

const PRELUDE: &str = include_str!("prelude.js");

/// QuickJS takes a larger stack limit for "no limit".
const MAX_JS_STACK: usize = 16 << 20;

pub(crate) struct Request {
    pub(crate) function: String,
    /// A JSON array.
    pub(crate) args: String,
    pub(crate) deadline: Instant,
}

/// The first reply says whether the modules loaded.
pub(crate) fn run(
    modules: Vec<Module>,
    limits: ScriptLimits,
    deadline: Instant,
    console: &Console,
    requests: &Receiver<Request>,
    replies: &Sender<Reply>,
) {
    let deadline = Deadline::new(deadline);
    let outcome = serve(modules, limits, &deadline, console, requests, replies);
    if let Err(error) = outcome {
        let error = ScriptError::Load { message: error.to_string(), stack: None };
        // Nobody listens any more when the caller gave this thread up.
        let _ = replies.send(Err(error));
    }
}

/// Fails only when not even an empty runtime can be made.
fn serve(
    mut modules: Vec<Module>,
    limits: ScriptLimits,
    deadline: &Deadline,
    console: &Console,
    requests: &Receiver<Request>,
    replies: &Sender<Reply>,
) -> JsResult<()> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(limits.heap_bytes);
    runtime.set_max_stack_size((limits.stack_bytes / 4).min(MAX_JS_STACK));
    let interrupt = deadline.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || interrupt.is_over())));
    let names = modules.iter().map(|module| module.name.clone()).collect();
    let main = modules.pop();
    let sources = modules.into_iter().map(|module| (module.name, module.source)).collect();
    runtime.set_loader(Names::new(names), Sources(sources));

    let context = Context::full(&runtime)?;
    context.with(|ctx| {
        let fail = |error: &Error| caught(&ctx, error, deadline, limits);
        let exports = match load(&ctx, main, console, deadline) {
            Ok(exports) => exports,
            Err(error) => {
                let _ = replies.send(Err(load_error(fail(&error))));
                return;
            }
        };
        let mut reply = Ok(String::new());
        loop {
            let ends = reply.as_ref().is_err_and(ScriptError::is_final);
            if replies.send(reply).is_err() || ends {
                return;
            }
            let Ok(request) = soon(requests).or_else(|_| requests.recv()) else { return };
            deadline.set(request.deadline);
            reply = call(&ctx, &exports, &request, deadline).map_err(|error| fail(&error));
            // A script may catch some of the ways in which it is stopped; that does not make it punctual.
            if reply.is_ok() && deadline.was_hit() {
                reply = Err(ScriptError::Timeout { limit_ms: limits.call_ms, stack: None });
            }
        }
    });
    Ok(())
}

fn load_error(error: ScriptError) -> ScriptError {
    match error {
        ScriptError::Threw { message, stack } => ScriptError::Load { message, stack },
        other => other,
    }
}

/// Evaluates the main module and gives its exports.
fn load<'js>(
    ctx: &Ctx<'js>,
    main: Option<Module>,
    console: &Console,
    deadline: &Deadline,
) -> JsResult<Object<'js>> {
    let prelude: Function<'js> = ctx.eval(PRELUDE)?;
    let console = console.clone();
    let write =
        Function::new(ctx.clone(), move |level: String, message: String| console.write(&level, message))?;
    prelude.call::<_, ()>((write,))?;

    let main = main.ok_or_else(|| Exception::throw_message(ctx, "there is no module to load"))?;
    let (module, loaded) = JsModule::declare(ctx.clone(), main.name, main.source)?.eval()?;
    settle(ctx, loaded, deadline)?;
    module.namespace()
}

fn call<'js>(
    ctx: &Ctx<'js>,
    exports: &Object<'js>,
    request: &Request,
    deadline: &Deadline,
) -> JsResult<String> {
    let export: Value<'js> = exports.get(request.function.as_str())?;
    let Some(function) = export.as_function() else {
        let message = format!("the module exports no function '{}'", request.function);
        return Err(Exception::throw_message(ctx, &message));
    };
    let values = ctx.json_parse(request.args.as_str())?;
    let values = values.as_array().ok_or(Error::new_from_js("value", "array"))?;
    let mut args = Args::new(ctx.clone(), values.len());
    for value in values.iter::<Value<'js>>() {
        args.push_arg(value?)?;
    }
    let mut result: Value<'js> = function.call_arg(args)?;
    match result.clone().into_promise() {
        Some(promise) => result = settle(ctx, promise, deadline)?,
        None => pump(ctx, deadline)?,
    }
    match ctx.json_stringify(result)? {
        Some(json) => json.to_string(),
        None => Ok("null".to_owned()),
    }
}

fn settle<'js>(ctx: &Ctx<'js>, promise: Promise<'js>, deadline: &Deadline) -> JsResult<Value<'js>> {
    pump(ctx, deadline)?;
    if promise.state() == PromiseState::Pending {
        let message = "the promise never settles: nothing is left to run that could settle it";
        return Err(Exception::throw_message(ctx, message));
    }
    promise.result().unwrap_or(Err(Error::WouldBlock))
}

/// Runs jobs until none is left. Looks at the clock between them, since jobs that make more jobs can go on for
/// ever without any of them being long enough for the interrupt handler.
fn pump(ctx: &Ctx<'_>, deadline: &Deadline) -> JsResult<()> {
    while ctx.execute_pending_job() {
        if deadline.is_over() {
            return Err(Exception::throw_message(ctx, "interrupted"));
        }
    }
    Ok(())
}
