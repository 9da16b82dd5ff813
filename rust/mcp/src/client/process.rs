//! A program with pipes, in a process group of its own, and its end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::group::Group;
use super::limits::Limits;
use super::watchdog;

/// What to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Program {
    pub command: OsString,
    pub args: Vec<OsString>,
    /// Joins what this program has in its own environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory; without one, that of this program.
    pub dir: Option<PathBuf>,
}

/// A started program. When it is dropped it has ended, with all that it started in its group.
#[derive(Debug)]
pub(super) struct Process {
    child: Mutex<Child>,
    id: Pid,
    group: Group,
    limits: Limits,
    ended: bool,
}

/// How long an end in peace is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    Usual,
    /// For a program to which the end of its input need not mean anything.
    Short,
    None,
}

/// What [`Patience::Short`] is at most.
const SHORT: Duration = Duration::from_millis(500);

/// The pipes of a program.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    pub(super) fn start(program: &Program, limits: Limits) -> io::Result<(Self, Pipes)> {
        let group = Group::new()?;
        let mut command = Command::new(&program.command);
        command
            .args(&program.args)
            .envs(program.env.iter().map(|(name, value)| (name, value)))
            .process_group(group.number())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(dir) = &program.dir {
            command.current_dir(dir);
        }
        let mut child = command.spawn()?;
        group.is_used();
        let id = Pid::from_child(&child);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on it is ended when something goes wrong.
        let process = Self { child: Mutex::new(child), id, group, limits, ended: false };
        // Some make a group of their own as the first thing they do, such as 'timeout'.
        watchdog::watch(id.as_raw_nonzero().get())?;
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// How it ended, where it has. It stays a zombie, so that its number is not given to another group.
    fn status(&self) -> Option<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.id), options) {
            Ok(status) => {
                status.map(|status| Exit { code: status.exit_status(), signal: status.terminating_signal() })
            }
            Err(rustix::io::Errno::INTR) => None,
            // Nobody else waits for it, so it cannot be gone; but nothing would be gained by waiting on.
            Err(_) => Some(Exit { code: None, signal: None }),
        }
    }

    pub(super) fn has_exited(&self) -> bool {
        self.status().is_some()
    }

    /// How it ended, in words, where it ends within a moment.
    pub(super) fn exit(&self, patience: Duration) -> Option<String> {
        self.exits_within(patience, &mut thread::sleep);
        let Exit { code, signal } = self.status()?;
        Some(match (code, signal) {
            (Some(code), _) => format!("exited with code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        })
    }

    fn exits_within(&self, patience: Duration, pause: &mut dyn FnMut(Duration)) -> bool {
        let until = Instant::now() + patience;
        let mut time = Duration::from_micros(500);
        while !self.has_exited() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            pause(time.min(left));
            time = (time * 2).min(Duration::from_millis(20));
        }
        true
    }

    /// Waits for its end after its input was closed, then asks for it, then forces it. `pause` lets a little time go
    /// by, at most as much as it is told.
    pub(super) fn end(&mut self, patience: Patience, pause: &mut dyn FnMut(Duration)) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let patience = match patience {
            Patience::Usual => self.limits.close(),
            Patience::Short => self.limits.close().min(SHORT),
            Patience::None => Duration::ZERO,
        };
        if !self.exits_within(patience, pause) {
            self.signal(Signal::TERM);
            self.exits_within(self.limits.term(), pause);
        }
        // Also after an end in peace: its own children may still be there.
        self.signal(Signal::KILL);
        watchdog::forget(self.id.as_raw_nonzero().get());
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }

    fn signal(&self, signal: Signal) {
        self.group.signal(signal);
        // The group that it made itself, where it did.
        let _ = kill_process_group(self.id, signal);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end(Patience::Usual, &mut thread::sleep);
    }
}

struct Exit {
    code: Option<i32>,
    signal: Option<i32>,
}
