//! Toolsets that do their worst. Each call ends as a failed step, the next one works, and nothing is left behind.
//!
//! They are called as a session calls them: a server of a bundle, with the limits of a script made small.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use trailblaze_engine::script::{Module, Nowhere, ScriptLimits};
use trailblaze_engine::server::{Call, Provider, Scripted, Server};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::failure::Failure;
use trailblaze_script::{QuickJs, sdk};

const GOOD: &str = "return [3, 1, 2].sort().map((n) => `${n}`).join('') + JSON.stringify({ a: [null] });";
const GLOBALS: &str = "const holes = new Array(2 ** 32 - 1);\n";

/// A server with a tool for each of these bodies, and one that works, as authors write them.
fn toolset(bodies: &[&str], call_ms: u64) -> Scripted {
    let tool = |(name, body): (String, &str)| {
        format!(
            "trailblaze.tool({{ name: '{name}', description: 'x', handler: async (_, {{ client }}) => {{\n{body}\n}} }});\n"
        )
    };
    let tools: String = named(bodies).map(tool).collect();
    let import = "import { trailblaze } from '@trailblaze/scripting';\n";
    let mut modules = sdk::modules();
    modules.push(Module::new("bad.js", format!("{import}{GLOBALS}{tools}")));
    scripted(modules, call_ms)
}

/// The same without an SDK, which starts at once.
fn bare(bodies: &[&str], call_ms: u64) -> Scripted {
    let tool = |(name, body): (String, &str)| format!("async {name}() {{\n{body}\n}},\n");
    let tools: String = named(bodies).map(tool).collect();
    let server = include_str!("hostile/server.js");
    let source = format!("{GLOBALS}{server}\nserve({{\n{tools}}});");
    scripted(vec![Module::new("bad.js", source)], call_ms)
}

fn named<'a>(bodies: &'a [&str]) -> impl Iterator<Item = (String, &'a str)> {
    let bad = bodies.iter().enumerate().map(|(at, body)| (format!("bad_{at}"), *body));
    bad.chain([("good".to_owned(), GOOD)])
}

fn scripted(modules: Vec<Module>, call_ms: u64) -> Scripted {
    Scripted {
        name: "bad.ts".to_owned(),
        engine: Arc::new(QuickJs),
        modules,
        map: None,
        limits: ScriptLimits { call_ms, heap_bytes: 8 << 20, stack_bytes: 2 << 20 },
        agent: AgentMode::OnDevice,
        granted: Vec::new(),
    }
}

fn call(server: &dyn Server, tool: &str) -> Result<Value, Failure> {
    server.call(Call::outside(tool, &Map::new()), &mut Nowhere)
}

/// Whether a call ends as a failed step: by itself, or because of the error that the tool answered with.
fn fails(result: &Result<Value, Failure>) -> bool {
    result.as_ref().map_or(true, |answer| answer["isError"] == true)
}

#[track_caller]
fn check_good(server: &dyn Server) {
    // A new runtime has as little time to start as its calls, which on a busy machine may be too little.
    let answer = (0..10).find_map(|_| call(server, "good").ok()).unwrap();
    assert_eq!(answer["content"][0]["text"], "123{\"a\":[null]}", "{answer}");
}

