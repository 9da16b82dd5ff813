//! `instrumentation.results`: the raw status protocol of `am instrument -r`, also where it is cut off.

use std::collections::HashMap;

use trailblaze_model::event::Verdict;

use super::told::{End, Names, Told, failure_of, is_ours};

const STATUS: &str = "INSTRUMENTATION_STATUS: ";
const STATUS_CODE: &str = "INSTRUMENTATION_STATUS_CODE: ";
const RESULT: &str = "INSTRUMENTATION_RESULT: ";
const CODE: &str = "INSTRUMENTATION_CODE: ";
const FAILED: &str = "INSTRUMENTATION_FAILED: ";
const ABORTED: &str = "INSTRUMENTATION_ABORTED: ";

/// Whether a text is of this kind.
pub(super) fn is_it(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("INSTRUMENTATION_"))
}

/// The bundle that is being read: its values may span lines.
#[derive(Default)]
struct Bundle {
    values: HashMap<String, String>,
    last: Option<String>,
}

impl Bundle {
    fn take(&mut self, pair: &str) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        self.values.insert(key.to_owned(), value.to_owned());
        self.last = Some(key.to_owned());
    }

    fn go_on(&mut self, line: &str) {
        if let Some(value) = self.last.as_ref().and_then(|key| self.values.get_mut(key)) {
            value.push('\n');
            value.push_str(line);
        }
    }

    fn get(&self, key: &str) -> &str {
        self.values.get(key).map(String::as_str).unwrap_or_default()
    }
}

pub(super) fn read(text: &str, names: &Names) -> Told {
    let mut told = Told { end: End::Cut(None), ..Told::default() };
    let (mut status, mut result) = (Bundle::default(), Bundle::default());
    let mut in_result = false;
    // A line without its end may be half a line.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for line in whole.lines() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(pair) = line.strip_prefix(STATUS) {
            in_result = false;
            status.take(pair);
        } else if let Some(code) = line.strip_prefix(STATUS_CODE) {
            take_status(&mut told, &std::mem::take(&mut status), code.trim(), names);
        } else if let Some(pair) = line.strip_prefix(RESULT) {
            in_result = true;
            result.take(pair);
        } else if let Some(code) = line.strip_prefix(CODE) {
            told.end = end(code.trim(), &result);
        } else if let Some(component) = line.strip_prefix(FAILED) {
            told.end = End::Trouble(format!(
                "the tests could not be started: {} is not installed, or has no such runner",
                component.trim()
            ));
        } else if let Some(why) = line.strip_prefix(ABORTED) {
            told.end = End::Trouble(format!("the device gave up: {}", why.trim()));
        } else if in_result {
            result.go_on(line);
        } else {
            status.go_on(line);
        }
    }
    told
}

fn take_status(told: &mut Told, status: &Bundle, code: &str, names: &Names) {
    let (class, method) = (status.get("class"), status.get("test"));
    let id = names.by_test(class, method).or_else(|| names.by_id(status.get("trail")));
    let Some(id) = id else {
        let test = format!("{class}#{method}");
        if is_ours(class) && !told.strangers.contains(&test) {
            told.strangers.push(test);
        }
        return;
    };
    if code == "1" {
        told.current(&id);
        return;
    }
    let stack = status.get("stack");
    let (verdict, failure, reason) = match code {
        "0" => (Verdict::Passed, None, None),
        "-1" => (Verdict::Failed, Some(failure_of(stack, true)), None),
        "-2" => (Verdict::Failed, Some(failure_of(stack, false)), None),
        "-3" | "-4" => {
            let reason = stack.lines().next().filter(|line| !line.is_empty()).unwrap_or("no reason given");
            (left_out(reason), None, Some(reason.to_owned()))
        }
        // A status without a verdict.
        _ => return,
    };
    let current = told.current(&id);
    (current.verdict, current.failure, current.reason) = (Some(verdict), failure, reason);
}

/// Why our runner does not start a trail; it tells that with the same code as one that is skipped.
const NOT_RUN: [&str; 4] = [
    "the run was interrupted",
    "an earlier trail failed",
    "the time of the run is nearly over",
    "a toolset server is gone",
];

fn left_out(reason: &str) -> Verdict {
    if NOT_RUN.contains(&reason) { Verdict::NotRun } else { Verdict::Skipped }
}

/// -1 says that the runner was done; everything else is a reason.
fn end(code: &str, result: &Bundle) -> End {
    if code == "-1" {
        return End::Finished;
    }
    let short = result.get("shortMsg").trim();
    let long = result.get("longMsg").trim();
    End::Trouble(match (short, long) {
        ("Process crashed.", _) => "the process of the tests crashed".to_owned(),
        ("", "") => format!("the tests were cancelled with code {code}"),
        ("", long) => long.to_owned(),
        (short, _) => short.to_owned(),
    })
}
