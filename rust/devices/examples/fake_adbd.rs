//! A phone of paper as a program, for tests that are not Rust, and to try things by hand.
//!
//! It prints its serial, for `adb connect SERIAL`, and ends with its standard input.
//!
//! | option | meaning |
//! |---|---|
//! | `--port N` | where it listens; without it, any free port |
//! | `--files DIR` | the root of its files; without it they are in memory |
//! | `--shell PROGRAM` | runs its commands, as `PROGRAM -c COMMAND`; without it there are none but those of the package manager |
//! | `--answers HOST:PORT` | says what its commands print, also those of the package manager, instead of a shell: each is a connection there, with the command, a zero byte and the command's input, and is answered in the packets of adb's own shell protocol |
//! | `--socket NAME=tcp:HOST:PORT`, `--socket NAME=unix:PATH` | where `localabstract:NAME` ends; as often as needed |
//! | `--abstract` | a name that no `--socket` tells of is one of this machine's own abstract sockets |
//! | `--model NAME` | what it calls itself |
//! | `--without FEATURE` | what it cannot do, such as `shell_v2`; as often as needed |
//! | `--asks` | it lets nobody in |

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use trailblaze_devices::fake_adbd::{Adbd, FakePhone, Packages, Process, Socket};

/// How often to look whether the host still wants what runs.
const LOOK: Duration = Duration::from_millis(50);

fn main() -> ExitCode {
    match start(std::env::args().skip(1)) {
        Ok(adbd) => {
            println!("{}", adbd.serial());
            // Whoever started it may be killed: then its input ends, and so does this.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Who knows what commands do.
enum Shell {
    None,
    Program(String),
    Elsewhere(SocketAddr),
}

fn start(mut args: impl Iterator<Item = String>) -> Result<Adbd, String> {
    let (mut port, mut files, mut shell, mut model) = (0, None, Shell::None, None);
    let (mut sockets, mut without, mut asks, mut shares_sockets) = (Vec::new(), Vec::new(), false, false);
    while let Some(option) = args.next() {
        let flag = match option.as_str() {
            "--asks" => Some(&mut asks),
            "--abstract" => Some(&mut shares_sockets),
            _ => None,
        };
        if let Some(flag) = flag {
            *flag = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("'{option}' needs a value"))?;
        match option.as_str() {
            "--port" => port = value.parse().map_err(|_| format!("'{value}' is no port"))?,
            "--files" => files = Some(PathBuf::from(value)),
            "--shell" => shell = Shell::Program(value),
            "--answers" => {
                shell = Shell::Elsewhere(value.parse().map_err(|_| format!("'{value}' is no address"))?);
            }
            "--model" => model = Some(value),
            "--without" => without.push(value),
            "--socket" => sockets.push(socket(&value).ok_or_else(|| format!("'{value}' is no socket"))?),
            _ => return Err(format!("unknown option '{option}'")),
        }
    }
    let packages = Packages::default();
    let mut phone = FakePhone::new(move |process: &mut Process| match &shell {
        Shell::Elsewhere(at) => ask(*at, process),
        own => packages.answer(process).unwrap_or_else(|| match own {
            Shell::Program(program) => run(program, process),
            _ => {
                process.err(format!("sh: {}: not found\n", process.line))?;
                Ok(127)
            }
        }),
    });
    phone = phone.without(&without.iter().map(String::as_str).collect::<Vec<_>>());
    if let Some(files) = files {
        phone = phone.files(files);
    }
    if let Some(model) = model {
        phone.model = model;
    }
    phone.shares_sockets = shares_sockets;
    if asks {
        phone = phone.that_asks();
    }
    for (name, to) in sockets {
        phone.bridge(&name, to);
    }
    Adbd::start(phone, port).map_err(|error| format!("it cannot listen: {error}"))
}

fn socket(text: &str) -> Option<(String, Socket)> {
    let (name, to) = text.split_once('=')?;
    let to = match to.split_once(':')? {
        ("tcp", at) => Socket::Tcp(at.parse().ok()?),
        ("unix", path) => Socket::Unix(path.into()),
        _ => return None,
    };
    Some((name.to_owned(), to))
}

/// Passes on what another process answers, for as long as the host wants it. That one sees the connection end.
fn ask(at: SocketAddr, process: &mut Process) -> io::Result<u8> {
    let mut socket = TcpStream::connect(at)?;
    socket.set_nodelay(true)?;
    socket.write_all(process.line.as_bytes())?;
    socket.write_all(&[0])?;
    let (mut input, mut to) = (input(process), socket.try_clone()?);
    thread::spawn(move || io::copy(&mut input, &mut to).and_then(|_| to.shutdown(Shutdown::Write)));
    socket.set_read_timeout(Some(LOOK))?;
    loop {
        let [id, length @ ..] = read_wanted::<5>(&mut socket, process)?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        socket.set_read_timeout(None)?;
        socket.read_exact(&mut bytes)?;
        socket.set_read_timeout(Some(LOOK))?;
        match (id, bytes.as_slice()) {
            (1, _) => process.out(&bytes)?,
            (2, _) => process.err(&bytes)?,
            (3, [exit]) => return Ok(*exit),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// What the host sends to a command. To the package manager that is an APK of so many bytes, after which the host waits.
fn input(process: &mut Process) -> Box<dyn Read + Send> {
    let input = std::mem::replace(&mut process.stdin, Box::new(io::empty()));
    let size = process.args.iter().position(|arg| arg == "-S").and_then(|at| process.args.get(at + 1));
    match size.and_then(|size| size.parse().ok()) {
        Some(size) => Box::new(input.take(size)),
        None => input,
    }
}

/// So many bytes, unless the host is gone before the first of them.
fn read_wanted<const N: usize>(socket: &mut TcpStream, process: &Process) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut count = 0;
    while count < N {
        match socket.read(&mut bytes[count..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && process.is_wanted() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(bytes)
}

/// Runs a command of this machine for as long as the host wants it.
fn run(program: &str, process: &mut Process) -> io::Result<u8> {
    let mut child = Command::new(program)
        .args(["-c", &process.line])
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut from_host = std::mem::replace(&mut process.stdin, Box::new(io::empty()));
    let to_child = child.stdin.take();
    thread::spawn(move || to_child.map(|mut to_child| io::copy(&mut from_host, &mut to_child)));
    let (said, says) = mpsc::channel();
    let outputs: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|out| Box::new(out) as Box<_>),
        child.stderr.take().map(|err| Box::new(err) as Box<_>),
    ];
    for (is_err, mut output) in [false, true].into_iter().zip(outputs.into_iter().flatten()) {
        let said = said.clone();
        thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut part)
                && said.send((is_err, part[..count].to_vec())).is_ok()
            {}
        });
    }
    drop(said);
    let passed = loop {
        match says.recv_timeout(LOOK) {
            Ok((is_err, part)) => {
                let passed_on = if is_err { process.err(part) } else { process.out(part) };
                if passed_on.is_err() {
                    break false;
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) if process.is_wanted() => {}
            Err(mpsc::RecvTimeoutError::Timeout) => break false,
            Err(mpsc::RecvTimeoutError::Disconnected) => break true,
        }
    };
    if !passed {
        // With all that it started. It may have ended just now.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let status = child.wait()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(255))
}