/// The memory of this process in KiB, where the system tells.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// These end by themselves or at a limit of memory or stack, all long before the time is up.
const QUICK: &[&str] = &[
    // allocation bombs
    "const a = []; for (;;) a.push({ n: a.length });",
    "const a = []; for (;;) a.push('x'.repeat(1000) + a.length);",
    "let s = 'x'; for (;;) s = s + s + 'y'.padEnd(9, s);",
    "return 'x'.repeat(2 ** 30);",
    "return 'x'.padStart(2 ** 29).length;",
    "return new Uint8Array(1 << 28).length;",
    "return new SharedArrayBuffer(1 << 28).byteLength;",
    "return new ArrayBuffer(8, { maxByteLength: 2 ** 40 }).resize(2 ** 39);",
    "const s = new Set(); for (;;) s.add({});",
    "const o = {}; for (let i = 0; ; i++) o[`k${i}`] = i;",
    "return [...holes];",
    "return Array.from(holes).length;",
    "return Math.max(...holes);",
    "for (const all = []; ;) all.push(new Promise(() => {}));",
    "for (;;) setInterval(() => {}, 0);",
    // deep ones
    "return (function f() { return 1 + f(); })();",
    "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; return a;",
    "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; return structuredClone(a);",
    "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; return a.flat(Infinity);",
    "let a = []; for (let i = 0; i < 5e4; i++) a = [a]; return String(a);",
    "let f = () => 1; for (let i = 0; i < 3e4; i++) f = f.bind(); return f();",
    "return JSON.parse('['.repeat(1e6));",
    "return new RegExp('('.repeat(9e3));",
    "const a = { get a() { return this.a; } }; return a.a;",
    "const p = new Proxy({}, { get(_, k, self) { return self[k]; } }); return p.x;",
    "const v = { valueOf() { return +v; } }; return +v;",
    // lists that are all holes, and texts that are too long
    "return holes.join();",
    "return holes.sort();",
    "return holes.indexOf(1);",
    "return holes.reverse().length;",
    "return holes.fill(1).length;",
    "return [].concat(holes).length;",
    "return holes.toString();",
    "return holes.splice(1, 1);",
    "return JSON.stringify(holes);",
    "return holes.values().drop(2 ** 40).next();",
    "return Array.prototype.join.call({ length: 2 ** 53 - 1 });",
    "return new Uint8Array(5e6).sort().length;",
    "return 'é'.repeat(3e6).concat('é'.repeat(3e6)).normalize('NFD').length;",
    "return 'a'.repeat(3e6).indexOf('a'.repeat(1e5) + 'b');",
    "return new RegExp('a|'.repeat(1e5)).test('b');",
    "return 'x'.match('[' + 'ab'.repeat(1e5) + ']');",
    "return JSON.parse('[' + '1,'.repeat(3e6) + '1]').length;",
    "return 2n ** 100000000n;",
    // what would wait for another thread, and what can never end
    "return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
    "return new Promise(() => {});",
    "await new Promise(() => {});",
    "return { then() {} };",
    "return new Promise((done) => setTimeout(done, 10));",
    // errors that do not want to be read
    "throw null;",
    "throw undefined;",
    "throw { toString: null };",
    "throw new Proxy(new Error('x'), { get() { throw 1; } });",
    "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw e; } }); throw e;",
    "Promise.reject({ get stack() { Promise.reject(1); return 'x'; }, toJSON() { Promise.reject(2); } });",
    "return { toJSON() { throw new Error('no'); } };",
    "return new Proxy({}, { ownKeys() { throw new Error('no'); } });",
    "const o = {}; o.o = o; return o;",
    "return 1n;",
    "await import('/etc/passwd');",
    "await client.callTool('x', { get a() { throw new Error('no'); } });",
    "await client.callTool('x', new Proxy({}, { ownKeys() { throw new Error('no'); } }));",
    "await client.callTool(); ",
    "return (await fetch('http://127.0.0.1/')).status;",
];

/// These go on until they are stopped.
const ENDLESS: &[&str] = &[
    "while (true) {}",
    "try { while (true) {} } catch { while (true) {} } finally { while (true) {} }",
    "await null; for (;;) {}",
    "for (;;) await null;",
    "return { get a() { while (true) {} } };",
    "return { toJSON() { while (true) {} } };",
    "return new Proxy({}, { ownKeys() { while (true) {} } });",
    "return { then() { while (true) {} } };",
    "return +{ valueOf() { while (true) {} } };",
    "return [...(function* () { for (;;) yield* []; })()];",
    "for (const _ of (function* () { for (;;) yield 1; })()) ;",
    "const f = () => { queueMicrotask(f); }; f(); return new Promise(() => {});",
    "const f = () => Promise.resolve().then(f); return f();",
    "const f = async () => { f().catch(() => {}); await null; await f(); }; return f();",
    "return /(a*)*b/.test('a'.repeat(64)) || /^(a+)+$/.test('a'.repeat(64) + 'b');",
    "return /(?:(?:a{1,100}){1,100}){1,100}b/.test('a'.repeat(1e4));",
    "throw { toJSON() { while (true) {} } };",
    "throw new Proxy({}, { get() { while (true) {} } });",
    "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { while (true) {} } }); throw e;",
    "Promise.reject({ toJSON() { while (true) {} } });",
    "holes.forEach(() => {});",
    "holes.find(Boolean);",
    "[holes].flat();",
    "new Set(holes);",
    "Array.prototype.map.call({ length: 2 ** 53 - 1 }, Boolean);",
    "for (const x of holes) ;",
    "const text = 'ab,'.repeat(2e5); for (;;) text.split(';');",
    "const text = 'a'.repeat(5e5); for (;;) text.indexOf('b');",
    "const text = '[' + '1,'.repeat(5e4) + '1]'; for (;;) JSON.parse(text);",
    "const list = Array.from({ length: 5e4 }, (_, i) => i); for (;;) list.slice().reverse().join();",
    "const list = new Float64Array(1e5).map(Math.random); for (;;) list.toSorted();",
    "const o = {}; for (let i = 0; i < 2e4; i++) o[`k${i}`] = i; for (;;) Object.keys(o);",
    "for (;;) console.log({ toJSON: () => 'x'.repeat(1e6) });",
    "for (;;) try { (function f() { f(); })(); } catch {}",
    "for (;;) try { new Uint8Array(1 << 28); } catch {}",
    "for (;;) structuredClone({ a: [1, { b: 2 }] });",
    "for (;;) crypto.randomUUID();",
    "const m = new Map(); for (let i = 0; ; i++) m.set(i, i);",
    "for (let i = 0; ; i++) Symbol.for(`k${i}`);",
    "for (;;) Promise.reject(new Error('flood'));",
    "for (;;) client.tap({ text: 'flood' });",
];

