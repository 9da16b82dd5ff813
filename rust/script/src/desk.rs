//! What a script waits for: questions to the session, timers, and messages that it sent.
//!
//! It is kept on the Rust side, where a script that changes its own built-ins cannot reach it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use rquickjs::function::Opt;
use rquickjs::{Ctx, Exception, Function, Object, Promise, Result as JsResult, Value};

use trailblaze_engine::server::Call;

use crate::turn::{Question, Said};

/// The most that may wait at once; a script that asks for more is lost in a loop.
const MOST: usize = 10_000;

/// A question to the session and what takes the answer.
pub(crate) struct Asked<'js> {
    /// The call that asked.
    owner: u64,
    pub(crate) question: Question,
    resolve: Function<'js>,
    reject: Function<'js>,
}

impl<'js> Asked<'js> {
    /// Tools answer with a value, the network with the text of one.
    pub(crate) fn answer(self, ctx: &Ctx<'js>, answer: Result<String, String>) -> JsResult<()> {
        match (answer, &self.question) {
            (Ok(text), Question::Tool { .. }) => self.resolve.call((ctx.json_parse(text)?,)),
            (Ok(text), Question::Fetch(_)) => self.resolve.call((text,)),
            (Err(message), _) => self.reject.call((Exception::from_message(ctx.clone(), &message)?,)),
        }
    }
}

fn is_called(call: &Option<Arc<Call>>, name: &str) -> bool {
    call.as_ref().is_some_and(|call| call.invocation == name)
}

/// Whether an id in a message is this number; what JSON has no fraction for may be a float still.
fn is_number(id: &Value<'_>, number: u64) -> bool {
    id.as_number() == Some(number as f64)
}

struct Timer<'js> {
    task: Function<'js>,
    /// The time between two rounds of an interval.
    every: Option<u64>,
}

/// What takes the messages to a script.
#[derive(Clone)]
pub(crate) struct Receiver<'js> {
    pub(crate) receive: Function<'js>,
    pub(crate) ours: Option<Ours<'js>>,
}

/// What our own SDK has besides.
#[derive(Clone)]
pub(crate) struct Ours<'js> {
    /// Takes a tool call without a message around it.
    pub(crate) call: Function<'js>,
    /// Makes an error that nobody listened to the answer of a call.
    pub(crate) blamed: Function<'js>,
}

#[derive(Default)]
struct Papers<'js> {
    receiver: Option<Receiver<'js>>,
    /// The ids of messages whose answers are waited for, and those that came.
    sent: Vec<(u64, Option<Said>)>,
    questions: VecDeque<Asked<'js>>,
    /// The calls that are under way, the innermost last, with the names that the script knows them by.
    calls: Vec<(u64, Option<Arc<Call>>)>,
    last_call: u64,
    /// By the time they are due and their number.
    timers: BTreeMap<(u64, u32), Timer<'js>>,
    last_timer: u32,
    now_ms: u64,
    began_ms: Option<u64>,
}

/// Shared by the script's functions and the thread's loop.
#[derive(Clone, Default)]
pub(crate) struct Desk<'js>(Rc<RefCell<Papers<'js>>>);

impl<'js> Desk<'js> {
    pub(crate) fn set_now(&self, now_ms: u64, began_ms: Option<u64>) {
        let mut papers = self.0.borrow_mut();
        (papers.now_ms, papers.began_ms) = (now_ms, began_ms);
    }

    /// The date on the clock of the run, where scripts see that.
    fn date_ms(&self) -> Option<u64> {
        let papers = self.0.borrow();
        papers.began_ms.map(|began| began + papers.now_ms)
    }

