//! Modules see each other as they would without a bundle.

use std::path::Path;

use serde_json::json;
use trailblaze_bundle::{Request, Sdk, With, bundle};
use trailblaze_engine::script::ScriptError;

use crate::{call, check, files, made, own};

#[test]
fn bindings_are_live() {
    check(
        &[
            (
                "a.ts",
                "import { n, add } from './n';\nexport const f = () => { const first = n; add(); return [first, n] };",
            ),
            ("n.ts", "export let n: number = 1;\nexport function add(): void { n++ }"),
        ],
        json!([1, 2]),
    );
}

#[test]
fn circles_work_as_in_modules() {
    check(
        &[
            (
                "a.ts",
                "import { b, late } from './b.ts';\nexport function a() { return 'a' }\nexport const value = 'v';\n\
                 export const f = () => [b, late()];",
            ),
            (
                "b.ts",
                "import { a, value } from './a.ts';\nlet early;\ntry { early = value } catch (e) { early = (e as Error).name }\n\
                 export const b = a() + early;\nexport const late = () => value;",
            ),
        ],
        json!(["aReferenceError", "v"]),
    );
}

#[test]
fn modules_run_once_in_the_order_of_imports() {
    check(
        &[
            (
                "a.js",
                "import './b.js'; import './c.js'; import { log } from './log.js'; log.push('a'); export const f = () => log",
            ),
            ("b.js", "import './d.js'; import { log } from './log.js'; log.push('b');"),
            ("c.js", "import './d.js'; import { log } from './log.js'; log.push('c');"),
            ("d.js", "import { log } from './log.js'; log.push('d');"),
            ("log.js", "export const log = [];"),
        ],
        json!(["d", "b", "c", "a"]),
    );
}

#[test]
fn names_do_not_meet() {
    check(
        &[
            (
                "a.ts",
                "import { x as y, helper } from './b';\nconst x = 'own';\nvar console = 1; function helper2() { return helper() }\n\
                 export function f() {\n  const inner = (y: string) => { const x = 2; return { y, x } };\n  \
                 return [x, y, inner('shadow'), helper2(), typeof console];\n}",
            ),
            (
                "b.ts",
                "export const x = 'theirs';\nfunction helper2() { return typeof console }\nexport const helper = () => helper2();",
            ),
        ],
        json!(["own", "theirs", {"y": "shadow", "x": 2}, "object", "number"]),
    );
}

#[test]
fn references_keep_their_meaning() {
    check(
        &[
            (
                "a.ts",
                "import { self, tag, Klass, n } from './b'\nimport * as b from './b'\nimport d, { default as e } from './b'\n\
                 const before = 1\nself()\nlet list = [before]\nself()\nexport function f() {\n  \
                 if (n) self(); else self();\n  const o = { n, self, nested: { n: n } }\n  \
                 class Sub extends Klass { n = n }\n  return [self(), (self)(), self!(), (self as any)(), self?.(), tag`x${n}y`, o.n, o.nested.n, typeof o.self,\n    \
                 new Sub().n, new Klass().k, b.n, b.self() === b, Object.keys(b), d, e, `${n}`, typeof n, list]\n}",
            ),
            (
                "b.ts",
                "export function self(this: unknown) { return this === undefined ? 'none' : this }\n\
                 export const tag = function (this: unknown, s: TemplateStringsArray, v: number) { return [this === undefined, s.raw.join(), v] };\n\
                 export class Klass { k = 'k' }\nexport const n = 7;\nexport default 'def' + n;",
            ),
        ],
        json!([
            "none",
            "none",
            "none",
            "none",
            "none",
            [true, "x,y", 7],
            7,
            7,
            "function",
            7,
            "k",
            7,
            true,
            ["Klass", "default", "n", "self", "tag"],
            "def7",
            "def7",
            "7",
            "number",
            [1]
        ]),
    );
}

#[test]
fn everything_can_be_exported() {
    check(
        &[
            (
                "a.ts",
                "import all, * as ns from './b';\nimport { one, uno, ns2, c1, c2, 'a b' as spaced, Type } from './b';\n\
                 import fn from './fn'; import K from './k'; import anon from './anon'; import arrow from './arrow';\n\
                 export { one as renamed } from './b';\nexport * from './c';\nconst t: Type = 1;\n\
                 export const f = () => [all, one, uno, ns2.c1, c1, c2, spaced, fn(), new K().k, new anon().k, arrow.name, arrow(), Object.keys(ns), t];",
            ),
            (
                "b.ts",
                "const x = 1;\nexport { x as one, x as uno, x as default, x as 'a b' };\nexport * from './c';\nexport * as ns2 from './c';\n\
                 import { Type } from './types';\nexport { Type };\nexport { Other } from './types';\nexport type { Third } from './types';",
            ),
            (
                "c.ts",
                "export const { c1, deep: [c2 = 5, ...rest] } = { c1: 4, deep: [] as number[] };\nexport default 'not taken';",
            ),
            (
                "types.ts",
                "export type Type = number;\nexport interface Other { a: string }\nexport type Third = string;",
            ),
            ("fn.ts", "export default function (): string { return 'fn' }"),
            ("k.ts", "export default class K { k = 'K' }\n(globalThis as any).x = 1"),
            ("anon.ts", "export default class { k = 'anon' }\n(globalThis as any).x = 1"),
            ("arrow.ts", "export default () => 'arrow'\n;(globalThis as any).x = 1"),
        ],
        json!([
            1,
            1,
            1,
            4,
            4,
            5,
            1,
            "fn",
            "K",
            "anon",
            "default",
            "arrow",
            ["a b", "c1", "c2", "default", "ns2", "one", "rest", "uno"],
            1
        ]),
    );
    let bundle = made(&[
        ("a.ts", "export * from './b'; export { default } from './b'; export const own = () => 1"),
        ("b.ts", "export const theirs = () => 2; export default () => 3; export { theirs as 'x-y' }"),
    ]);
    for (name, value) in [("own", 1), ("theirs", 2), ("default", 3), ("x-y", 2)] {
        assert_eq!(call(&bundle.code, name), Ok(json!(value)), "{}", bundle.code);
    }
}