/// Whatever a script does to what is built in, it does to itself: the messages go on, and others do not notice.
const TAMPERING: &[&str] = &[
    "for (const key of Reflect.ownKeys(Object.prototype)) try { delete Object.prototype[key]; } catch {}",
    "Object.defineProperty(Object.prototype, 'id', { get() { return 'mine'; }, set() {}, configurable: true });",
    "Object.prototype.toJSON = () => 'mine'; Array.prototype.toJSON = () => 'mine';",
    "Object.defineProperty(Object.prototype, 'then', { get() { throw new Error('no'); }, configurable: true });",
    "for (const key of Object.getOwnPropertyNames(Array.prototype)) try { Array.prototype[key] = null; } catch {}",
    "Promise.prototype.then = null; Promise.prototype.catch = null; globalThis.Promise = null;",
    "Promise.prototype.then = function () { while (true) {} };",
    "JSON.parse = JSON.stringify = () => { throw new Error('no'); }; globalThis.JSON = null;",
    "Array.prototype[Symbol.iterator] = null; String.prototype[Symbol.iterator] = null;",
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = null;",
    "Reflect.apply = null; globalThis.Reflect = null; globalThis.Symbol = null; globalThis.Object = null;",
    "Map.prototype.get = Map.prototype.set = Map.prototype.has = () => { throw new Error('no'); };",
    "globalThis[Symbol.for('trailblaze.host')] = null;",
    "globalThis[Symbol.for('trailblaze.host')].send = null;",
    "globalThis.console = { log() { while (true) {} } }; globalThis.setTimeout = null;",
    "Error.prepareStackTrace = () => { while (true) {} }; Error.stackTraceLimit = 0; throw new Error('x');",
    "Object.freeze(globalThis);",
    "for (const key of Reflect.ownKeys(globalThis)) try { delete globalThis[key]; } catch {}",
];

/// Calls every tool in turn, a thousand times in all, so many at a time; each must fail. Gives what the memory grew by
/// after the first hundred calls.
fn rounds(bodies: &[&str], call_ms: u64, at_a_time: usize) -> i64 {
    let next = AtomicUsize::new(0);
    let early = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                // With so little time a server may not even start where many others are busy.
                let server = (0..100).find_map(|_| bare(bodies, call_ms).start().ok()).unwrap();
                loop {
                    let round = next.fetch_add(1, Ordering::Relaxed);
                    if round >= 1_000 {
                        break;
                    }
                    if round == 100 {
                        early.store(resident(), Ordering::Relaxed);
                    }
                    let at = round % bodies.len();
                    assert!(fails(&call(server.as_ref(), &format!("bad_{at}"))), "{}", bodies[at]);
                    server.take_logs();
                }
                assert_eq!(server.given_up(), 0);
            });
        }
    });
    resident() - early.into_inner()
}

