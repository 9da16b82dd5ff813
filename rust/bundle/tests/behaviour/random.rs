//! Whatever a source says, it becomes JavaScript or an error with a place; the same sources in every run.

use crate::own;
use crate::types::BROAD;

const PIECES: &[&str] = &[
    "\n",
    " ",
    "(",
    ")",
    "[",
    "{",
    "}",
    "<",
    ">",
    ":",
    ";",
    "?",
    "!",
    "=>",
    " as any",
    " satisfies X",
    "<T>",
    "async ",
    "abstract ",
    "readonly ",
    "public ",
    "static ",
    "declare ",
    "accessor ",
    "export ",
    "default ",
    "import ",
    "type ",
    "ä",
    "😀",
    "\u{2028}",
    "\r\n",
    "\\",
    "`",
    "'",
    "/*",
    "*/",
    "//",
    "#",
    "@d ",
    "get ",
    "this: X, ",
    "await ",
    "yield ",
];

/// What nests in front of a source and behind it.
const NESTING: &[(&str, &str)] = &[
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("Array<", ">"),
    ("x = () => ", ""),
    ("`${", "}`"),
    ("!", ""),
    ("a =>", ""),
    ("1 + ", "1"),
    ("a.", "a"),
    ("if (a) ", ";"),
    ("a ? b : ", "c"),
    ("f(", ")"),
    ("() => {", "}"),
    ("class A { a = ", "}"),
];

fn nested(source: &str, kind: usize, times: usize) -> String {
    let (open, close) = NESTING[kind];
    format!("{}1{};\n{source}", open.repeat(times), close.repeat(times))
}

/// As many cases as take a debug build about a second.
const CASES: u64 = 5_000;

#[test]
fn every_source_becomes_javascript_or_an_error() {
    let mut bundled = 0;
    for case in 0..CASES {
        let mut random = case.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % limit.max(1) as u64) as usize
        };
        // A few lines in a row, so that many cases are valid.
        let lines: Vec<&str> = BROAD.lines().collect();
        let first = below(lines.len());
        let mut source = lines[first..(first + 1 + below(6)).min(lines.len())].join("\n");
        for _ in 0..below(3) {
            let mut at = below(source.len() + 1);
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            source.insert_str(at, PIECES[below(PIECES.len())]);
        }
        if case % 50 == 0 {
            source = nested(&source, below(NESTING.len()), below(5_000));
        }
        match own(&[("a.ts", &source)], true) {
            Ok(bundle) => {
                bundled += 1;
                let again = own(&[("b.js", &bundle.code)], true);
                assert!(again.is_ok(), "case {case}:\n{source}\n---\n{}\n{:?}", bundle.code, again.err());
            }
            Err(problems) => assert!(problems.iter().all(|problem| problem.at.is_some()), "{problems:?}"),
        }
    }
    assert!(bundled > 100, "only {bundled} of {CASES} could be bundled");
}
