//! A script talks with the session that called it: messages, questions, timers, and calls inside of calls.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::script::{
    Message, Module, ScriptEngine, ScriptError, ScriptLimits, ScriptRuntime, World,
};
use trailblaze_engine::server::Call;
use trailblaze_script::QuickJs;

/// Ids are unique in a runtime.
static NEXT: AtomicU64 = AtomicU64::new(1_000);

const LIMITS: ScriptLimits = ScriptLimits { call_ms: 10_000, heap_bytes: 16 << 20, stack_bytes: 8 << 20 };

/// Answers every method with what `answer(params)` gives, awaited.
const SERVER: &str = "
    const host = globalThis[Symbol.for('trailblaze.host')];
    const serve = (answer) => host.connect(async (message) => {
      if (message.id === undefined) return;
      try {
        host.send({ jsonrpc: '2.0', id: message.id, result: await answer(message.params) ?? null });
      } catch (error) {
        host.send({ jsonrpc: '2.0', id: message.id, error: { code: 1, message: String(error?.message ?? error) } });
      }
    });
    const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));
";

fn start(source: &str) -> Box<dyn ScriptRuntime> {
    QuickJs.start(vec![Module::new("main.js", format!("{SERVER}{source}"))], LIMITS).unwrap()
}

/// A session that echoes calls, and calls back into the script where it is told to.
#[derive(Default)]
struct Echo<'a> {
    now_ms: u64,
    until_ms: Option<u64>,
    asked: Vec<String>,
    again: Option<&'a dyn ScriptRuntime>,
    cancel: Cancel,
}

impl World for Echo<'_> {
    fn call(&mut self, name: &str, args: Map<String, Value>) -> Value {
        self.asked.push(format!("{name} {}", Value::Object(args.clone())));
        match (name, self.again) {
            ("again", Some(runtime)) => {
                let mut inner = Echo { now_ms: self.now_ms, again: self.again, ..Echo::default() };
                let answer =
                    ask(runtime, &mut inner, NEXT.fetch_add(1, Ordering::Relaxed), args["params"].clone());
                self.asked.extend(inner.asked);
                answer.unwrap_or_else(|error| json!({ "failed": format!("{error:?}") }))
            }
            ("cancel", _) => {
                self.cancel.cancel();
                Value::Null
            }
            _ => Value::Object(args),
        }
    }

    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn began_ms(&self) -> u64 {
        1_767_225_600_000
    }

    fn sleep_until(&mut self, at_ms: u64) -> Result<(), String> {
        if self.until_ms.is_some_and(|until| at_ms > until) {
            return Err("it took too long".to_owned());
        }
        self.now_ms = at_ms;
        Ok(())
    }

    fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }
}

fn ask(
    runtime: &dyn ScriptRuntime,
    world: &mut dyn World,
    id: u64,
    params: Value,
) -> Result<Value, ScriptError> {
    let message = Message::Request { id, method: "test", params: &params };
    let answer = runtime.exchange(message, world)?.unwrap();
    assert_eq!(answer["id"], id);
    Ok(answer.get("result").unwrap_or(&answer["error"]).clone())
}

#[track_caller]
fn check(source: &str, params: Value, expected: Value) -> Echo<'static> {
    let (runtime, mut world) = (start(source), Echo::default());
    assert_eq!(ask(runtime.as_ref(), &mut world, 1, params), Ok(expected));
    world
}

#[test]
fn a_message_is_answered_by_its_id() {
    check("serve((params) => ({ got: params }))", json!([1, "ü"]), json!({ "got": [1, "ü"] }));
    check(
        "serve(async () => { await null; throw new Error('no') })",
        json!({}),
        json!({"code": 1, "message": "no"}),
    );
}

#[test]
fn a_notification_wants_no_answer() {
    let runtime = start(
        "let seen = 0; host.connect((m) => { seen += m.id === undefined }); export const n = () => seen",
    );
    let notification = Message::Notification { method: "notifications/initialized" };
    assert_eq!(runtime.exchange(notification, &mut Echo::default()), Ok(None));
    assert_eq!(runtime.call("n", vec![]), Ok(json!(1)));
}

#[test]
fn a_script_that_does_not_listen_says_so() {
    let runtime = start("export const x = 1");
    let result = ask(runtime.as_ref(), &mut Echo::default(), 1, json!({}));
    let Err(ScriptError::Threw { message, .. }) = result else { panic!("{result:?}") };
    assert_eq!(message, "nothing in this script listens: it defines no tools and starts no server");
}

