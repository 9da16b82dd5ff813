//! The globals of the web. What they do is written down in `web/*.js`, as cases that also Node passes
//! (`node web/in_node.mjs`); what Node makes of URLs and of text is in `web/corpus`.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use serde_json::{Value, json};
use trailblaze_engine::script::{Module, ScriptEngine, ScriptLimits, ScriptRuntime};
use trailblaze_script::QuickJs;

const LIMITS: ScriptLimits = ScriptLimits { call_ms: 60_000, heap_bytes: 64 << 20, stack_bytes: 8 << 20 };

fn start(modules: &[(&str, &str)]) -> Box<dyn ScriptRuntime> {
    let modules = modules.iter().map(|(name, source)| Module::new(*name, *source)).collect();
    QuickJs.start(modules, LIMITS).unwrap()
}

/// What `f` returns.
fn eval(source: &str) -> Value {
    start(&[("main.js", source)]).call("f", vec![]).unwrap()
}

/// The cases that fail, with what they say; at least `count` must have run.
#[track_caller]
fn check_cases(cases: &str, count: u64) {
    let check = include_str!("web/check.js");
    let main = "import { run } from './check.js'; import { cases } from './cases.js'; export const f = () => run(cases);";
    let runtime = start(&[("check.js", check), ("cases.js", cases), ("main.js", main)]);
    let result = runtime.call("f", vec![]).unwrap();
    assert_eq!(result["failed"], json!([]));
    assert!(result["count"].as_u64().unwrap() >= count, "{}", result["count"]);
}

/// The rows of a table that come out otherwise than in Node.
#[track_caller]
fn check_corpus(corpus: &str, table: &str, row: &str) {
    let corpus = format!("export default {corpus};");
    let main = format!(
        "import corpus from './corpus.js';
         const row = {row};
         export const f = () => {{
           const wrong = [];
           for (const line of corpus.{table}) {{
             const [expected, actual] = row(line, corpus);
             if (JSON.stringify(expected) !== JSON.stringify(actual)) wrong.push([line, actual]);
           }}
           return {{ wrong, count: corpus.{table}.length }};
         }};"
    );
    let result = start(&[("corpus.js", &corpus), ("main.js", &main)]).call("f", vec![]).unwrap();
    let wrong = result["wrong"].as_array().unwrap();
    let lines: Vec<String> = wrong.iter().map(Value::to_string).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), result["count"], lines.join("\n"));
}

const URLS: &str = include_str!("web/corpus/urls.json");
const TEXT: &str = include_str!("web/corpus/text.json");

#[test]
fn urls_are_read_as_in_node() {
    let row = "([input, base, expected], { parts }) => {
        let actual = null;
        try {
          const url = base === null ? new URL(input) : new URL(input, base);
          actual = parts.map((part) => url[part]);
          if (new URL(url.href).href !== url.href) actual.push('changes when it is read again');
        } catch (error) {
          if (error.code !== 'ERR_INVALID_URL') actual = String(error);
        }
        if (URL.canParse(input, base ?? undefined) !== (expected !== null)) actual = 'canParse disagrees';
        return [expected, actual];
    }";
    check_corpus(URLS, "parse", row);
}

#[test]
fn parts_of_urls_are_set_as_in_node() {
    let row = "([href, part, value, expected], { parts }) => {
        let actual = null;
        try {
          const url = new URL(href);
          url[part] = value;
          actual = parts.map((part) => url[part]);
        } catch (error) {
          if (error.code !== 'ERR_INVALID_URL') actual = String(error);
        }
        return [expected, actual];
    }";
    check_corpus(URLS, "set", row);
}

#[test]
fn parameters_are_read_and_printed_as_in_node() {
    let row = "([query, pairs, text, ordered]) => {
        const list = new URLSearchParams(query);
        const sorted = new URLSearchParams(query);
        sorted.sort();
        return [[pairs, text, ordered], [[...list], `${list}`, `${sorted}`]];
    }";
    check_corpus(TEXT, "params", row);
}

const OUTCOME: &str = "const outcome = (make) => {
    try {
      return { is: make() };
    } catch (error) {
      return { throws: error.name };
    }
  };
  const bytes = (hex) => Uint8Array.fromHex(hex);";

#[test]
fn bytes_are_decoded_as_in_node() {
    let row = format!(
        "(([label, hex, plain, fatal, marked, joined]) => {{
          {OUTCOME}
          const decode = (options) => outcome(() => new TextDecoder(label, options).decode(bytes(hex)));
          const parts = outcome(() => {{
            const decoder = new TextDecoder(label);
            let text = '';
            for (const byte of bytes(hex)) text += decoder.decode(Uint8Array.of(byte), {{ stream: true }});
            return text + decoder.decode();
          }});
          return [[plain, fatal, marked, joined], [decode(), decode({{ fatal: true }}), decode({{ ignoreBOM: true }}), parts]];
        }})"
    );
    check_corpus(TEXT, "decode", &row);
    check_corpus(
        TEXT,
        "labels",
        &format!(
            "(([label, is]) => {{ {OUTCOME} return [is, outcome(() => new TextDecoder(label).encoding)]; }})"
        ),
    );
}

