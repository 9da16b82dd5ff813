//! Types go, and nothing else changes.

use serde_json::{Value, json};

use crate::{check, made};

/// The code of a bundle of one module, without what the linker puts around it.
#[track_caller]
fn erased(source: &str) -> String {
    let code = made(&[("a.ts", source)]).code;
    let start = code.find("yield;\n").unwrap() + "yield;\n".len();
    code[start..code.find("\n});\nconst __mrun0").unwrap()].to_owned()
}

#[track_caller]
fn check_erased(source: &str, expected: &str) {
    assert_eq!(erased(source), expected);
}

#[track_caller]
fn check_value(source: &str, expected: Value) {
    check(&[("a.ts", source)], expected);
}

#[test]
fn everything_stays_where_it_is() {
    check_erased("const a: number = 1 as const;", "const a         = 1         ;");
    check_erased(
        "function f<T>(a?: T, ...b: T[]): a is T { }",
        "function f   (a    , ...b     )         { }",
    );
    check_erased("let a!: string, b = a! satisfies string;", "let a         , b = a                  ;");
    check_erased("type A = {\n  a: 1\n}\nlet b", ";         \n      \n \nlet b");
    check_erased(
        "class A<T> extends B<T> implements C, D<T> {}",
        "class A    extends B                       {}",
    );
    check_erased("x = <T,>(a: T): T => a", "x =     (a   )    => a");
    check_erased(
        "import type { A } from './b'; export type B = A",
        ";                             ;                ",
    );
    check_erased("f<string>(1); new F<A, B>(2); tag<T>`x`", "f        (1); new F      (2); tag   `x`");
    check_erased("try {} catch (e: unknown) {}", "try {} catch (e         ) {}");
    check_erased(
        "function f(this: A, b: B) {} function g(this: A) {}",
        "function f(         b   ) {} function g(       ) {}",
    );
    check_erased(
        "abstract class A { abstract b(): void; c?(): void {} }",
        "         class A { ;                   c ()       {} }",
    );
    check_erased("let a = <string>b.c, d = <any>(e)", "let a = (       b.c), d = (    (e))");
}

#[test]
fn lines_do_not_run_into_each_other() {
    check_value(
        "let log: unknown[] = []\nconst add = (x: unknown) => log.push(x)\nconst b = add\ntype X = string\n(add)(1)\n\
         const c = add as any\n(add)(2)\nconst d = add satisfies unknown\n;[3].forEach(add)\ninterface Y {}\n[4].forEach(add)\n\
         export const f = () => log",
        json!([1, 2, 3, 4]),
    );
    check(
        &[
            ("a.ts", "import d from './d'\nexport const f = () => [d, (globalThis as any).after]"),
            ("d.ts", "const v = 1\nexport default v as any\n(globalThis as any).after = 2"),
        ],
        json!([1, 2]),
    );
    check_value(
        "class A {\n  get: string\n  static: number = 1\n  x = 1\n  public ['y'] = 2\n  private readonly z = 3\n  declare w: string\n  ['v'] = 4\n  \
         set?: number\n  async: string | undefined\n  *gen(): Generator<number> { yield 1 }\n  static static = 5\n}\n\
         export const f = () => [Object.keys(new A()), [...new A().gen()], A.static]",
        json!([["get", "static", "x", "y", "z", "v", "set", "async"], [1], 5]),
    );
    check_value(
        "const g = (a: number):\n  number => a\nconst h = async <\n  T\n>(a: T): Promise<\n  T\n> => a\n\
         const i = () => { return <\n  number\n>5 }\nconst j = () => { return <\n T>(a: T) => a }\n\
         export const f = async () => [g(1), await h(2), i(), j()(3)]",
        json!([1, 2, 5, 3]),
    );
}

