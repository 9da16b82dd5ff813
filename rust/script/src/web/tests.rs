//! What needs a host that the tests can look into: the network, timers, random bytes, and what all of it costs.

use std::time::{Duration, Instant};

use rquickjs::{CatchResultExt, Context, Ctx, Runtime};

use super::*;

fn zeros(bytes: &mut [u8]) {
    bytes.fill(0);
}

fn with<R>(source: &str, look: impl FnOnce(&Ctx<'_>) -> R) -> R {
    let runtime = Runtime::new().unwrap();
    let context = Context::full(&runtime).unwrap();
    context.with(|ctx| {
        let before =
            "globalThis.timers = []; globalThis.setTimeout = (task, ms) => { timers.push([task, ms]); };";
        ctx.eval::<(), _>(before).unwrap();
        let fetch = ctx
            .eval("globalThis.asked = []; (json) => { asked.push(json); return globalThis.answer(json); }");
        install(&ctx, Powers { random: zeros, fetch: Some(fetch.unwrap()) }).unwrap();
        if let Err(error) = ctx.eval::<(), _>(source).catch(&ctx) {
            panic!("{error}");
        }
        while ctx.execute_pending_job() {}
        look(&ctx)
    })
}

/// What the script says with `say(…)`.
#[track_caller]
fn check(source: &str, expected: &[&str]) {
    let source = format!(
        "globalThis.said = []; globalThis.say = (...all) => {{ said.push(all.map(String).join(' ')); }}; {source}"
    );
    let said: Vec<String> = with(&source, |ctx| ctx.globals().get("said").unwrap());
    assert_eq!(said, expected);
}

#[test]
fn random_bytes_come_from_the_host() {
    check("say(crypto.randomUUID())", &["00000000-0000-4000-8000-000000000000"]);
    check("say(crypto.getRandomValues(Uint8Array.of(1, 2)))", &["0,0"]);
}

#[test]
fn bytes_of_the_system_differ() {
    let (mut one, mut two) = ([0; 20], [0; 20]);
    system_random(&mut one);
    system_random(&mut two);
    assert_ne!(one, two);
    assert!(one[16..].iter().any(|byte| *byte != 0), "the end that fills no word: {one:?}");
}

#[test]
fn a_request_and_its_answer_are_json() {
    let source = r#"
        globalThis.answer = async () => JSON.stringify({ status: 201, statusText: 'Made', url: 'https://h/b',
          headers: [['Content-Type', 'application/json'], ['X-A', '1'], ['x-a', '2']], body: { text: '{"a":[1]}' } });
        (async () => {
          const response = await fetch('https://h/ä?x', { method: 'post', headers: { 'X-B': 'c' }, body: 'text' });
          say(asked[0]);
          say(response.status, response.ok, response.statusText, response.url, response.redirected, response.type);
          say(response.headers.get('x-a'), response instanceof Response, JSON.stringify(await response.json()));
        })();"#;
    check(
        source,
        &[
            r#"{"url":"https://h/%C3%A4?x","method":"POST","headers":[["x-b","c"],["content-type","text/plain;charset=UTF-8"]],"body":{"text":"text"}}"#,
            "201 true Made https://h/b true basic",
            r#"1, 2 true {"a":[1]}"#,
        ],
    );
}

#[test]
fn bytes_travel_as_base64() {
    let source = "
        globalThis.answer = async () => JSON.stringify({ status: 200, body: { base64: '/wA=' } });
        (async () => {
          const response = await fetch('http://h/', { method: 'PUT', body: Uint8Array.of(1, 255) });
          say(JSON.parse(asked[0]).body.base64, await response.bytes(), response.headers.get('content-type'));
          globalThis.answer = async () => JSON.stringify({ status: 204, body: null });
          say(JSON.stringify(await (await fetch(new Request('http://h/'))).text()), JSON.parse(asked[1]).body);
        })();";
    check(source, &["Af8= 255,0 null", "\"\" null"]);
}

#[test]
fn requests_that_fail() {
    let source = "
        const attempt = async (...args) => {
          try {
            await fetch(...args);
          } catch (error) {
            say(error.name + ': ' + error.message);
          }
        };
        globalThis.answer = async () => { throw new Error(\"the target does not grant 'h'\"); };
        (async () => {
          await attempt('http://h/');
          await attempt('/relative');
          await attempt('file:///etc/hosts');
          await attempt('http://h/', { method: 'GET', body: 'x' });
          globalThis.answer = async () => 'no json';
          await attempt('http://h/');
          globalThis.answer = async () => JSON.stringify({ status: 7 });
          await attempt('http://h/');
        })();";
    check(
        source,
        &[
            "TypeError: fetch failed: the target does not grant 'h'",
            "TypeError: Invalid URL: '/relative'",
            "TypeError: fetch failed: 'file:' is neither http: nor https:",
            "TypeError: a request with the method GET cannot have a body",
            "TypeError: fetch failed: unexpected token: 'no'",
            "TypeError: fetch failed: 7 is not a status from 200 to 599",
        ],
    );
}

#[test]
fn a_signal_ends_the_wait_for_an_answer() {
    let source = "
        globalThis.answer = () => new Promise(() => {});
        const controller = new AbortController();
        const wait = (signal) => fetch('http://h/', { signal }).catch((error) => say(error.name ?? error, asked.length));
        wait(controller.signal);
        controller.abort();
        wait(AbortSignal.abort('before'));
        wait(AbortSignal.timeout(50));
        say('timer', timers[0][1]);
        timers[0][0]();";
    check(source, &["timer 50", "AbortError 2", "before 2", "TimeoutError 2"]);
}

#[test]
fn timeouts_run_on_the_timers_of_the_runtime() {
    let source = "
        const { signal } = { signal: AbortSignal.timeout(1500) };
        const any = AbortSignal.any([new AbortController().signal, signal]);
        any.onabort = () => say('aborted', any.reason.name);
        say(timers.length, timers[0][1], signal.aborted);
        timers[0][0]();
        say(signal.aborted, signal.reason.name, signal.reason.message);";
    check(
        source,
        &[
            "1 1500 false",
            "aborted TimeoutError",
            "true TimeoutError The operation was aborted due to timeout",
        ],
    );
}

#[test]
fn every_file_is_read_once_and_says_where_it_is() {
    let names = "['AbortController', 'Event', 'Headers', 'Request', 'Response', 'TextDecoder', 'URL', 'URLSearchParams', \
                 'crypto', 'fetch', 'structuredClone']";
    check(&format!("for (const name of {names}) if (globalThis[name] !== globalThis[name]) say(name);"), &[]);
    let stack = "try { new URL('x') } catch (error) { say(error.stack.includes('trailblaze:web/url.js:')) }";
    check(stack, &["true"]);
}

/// What is not used costs next to nothing. The bound is far above what is usual, for busy machines.
#[test]
fn what_it_costs() {
    let mut best = Duration::MAX;
    let mut bytes = 0;
    for _ in 0..50 {
        let runtime = Runtime::new().unwrap();
        let context = Context::full(&runtime).unwrap();
        let before = runtime.memory_usage().memory_used_size;
        let begin = Instant::now();
        context.with(|ctx| install(&ctx, Powers { random: zeros, fetch: None })).unwrap();
        best = best.min(begin.elapsed());
        bytes = runtime.memory_usage().memory_used_size - before;
        context.with(|ctx| {
            for global in ["URL", "TextDecoder", "structuredClone", "AbortController", "crypto", "fetch"] {
                let begin = Instant::now();
                ctx.eval::<(), _>(format!("void {global}")).unwrap();
                println!("first use of {global}: {:?}", begin.elapsed());
            }
        });
    }
    println!("install: {best:?}, {bytes} bytes");
    assert!(best < Duration::from_millis(2), "{best:?}");
    assert!(bytes < 64 << 10, "{bytes} bytes");
}
