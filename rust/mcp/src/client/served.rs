//! A program that is started once for several devices, and reached by all of them over HTTP.
//!
//! Nothing says beforehand whether a program takes `--transport http --port N`. One that does opens the port; one that
//! does not ends, or speaks over its standard streams as ever, which a small question there brings to light.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{ChildStdin, ChildStdout};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use trailblaze_engine::device::LogLine;
use trailblaze_model::failure::{Failure, FailureKind};

use super::http::Address;
use super::limits::spoken;
use super::lines::{Line, Lines};
use super::logs::Logs;
use super::message::{self, Incoming, Params};
use super::process::{Patience, Pipes, Process, Program};
use super::stderr::LastLines;
use super::toolset::{Connection, Shared, Toolset, not_started};
use super::transport::LONGEST_MESSAGE;
use super::trouble::{Trouble, with_last_lines};
use super::waker::wait;

/// Where servers answer that are started in this way, the usual one first.
const PATHS: [&str; 2] = ["/mcp", "/"];
/// How often a look is taken whether the port is open.
const SLICE: Duration = Duration::from_millis(20);
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program with a port of its own, until it is dropped.
#[derive(Debug)]
pub struct Served {
    name: String,
    address: Address,
    process: Mutex<Process>,
    /// Some end with their input.
    _input: ChildStdin,
    last_lines: Arc<LastLines>,
    logs: Arc<Logs>,
}

/// Why a program is not reached over HTTP.
#[derive(Debug)]
pub enum Unserved {
    /// It does something else when it is told to: `exited with code 2`, say, with what it said.
    Declined { why: String, last_lines: Vec<String> },
    /// It could not even be tried.
    Failed(Failure),
}

impl Unserved {
    /// What a program is told that should be reached over HTTP.
    pub const ARGUMENTS: &str = "--transport http --port N";

    /// For a program that was said to take it.
    pub fn failure(self, name: &str) -> Failure {
        match self {
            Self::Failed(failure) => failure,
            Self::Declined { why, last_lines } => {
                let message = format!("server '{name}' was told '{}' and {why}", Self::ARGUMENTS);
                let failure = Failure::new(FailureKind::Toolset, message);
                with_last_lines(failure, &last_lines)
                    .hint("let it take these arguments, or leave 'transport: http' out")
            }
        }
    }
}

impl Served {
    /// Starts the program and waits until it answers at its port.
    pub fn start(name: &str, program: &Program, shared: &Shared) -> Result<Self, Unserved> {
        let port = free_port().map_err(|error| Unserved::Failed(here(name, &error)))?;
        let mut program = program.clone();
        program.args.extend(["--transport", "http", "--port", &port.to_string()].map(Into::into));
        let logs = Arc::new(Logs::default());
        let started = Process::start(&program, shared.limits);
        let (process, pipes) =
            started.map_err(|error| Unserved::Failed(not_started(name, &program, &error)))?;
        let Pipes { stdin, stdout, stderr } = pipes;
        let last_lines = LastLines::drain(stderr, logs.clone());
        let last_lines = last_lines.map_err(|error| Unserved::Failed(here(name, &error)))?;
        let mut start = Start { process, stdin, stdout, lines: Lines::new(LONGEST_MESSAGE), port };
        if let Err(why) = start.wait(shared) {
            let Some(why) = why else {
                return Err(Unserved::Failed(Trouble::Cancelled.of_start(name, "start")));
            };
            start.process.end(Patience::None, &mut thread::sleep);
            return Err(Unserved::Declined { why, last_lines: last_lines.at_the_end(LAST_WORDS) });
        }
        let found = PATHS.iter().find_map(|path| {
            let address = Address::parse(&format!("http://127.0.0.1:{port}{path}")).ok()?;
            let toolset = Toolset::http(name, address.clone(), shared.clone());
            toolset.open().ok().map(|_: Connection| address)
        });
        let Some(address) = found else {
            let why = "is no MCP server at '/mcp' or '/' of its port".to_owned();
            return Err(Unserved::Declined { why, last_lines: last_lines.at_the_end(Duration::ZERO) });
        };
        let Start { process, stdin, stdout, .. } = start;
        // What it prints must go somewhere.
        LastLines::drain(stdout, logs.clone()).map_err(|error| Unserved::Failed(here(name, &error)))?;
        let (name, process) = (name.to_owned(), Mutex::new(process));
        Ok(Self { name, address, process, _input: stdin, last_lines, logs })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// What it wrote since the last look.
    pub fn take_logs(&self) -> Vec<LogLine> {
        self.logs.take()
    }

    /// Ends the program, whoever still holds this.
    pub fn end(&self) {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        // The end of its input means nothing to it.
        process.end(Patience::None, &mut thread::sleep);
    }

    /// A failure to reach it, by the end of the program where that is why.
    pub fn explain(&self, failure: Failure) -> Failure {
        if failure.kind != FailureKind::Toolset {
            return failure;
        }
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(how) = process.exit(LAST_WORDS) else { return failure };
        drop(process);
        let message = format!("server '{}' {how} during the run", self.name);
        with_last_lines(Failure { message, hint: None, ..failure }, &self.last_lines.at_the_end(LAST_WORDS))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

fn here(name: &str, error: &io::Error) -> Failure {
    Trouble::Here(error.to_string()).of_start(name, "start")
}

/// A port that nobody has at this moment.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// A program that may become a server.
struct Start {
    process: Process,
    stdin: ChildStdin,
    stdout: ChildStdout,
    lines: Lines,
    port: u16,
}

impl Start {
    /// Waits until the port is open. The error says what it did instead; none = the run was interrupted.
    fn wait(&mut self, shared: &Shared) -> Result<(), Option<String>> {
        let question = message::request(1, "ping", Params::Object("{}"), "");
        // Nobody reads it where all is well.
        let _ = self.stdin.write_all(question.as_bytes());
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let until = Instant::now() + Duration::from_millis(shared.limits.first_ms);
        let mut is_open = true;
        while Instant::now() < until {
            if shared.cancel.is_cancelled() {
                return Err(None);
            }
            if TcpStream::connect_timeout(&at, SLICE).is_ok() {
                return Ok(());
            }
            if self.process.has_exited() {
                let how = self.process.exit(Duration::ZERO);
                return Err(Some(how.unwrap_or_else(|| "ended".to_owned())));
            }
            let slice = Instant::now() + SLICE;
            if !is_open {
                thread::sleep(SLICE);
            } else if wait(&mut [PollFd::new(&self.stdout, PollFlags::IN)], slice) {
                is_open = self.lines.read(&self.stdout).is_ok_and(|count| count > 0);
                while let Some(line) = self.lines.next() {
                    if matches!(&line, Line::Text(text) if Incoming::read(text).is_some()) {
                        return Err(Some("speaks MCP on stdin and stdout all the same".to_owned()));
                    }
                }
            }
        }
        Err(Some(format!("did not open the port within {}", spoken(shared.limits.first_ms))))
    }
}
