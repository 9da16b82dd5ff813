//! A program that is started once for several devices, and reached by all of them over HTTP.
//!
//! Nothing says beforehand whether a program takes `--transport http --port N`. One that does opens the port; one that
//! does not ends, or speaks over its standard streams as ever, which a small question there brings to light.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use super::http::Address;
use super::invocation::unguessable;
use super::limits::{FIRST_ANSWER, spoken};
use super::lines::{Line, Lines};
use super::logs::Logs;
use super::message::{self, Incoming, Params};
use super::process::{Patience, Pipes, Process, Program};
use super::protocol::Unopened;
use super::stderr::LastLines;
use super::toolset::{Connection, Shared, Toolset, not_started};
use super::transport::LONGEST_MESSAGE;
use super::trouble::{Trouble, Web, with_last_lines};
use super::waker::wait;

/// Where servers answer that are started in this way, the usual one first.
const PATHS: [&str; 2] = ["/mcp", "/"];
/// Where they listen: not all do at both.
const HOSTS: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
/// Below those that systems give to programs that ask for any, so that none of them gets the same one meanwhile.
const PORTS: std::ops::Range<u16> = 20_000..32_000;
/// So many ports are tried where others turn out to be somebody else's.
const MOST_PORTS: usize = 3;
/// How often a look is taken whether the port is open.
const SLICE: Duration = Duration::from_millis(20);
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A program with a port of its own, until it is dropped.
#[derive(Debug)]
pub struct Served {
    name: String,
    address: Address,
    process: Mutex<Process>,
    /// Some end with their input. None once it was closed.
    input: Mutex<Option<ChildStdin>>,
    /// From stderr.
    last_lines: Arc<LastLines>,
    printed: Arc<LastLines>,
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
    /// Starts the program and waits until it answers at its port; all of that within the time for a first answer.
    pub fn start(name: &str, program: &Program, shared: &Shared) -> Result<Self, Unserved> {
        let until = Instant::now() + Duration::from_millis(shared.limits.first_ms);
        let mut ports = 1;
        loop {
            match Self::try_start(name, program, shared, until) {
                Ok(served) => return Ok(served),
                Err(Unstarted { is_taken: true, .. }) if ports < MOST_PORTS => ports += 1,
                Err(Unstarted { unserved, .. }) => return Err(*unserved),
            }
        }
    }

    fn try_start(name: &str, program: &Program, shared: &Shared, until: Instant) -> Result<Self, Unstarted> {
        let failed = |error: &io::Error| Unstarted::of(Unserved::Failed(here(name, error)));
        let port = free_port().map_err(|error| failed(&error))?;
        let mut program = program.clone();
        program.args.extend(["--transport", "http", "--port", &port.to_string()].map(Into::into));
        let logs = Arc::new(Logs::default());
        let started = Process::start(&program, shared.limits);
        let (process, pipes) =
            started.map_err(|error| Unstarted::of(Unserved::Failed(not_started(name, &program, &error))))?;
        let Pipes { stdin, stdout, stderr } = pipes;
        let mut start = Start { stdin, process, stdout, lines: Lines::new(LONGEST_MESSAGE), port };
        let last_lines = LastLines::drain(stderr, logs.clone()).map_err(|error| failed(&error))?;
        let found = start.wait(until, shared).and_then(|host| start.find(name, host, until, shared));
        let address = match found {
            Ok(address) => address,
            Err(why) => {
                let has_exited = start.process.has_exited();
                start.end();
                let Some(why) = why else {
                    return Err(Unstarted::of(Unserved::Failed(Trouble::Cancelled.of_start(name, "start"))));
                };
                let last_lines = last_lines.at_the_end(LAST_WORDS);
                let is_taken = has_exited && (says_taken(&last_lines) || !is_free(port));
                let unserved = Box::new(Unserved::Declined { why, last_lines });
                return Err(Unstarted { is_taken, unserved });
            }
        };
        let Start { process, stdin, stdout, .. } = start;
        // What it prints must go somewhere.
        let printed = LastLines::drain(stdout, logs.clone()).map_err(|error| failed(&error))?;
        let (name, process, input) = (name.to_owned(), Mutex::new(process), Mutex::new(Some(stdin)));
        Ok(Self { name, address, process, input, last_lines, printed, logs })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// What it wrote since the last look.
    pub fn take_logs(&self) -> Vec<LogLine> {
        self.logs.take()
    }

    /// Ends the program, whoever still holds this. What it said last is among its logs then.
    pub fn end(&self) {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.end(Patience::Short, &mut thread::sleep);
        drop(process);
        self.last_lines.at_the_end(LAST_WORDS);
        self.printed.at_the_end(LAST_WORDS);
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

/// A program that is not reached.
struct Unstarted {
    /// Whether its port was somebody else's, so that another one may do.
    is_taken: bool,
    unserved: Box<Unserved>,
}

impl Unstarted {
    fn of(unserved: Unserved) -> Self {
        Self { is_taken: false, unserved: Box::new(unserved) }
    }
}

/// A port that nobody has at this moment.
fn free_port() -> io::Result<u16> {
    for _ in 0..64 {
        let chance = u16::from_str_radix(&unguessable()?[..4], 16).map_err(io::Error::other)?;
        let port = PORTS.start + chance % (PORTS.end - PORTS.start);
        if is_free(port) {
            return Ok(port);
        }
    }
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Whether nobody listens there.
fn is_free(port: u16) -> bool {
    let is_taken = |error: io::Error| error.kind() == io::ErrorKind::AddrInUse;
    // Machines without one of the two are fine, too.
    !HOSTS.into_iter().any(|host| TcpListener::bind((host, port)).is_err_and(is_taken))
}

/// Whether a program ended because of its port.
fn says_taken(last_lines: &[String]) -> bool {
    last_lines.iter().map(|line| line.to_lowercase()).any(|line| {
        ["eaddrinuse", "address already in use", "address in use"].iter().any(|said| line.contains(said))
    })
}

/// Opens a connection, and gives it up when the time is over.
fn open_until(
    until: Instant,
    name: &str,
    address: &Address,
    shared: &Shared,
) -> Result<Connection, Unopened> {
    let over = Cancel::default();
    let shared = Shared { cancel: over.or(std::slice::from_ref(&shared.cancel)), ..shared.clone() };
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let left = until.saturating_duration_since(Instant::now());
            if is_done.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                over.cancel();
            }
        });
        let opened = Toolset::http(name, address.clone(), shared).try_open();
        drop(done);
        opened
    })
}

