//! What is said about sources that cannot be bundled.

use std::collections::BTreeMap;
use std::path::Path;

use trailblaze_bundle::{Request, With, bundle, has_module_syntax, is_fresh, is_outdated};
use trailblaze_model::diagnostic::Code;

use crate::{SDK, files, made, own};

#[track_caller]
fn check(sources: &[(&str, &str)], expected: &str) {
    let problems = own(sources, false).expect_err("it is refused");
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(text.join("\n"), expected);
}

#[test]
fn a_syntax_error_has_a_place() {
    check(
        &[("a.ts", "import './b';"), ("b.ts", "export const a = 1;\n  let b: = 2;\n")],
        "error: b.ts:2:10: Unexpected token\n2 |   let b: = 2;\n  |          ^",
    );
    check(
        &[("a.js", "const a = require('./b');")],
        "error: a.js:1:11: 'require' is not there in a module\n1 | const a = require('./b');\n  |           ^\nhint: write 'import … from …'",
    );
    check(
        &[("a.ts", "let a = 1; let a = 2;")],
        "error: a.ts:1:5: Identifier `a` has already been declared\n1 | let a = 1; let a = 2;\n  |     ^",
    );
    check(
        &[
            ("a.ts", "import d from './d.json';\nexport const f = () => d;"),
            ("d.json", "{\n  \"a\": oops\n}"),
        ],
        "error: d.json:2:8: it is not valid JSON: expected value at line 2 column 8\n2 |   \"a\": oops\n  |        ^",
    );
}

#[test]
fn a_missing_import_says_what_was_looked_for() {
    check(
        &[
            ("tools/a.ts", "import { b } from './lib/logn';\nexport const f = () => b;"),
            ("tools/lib/login.ts", ""),
        ],
        "error: tools/a.ts:1:19: './lib/logn' is not there: there is no tools/lib/logn.ts or 8 other names of it\n\
         1 | import { b } from './lib/logn';\n  |                   ^\nhint: did you mean './lib/login.ts'?",
    );
    check(
        &[
            (
                "a.ts",
                "import { login, logout as out } from './b';\nlogin(); out();\nexport { missing } from './b';\nimport d from './b'; d;",
            ),
            ("b.ts", "export const logIn = 1, logout = 2;"),
        ],
        "error: a.ts:1:10: 'b.ts' does not export 'login'\n1 | import { login, logout as out } from './b';\n  |          ^\nhint: did you mean 'logIn'?\n\
         error: a.ts:3:10: 'b.ts' does not export 'missing'\n3 | export { missing } from './b';\n  |          ^\n\
         error: a.ts:4:8: 'b.ts' has no default export\n4 | import d from './b'; d;\n  |        ^",
    );
    check(
        &[("a.ts", "import { r } from '@trailblaze/scripting/resul'; r;")],
        "error: a.ts:1:19: '@trailblaze/scripting/resul' is not there: there is no @trailblaze/scripting/resul\n\
         1 | import { r } from '@trailblaze/scripting/resul'; r;\n  |                   ^\nhint: did you mean '@trailblaze/scripting/result'?",
    );
    check(
        &[("a.ts", "export const f = (x: string) => import(x);")],
        "error: a.ts:1:40: what is imported here is known only when the script runs\n1 | export const f = (x: string) => import(x);\n  \
         |                                        ^\nhint: write the path as a string: import(\"./file.ts\")",
    );
    check(
        &[
            ("a.ts", "import { a } from './a2'; a; import x from './x.tsx'; x"),
            ("a2.ts", "export * from './c'; export * from './d'"),
            ("c.ts", "export const a = 1"),
            ("d.ts", "export const a = 2"),
            ("x.tsx", ""),
        ],
        "error: a.ts:1:44: './x.tsx' cannot be bundled: JSX is no part of a toolset\n1 | import { a } from './a2'; a; import x from './x.tsx'; x\n  |                                            ^",
    );
    check(
        &[
            ("a.ts", "import { a } from './a2'; a"),
            ("a2.ts", "export * from './c'; export * from './d'"),
            ("c.ts", "export const a = 1"),
            ("d.ts", "export const a = 2"),
        ],
        "error: a.ts:1:10: 'a2.ts' exports 'a' from two modules, of different values\n1 | import { a } from './a2'; a\n  |          ^",
    );
}

#[test]
fn an_entry_that_is_not_there_is_an_error() {
    let problems = bundle(&Request {
        root: Path::new("."),
        entry: "tools/a.ts",
        files: &BTreeMap::new(),
        with: With::Own,
        allow_host_only: false,
        sdk: SDK,
    })
    .expect_err("it is refused");
    assert_eq!(problems[0].to_string(), "error: tools/a.ts:1:1: it cannot be read: entity not found");
}

#[test]
fn a_hosts_module_is_named_with_the_way_to_it() {
    check(
        &[
            ("a.ts", "import { b } from './lib/b';\nexport const f = () => b;"),
            ("lib/b.ts", "import './c';\nexport const b = 1;"),
            (
                "lib/c.ts",
                "// files\nimport { readFileSync } from 'node:fs';\nreadFileSync('x');\nimport type { Buffer } from 'buffer'",
            ),
        ],
        "error: lib/c.ts:2:30: 'node:fs' exists on a host only (a.ts -> lib/b.ts -> lib/c.ts -> node:fs)\n\
         2 | import { readFileSync } from 'node:fs';\n  |                              ^\n\
         hint: do without it, or set requiresHost on every tool of this file: then they run on a host only",
    );
}

