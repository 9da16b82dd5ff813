//! A stack points into the sources.

use trailblaze_engine::script::{Module, ScriptEngine, ScriptError, ScriptLimits};
use trailblaze_model::source_map::SourceMap;
use trailblaze_script::QuickJs;

use crate::{call, made};

fn stack_of(result: Result<serde_json::Value, ScriptError>) -> String {
    match result {
        Err(ScriptError::Threw { stack: Some(stack), .. } | ScriptError::Load { stack: Some(stack), .. }) => {
            stack
        }
        other => panic!("{other:?}"),
    }
}

/// The places of the frames that lie in sources.
fn places(stack: &str) -> Vec<String> {
    let places = stack.lines().filter_map(|line| line.trim().strip_prefix("at "));
    let places = places.map(|line| line.trim_end_matches(')').rsplit(['(', ' ']).next().unwrap().to_owned());
    places
        .filter(|place| place.contains(".ts:") || place.contains(".js:") && !place.starts_with("bundle.js"))
        .collect()
}

/// The stack of `f` in the bundle's file, mapped with the map's file.
#[track_caller]
fn mapped(sources: &[(&str, &str)]) -> String {
    let bundle = made(sources);
    let stack = stack_of(call(&bundle.print(), "f"));
    let in_file = SourceMap::parse(&bundle.print_map().unwrap()).unwrap().map_stack("bundle.js", &stack);
    let stack = stack_of(call(&bundle.code, "f"));
    let in_code = SourceMap::parse(bundle.map.as_ref().unwrap()).unwrap().map_stack("bundle.js", &stack);
    assert_eq!(places(&in_file), places(&in_code));
    in_file
}

/// Where QuickJS sees the same throw when it runs the same text as it is.
#[track_caller]
fn check_same(javascript: &str, typescript: &str) {
    let module = Module::new("a.ts", javascript);
    let runtime = QuickJs.start(vec![module], ScriptLimits::default()).unwrap();
    let expected = places(&stack_of(runtime.call("f", vec![])));
    let found = mapped(&[("a.ts", typescript)]);
    assert_eq!(places(&found)[..expected.len()], expected, "{found}");
}

#[test]
fn places_are_those_of_the_source() {
    check_same(
        "function g(a        ) {\n  if (a) {\n    throw new TypeError('no');\n  }\n}\nexport const f = ()       => g('x');",
        "function g(a: string) {\n  if (a) {\n    throw new TypeError('no');\n  }\n}\nexport const f = (): void => g('x');",
    );
    check_same(
        "const o                      = { a: 1 };\nexport const f = (     ) => {\n  return [         (1), o.x.y] };",
        "const o: Record<string, any> = { a: 1 };\nexport const f = (a?: 1) => {\n  return [<unknown>(1), o.x.y] };",
    );
}

#[test]
fn places_behind_other_characters_are_exact() {
    let source = "export function f() {\n  const ä = 'äöü😀'; /* é */ null_('ß', `😀`, /é/, ä);\n}\n\
                  function null_(...args) {\n  const ü = null; return [ü, 'ü', ü.x(args)];\n}";
    let twin: String = source
        .chars()
        .map(|c| if c.is_ascii() { c.to_string() } else { "u".repeat(c.len_utf16()) })
        .collect();
    check_same(&twin, source);
}

#[test]
fn a_stack_crosses_modules() {
    let stack = mapped(&[
        (
            "a.ts",
            "import { b } from './lib/b';\ninterface X { a: string }\nexport function f(x: X) {\n  return b(x);\n}",
        ),
        ("lib/b.ts", "\r\nexport const b = (x: unknown): never => {\r\n  throw new Error('b');\r\n};\r\n"),
    ]);
    let places = places(&stack);
    assert!(places[0].starts_with("lib/b.ts:3:"), "{stack}");
    assert!(places[1].starts_with("a.ts:4:"), "{stack}");
}

#[test]
fn a_module_that_fails_to_load_says_where() {
    let stack = mapped(&[
        ("a.ts", "import './b';\nexport const f = 1;"),
        ("b.ts", "type A = 1;\n\nthrow new Error('early');"),
    ]);
    assert!(places(&stack)[0].starts_with("b.ts:3:"), "{stack}");
}