#[test]
fn the_sdk_and_data_are_part_of_it() {
    check(
        &[
            (
                "tools/a.ts",
                "import { trailblaze } from '@trailblaze/scripting';\nimport { success } from '@trailblaze/scripting/result';\n\
                 import data, { list } from '../data.json' with { type: 'json' };\n\
                 export const f = () => [trailblaze.tool('x'), success(1), data, list];",
            ),
            ("data.json", "{\"list\": [1, \"ä\u{2028}\"], \"__proto__\": {\"a\": 1}, \"default\": 2}"),
        ],
        json!([{"ok": "x"}, {"ok": 1}, {"list": [1, "ä\u{2028}"], "__proto__": {"a": 1}, "default": 2}, [1, "ä\u{2028}"]]),
    );
}

#[test]
fn the_embedded_sdk_loads() {
    let source = "import { trailblaze } from '@trailblaze/scripting';\nimport * as result from '@trailblaze/scripting/result';\n\
                  export const f = () => [typeof trailblaze.tool, typeof result.success];";
    let files = files(&[("a.ts", source)]);
    let request = Request {
        root: Path::new("."),
        entry: "a.ts",
        files: &files,
        with: With::Own,
        allow_host_only: false,
        sdk: Sdk { files: trailblaze_script::sdk::FILES, exports: trailblaze_script::sdk::EXPORTS },
    };
    let bundle = bundle(&request).unwrap();
    assert_eq!(call(&bundle.code, "f"), Ok(json!(["function", "function"])));
    assert!(!bundle.header.requires_host);
}

#[test]
fn modules_may_await() {
    check(
        &[
            (
                "a.ts",
                "import { v } from './b';\nconst w = await Promise.resolve(v + 1);\nexport const f = async () => [v, w];",
            ),
            (
                "b.ts",
                "export const v = await new Promise<number>(done => queueMicrotask(() => done(1)));\nfor await (const x of []) {}",
            ),
        ],
        json!([1, 2]),
    );
}

#[test]
fn a_dynamic_import_runs_when_it_is_called() {
    check(
        &[
            (
                "a.ts",
                "import { log } from './log';\nlog.push('a');\nexport const f = async () => {\n  \
                 log.push('call');\n  const { b } = await import('./b');\n  const again = await import('./b.ts');\n  \
                 let failed = 0;\n  for (const i of [1, 2]) await import('./bad').catch(() => failed++);\n  \
                 return [b, again.b, failed, log];\n};",
            ),
            (
                "b.ts",
                "import { log } from './log';\nimport { c } from './c';\nlog.push('b');\nexport const b = c + (await 1);",
            ),
            ("c.ts", "import { log } from './log';\nlog.push('c');\nexport const c = 1;"),
            ("bad.ts", "import { log } from './log';\nlog.push('bad');\nthrow new Error('no');"),
            ("log.ts", "export const log: string[] = [];"),
        ],
        json!([2, 2, 2, ["a", "call", "c", "b", "bad"]]),
    );
}

#[test]
fn our_names_give_way() {
    check(
        &[
            (
                "a.ts",
                "import { __m0 } from './b';\nconst __mns = 1, ___m1 = 2;\nexport const f = () => [__m0, __mns, ___m1];",
            ),
            ("b.ts", "export const __m0 = 0;"),
        ],
        json!([0, 1, 2]),
    );
}

#[test]
fn a_hosts_module_throws_when_it_is_used() {
    let sources = [(
        "a.ts",
        "import fs, { readFileSync as read } from 'node:fs';\nimport * as path from 'path';\nconst { join } = path;\n\
         class Own extends fs.Stats {}\nexport const f = () => 1;\nexport const g = () => read('x');\nexport const h = () => fs.promises.open('x');\n\
         export const i = () => join('a');",
    )];
    let bundle = own(&sources, true).unwrap();
    assert!(bundle.header.requires_host);
    assert_eq!(bundle.header.inputs, ["a.ts"]);
    assert_eq!(call(&bundle.code, "f"), Ok(json!(1)));
    for (function, what) in [
        ("g", "'readFileSync' of 'node:fs'"),
        ("h", "'promises.open' of 'node:fs'"),
        ("i", "'join' of 'path'"),
    ] {
        let result = call(&bundle.code, function);
        let Err(ScriptError::Threw { message, .. }) = &result else { panic!("{result:?}") };
        assert!(message.starts_with(what), "{message}");
    }
}

#[test]
fn everything_is_ascii() {
    let bundle = made(&[(
        "a.ts",
        "// ä\u{2028}\u{a0}\nconst größe = { 'ü': 'ö😀\\é', é: 1 }; const { é } = größe;\nlabel: for (;;) break label;\n\
         class X { #ä = /ß😀|[ä]/u.test('ß😀'); get() { return this.#ä } }\nexport { größe as groß };\n\
         export const f = () => [größe, `ä${é}ö`, new X().get(), { größe }.größe.é];",
    )]);
    assert!(bundle.code.is_ascii());
    assert_eq!(
        call(&bundle.code, "f"),
        Ok(json!([{"ü": "ö😀é", "é": 1}, "ä1ö", true, 1])),
        "{}",
        bundle.code
    );
}
