//! What `am instrument -r` says at the end, as far as it is no test.

use crate::exit_code::{Exit, Problem};

/// Why nothing was run; none where the run came to its end.
pub(super) fn trouble(text: &str) -> Option<Problem> {
    let problem = |message: String| Problem::new(Exit::Device, message);
    let after = |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).map(str::trim);
    if after("INSTRUMENTATION_CODE: ") == Some("-1") {
        return None;
    }
    if let Some(component) = after("INSTRUMENTATION_FAILED: ") {
        let message = format!("the phone cannot start {component}");
        return Some(problem(message).hint("'trailblaze doctor' looks at the agent on the phone"));
    }
    if let Some(why) = after("INSTRUMENTATION_ABORTED: ") {
        return Some(problem(format!("the phone gave up: {why}")));
    }
    let long = result(text, "longMsg").or_else(|| result(text, "shortMsg"));
    let Some(long) = long else {
        let said = text.trim().lines().last().filter(|line| !line.is_empty());
        let said = said.map(|line| format!("; the last it said was: {line}")).unwrap_or_default();
        return Some(problem(format!("the agent on the phone ended without a word{said}")));
    };
    let (message, hint) = match long.rsplit_once("\nhint: ") {
        Some((message, hint)) => (message, Some(hint.trim().to_owned())),
        None => (long.as_str(), None),
    };
    Some(Problem { hint, ..problem(message.trim().to_owned()) })
}

/// A value of the result, which may span lines.
fn result(text: &str, key: &str) -> Option<String> {
    let start = format!("INSTRUMENTATION_RESULT: {key}=");
    let begin = text.find(&start)? + start.len();
    let rest = &text[begin..];
    let value = &rest[..rest.find("\nINSTRUMENTATION_").unwrap_or(rest.len())];
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(trouble(text).map(|problem| problem.to_string()).as_deref(), expected);
    }

    #[test]
    fn what_instrumentation_says() {
        check("INSTRUMENTATION_RESULT: stream=\n\n2 passed\nINSTRUMENTATION_CODE: -1\n", None);
        check(
            "INSTRUMENTATION_RESULT: shortMsg=no\nINSTRUMENTATION_RESULT: longMsg=no\nroom\nhint: make some\nINSTRUMENTATION_CODE: 0\n",
            Some("error: no\nroom\nhint: make some"),
        );
        check(
            "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n",
            Some("error: Process crashed."),
        );
        check(
            "android.util.AndroidException: INSTRUMENTATION_FAILED\nINSTRUMENTATION_FAILED: a/.B\n",
            Some(
                "error: the phone cannot start a/.B\nhint: 'trailblaze doctor' looks at the agent on the phone",
            ),
        );
        check(
            "INSTRUMENTATION_ABORTED: System has crashed.\n",
            Some("error: the phone gave up: System has crashed."),
        );
        check(
            "INSTRUMENTATION_STATUS: class=a\n",
            Some(
                "error: the agent on the phone ended without a word; the last it said was: INSTRUMENTATION_STATUS: class=a",
            ),
        );
        check("", Some("error: the agent on the phone ended without a word"));
    }
}
