//! What a script may do, what it may not, and what is left of the runtime afterwards.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use trailblaze_engine::script::{Module, ScriptEngine, ScriptError, ScriptLimits, ScriptRuntime};
use trailblaze_model::event::LogLevel;
use trailblaze_script::QuickJs;

/// Enough time for a busy machine; [`HURRY`] is for scripts that never end.
const LIMITS: ScriptLimits = ScriptLimits { call_ms: 10_000, heap_bytes: 16 << 20, stack_bytes: 8 << 20 };
const HURRY: ScriptLimits = ScriptLimits { call_ms: 500, ..LIMITS };

fn module(name: &str, source: &str) -> Module {
    Module::new(name, source)
}

fn start(source: &str) -> Result<Box<dyn ScriptRuntime>, ScriptError> {
    QuickJs.start(vec![module("main.js", source)], LIMITS)
}

fn start_in_a_hurry(source: &str) -> Result<Box<dyn ScriptRuntime>, ScriptError> {
    QuickJs.start(vec![module("main.js", source)], HURRY)
}

/// Calls the exported function `f`.
fn call(source: &str) -> (Box<dyn ScriptRuntime>, Result<Value, ScriptError>) {
    let runtime = start(source).unwrap();
    let result = runtime.call("f", vec![]);
    (runtime, result)
}

/// The call fails, the runtime lives on.
#[track_caller]
fn check_threw(source: &str, expected: &str) -> Option<String> {
    let (runtime, result) = call(&format!("export const ok = () => 1; {source}"));
    let Err(ScriptError::Threw { message, stack }) = result else { panic!("{result:?}") };
    assert_eq!(message, expected);
    assert_eq!(runtime.call("ok", vec![]), Ok(json!(1)));
    stack
}

/// The call is stopped on time, and the runtime is gone.
#[track_caller]
fn check_timeout(source: &str, within: Duration) -> Option<String> {
    let runtime = start_in_a_hurry(source).unwrap();
    let begin = Instant::now();
    let result = runtime.call("f", vec![]);
    assert!(begin.elapsed() < within, "{:?}", begin.elapsed());
    let Err(ScriptError::Timeout { limit_ms: 500, stack }) = result else { panic!("{result:?}") };
    assert_eq!(runtime.call("f", vec![]), Err(ScriptError::Gone));
    stack
}

#[track_caller]
fn check_out_of_memory(source: &str) {
    let (runtime, result) = call(source);
    assert_eq!(result, Err(ScriptError::OutOfMemory { limit_bytes: 16 << 20 }));
    assert_eq!(runtime.call("f", vec![]), Err(ScriptError::Gone));
}

#[test]
fn values_cross_as_json() {
    let runtime =
        start("export function echo(...args) { return args }; export const nothing = () => {}").unwrap();
    let args = vec![json!(null), json!(1.5), json!("ü\u{0}😀"), json!({"a": [true, {"__proto__": 1}]})];
    assert_eq!(runtime.call("echo", args.clone()), Ok(Value::Array(args)));
    assert_eq!(runtime.call("nothing", vec![]), Ok(Value::Null));
}

#[test]
fn half_a_character_does_not_spoil_a_result() {
    assert_eq!(call(r"export const f = () => ['\ud83d', '\\ud83d']").1, Ok(json!(["\u{fffd}", "\\ud83d"])));
}

#[test]
fn a_promise_is_awaited() {
    let source = "export async function f() { await null; await Promise.resolve(); return {n: 7} }";
    assert_eq!(call(source).1, Ok(json!({"n": 7})));
}

#[test]
fn microtasks_run_before_the_next_call() {
    let runtime = start("let n = 0; export const f = () => { queueMicrotask(() => n++); return n }").unwrap();
    assert_eq!(runtime.call("f", vec![]), Ok(json!(0)));
    assert_eq!(runtime.call("f", vec![]), Ok(json!(1)));
}

