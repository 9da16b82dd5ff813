//! The runtime's own thread: loads the modules, then takes its turns until the caller hangs up or a limit is hit.

use std::sync::{Arc, mpsc};
use std::time::Instant;

use rquickjs::function::Args;
use rquickjs::promise::PromiseState;
use rquickjs::{
    Context, Ctx, Error, Exception, Function, Object, Promise, Result as JsResult, Runtime, Value,
};
use trailblaze_engine::script::{Module, ScriptError, ScriptLimits};
use trailblaze_engine::server::Call;

use crate::compiled;
use crate::console::Console;
use crate::deadline::{Deadline, Stop};
use crate::desk::{Asked, Desk, Receiver};
use crate::error::caught;
use crate::modules::{Names, Sources};
use crate::turn::{Incoming, Outgoing, Said, Turn, soon};
use crate::uncaught;
use crate::web;

const GUARDS: &str = include_str!("guards.js");
const PRELUDE: &str = include_str!("prelude.js");

/// QuickJS takes a larger stack limit for "no limit".
const MAX_JS_STACK: usize = 16 << 20;

/// The first thing said is whether the modules loaded.
pub(crate) fn run(
    modules: Vec<Module>,
    limits: ScriptLimits,
    deadline: Instant,
    console: &Console,
    turns: &mpsc::Receiver<Turn>,
    replies: &mpsc::Sender<Outgoing>,
) {
    let deadline = Deadline::new(deadline);
    let outcome = serve(modules, limits, &deadline, console, turns, replies);
    if let Err(error) = outcome {
        let error = ScriptError::Load { message: error.to_string(), stack: None };
        // Nobody listens any more when the caller gave this thread up.
        let _ = replies.send(Outgoing::Done(Err(error)));
    }
}

/// An empty runtime with its limits.
fn runtime(limits: ScriptLimits, deadline: &Deadline) -> JsResult<Runtime> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(limits.heap_bytes);
    runtime.set_max_stack_size((limits.stack_bytes / 4).min(MAX_JS_STACK));
    let interrupt = deadline.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || interrupt.is_over())));
    Ok(runtime)
}