    pub(crate) fn receiver(&self) -> Option<Receiver<'js>> {
        self.0.borrow().receiver.clone()
    }

    pub(crate) fn await_answer(&self, id: u64) {
        self.0.borrow_mut().sent.push((id, None));
    }

    pub(crate) fn take_sent(&self, id: u64) -> Option<Said> {
        let mut papers = self.0.borrow_mut();
        papers.sent.iter_mut().find(|(awaited, _)| *awaited == id)?.1.take()
    }

    pub(crate) fn forget_answer(&self, id: u64) {
        self.0.borrow_mut().sent.retain(|(awaited, _)| *awaited != id);
    }

    /// A call begins.
    pub(crate) fn begin(&self, call: Option<Arc<Call>>) {
        let mut papers = self.0.borrow_mut();
        papers.last_call += 1;
        let number = papers.last_call;
        papers.calls.push((number, call));
    }

    /// The innermost call is over. If it failed it may have had more to ask, which would run inside of the next one.
    pub(crate) fn end(&self) {
        let mut papers = self.0.borrow_mut();
        if let Some((over, _)) = papers.calls.pop() {
            papers.questions.retain(|asked| asked.owner != over);
        }
    }

    /// A question of the innermost call.
    pub(crate) fn next_question(&self) -> Option<Asked<'js>> {
        let mut papers = self.0.borrow_mut();
        let innermost = papers.calls.last().map(|(number, _)| *number)?;
        let own = papers.questions.iter().position(|asked| asked.owner == innermost)?;
        papers.questions.remove(own)
    }

    /// A question of whichever call: one that has none itself may wait for what another one asks.
    pub(crate) fn any_question(&self) -> Option<Asked<'js>> {
        self.0.borrow_mut().questions.pop_front()
    }

    /// The call that a question belongs to: the one that it names, else the innermost.
    fn owner(&self, name: Option<&str>) -> Option<u64> {
        let papers = self.0.borrow();
        match name {
            Some(name) => papers.calls.iter().find(|(_, call)| is_called(call, name)),
            None => papers.calls.last(),
        }
        .map(|(number, _)| *number)
    }

    /// What Trailblaze says of a call that is under way, as JSON.
    fn about(&self, name: &str) -> Option<String> {
        let papers = self.0.borrow();
        let (_, call) = papers.calls.iter().find(|(_, call)| is_called(call, name))?;
        call.as_ref().map(|call| call.trailblaze())
    }

    /// A timer that is due, or when the next one will be.
    pub(crate) fn next_timer(&self) -> Option<Result<Function<'js>, u64>> {
        let mut papers = self.0.borrow_mut();
        let now = papers.now_ms;
        let entry = papers.timers.first_entry()?;
        let (due, number) = *entry.key();
        if due > now {
            return Some(Err(due));
        }
        let timer = entry.remove();
        let task = timer.task.clone();
        if let Some(every) = timer.every {
            papers.timers.insert((now + every, number), timer);
        }
        Some(Ok(task))
    }

    /// Lets go of every JavaScript value. A runtime can end only without them.
    pub(crate) fn clear(&self) {
        drop(self.0.take());
    }

    fn set_timer(&self, ctx: &Ctx<'js>, task: Function<'js>, ms: f64, repeat: bool) -> JsResult<u32> {
        // Throwing may run code of the script, which may come back here: nothing is borrowed then.
        if self.0.borrow().timers.len() >= MOST {
            return Err(Exception::throw_range(ctx, "too many timers are set"));
        }
        let mut papers = self.0.borrow_mut();
        // Not a number and less than nothing count as nothing, as everywhere.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is within bounds")]
        let wait = ms.clamp(0.0, f64::from(i32::MAX)) as u64;
        papers.last_timer += 1;
        let number = papers.last_timer;
        let every = repeat.then_some(wait.max(1));
        let due = papers.now_ms + every.unwrap_or(wait);
        papers.timers.insert((due, number), Timer { task, every });
        Ok(number)
    }

    fn clear_timer(&self, number: f64) {
        self.0.borrow_mut().timers.retain(|(_, other), _| f64::from(*other) != number);
    }

    fn ask(&self, ctx: &Ctx<'js>, question: Question, call: Option<&str>) -> JsResult<Promise<'js>> {
        let Some(owner) = self.owner(call) else {
            let message = match call {
                Some(_) => "the call that this belongs to is over",
                None => "nothing can be asked for while no tool is called",
            };
            return Err(Exception::throw_message(ctx, message));
        };
        if self.0.borrow().questions.len() >= MOST {
            return Err(Exception::throw_range(ctx, "too many calls wait for their turn"));
        }
        let (promise, resolve, reject) = ctx.promise()?;
        self.0.borrow_mut().questions.push_back(Asked { owner, question, resolve, reject });
        Ok(promise)
    }

    fn ask_tool(
        &self,
        ctx: &Ctx<'js>,
        name: String,
        args: &Value<'js>,
        call: Option<&str>,
    ) -> JsResult<Promise<'js>> {
        let args = match ctx.json_stringify(args)? {
            Some(json) => json.to_string()?,
            None => "null".to_owned(),
        };
        self.ask(ctx, Question::Tool { name, args }, call)
    }

    /// Sends a web request, whose answer is promised.
    pub(crate) fn fetch(&self, ctx: &Ctx<'js>) -> JsResult<Function<'js>> {
        let desk = self.clone();
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, request: String| {
            desk.ask(&ctx, Question::Fetch(request), None)
        })
    }

    /// Takes an answer: a text, with its id beside it, or an object.
    fn send(&self, ctx: &Ctx<'js>, message: &Value<'js>, id: &Value<'js>) -> JsResult<()> {
        if let Some(text) = message.as_string() {
            self.keep(id, Said::Json(text.to_string()?));
            return Ok(());
        }
        let Some(message) = message.as_object() else {
            return Err(Exception::throw_type(ctx, "a message is an object"));
        };
        let id: Value<'js> = message.get("id")?;
        if message.contains_key("method")? {
            // A toolset may ask the client for things; this one has nothing to offer.
            let Some(id) = ctx.json_stringify(id)? else { return Ok(()) };
            let id = id.to_string()?;
            let refusal = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            );
            let receiver = self.receiver();
            return receiver.map_or(Ok(()), |receiver| receiver.receive.defer((ctx.json_parse(refusal)?,)));
        }
        if self.is_awaited(&id)
            && let Some(text) = ctx.json_stringify(message.clone())?
        {
            self.keep(&id, Said::Json(text.to_string()?));
        }
        Ok(())
    }

    fn is_awaited(&self, id: &Value<'js>) -> bool {
        self.0.borrow().sent.iter().any(|(awaited, _)| is_number(id, *awaited))
    }

    /// Keeps an answer that is waited for.
    fn keep(&self, id: &Value<'js>, said: Said) {
        let mut papers = self.0.borrow_mut();
        if let Some((_, sent)) = papers.sent.iter_mut().find(|(awaited, _)| is_number(id, *awaited)) {
            *sent = Some(said);
        }
    }

    fn connect(&self, ctx: &Ctx<'js>, receive: Function<'js>, ours: Option<Object<'js>>) -> JsResult<()> {
        if self.receiver().is_some() {
            let message = "a toolset connects once: two servers in one bundle cannot share it";
            return Err(Exception::throw_message(ctx, message));
        }
        let ours = match ours {
            Some(ours) => Some(Ours { call: ours.get("call")?, blamed: ours.get("blamed")? }),
            None => None,
        };
        self.0.borrow_mut().receiver = Some(Receiver { receive, ours });
        Ok(())
    }

    /// The functions that a script reaches the desk with.
    pub(crate) fn functions(&self, ctx: &Ctx<'js>) -> JsResult<Object<'js>> {
        let host = Object::new(ctx.clone())?;
        let desk = self.clone();
        host.set(
            "connect",
            Function::new(
                ctx.clone(),
                move |ctx: Ctx<'js>, receive: Function<'js>, ours: Opt<Object<'js>>| {
                    desk.connect(&ctx, receive, ours.0)
                },
            )?,
        )?;
        let desk = self.clone();
        host.set(
            "send",
            Function::new(ctx.clone(), move |ctx: Ctx<'js>, message: Value<'js>, id: Opt<Value<'js>>| {
                let id = id.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
                desk.send(&ctx, &message, &id)
            })?,
        )?;
        let desk = self.clone();
        host.set(
            "answer",
            Function::new(ctx.clone(), move |id: Value<'js>, text: String| desk.keep(&id, Said::Text(text)))?,
        )?;
        let desk = self.clone();
        host.set("about", Function::new(ctx.clone(), move |name: String| desk.about(&name))?)?;
        let desk = self.clone();
        host.set(
            "call",
            Function::new(
                ctx.clone(),
                move |ctx: Ctx<'js>, name: Value<'js>, args: Value<'js>, call: Opt<Value<'js>>| {
                    let text = |value: &Value<'js>| value.as_string().and_then(|text| text.to_string().ok());
                    let call = call.0.as_ref().and_then(text);
                    match text(&name) {
                        Some(name) => desk.ask_tool(&ctx, name, &args, call.as_deref()),
                        None => Err(Exception::throw_type(&ctx, "the name of a tool is a text")),
                    }
                },
            )?,
        )?;
        let desk = self.clone();
        host.set(
            "setTimer",
            Function::new(ctx.clone(), move |ctx: Ctx<'js>, task: Function<'js>, ms: f64, repeat: bool| {
                desk.set_timer(&ctx, task, ms, repeat)
            })?,
        )?;
        let desk = self.clone();
        host.set("clearTimer", Function::new(ctx.clone(), move |number: f64| desk.clear_timer(number))?)?;
        let desk = self.clone();
        host.set("date", Function::new(ctx.clone(), move || desk.date_ms().map(|date| date as f64))?)?;
        Ok(host)
    }
}
