//! A script beside this program, which is told what to do line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::bench::stage::bug;
use crate::exit_code::Problem;

/// Ends when it is dropped.
pub(super) struct Helper {
    name: String,
    child: Child,
    /// There until it is dropped.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Helper {
    pub(super) fn start(folder: &Path, script: &str) -> Result<Self, Problem> {
        let mut command = Command::new("bun");
        command.arg(folder.join(script)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| bug(format!("bun: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(bug("a process without pipes"));
        };
        let (input, output) = (Some(input), BufReader::new(output));
        Ok(Self { name: script.to_owned(), child, input, output })
    }

    /// The number on its next line.
    pub(super) fn number(&mut self) -> Result<f64, Problem> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(bug)?;
        line.trim().parse().map_err(|_| bug(format!("'{}' printed '{}'", self.name, line.trim())))
    }

    /// What it answers to a number.
    pub(super) fn turn(&mut self, number: usize) -> Result<f64, Problem> {
        if let Some(input) = &mut self.input {
            input.write_all(format!("{number}\n").as_bytes()).map_err(bug)?;
        }
        self.number()
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The end of its input is its end.
        self.input.take();
        let _ = self.child.wait();
    }
}