#[test]
fn modules_import_each_other_by_name() {
    let modules = vec![
        module("lib/a.js", "import { b } from './b.js'; export const a = b + 1"),
        module("lib/b.js", "export const b = 1"),
        module("main.js", "import { a } from 'lib/a.js'; export const f = () => a"),
    ];
    assert_eq!(QuickJs.start(modules, LIMITS).unwrap().call("f", vec![]), Ok(json!(2)));
}

#[test]
fn an_import_of_something_else_is_refused() {
    let Err(ScriptError::Load { message, .. }) = start("import 'fs'; export const f = 1") else { panic!() };
    assert!(message.contains("'fs' from 'main.js'"), "{message}");
    let (_, result) = call("export const f = async () => (await import('/etc/passwd')).default");
    assert!(matches!(&result, Err(ScriptError::Threw { .. })), "{result:?}");
}

#[test]
fn a_throw_has_message_and_place() {
    let stack = check_threw(
        "\nfunction g() { throw new TypeError('no') }\nexport const f = () => g()",
        "TypeError: no",
    );
    let stack = stack.unwrap();
    assert!(stack.contains("at g (main.js:2:") && stack.contains("at f (main.js:3:"), "{stack}");
    check_threw("export const f = async () => { throw new Error('late') }", "late");
    check_threw("export const f = () => { throw 'words' }", "words");
    check_threw("export const f = () => { throw {code: 1} }", "threw {\"code\":1}");
    check_threw("export const f = 1", "the module exports no function 'f'");
    check_threw("export const f = () => 10n", "TypeError: BigInt are forbidden in JSON.stringify");
}

#[test]
fn a_syntax_error_has_its_line() {
    let Err(ScriptError::Load { message, stack }) = start("export const a = 1;\nexport const b = ;") else {
        panic!()
    };
    assert!(message.starts_with("SyntaxError: "), "{message}");
    assert!(stack.unwrap().contains("main.js:2:"));
}

#[test]
fn what_a_script_wrote_before_it_failed_to_load_is_not_lost() {
    let source = "console.log('so far', 1); throw new Error('no further')";
    let Err(ScriptError::Load { message, .. }) = start(source) else { panic!() };
    assert_eq!(message, "no further\nit wrote: so far 1");
}

#[test]
fn a_throw_while_loading_is_a_load_error() {
    let Err(ScriptError::Load { message, stack }) = start("\nthrow new Error('early')") else { panic!() };
    assert_eq!(message, "early");
    assert!(stack.unwrap().contains("main.js:2:"));
}

#[test]
fn endless_loops_are_stopped() {
    let soon = Duration::from_millis(2000);
    let stack = check_timeout("export function f() {\n  while (true) {}\n}", soon);
    assert!(stack.unwrap().contains("at f (main.js:"));
    check_timeout(
        "export const f = () => { for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } } }",
        soon,
    );
    check_timeout("export const f = () => /^(a+)+$/.test('a'.repeat(40) + 'b')", soon);
    check_timeout("export const f = async () => { for (;;) await null }", soon);
    let flood = "const more = () => { Promise.resolve().then(more); Promise.resolve().then(more) };
                 export const f = () => more()";
    let runtime = start_in_a_hurry(flood).unwrap();
    // Whichever limit comes first.
    assert!(matches!(
        runtime.call("f", vec![]),
        Err(ScriptError::Timeout { .. } | ScriptError::OutOfMemory { .. })
    ));
}

#[test]
fn an_endless_loop_while_loading_is_stopped() {
    assert!(matches!(start_in_a_hurry("while (true) {}"), Err(ScriptError::Timeout { .. })));
}

#[test]
fn a_native_loop_that_ignores_the_clock_is_given_up() {
    // The guard sees the first length, the engine the second.
    let source = "export const f = () => {
        let first = true;
        const length = { get length() { if (first) { first = false; return 0 } return 1e9 } };
        return Array.prototype.join.call(length, '').length }";
    let runtime = start_in_a_hurry(source).unwrap();
    let begin = Instant::now();
    assert_eq!(runtime.call("f", vec![]), Err(ScriptError::Stuck { limit_ms: 500 }));
    assert!(begin.elapsed() < Duration::from_secs(4), "{:?}", begin.elapsed());
    assert_eq!(runtime.call("f", vec![]), Err(ScriptError::Gone));
}