/// Whether a server may be at another path of the same port.
fn is_elsewhere(unopened: &Unopened) -> bool {
    let Unopened::Asked(_, trouble) = unopened else { return false };
    matches!(trouble, Trouble::Refused(_) | Trouble::Web(Web { status: Some(404 | 405 | 410), .. }))
}

/// A program that may become a server. Dropped as it is, its input is closed before its end is waited for.
struct Start {
    stdin: ChildStdin,
    process: Process,
    stdout: ChildStdout,
    lines: Lines,
    port: u16,
}

impl Start {
    /// Waits until the port is open, and says on which host. The error says what it did instead; none = the run was
    /// interrupted.
    fn wait(&mut self, until: Instant, shared: &Shared) -> Result<IpAddr, Option<String>> {
        let question = message::request(1, "ping", Params::Object("{}"), "");
        // Nobody reads it where all is well.
        let _ = self.stdin.write_all(question.as_bytes());
        let mut is_open = true;
        while Instant::now() < until {
            if shared.cancel.is_cancelled() {
                return Err(None);
            }
            let answers =
                |host: &IpAddr| TcpStream::connect_timeout(&SocketAddr::new(*host, self.port), SLICE).is_ok();
            let host = HOSTS.into_iter().find(answers);
            // Whoever answers after its end is somebody else.
            self.lives()?;
            if let Some(host) = host {
                return Ok(host);
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
        Err(Some(format!("did not open the port {}", in_time(shared))))
    }

    /// Where at its port it answers.
    fn find(
        &self,
        name: &str,
        host: IpAddr,
        until: Instant,
        shared: &Shared,
    ) -> Result<Address, Option<String>> {
        for path in PATHS {
            let url = format!("http://{}{path}", SocketAddr::new(host, self.port));
            let address = Address::parse(&url).map_err(Some)?;
            let opened = open_until(until, name, &address, shared);
            if shared.cancel.is_cancelled() {
                return Err(None);
            }
            self.lives()?;
            match opened {
                Ok(_) => return Ok(address),
                Err(_) if Instant::now() >= until => {
                    return Err(Some(format!(
                        "opened the port, and did not answer there {}",
                        in_time(shared)
                    )));
                }
                Err(unopened) if is_elsewhere(&unopened) => {}
                Err(Unopened::Asked(_, Trouble::Web(Web { why, .. }))) => {
                    return Err(Some(format!("is no MCP server at '{path}' of its port: {why}")));
                }
                Err(unopened) => {
                    let why = unopened.failure(name).message;
                    return Err(Some(format!("is no MCP server at '{path}' of its port: {why}")));
                }
            }
        }
        Err(Some("is no MCP server at '/mcp' or '/' of its port".to_owned()))
    }

    fn lives(&self) -> Result<(), Option<String>> {
        match self.process.has_exited() {
            false => Ok(()),
            true => Err(Some(self.process.exit(Duration::ZERO).unwrap_or_else(|| "ended".to_owned()))),
        }
    }

    fn end(self) {
        let Self { stdin, mut process, .. } = self;
        drop(stdin);
        process.end(Patience::None, &mut thread::sleep);
    }
}

/// The time for a first answer, and what sets it.
fn in_time(shared: &Shared) -> String {
    format!("within {}, its 'limits: {{ {FIRST_ANSWER}: … }}'", spoken(shared.limits.first_ms))
}