/// Fails only when not even an empty runtime can be made.
fn serve(
    mut modules: Vec<Module>,
    limits: ScriptLimits,
    deadline: &Deadline,
    console: &Console,
    turns: &mpsc::Receiver<Turn>,
    replies: &mpsc::Sender<Outgoing>,
) -> JsResult<()> {
    let runtime = runtime(limits, deadline)?;
    let names = modules.iter().map(|module| module.name.clone()).collect();
    let main = modules.pop();
    let sources = modules.into_iter().map(|module| (module.name, module.source)).collect();
    runtime.set_loader(Names::new(names), Sources(sources));
    let uncaught = uncaught::watch(&runtime);

    let context = Context::full(&runtime)?;
    context.with(|ctx| {
        let desk = Desk::default();
        let exports = load(&ctx, main, &desk, console, deadline)
            .map_err(|error| load_error(caught(&ctx, &error, deadline, limits)));
        match exports {
            Err(error) => drop(replies.send(Outgoing::Done(Err(error)))),
            Ok(exports) => {
                let mut script = Script {
                    ctx: &ctx,
                    exports,
                    desk: &desk,
                    deadline,
                    limits,
                    running: Vec::new(),
                    asked: Vec::new(),
                };
                let mut reply = Outgoing::Done(Ok(Said::Json(String::new())));
                loop {
                    let ends = matches!(&reply, Outgoing::Done(Err(error)) if error.is_final());
                    if replies.send(reply).is_err() || ends {
                        break;
                    }
                    let Ok(turn) = soon(turns).or_else(|_| turns.recv()) else { break };
                    deadline.set(turn.deadline, turn.cancel);
                    desk.set_now(turn.now_ms, turn.began_ms);
                    reply = match script.take_turn(turn.what) {
                        Outgoing::Done(result) => {
                            let ours = desk.receiver().and_then(|receiver| receiver.ours);
                            Outgoing::Done(uncaught.judge(
                                &ctx,
                                result,
                                ours.map(|ours| ours.blamed),
                                console,
                            ))
                        }
                        other => other,
                    };
                }
            }
        }
        desk.clear();
        uncaught.clear();
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
    desk: &Desk<'js>,
    console: &Console,
    deadline: &Deadline,
) -> JsResult<Object<'js>> {
    compiled::own(ctx, "guards.js", GUARDS)?.call::<_, ()>(())?;
    let prelude = compiled::own(ctx, "prelude.js", PRELUDE)?;
    let console = console.clone();
    let write =
        Function::new(ctx.clone(), move |level: String, message: String| console.write(&level, message))?;
    prelude.call::<_, ()>((write, desk.functions(ctx)?))?;
    web::install(ctx, web::Powers { random: web::system_random, fetch: Some(desk.fetch(ctx)?) })?;

    let main = main.ok_or_else(|| Exception::throw_message(ctx, "there is no module to load"))?;
    let (module, loaded) = compiled::declare(ctx, main)?.eval()?;
    pump(ctx, deadline)?;
    if loaded.state() == PromiseState::Pending {
        let message = "it waits while it loads: timers and calls are there only once a tool is called";
        return Err(Exception::throw_message(ctx, message));
    }
    settled(ctx, &loaded)?;
    module.namespace()
}

/// The result of a promise that nothing is left to run for.
fn settled<'js>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> JsResult<Value<'js>> {
    if promise.state() == PromiseState::Pending {
        return Err(never_settles(ctx));
    }
    promise.result().unwrap_or(Err(Error::WouldBlock))
}

fn never_settles(ctx: &Ctx<'_>) -> Error {
    let message = "the promise never settles: nothing is left to run that could settle it";
    Exception::throw_message(ctx, message)
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

/// A call that is under way.
enum Running<'js> {
    /// An export; the value is there once it was called.
    Export(Option<Value<'js>>),
    /// A message, with the id of the answer that it wants.
    Message(Option<u64>),
}

struct Script<'a, 'js> {
    ctx: &'a Ctx<'js>,
    exports: Object<'js>,
    desk: &'a Desk<'js>,
    deadline: &'a Deadline,
    limits: ScriptLimits,
    /// The innermost last.
    running: Vec<Running<'js>>,
    /// Questions that the caller has not answered yet, the innermost last.
    asked: Vec<Asked<'js>>,
}

impl<'js> Script<'_, 'js> {
    fn take_turn(&mut self, what: Incoming) -> Outgoing {
        let outcome = self.hear(what).and_then(|()| self.advance());
        // A script may catch some of the ways in which it is stopped; that does not make it punctual.
        let stopped = self.deadline.was_hit().map(|stop| match stop {
            Stop::TimeIsUp => ScriptError::Timeout { limit_ms: self.limits.call_ms, stack: None },
            Stop::Cancelled => ScriptError::Cancelled,
        });
        match (outcome, stopped) {
            (Err(error), _) => {
                self.end();
                Outgoing::Done(Err(caught(self.ctx, &error, self.deadline, self.limits)))
            }
            (Ok(_), Some(stopped)) => Outgoing::Done(Err(stopped)),
            (Ok(outgoing), None) => outgoing,
        }
    }

    fn begin(&mut self, running: Running<'js>, call: Option<Arc<Call>>) {
        self.running.push(running);
        self.desk.begin(call);
    }

    fn end(&mut self) {
        if let Some(Running::Message(Some(id))) = self.running.pop() {
            self.desk.forget_answer(id);
        }
        self.desk.end();
    }

    fn receiver(&self) -> JsResult<Receiver<'js>> {
        self.desk.receiver().ok_or_else(|| {
            let message = "nothing in this script listens: it defines no tools and starts no server";
            Exception::throw_message(self.ctx, message)
        })
    }

    /// Passes on what the caller said.
    fn hear(&mut self, what: Incoming) -> JsResult<()> {
        match what {
            Incoming::Call { function, args } => {
                self.begin(Running::Export(None), None);
                let result = self.call_export(&function, &args)?;
                self.running.pop();
                self.running.push(Running::Export(Some(result)));
            }
            Incoming::Message { text, id } => {
                if let Some(id) = id {
                    self.desk.await_answer(id);
                }
                self.begin(Running::Message(id), None);
                let Receiver { receive, .. } = self.receiver()?;
                receive.call::<_, ()>((self.ctx.json_parse(text)?,))?;
            }
            Incoming::ToolCall { id, call } => {
                self.desk.await_answer(id);
                self.begin(Running::Message(Some(id)), Some(call.clone()));
                let Receiver { receive, ours } = self.receiver()?;
                match ours {
                    Some(ours) => {
                        let args = match call.arguments.as_str() {
                            "{}" => Object::new(self.ctx.clone())?.into_value(),
                            arguments => self.ctx.json_parse(arguments)?,
                        };
                        let (name, invocation) = (call.tool.as_str(), call.invocation.as_str());
                        ours.call.call::<_, ()>((id as f64, name, args, invocation))?;
                    }
                    None => {
                        let params = call.params("");
                        let text = format!(
                            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#
                        );
                        receive.call::<_, ()>((self.ctx.json_parse(text)?,))?;
                    }
                }
            }
            Incoming::Answer(answer) => {
                if let Some(asked) = self.asked.pop() {
                    asked.answer(self.ctx, answer)?;
                }
            }
            Incoming::Woken => {}
        }
        Ok(())
    }

    /// Runs until there is something to say.
    fn advance(&mut self) -> JsResult<Outgoing> {
        loop {
            pump(self.ctx, self.deadline)?;
            // What a script asks for without waiting is a part of its call too.
            if let Some(asked) = self.desk.next_question() {
                return Ok(self.ask(asked));
            }
            if let Some(result) = self.finished()? {
                self.end();
                return Ok(Outgoing::Done(Ok(result)));
            }
            if let Some(asked) = self.desk.any_question() {
                return Ok(self.ask(asked));
            }
            match self.desk.next_timer() {
                Some(Ok(task)) => task.call::<_, ()>(())?,
                Some(Err(due)) => return Ok(Outgoing::SleepUntil(due)),
                None => return Err(never_settles(self.ctx)),
            }
        }
    }

    fn ask(&mut self, asked: Asked<'js>) -> Outgoing {
        let question = asked.question.clone();
        self.asked.push(asked);
        Outgoing::Ask(question)
    }

    /// What the innermost call came to.
    fn finished(&self) -> JsResult<Option<Said>> {
        let value = match self.running.last() {
            Some(Running::Message(Some(id))) => return Ok(self.desk.take_sent(*id)),
            Some(Running::Export(Some(value))) => value.clone(),
            _ => return Ok(Some(Said::Json(String::new()))),
        };
        let value = match value.clone().into_promise() {
            Some(promise) if promise.state() == PromiseState::Pending => return Ok(None),
            Some(promise) => settled(self.ctx, &promise)?,
            None => value,
        };
        match self.ctx.json_stringify(value)? {
            Some(json) => Ok(Some(Said::Json(json.to_string()?))),
            None => Ok(Some(Said::Json("null".to_owned()))),
        }
    }

    fn call_export(&self, name: &str, args: &str) -> JsResult<Value<'js>> {
        let export: Value<'js> = self.exports.get(name)?;
        let Some(function) = export.as_function() else {
            return Err(Exception::throw_message(
                self.ctx,
                &format!("the module exports no function '{name}'"),
            ));
        };
        let values = self.ctx.json_parse(args)?;
        let values = values.as_array().ok_or(Error::new_from_js("value", "array"))?;
        let mut args = Args::new(self.ctx.clone(), values.len());
        for value in values.iter::<Value<'js>>() {
            args.push_arg(value?)?;
        }
        function.call_arg(args)
    }
}