#[test]
fn a_promise_that_never_settles_is_an_error() {
    let message = "the promise never settles: nothing is left to run that could settle it";
    check_threw("export const f = () => new Promise(() => {})", message);
}

#[test]
fn memory_is_limited() {
    check_out_of_memory("export const f = () => { const a = []; for (;;) a.push({ n: a.length }) }");
    check_out_of_memory(
        "const a = []; export const f = () => { for (;;) a.push('x'.repeat(1000) + a.length) }",
    );
    check_out_of_memory("export const f = () => { let s = 'x'; for (;;) s = s + s + 'y'.padEnd(9, s) }");
    check_out_of_memory("export const f = () => new Uint8Array(1 << 28)");
}

#[test]
fn deep_recursion_throws() {
    check_threw("export const f = () => 1 + f()", "RangeError: Maximum call stack size exceeded");
    let nested = "export const f = () => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a }";
    check_threw(nested, "RangeError: Maximum call stack size exceeded");
}

#[test]
fn arrays_that_are_all_holes_throw() {
    let message =
        |name| format!("RangeError: Array.prototype.{name}: an array of 4294967295 elements is too long");
    for name in ["join", "sort", "indexOf", "reverse", "fill", "toString"] {
        check_threw(&format!("export const f = () => new Array(2 ** 32 - 1).{name}('x')"), &message(name));
    }
    for (source, name) in
        [("[].concat(new Array(2 ** 32 - 1))", "concat"), ("new Array(2 ** 32 - 1).flat()", "")]
    {
        let runtime = start_in_a_hurry(&format!("export const f = () => {source}")).unwrap();
        let result = runtime.call("f", vec![]);
        assert!(
            matches!(&result, Err(ScriptError::Threw { message: said, .. }) if *said == message(name))
                || matches!(&result, Err(ScriptError::Timeout { .. })),
            "{result:?}"
        );
    }
    assert_eq!(
        call("export const f = () => [[3, 1].sort().join('-'), [1, [2]].toString()]").1,
        Ok(json!(["1-3", "1,2"]))
    );
}

#[test]
fn the_console_is_kept() {
    let source = "export const f = () => {
        console.log('a', 1, {b: [2]}, undefined); console.warn(Symbol('s')); console.error(new Error('e'));
        const loop = {}; loop.loop = loop; console.debug(loop) }";
    let (runtime, _) = call(source);
    let logs = runtime.take_logs();
    let lines: Vec<_> = logs.iter().map(|line| (line.level, line.message.lines().next().unwrap())).collect();
    let expected = [
        (LogLevel::Info, "a 1 {\"b\":[2]} undefined"),
        (LogLevel::Warn, "Symbol(s)"),
        (LogLevel::Error, "Error: e"),
        (LogLevel::Debug, "[a value that cannot be printed]"),
    ];
    assert_eq!(lines, expected);
    assert_eq!(runtime.take_logs(), []);
}

#[test]
fn a_flooded_console_keeps_the_first_lines() {
    let (runtime, _) = call("export const f = () => { for (let i = 0; i < 1500; i++) console.log(i) }");
    let logs = runtime.take_logs();
    assert_eq!((logs.len(), logs.last().unwrap().message.as_str()), (1001, "500 more lines were dropped"));
}

#[test]
fn what_was_logged_before_a_timeout_is_not_lost() {
    let runtime = start_in_a_hurry("export const f = () => { console.log('here'); for (;;) {} }").unwrap();
    runtime.call("f", vec![]).unwrap_err();
    assert_eq!(runtime.take_logs()[0].message, "here");
}

#[test]
fn an_error_in_a_microtask_is_logged() {
    let (runtime, result) =
        call("export const f = () => { queueMicrotask(() => { throw new Error('lost') }) }");
    assert_eq!(result, Ok(Value::Null));
    assert!(runtime.take_logs()[0].message.starts_with("uncaught in a microtask: Error: lost"));
}