pub(crate) const BROAD: &str = r#"
import type { Nothing } from "./nowhere";
import { type AlsoNothing } from "./nowhere-else";
import { OnlyAType } from "./nowhere-at-all";
declare const DEFINED: string; declare function outside(a: number): void; declare class Amb { a: string }
declare global { interface Window { x: number } }
declare module "thing" { export const a: number }
namespace Types { export type A = string; export interface B { a: A } namespace Deep { type C = 1 } }
export type { Types };
type Fn = (a: number, b?: string) => void; type Ctor = abstract new (...args: any[]) => object;
type Mapped = { readonly [K in keyof Fn]?: Fn[K] extends infer U ? U : never };
type Tpl = `a${string}`; type Tuple = [a: string, b?: number, ...rest: boolean[]];
interface Shape<T = unknown> extends Object { (a: T): string; new (a: T): Shape; readonly [key: string]: any; method?(): void; get x(): number }
enum_like: { const enumLike = { A: "a", B: "b" } as const; type E = (typeof enumLike)[keyof typeof enumLike]; }
function over(a: string): string;
function over(a: number): number;
function over(a: any): any { return a }
abstract class Base<T extends object = {}> {
  static #count: number = 0; static readonly kind: string = "base";
  protected abstract readonly name: string; abstract get size(): number;
  declare readonly ghost: string; [index: string]: any;
  private _v?: number; public definite!: string;
  constructor(protected_: T, readonly_?: string);
  constructor(public_: unknown, ...rest: unknown[]) { Base.#count++; this._v = rest.length }
  static count(this: typeof Base): number { return this.#count }
  public get v(): number | undefined { return this._v } public set v(value: number | undefined) { this._v = value }
  protected async *gen<U>(this: this, u: U): AsyncGenerator<U, void, unknown> { yield u }
  method?(): void;
  override toString(): string { return `${this.name}` }
  static { const a: number = 1; this.kind satisfies string; void a }
}
class Derived extends Base<{ a: string }> implements Iterable<number>, Shape2 {
  protected override readonly name = "derived" as string;
  get size(): number { return 3 }
  accessor counter: number = 1; static accessor shared = "s"; accessor #hidden: any;
  hidden() { this.#hidden = 4; return this.#hidden as number }
  *[Symbol.iterator](): Iterator<number> { yield* [1, 2] satisfies number[] }
  async run() { for await (const x of this.gen<number>(5)) return x }
}
interface Shape2 { size: number }
const generic = <T,>(x: T): x is T => true, id = <const T extends readonly unknown[]>(x: T) => x;
const assertIt: (x: unknown) => asserts x is string = x => { if (typeof x !== "string") throw x };
let maybe: { a?: { b: number[] } } | null = { a: { b: [7] } }; let unassigned!: number;
for (const [key, value] of Object.entries({ a: 1 }) as [string, number][]) unassigned = value;
const inst = id<number[]>; const opt = maybe!.a?.b![0]!; const sat = { a: 1 } satisfies Record<string, number>;
const { a = 2 as number, ...others }: { a?: number; b?: string } = {} as any;
function param({ a, b }: { a: number; b?: number }, [c]: [number] = [1], d: number = 2, e?: () => void): number { return a + c + d }
const less = 1 as number < 2, cmp = (1 as any) > (2 as any);
let u: undefined | (() => number); u ??= (): number => 1; (u as () => number) = () => 9; (<any>u).x = 1;
label: for (let i = 0 as number; i < 1; i++) { continue label }
const obj = { async m<T>(this: any, x: T): Promise<T> { return x }, get g(): number { return 1 }, set g(v: number) {}, ["c" as string]: 1, f: function <T>(x: T): T { return x } };
let typed: OnlyAType | Nothing | AlsoNothing | unique_ | undefined; type unique_ = typeof opt extends number ? 1 : 2;
export const f = async (): Promise<unknown> => {
  const d = new Derived({ a: "" }, "x"); d.counter++; d.v = 8; assertIt("s");
  return [over(1), Base.count(), d.counter, Derived.shared, d.hidden(), [...d], await d.run(), `${d}`, d.v, d.size, Object.keys(d),
    generic<number>(1), inst([1]), opt, sat, unassigned, a, param({ a: 1 }), less, cmp, u!(), await obj.m<number>(6), Derived.kind, typeof typed];
};
export default interface Def { a: string }
"#;

#[test]
fn a_broad_choice_of_typescript_runs() {
    check_value(
        BROAD,
        json!([
            1, 1, 2, "s", 4, [1, 2], 5, "derived", 8, 3, ["_v", "definite", "name"], true, [1], 7, {"a": 1}, 1, 2, 4,
            true, false, 9, 6, "base", "undefined"
        ]),
    );
}

#[test]
fn an_import_of_types_is_no_import() {
    check(
        &[
            (
                "a.ts",
                "import { Shape } from './types'; import { used, Unused } from './b'; import './effect'; import {} from './effect2';\n\
                      const s: Shape = used; export const f = () => [s, (globalThis as any).effects]; export type { Unused }",
            ),
            ("types.ts", "throw new Error('never runs'); export interface Shape {}"),
            ("b.ts", "export const used = 1; export type Unused = string;"),
            ("effect.ts", "((globalThis as any).effects ??= []).push(1)"),
            ("effect2.ts", "((globalThis as any).effects ??= []).push(2)"),
        ],
        json!([1, [1, 2]]),
    );
    check(
        &[
            ("a.js", "import { x } from './b.js'; export const f = () => globalThis.ran"),
            ("b.js", "globalThis.ran = 1; export const x = 1"),
        ],
        json!(1),
    );
    check(
        &[
            ("a.ts", "import { T } from './t'; export { T }; export * from './t'; export const f = () => 1"),
            ("t.d.ts", "export declare const T: number"),
        ],
        json!(1),
    );
}
