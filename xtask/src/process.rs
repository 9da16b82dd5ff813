//! Child processes: printed before they run, so that a person can run them by hand.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::place::Place;

/// A command and how it looks to a person.
#[derive(Debug)]
pub(crate) struct Cmd {
    command: Command,
    envs: Vec<(OsString, OsString)>,
    shown_program: OsString,
}

/// Whether a person sees what a program writes while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    Shown,
    Kept,
}

/// How a program with a limit on its time ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// None when its time was up.
    pub(crate) status: Option<ExitStatus>,
    /// What it wrote to either stream.
    pub(crate) told: String,
}

/// Cargo, as the one that started this task.
pub(crate) fn cargo(place: &Place) -> Cmd {
    let mut cargo = Cmd::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), &place.root);
    cargo.shown_program = "cargo".into();
    cargo
}

impl Cmd {
    pub(crate) fn new(program: impl AsRef<OsStr>, folder: &Path) -> Self {
        let mut command = Command::new(&program);
        command.current_dir(folder);
        Self { command, envs: Vec::new(), shown_program: program.as_ref().to_owned() }
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, &value);
        self.envs.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Sets a variable that a person who types the command has anyway.
    pub(crate) fn quiet_env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Prints and runs; a failure of the program is an error.
    pub(crate) fn run(self) -> Result<(), String> {
        let name = self.shown_program.to_string_lossy().into_owned();
        if self.passes()? { Ok(()) } else { Err(format!("{name} failed")) }
    }

    /// Prints and runs with the output of the program on stderr; says whether it ended well.
    pub(crate) fn passes(mut self) -> Result<bool, String> {
        self.print();
        let status = self.command.stdin(Stdio::null()).stdout(std::io::stderr()).status();
        status.map(|status| status.success()).map_err(|error| self.cannot_start(&error))
    }

    /// Like `passes`, and keeps what the program wrote.
    pub(crate) fn passes_and_tells(mut self) -> Result<(bool, String), String> {
        self.print();
        let child = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| self.cannot_start(&error))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let told = thread::scope(|scope| {
            let out = scope.spawn(|| pass_through(out));
            let err = scope.spawn(|| pass_through(err));
            [out, err].map(|reader| reader.join().unwrap_or_default()).concat()
        });
        let status = child.wait().map_err(|error| self.cannot_start(&error))?;
        Ok((status.success(), without_colour(&told)))
    }

    /// Runs without a word and returns everything.
    pub(crate) fn output(mut self) -> Result<Output, String> {
        self.command.stdin(Stdio::null()).output().map_err(|error| self.cannot_start(&error))
    }

    /// Runs with a limit on its time, and keeps what it wrote.
    pub(crate) fn within(mut self, limit: Duration, talk: Talk) -> Result<Ended, String> {
        if talk == Talk::Shown {
            self.print();
        }
        let child = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| self.cannot_start(&error))?;
        let kept = Arc::new(Mutex::new(Vec::new()));
        let readers = [
            child.stdout.take().map(|stream| keep(stream, talk, kept.clone())),
            child.stderr.take().map(|stream| keep(stream, talk, kept.clone())),
        ];
        let deadline = Instant::now() + limit;
        let status = loop {
            match child.try_wait().map_err(|error| self.cannot_start(&error))? {
                Some(status) => break Some(status),
                None if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
                None => break None,
            }
        };
        match status {
            // A reader fails only when the stream does, and then what was read is there all the same.
            Some(_) => readers.into_iter().flatten().for_each(|reader| drop(reader.join())),
            None => {
                // One that ended meanwhile needs no ending. Its children may hold the streams, so nobody waits for these.
                let _ = child.kill();
                let _ = child.wait();
            }
        }
        let told = kept.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Ended { status, told: without_colour(&String::from_utf8_lossy(&told)) })
    }

    /// Whether the program is there and ends well, without a word.
    pub(crate) fn works(self) -> bool {
        self.output().is_ok_and(|output| output.status.success())
    }

    fn print(&self) {
        eprintln!("$ {}", self.shown());
    }

    pub(crate) fn shown(&self) -> String {
        let envs = self.envs.iter().map(|(name, value)| format!("{}={}", name.display(), quoted(value)));
        let words =
            std::iter::once(self.shown_program.as_os_str()).chain(self.command.get_args()).map(quoted);
        envs.chain(words).collect::<Vec<_>>().join(" ")
    }

    fn cannot_start(&self, error: &std::io::Error) -> String {
        format!("{} cannot be run: {error}", self.shown_program.display())
    }
}

/// A word as a shell would take it.
fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Keeps what a stream brings, line by line, so that lines of two streams do not mix.
fn keep(stream: impl Read + Send + 'static, talk: Talk, kept: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while let Ok(1..) = stream.read_until(b'\n', &mut line) {
            if talk == Talk::Shown {
                // Nothing can be done about a closed stderr, and the program must still be read to its end.
                let _ = std::io::stderr().write_all(&line);
            }
            kept.lock().unwrap_or_else(PoisonError::into_inner).append(&mut line);
        }
    })
}

/// Copies a stream to stderr as it comes and returns it as text.
fn pass_through(stream: Option<impl Read>) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 8192];
    let Some(mut stream) = stream else { return String::new() };
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        // Nothing can be done about a closed stderr, and the program must still be read to its end.
        let _ = std::io::stderr().write_all(&buffer[..count]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Removes the escape sequences for colours.
fn without_colour(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let sequence = &rest[start + 2..];
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_can_be_typed() {
        let command = Cmd::new("tool", Path::new(".")).args(["-p", "it's", ""]).env("A", "b c");
        assert_eq!(command.shown(), r"A='b c' tool -p 'it'\''s' ''");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let ended = |script: &str, millis| {
            let command = Cmd::new("sh", Path::new(".")).args(["-c", script]);
            command.within(Duration::from_millis(millis), Talk::Kept).unwrap()
        };
        let quick = ended("echo out; echo err >&2", 60_000);
        assert!(quick.status.is_some_and(|status| status.success()));
        assert_eq!(quick.told.len(), "out\nerr\n".len());
        let slow = ended("echo begun; exec sleep 60", 300);
        assert!(slow.status.is_none());
        assert_eq!(slow.told, "begun\n");
    }

    #[test]
    fn colours_are_removed() {
        assert_eq!(without_colour("\u{1b}[32;1m   Summary\u{1b}[0m [ 1s]"), "   Summary [ 1s]");
        assert_eq!(without_colour("cut \u{1b}[3"), "cut ");
    }
}