#[test]
fn text_is_encoded_as_in_node() {
    check_corpus(TEXT, "encode", "([text, hex]) => [hex, new TextEncoder().encode(text).toHex()]");
    let row = "([text, room, ...expected]) => {
        const target = new Uint8Array(room);
        const { read, written } = new TextEncoder().encodeInto(text, target);
        return [expected, [read, written, target.toHex()]];
    }";
    check_corpus(TEXT, "into", row);
}

/// As the Encoding Standard has it; Node 20 does not.
#[test]
fn latin1_is_windows_1252() {
    let decoded = eval(
        "export const f = () => new TextDecoder('latin1').decode(Uint8Array.from({ length: 33 }, (_, i) => (i < 32 ? 128 + i : 255)));",
    );
    let expected = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸÿ";
    assert_eq!(decoded, expected);
}

#[test]
fn clones() {
    check_cases(include_str!("web/clone.js"), 20);
}

#[test]
fn events_and_signals() {
    check_cases(include_str!("web/events.js"), 20);
}

#[test]
fn urls_and_parameters() {
    check_cases(include_str!("web/url.js"), 15);
}

#[test]
fn text_bytes_and_random_numbers() {
    check_cases(include_str!("web/text.js"), 15);
}

#[test]
fn headers_requests_and_responses() {
    check_cases(include_str!("web/fetch.js"), 15);
}

/// The prototypes are changed before anything of the web was used.
#[test]
fn a_script_that_changes_prototypes_changes_only_itself() {
    check_cases(include_str!("web/tampering.js"), 8);
}

#[test]
fn globals_are_there_and_become_plain_properties() {
    let source = "
        const names = ['AbortController', 'AbortSignal', 'CustomEvent', 'Event', 'EventTarget', 'Headers', 'Request', 'Response',
          'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'atob', 'btoa', 'crypto', 'fetch', 'structuredClone',
          'DOMException', 'performance', 'queueMicrotask'];
        const own = (name) => Object.getOwnPropertyDescriptor(globalThis, name);
        export const f = () => {
          const wrong = [];
          const before = own('URL');
          if (typeof before.get !== 'function' || before.enumerable || !before.configurable) wrong.push('URL is no accessor');
          for (const name of names) {
            const value = globalThis[name];
            const now = own(name);
            if (value === undefined || now.value !== value || !now.writable || !now.configurable) wrong.push(name);
          }
          globalThis.Headers = 1;
          if (Headers !== 1) wrong.push('cannot be replaced after use');
          return wrong;
        };";
    assert_eq!(eval(source), json!(["queueMicrotask"]), "the prelude fixes that one");
    let replaced = "globalThis.URL = 'mine'; delete globalThis.Event;
        export const f = () => [URL, typeof Event, own('URL').writable];
        const own = (name) => Object.getOwnPropertyDescriptor(globalThis, name);";
    assert_eq!(eval(replaced), json!(["mine", "undefined", true]));
}

#[test]
fn without_script_hosts_there_is_no_network() {
    let source = "export const f = async () => {
        try {
          await fetch('https://example.com/');
        } catch (error) {
          return String(error);
        }
    };";
    let message = "TypeError: fetch failed: this script may not use the network";
    assert_eq!(eval(source), message);
}

/// What is deep or large ends as an error of the script.
#[test]
fn hostile_input() {
    let source = "
        const named = (make) => {
          try {
            make();
            return 'fine';
          } catch (error) {
            return error.name;
          }
        };
        export const f = () => {
          let deep = [];
          for (let i = 0; i < 1e5; i++) deep = [deep];
          return [
            named(() => structuredClone(deep)),
            named(() => new URL('http://' + 'ä'.repeat(1e6))),
            named(() => new URL('http://h/' + '../a/'.repeat(1e5))),
            named(() => new URL('http://h/?' + 'ä'.repeat(1e6))),
            named(() => new URLSearchParams('a&'.repeat(1e5)).sort()),
            named(() => new TextDecoder().decode(new Uint8Array(4e6).fill(0xff))),
            named(() => new TextEncoder().encode('😀'.repeat(1e6))),
            named(() => crypto.getRandomValues(new Uint8Array(1e6))),
          ];
        };";
    let expected =
        json!(["RangeError", "TypeError", "fine", "fine", "fine", "fine", "fine", "QuotaExceededError"]);
    assert_eq!(eval(source), expected);
}