#[test]
fn questions_are_asked_one_after_the_other() {
    let source = "serve(async () => {
      const both = await Promise.all([host.call('a', { n: 1 }), host.call('b', { n: 2 })]);
      return [both, await host.call('c', { n: 3 })];
    })";
    let world = check(source, json!({}), json!([[{ "n": 1 }, { "n": 2 }], { "n": 3 }]));
    assert_eq!(world.asked, [r#"a {"n":1}"#, r#"b {"n":2}"#, r#"c {"n":3}"#]);
}

#[test]
fn a_tool_may_call_into_its_own_script() {
    let runtime = start(
        "serve(async ({ depth }) => depth === 0 ? 'bottom'
           : [depth, await host.call('again', { params: { depth: depth - 1 } })])",
    );
    let mut world = Echo { again: Some(runtime.as_ref()), ..Echo::default() };
    let result = ask(runtime.as_ref(), &mut world, 1, json!({ "depth": 3 }));
    assert_eq!(result, Ok(json!([3, [2, [1, "bottom"]]])));
}

#[test]
fn calls_do_not_take_each_others_questions() {
    // Each inner call asks for something itself while the outer one has more to ask.
    let runtime = start(
        "serve(async ({ arguments: { many } = {}, _meta }) => {
           const call = _meta?.trailblazeInvocationId;
           if (!many) return (await host.call('echo', { n: 1 }, call)).n;
           const all = Array.from({ length: many }, () => host.call('again', { params: {} }, call));
           return (await Promise.all(all)).length;
         })",
    );
    let mut world = Echo { again: Some(runtime.as_ref()), ..Echo::default() };
    let args = Map::from_iter([("many".to_owned(), json!(40))]);
    let mut call = Call::outside("many", &args);
    call.invocation = "outer".to_owned();
    let call = std::sync::Arc::new(call);
    let answer = runtime.exchange(Message::Call { id: 1, call: &call }, &mut world).unwrap().unwrap();
    assert_eq!(answer["result"], 40);
    let first: Vec<&str> = world.asked.iter().take(4).map(String::as_str).collect();
    assert_eq!(
        first,
        [r#"again {"params":{}}"#, r#"echo {"n":1}"#, r#"again {"params":{}}"#, r#"echo {"n":1}"#]
    );
}

#[test]
fn what_is_not_waited_for_is_done_before_the_call_ends() {
    let runtime = start("serve(async ({ stray }) => { if (stray) host.call('stray', {}); return 'done' })");
    let mut world = Echo::default();
    assert_eq!(ask(runtime.as_ref(), &mut world, 1, json!({ "stray": true })), Ok(json!("done")));
    assert_eq!(world.asked, ["stray {}"]);
    assert_eq!(ask(runtime.as_ref(), &mut world, 2, json!({})), Ok(json!("done")));
    assert_eq!(world.asked.len(), 1);
}

#[test]
fn a_script_that_waits_while_it_loads_says_so() {
    let source = format!("{SERVER} await sleep(1);");
    let Err(ScriptError::Load { message, .. }) = QuickJs.start(vec![Module::new("main.js", source)], LIMITS)
    else {
        panic!()
    };
    assert!(message.starts_with("it waits while it loads"), "{message}");
}

#[test]
fn an_error_may_run_code_that_comes_back() {
    let source = "serve(() => {
      Error.prepareStackTrace = () => { setTimeout(() => {}, 0); return '' };
      try { host.connect(() => {}) } catch (error) { return error.message.slice(0, 10) }
    })";
    check(source, json!({}), json!("a toolset "));
}

#[test]
fn timers_run_on_the_clock_of_the_run() {
    let source = "serve(async () => {
      const seen = [];
      setTimeout(() => seen.push('late'), 60_000);
      setTimeout((a, b) => seen.push(a + b), 10, 'ear', 'ly');
      clearTimeout(setTimeout(() => seen.push('never'), 20));
      const every = setInterval(() => { seen.push('tick'); if (seen.length > 3) clearInterval(every) }, 1_000);
      await sleep(90_000);
      return seen;
    })";
    let world = check(source, json!({}), json!(["early", "tick", "tick", "tick", "late"]));
    assert_eq!(world.now_ms, 90_000);
}

#[test]
fn the_date_is_that_of_the_run() {
    let source = "serve(async () => {
      const [begin, tick] = [Date.now(), performance.now()];
      await sleep(86_400_000);
      const day = new Date();
      return [day - begin, performance.now() - tick, day.toISOString(), day instanceof Date, day.constructor === Date,
        new Date(0).getTime(), new Date(2020, 1).getFullYear(), Date.UTC(1970), typeof Date(), Date.length, Date.name];
    })";
    let expected = json!([
        86_400_000,
        86_400_000,
        "2026-01-02T00:00:00.000Z",
        true,
        true,
        0,
        2020,
        0,
        "string",
        7,
        "Date"
    ]);
    check(source, json!({}), expected);
}

