//! A program's standard streams as a way for messages.

use std::io;
use std::os::fd::AsFd;
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use trailblaze_engine::host::Cancel;

use super::limits::Limits;
use super::lines::{Line, Lines};
use super::logs::Logs;
use super::process::{Patience, Process, Program};
use super::stderr::LastLines;
use super::transport::{End, LONGEST_MESSAGE, Received, SLICE, Transport, Unsent, Words};
use super::waker::{Waker, wait};

/// How much a server may answer while it is still being told something.
const MOST_UNREAD: usize = 2 * LONGEST_MESSAGE;
/// The rest of stderr, and the exit code, come a moment after the end of stdout.
const LAST_WORDS: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Stdio {
    /// None once it was closed.
    input: Mutex<Option<ChildStdin>>,
    /// It took half a message and no more, so that it would misread all others.
    is_stuck: AtomicBool,
    output: Mutex<Output>,
    last_lines: Arc<LastLines>,
    process: Mutex<Process>,
}

#[derive(Debug)]
struct Output {
    pipe: ChildStdout,
    lines: Lines,
    ended: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stdio {
    pub(super) fn start(program: &Program, limits: Limits, logs: Arc<Logs>) -> io::Result<Self> {
        let (process, pipes) = Process::start(program, limits)?;
        // Our ends only: the server's are other file descriptions, and stay as they are.
        rustix::io::ioctl_fionbio(&pipes.stdin, true)?;
        rustix::io::ioctl_fionbio(&pipes.stdout, true)?;
        let last_lines = LastLines::drain(pipes.stderr, logs)?;
        let output = Output { pipe: pipes.stdout, lines: Lines::new(LONGEST_MESSAGE), ended: false };
        Ok(Self {
            input: Mutex::new(Some(pipes.stdin)),
            is_stuck: AtomicBool::new(false),
            output: Mutex::new(output),
            last_lines,
            process: Mutex::new(process),
        })
    }
}

impl Output {
    /// Takes what is there by one read.
    fn read(&mut self) {
        match self.lines.read(&self.pipe) {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(error) if is_for_later(&error) => {}
            Err(_) => self.ended = true,
        }
    }

    /// Lets time go by, until something comes that nobody wants any more.
    fn discard(&mut self, time: Duration) {
        if self.ended {
            thread::sleep(time);
        } else if wait(&mut [PollFd::new(&self.pipe, PollFlags::IN)], Instant::now() + time) {
            self.read();
            self.lines.forget();
        }
    }

    fn next(&mut self) -> Option<Received> {
        Some(match self.lines.next()? {
            Line::Text(bytes) => Received::Message(bytes),
            Line::TooLong => Received::TooLong(LONGEST_MESSAGE),
        })
    }
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

impl Transport for Stdio {
    fn send(&self, message: &str, until: Instant, cancel: &Cancel) -> Result<(), Unsent> {
        let mut input = lock(&self.input);
        let Some(pipe) = input.as_ref() else { return Err(Unsent::Ended) };
        let mut rest = message.as_bytes();
        while !rest.is_empty() {
            match rustix::io::write(pipe, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let now = Instant::now();
                    let unsent = match (cancel.is_cancelled(), now < until) {
                        (false, true) => {
                            self.wait_for_room(pipe, until.min(now + SLICE));
                            continue;
                        }
                        (false, false) => Unsent::TimedOut,
                        (true, _) => Unsent::Cancelled,
                    };
                    if rest.len() < message.len() {
                        self.is_stuck.store(true, Ordering::Relaxed);
                        input.take();
                    }
                    return Err(unsent);
                }
                Err(_) => return Err(Unsent::Ended),
            }
        }
        Ok(())
    }

    fn receive(&self, _id: u64, until: Instant, waker: Option<&Waker>) -> Received {
        let mut output = lock(&self.output);
        if let Some(received) = output.next() {
            return received;
        }
        if output.ended {
            return Received::Ended;
        }
        let happened = {
            let stdout = PollFd::new(&output.pipe, PollFlags::IN);
            match waker {
                Some(waker) => wait(&mut [stdout, PollFd::new(waker, PollFlags::IN)], until),
                None => wait(&mut [stdout], until),
            }
        };
        if happened {
            // A read that finds nothing is cheap, and comes only when the waker was meant.
            output.read();
        } else if lock(&self.process).has_exited() {
            // A child of it may keep the pipe open; what was written is still there.
            output.read();
            output.ended = output.lines.waiting() == 0;
        }
        output.next().unwrap_or(if output.ended { Received::Ended } else { Received::Nothing })
    }

    fn end(&self) -> End {
        let how = if self.is_stuck.load(Ordering::Relaxed) {
            "stopped reading its stdin".to_owned()
        } else {
            let exit = lock(&self.process).exit(LAST_WORDS);
            exit.unwrap_or_else(|| "closed its stdout".to_owned())
        };
        End { how, last_lines: self.last_lines.at_the_end(LAST_WORDS) }
    }

    fn stop(&self) {
        self.end_process(Patience::None);
    }

    fn close(&self) {
        self.end_process(Patience::Usual);
        self.last_lines.at_the_end(LAST_WORDS);
    }

    fn words(&self) -> Words {
        Words {
            noise: "wrote to stdout what is no message",
            noise_hint: "stdout is for the protocol; write to stderr, in JavaScript with console.error",
            silence_hint: "is it an MCP server on stdin and stdout?",
        }
    }
}

impl Stdio {
    /// Closes its input, which tells it to go, and reads what it still says: one that cannot get rid of that would not
    /// go.
    fn end_process(&self, patience: Patience) {
        lock(&self.input).take();
        let mut output = lock(&self.output);
        lock(&self.process).end(patience, &mut |time| output.discard(time));
    }

    /// A server may be stuck because nobody reads what it wrote, so that is read meanwhile.
    fn wait_for_room(&self, input: &ChildStdin, until: Instant) {
        let room = PollFd::from_borrowed_fd(input.as_fd(), PollFlags::OUT);
        let output = match self.output.try_lock() {
            Ok(output) => Some(output),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            // Somebody else reads.
            Err(TryLockError::WouldBlock) => None,
        };
        match output.filter(|output| !output.ended && output.lines.waiting() < MOST_UNREAD) {
            None => {
                wait(&mut [room], until);
            }
            Some(mut output) => {
                let mut fds = [room, PollFd::new(&output.pipe, PollFlags::IN)];
                wait(&mut fds, until);
                let is_readable = !fds[1].revents().is_empty();
                if is_readable {
                    output.read();
                }
            }
        }
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.end_process(Patience::Usual);
    }
}
