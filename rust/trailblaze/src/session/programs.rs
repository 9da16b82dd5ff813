//! What programs on the laptop did, one line of JSON for each.

use serde_json::{Map, Value, json};
use trailblaze_engine::host::{CommandOutput, HostCommand};
use trailblaze_model::failure::Failure;

use super::SavedFailure;

/// A program that a tool ran, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub argv: Vec<String>,
    pub working_dir: Option<String>,
    /// On the run's clock.
    pub took_ms: u64,
    pub answer: Result<CommandOutput, Failure>,
}

impl Program {
    /// Whether this is what was run; how long it might take does not matter.
    pub fn is(&self, command: &HostCommand) -> bool {
        (&self.argv, &self.working_dir) == (&command.argv, &command.working_dir)
    }

    /// About how many bytes it takes to keep it.
    pub fn size(&self) -> usize {
        let answer = match &self.answer {
            Ok(done) => done.output.len(),
            Err(failure) => failure.message.len(),
        };
        size_of::<Self>() + answer + self.argv.iter().map(String::len).sum::<usize>()
    }

    pub(super) fn map_texts(&mut self, replace: &dyn Fn(&str) -> Option<String>) {
        let mut texts: Vec<&mut String> = self.argv.iter_mut().chain(&mut self.working_dir).collect();
        match &mut self.answer {
            Ok(done) => texts.push(&mut done.output),
            Err(failure) => failure.map_texts(replace),
        }
        for text in texts {
            if let Some(new) = replace(text) {
                *text = new;
            }
        }
    }

    fn to_value(&self) -> Value {
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| drop(map.insert(key.to_owned(), value));
        put("argv", json!(self.argv));
        if let Some(folder) = &self.working_dir {
            put("workingDir", json!(folder));
        }
        if self.took_ms > 0 {
            put("tookMs", json!(self.took_ms));
        }
        match &self.answer {
            Ok(done) => {
                put("exitCode", json!(done.exit_code));
                put("output", json!(done.output));
            }
            Err(failure) => put("failed", SavedFailure::plain(failure).to_value()),
        }
        Value::Object(map)
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let answer = match value.get("failed") {
            Some(failure) => Err(SavedFailure::read(failure)?.to_failure()),
            None => Ok(CommandOutput {
                exit_code: i32::try_from(value["exitCode"].as_i64()?).ok()?,
                output: text(&value["output"])?,
            }),
        };
        Some(Self {
            argv: value["argv"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            working_dir: text(&value["workingDir"]),
            took_ms: value["tookMs"].as_u64().unwrap_or_default(),
            answer,
        })
    }
}

pub(super) fn to_lines(programs: &[Program]) -> String {
    programs.iter().map(|program| format!("{}\n", program.to_value())).collect()
}

pub(super) fn from_lines(text: &str) -> Result<Vec<Program>, String> {
    let read = |(index, line): (usize, &str)| {
        let bad = |message: String| format!("line {}: {message}", index + 1);
        let value: Value = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
        Program::read(&value).ok_or_else(|| bad("this is no program of a session".to_owned()))
    };
    text.lines().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use trailblaze_model::failure::FailureKind;

    use super::*;

    #[test]
    fn programs_come_back_from_their_lines() {
        let done = Program {
            argv: vec!["sh".to_owned(), "-c".to_owned(), "date".to_owned()],
            working_dir: Some("tools".to_owned()),
            took_ms: 1_200,
            answer: Ok(CommandOutput { exit_code: -1, output: "a\nb".to_owned() }),
        };
        let failed = Program {
            working_dir: None,
            took_ms: 0,
            answer: Err(Failure::new(FailureKind::Timeout, "it took long").hint("wait")),
            ..done.clone()
        };
        let all = [done, failed];
        let lines = to_lines(&all);
        insta::assert_snapshot!(lines, @r#"
        {"argv":["sh","-c","date"],"workingDir":"tools","tookMs":1200,"exitCode":-1,"output":"a\nb"}
        {"argv":["sh","-c","date"],"failed":{"kind":"Timeout","message":"it took long","hint":"wait"}}
        "#);
        assert_eq!(from_lines(&lines).unwrap(), all);
        for bad in ["{}", "[]", r#"{"argv":[1],"exitCode":0,"output":""}"#, r#"{"argv":[],"exitCode":0}"#] {
            let refused = from_lines(&format!("{lines}{bad}\n")).unwrap_err();
            assert_eq!(refused, "line 3: this is no program of a session");
        }
    }
}