#[test]
fn more_than_types_is_named_with_what_to_write_instead() {
    let problem = |place: &str, what: &str, line: &str, caret: usize, instead: &str| {
        format!(
            "error: a.ts:{place}: {what} cannot be removed from the code as types can\n1 | {line}\n  | {}^\nhint: {instead}, or install esbuild or bun",
            " ".repeat(caret)
        )
    };
    for (line, column, what, instead) in [
        ("enum A { B }", 1, "an enum", "use a union of strings instead of an enum"),
        ("export const enum A { B }", 8, "an enum", "use a union of strings instead of an enum"),
        (
            "namespace A { export const b = 1 }",
            1,
            "a namespace with values",
            "use a module instead of a namespace",
        ),
        (
            "class A { constructor(private a: string) {} }",
            23,
            "a parameter property",
            "declare the field in the class and set it in the constructor",
        ),
        ("import a = require('a');", 1, "'import … ='", "write 'import … from'"),
        ("export = 1;", 1, "'export ='", "write 'export default'"),
        ("@deco class A {}", 1, "a decorator", "call the function yourself instead"),
    ] {
        check(&[("a.ts", line)], &problem(&format!("1:{column}"), what, line, column - 1, instead));
    }
}

#[test]
fn a_package_needs_another_bundler() {
    check(
        &[(
            "a.ts",
            "import type { T } from 'types-only';\nimport { z } from 'zod';\nexport const f = () => z as T;",
        )],
        "error: a.ts:2:19: 'zod' is a package, which needs esbuild or bun\n2 | import { z } from 'zod';\n  |                   ^\n\
         hint: leave the choice of the bundler to Trailblaze, or import only files and '@trailblaze/scripting'",
    );
}

#[test]
fn a_stale_bundle_is_noticed() {
    let sources = [
        ("a.ts", "import { b } from './b'; export const f = () => b;"),
        ("b.ts", "export const b = 1;"),
        ("c.ts", ""),
    ];
    let bundle = made(&sources);
    assert_eq!(bundle.header.inputs, ["a.ts", "b.ts"]);
    assert_eq!(bundle.header.source_hash.len(), 16);
    let mut now = files(&sources);
    assert!(is_fresh(&bundle, &now, &SDK));
    now.insert("c.ts".into(), "changed".into());
    assert!(is_fresh(&bundle, &now, &SDK));
    now.insert("b.ts".into(), "export const b = 2;".into());
    assert!(!is_fresh(&bundle, &now, &SDK));
    now.remove("b.ts");
    assert!(!is_fresh(&bundle, &now, &SDK));
    let mut older = made(&sources);
    older.header.engine = "0.0.1".into();
    assert!(!is_fresh(&older, &files(&sources), &SDK));
}

#[test]
fn what_nests_too_deep_is_refused_with_its_place() {
    for (open, times, column) in [("[", 10_000, 1_001), ("(", 200_000, 1_001), ("Array<", 100_000, 6_006)] {
        let problems = own(&[("a.ts", &format!("type A =\n{}", open.repeat(times)))], false).unwrap_err();
        assert_eq!(problems[0].code, Code::Limit, "{open}");
        let at = problems[0].at.as_ref().unwrap();
        assert_eq!((at.place.line, at.place.column), (2, column), "{open}");
    }
    // Without brackets there is room for much more than anyone writes.
    for (before, after) in
        [("!", "1"), ("1 + ", "1"), ("a = ", "1"), ("a.", "a"), ("a => ", "1"), ("if (a) ", ";")]
    {
        let source = format!("let a;\n{}{after}\n", before.repeat(20_000));
        assert!(own(&[("a.ts", &source)], false).is_ok(), "{before}");
    }
}

#[test]
fn a_file_that_now_wins_makes_a_bundle_stale() {
    for (specifier, found, wins) in [
        ("./w", "w.js", "w.ts"),
        ("./w.js", "w.ts", "w.js"),
        ("./w", "w/index.ts", "w.json"),
        ("./w", "w.d.ts", "w.mjs"),
    ] {
        let sources = [("a.ts", &*format!("import '{specifier}';")), (found, "")];
        let bundle = made(&sources);
        assert!(bundle.header.absent.contains(&wins.to_owned()), "{:?}", bundle.header.absent);
        let mut now = files(&sources);
        assert!(is_fresh(&bundle, &now, &SDK));
        now.insert(wins.into(), String::new());
        assert!(!is_fresh(&bundle, &now, &SDK), "{wins} before {found}");
        assert!(is_outdated(&bundle, &now, &SDK));
    }
    let sources = [("a.ts", "import './w';"), ("w.ts", "")];
    assert!(made(&sources).header.absent.is_empty());
}

#[test]
fn a_file_that_is_not_there_does_not_outdate_a_bundle() {
    let sources = [("a.ts", "import './b';"), ("b.ts", "")];
    let bundle = made(&sources);
    let mut now = files(&sources[..1]);
    assert!(!is_fresh(&bundle, &now, &SDK));
    assert!(!is_outdated(&bundle, &now, &SDK));
    now.insert("a.ts".into(), "import './c';".into());
    assert!(is_outdated(&bundle, &now, &SDK));
}

#[test]
fn module_syntax_is_known_by_parsing() {
    assert_eq!(has_module_syntax("return `\nimport nothing\nexport nothing\n`"), Some(false));
    assert_eq!(has_module_syntax("await client.tap({}); return (await import('x')).default"), Some(false));
    assert_eq!(has_module_syntax("  export default () => 1"), Some(true));
    assert_eq!(has_module_syntax("/* first */ import{a}from'b'"), Some(true));
    assert_eq!(has_module_syntax("export default ="), None);
    assert_eq!(has_module_syntax(&"[".repeat(100_000)), None);
}