#[test]
fn every_attack_is_a_failed_step() {
    for (bodies, call_ms) in [(QUICK, 5_000), (ENDLESS, 300)] {
        let server = toolset(bodies, call_ms).start().unwrap();
        for (at, body) in bodies.iter().enumerate() {
            let result = call(server.as_ref(), &format!("bad_{at}"));
            assert!(fails(&result), "{body}: {result:?}");
            assert_eq!(server.given_up(), 0, "{body}");
            check_good(server.as_ref());
        }
    }
}

#[test]
fn a_thousand_attacks_leave_nothing_behind() {
    let grown = rounds(QUICK, 5_000, 1);
    assert!(grown < 16 << 10, "{grown} KiB");
}

#[test]
fn a_thousand_endless_loops_leave_nothing_behind() {
    let grown = rounds(ENDLESS, 50, 8);
    assert!(grown < 32 << 10, "{grown} KiB");
}

#[test]
fn fifty_mebibytes_of_json_are_refused() {
    let body = "const text = '[' + ' '.repeat(50 << 20) + ']'; return JSON.parse(text).length;";
    let mut toolset = toolset(&[body], 10_000);
    // The text itself has to fit, so that it is the reading that fails.
    toolset.limits.heap_bytes = 256 << 20;
    let server = toolset.start().unwrap();
    for _ in 0..3 {
        let answer = call(server.as_ref(), "bad_0").unwrap();
        let said = answer["content"].to_string();
        assert!(answer["isError"] == true && said.contains("JSON.parse: a text of"), "{answer}");
        check_good(server.as_ref());
    }
}

#[test]
fn tampering_stays_in_its_runtime() {
    let other = toolset(&[], 1_000).start().unwrap();
    for body in TAMPERING {
        let server = toolset(&[body, "return 'same'"], 1_000).start().unwrap();
        // Whether the tool that tampers succeeds, and whether its own server can go on, is its own business. It is
        // answered, and so is the next one.
        let _ = call(server.as_ref(), "bad_0");
        let begin = Instant::now();
        let _ = call(server.as_ref(), "bad_1");
        assert!(begin.elapsed() < Duration::from_secs(20), "{body}");
        assert_eq!(server.given_up(), 0, "{body}");
        check_good(other.as_ref());
        check_good(toolset(&[], 1_000).start().unwrap().as_ref());
    }
}

#[test]
fn globals_do_not_leak_into_other_toolsets() {
    let leak = "const before = typeof globalThis.leak; globalThis.leak = 1; Array.prototype.leak = 1; \
                Symbol.for('trailblaze.host').description; return `${before} ${[].leak}`;";
    let look = "return `${typeof globalThis.leak} ${[].leak}`;";
    let (one, two) = (toolset(&[leak], 1_000).start().unwrap(), toolset(&[look], 1_000).start().unwrap());
    assert_eq!(call(one.as_ref(), "bad_0").unwrap()["content"][0]["text"], "undefined 1");
    assert_eq!(call(two.as_ref(), "bad_0").unwrap()["content"][0]["text"], "undefined undefined");
    assert_eq!(call(one.as_ref(), "bad_0").unwrap()["content"][0]["text"], "number 1");
}

#[test]
fn a_loop_is_stopped_within_50_ms_of_its_deadline() {
    let server = toolset(&["while (true) {}"], 100).start().unwrap();
    // The machine may be busy; the script is only late when it is late every time.
    let late = (0..10).map(|_| {
        check_good(server.as_ref());
        let begin = Instant::now();
        call(server.as_ref(), "bad_0").unwrap_err();
        begin.elapsed().saturating_sub(Duration::from_millis(100))
    });
    let best = late.min().unwrap();
    assert!(best < Duration::from_millis(50), "{best:?}");
}

#[test]
fn a_thread_that_does_not_stop_is_given_up() {
    // Reads a length of nothing first, for the guard, and then one that takes many times as long as it is waited for,
    // also on a fast machine. The end of the process ends it.
    let body = "let reads = 0;
      const list = { get length() { return reads++ === 0 ? 0 : 4e8; } };
      return Array.prototype.join.call(list, '').length;";
    let server = toolset(&[body], 100).start().unwrap();
    for round in 1..=3 {
        let begin = Instant::now();
        let failure = call(server.as_ref(), "bad_0").unwrap_err();
        assert!(failure.message.ends_with("its thread was given up"), "{}", failure.message);
        check_good(server.as_ref());
        assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
        assert_eq!(server.given_up(), round);
    }
}