#[test]
fn a_script_that_waits_too_long_is_stopped() {
    let runtime = start("serve(() => sleep(5_000))");
    let mut world = Echo { until_ms: Some(1_000), ..Echo::default() };
    let result = ask(runtime.as_ref(), &mut world, 1, json!({}));
    assert_eq!(result, Err(ScriptError::Stopped { message: "it took too long".into() }));
    assert_eq!(ask(runtime.as_ref(), &mut world, 2, json!({})), Err(ScriptError::Gone));
}

#[test]
fn a_cancelled_run_stops_a_script_that_loops() {
    let runtime = start("serve(async () => { await host.call('cancel', {}); while (true); })");
    assert_eq!(ask(runtime.as_ref(), &mut Echo::default(), 1, json!({})), Err(ScriptError::Cancelled));
}

#[test]
fn what_can_never_settle_fails_at_once() {
    let runtime = start("serve(() => new Promise(() => {}))");
    let result = ask(runtime.as_ref(), &mut Echo::default(), 1, json!({}));
    let Err(ScriptError::Threw { message, .. }) = result else { panic!("{result:?}") };
    assert!(message.starts_with("the promise never settles"), "{message}");
    assert_eq!(runtime.take_logs(), []);
}

#[test]
fn an_error_that_nobody_listens_to_fails_the_call() {
    let source = "serve(async () => {
      Promise.reject(new Error('lost'));
      const later = Promise.reject(new Error('found'));
      await null;
      later.catch(() => {});
      return 'done';
    })";
    let (runtime, mut world) = (start(source), Echo::default());
    let result = ask(runtime.as_ref(), &mut world, 1, json!({}));
    let Err(ScriptError::Threw { message, stack }) = result else { panic!("{result:?}") };
    assert_eq!(message, "uncaught in a promise: lost");
    assert!(stack.unwrap().contains("main.js:"));
}

#[test]
fn an_error_in_a_timer_is_logged() {
    let source =
        "serve(async () => { setTimeout(() => { throw new Error('late') }, 1); await sleep(2); return 1 })";
    let (runtime, mut world) = (start(source), Echo::default());
    assert_eq!(ask(runtime.as_ref(), &mut world, 1, json!({})), Ok(json!(1)));
    let logs: Vec<String> = runtime.take_logs().into_iter().map(|line| line.message).collect();
    assert!(logs.len() == 1 && logs[0].starts_with("uncaught in a timer: Error: late"), "{logs:?}");
}

#[test]
fn a_server_that_asks_the_client_is_refused() {
    let source = "
      const answers = [];
      host.connect((message) => {
        if (message.method) host.send({ jsonrpc: '2.0', id: 'own', method: 'roots/list' });
        else host.send({ jsonrpc: '2.0', id: 1, result: message.error });
      })";
    check(source, json!({}), json!({ "code": -32601, "message": "Method not found" }));
}

#[test]
fn only_one_server_may_connect() {
    let source = format!("{SERVER} serve(() => 1); serve(() => 2);");
    let Err(ScriptError::Load { message, .. }) = QuickJs.start(vec![Module::new("main.js", source)], LIMITS)
    else {
        panic!()
    };
    assert!(message.starts_with("a toolset connects once"), "{message}");
}

#[test]
fn a_compiled_module_does_what_its_source_does() {
    let mut module = Module::new("main.js", "export const f = () => { throw new Error('here') }");
    let compiled = QuickJs.compile(&module).unwrap();
    assert!(QuickJs.accepts(&module, &compiled));
    module.compiled = Some(compiled.clone());
    let runtime = QuickJs.start(vec![module.clone()], LIMITS).unwrap();
    let Err(ScriptError::Threw { message, stack }) = runtime.call("f", vec![]) else { panic!() };
    assert_eq!((message.as_str(), stack.unwrap().trim()), ("here", "at f (main.js:1:36)"));
}

#[test]
fn compiled_bytes_that_do_not_fit_are_not_read() {
    let mut module = Module::new("main.js", "export const f = () => 1");
    let compiled = QuickJs.compile(&module).unwrap();
    let other = Module::new("main.js", "export const f = () => 2");
    assert!(!QuickJs.accepts(&other, &compiled));
    let mut damaged = compiled;
    *damaged.last_mut().unwrap() ^= 1;
    assert!(!QuickJs.accepts(&module, &damaged));
    assert!(!QuickJs.accepts(&module, b""));
    module.compiled = Some(damaged);
    let runtime = QuickJs.start(vec![module], LIMITS).unwrap();
    assert_eq!(runtime.call("f", vec![]), Ok(json!(1)));
}
