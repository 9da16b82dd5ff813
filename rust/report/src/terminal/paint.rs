//! Lines in colour.

use std::fmt::Write as _;

use crate::step_list::{Line, Tone};

const DIM: &str = "2";

/// The mark or the word has the colour, what stands beside is dim, the text is as it is.
pub(super) fn push(out: &mut String, line: &Line) {
    let _ = write!(out, "{:1$}", "", line.indent);
    let text = line.hanging_text();
    if line.label.is_empty() {
        painted(out, color(line.tone), &text);
    } else {
        painted(out, color(line.tone), line.label);
        let _ = write!(out, " {text}");
    }
    if !line.aside.is_empty() {
        out.push_str("  ");
        painted(out, DIM, &line.aside);
    }
}

fn painted(out: &mut String, code: &str, text: &str) {
    if code.is_empty() || text.is_empty() {
        out.push_str(text);
    } else {
        let _ = write!(out, "\u{1b}[{code}m{text}\u{1b}[0m");
    }
}

const fn color(tone: Tone) -> &'static str {
    match tone {
        Tone::Passed => "32",
        Tone::Failed => "1;31",
        Tone::LeftOut | Tone::Warning => "33",
        Tone::Hint => "36",
        Tone::Plain => "",
    }
}
