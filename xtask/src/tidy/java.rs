//! The Java of the agent is what an old dexer takes: no lambdas, and nothing that came after Java 8.
//!
//! The compiler takes lambdas for Java 8, and a phone would miss what they need only when they run.

use super::{File, Problem};

const AGENT: &str = "android/agent/";
const WHY: &str = "the agent is Java 8 without lambdas";

pub(super) fn check(file: &File) -> Vec<Problem> {
    if !file.path.starts_with(AGENT) || file.extension() != "java" {
        return Vec::new();
    }
    let mut in_comment = false;
    let mut problems = Vec::new();
    for (number, line) in file.lines() {
        let code = code(line, &mut in_comment);
        problems.extend(found(&code).map(|what| file.problem(number, format!("{what}: {WHY}"))));
    }
    problems
}

fn found(code: &str) -> Option<&'static str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // A declaration: the word, and a name after it.
    let declares = |word: &str| {
        code.match_indices(word).any(|(at, _)| {
            let after = &code[at + word.len()..];
            let named = after.starts_with(' ') && after.trim_start().starts_with(is_part);
            named && !code[..at].ends_with(is_part)
        })
    };
    if code.contains("\"\"\"") {
        Some("a text block")
    } else if code.contains("->") {
        Some("'->'")
    } else if code.contains("::") {
        Some("a method reference")
    } else if declares("var") {
        Some("'var'")
    } else if declares("record") {
        Some("'record'")
    } else {
        None
    }
}

/// A line without its comments and without what stands in its texts.
fn code(line: &str, in_comment: &mut bool) -> String {
    let mut code = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else { break };
            *in_comment = false;
            rest = after;
        } else if rest.starts_with("//") {
            break;
        } else if let Some(after) = rest.strip_prefix("/*") {
            *in_comment = true;
            rest = after;
        } else if let Some(after) = rest.strip_prefix("\"\"\"") {
            code.push_str("\"\"\"");
            rest = after;
        } else if first == '"' || first == '\'' {
            code.push(first);
            rest = after_text(&rest[1..], first);
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    code
}

fn after_text(text: &str, end: char) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == end && !escaped {
            return &text[at + 1..];
        }
        escaped = c == '\\' && !escaped;
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, file};
    use super::*;

    #[test]
    fn what_the_dexer_does_not_take() {
        let check = |line: &str, what: &str| {
            let message = format!("android/agent/A.java:2: {what}: the agent is Java 8 without lambdas");
            expect(check(&file("android/agent/A.java", &format!("class A {{\n{line}\n}}\n"))), &[&message]);
        };
        check("  run(() -> 1);", "'->'");
        check("  case 1 -> 2;", "'->'");
        check("  list.forEach(this::add);", "a method reference");
        check("  for (var item : list) {", "'var'");
        check("  String a = \"\"\"", "a text block");
        check("  private record Pair(int a) {}", "'record'");
        check("  /* fine */ run(a -> '\"'); // \"", "'->'");
    }

    #[test]
    fn words_in_comments_and_texts_are_fine() {
        for line in [
            "  // a -> b, A::b, var x",
            "  /** {@link A::b} -> */ int a;",
            "  /*\n   * a -> b\n   */",
            "  say(\"a -> b::c \\\" -> \", '\\'', \"var x\");",
            "  int variable = record(var);",
        ] {
            expect(check(&file("android/agent/A.java", &format!("{line}\n"))), &[]);
        }
        expect(check(&file("android/jvm-tests/A.java", "  run(() -> 1);\n")), &[]);
    }
}
