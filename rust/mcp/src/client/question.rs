//! Questions that a server asks instead of answering, since 2026-07-28.
//!
//! The call is made once more with the answers. Nobody is there to ask while a test runs: what is meant for a person is
//! declined, and the tool decides what that means. Everything else cannot be answered.

use serde_json::{Map, Value, json};

/// A tool that still asks after so many answers goes in a circle.
const MOST_ROUNDS: usize = 8;

/// What the next call says about the questions to the last one.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reply {
    round: usize,
    answers: Option<Map<String, Value>>,
    /// Comes from the server and goes back as it came.
    state: Option<Value>,
}

impl Reply {
    /// None where there is a question that has no answer.
    pub(super) fn next(&self, result: &Value) -> Option<Self> {
        let state = result.get("requestState").filter(|state| !state.is_null()).cloned();
        let answers = match result.get("inputRequests") {
            Some(Value::Object(questions)) if !questions.is_empty() => {
                let answers =
                    questions.iter().map(|(name, question)| Some((name.clone(), answer(question)?)));
                Some(answers.collect::<Option<_>>()?)
            }
            _ => None,
        };
        let round = self.round + 1;
        // A server that has only a state wants to be called again.
        ((answers.is_some() || state.is_some()) && round <= MOST_ROUNDS).then_some(Self {
            round,
            answers,
            state,
        })
    }

    /// The parameters of the call, with the answers in them.
    pub(super) fn added_to(&self, params: String) -> String {
        let Self { answers, state, .. } = self;
        let members = [
            answers.as_ref().map(|answers| format!(r#","inputResponses":{}"#, Value::from(answers.clone()))),
            state.as_ref().map(|state| format!(r#","requestState":{state}"#)),
        ];
        match params.strip_suffix('}') {
            Some(open) if self.round > 0 => {
                let members: String = members.into_iter().flatten().collect();
                format!("{open}{members}}}")
            }
            _ => params,
        }
    }
}

fn answer(question: &Value) -> Option<Value> {
    (question["method"] == "elicitation/create").then(|| json!({ "action": "decline" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: Value, expected: Option<&str>) {
        let reply = Reply::default().next(&result);
        let params = reply.map(|reply| reply.added_to(r#"{"name":"t"}"#.to_owned()));
        assert_eq!(params.as_deref(), expected);
    }

    #[test]
    fn questions_and_answers() {
        let question = json!({ "a": { "method": "elicitation/create", "params": {} } });
        check(
            json!({ "inputRequests": question, "requestState": "s" }),
            Some(r#"{"name":"t","inputResponses":{"a":{"action":"decline"}},"requestState":"s"}"#),
        );
        check(
            json!({ "inputRequests": question }),
            Some(r#"{"name":"t","inputResponses":{"a":{"action":"decline"}}}"#),
        );
        check(json!({ "requestState": "s" }), Some(r#"{"name":"t","requestState":"s"}"#));
        check(json!({ "inputRequests": { "a": { "method": "sampling/createMessage" } } }), None);
        check(json!({ "inputRequests": {} }), None);
        assert_eq!(Reply::default().added_to("{}".to_owned()), "{}");
    }

    #[test]
    fn not_for_ever() {
        let result = json!({ "requestState": "s" });
        let mut reply = Reply::default();
        for _ in 0..MOST_ROUNDS {
            reply = reply.next(&result).unwrap();
        }
        assert_eq!(reply.next(&result), None);
    }
}
