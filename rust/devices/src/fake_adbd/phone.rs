//! What a phone of paper is made of, and which service does what.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::channel::Channel;
use super::files::{Files, Memory};
use super::link::Link;
use super::process::{self, Process, Way};
use super::reverse::Reverse;
use super::sync;

/// What the adbd of Android 11 says that it can do, as far as it is done here.
pub const FEATURES: &[&str] =
    &["shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "fixed_push_symlink_timestamp", "abb_exec"];

type Commands = Box<dyn Fn(&mut Process) -> io::Result<u8> + Send + Sync>;
/// What is done with an opened service.
pub(super) type Serve = Box<dyn FnOnce(Channel) + Send>;

/// A phone whose services are filled in by a test.
pub struct FakePhone {
    pub product: String,
    pub model: String,
    pub device: String,
    pub features: Vec<String>,
    /// Answers commands of the shell. An error ends the command without an exit code, as a phone that is gone does.
    pub commands: Commands,
    pub files: Box<dyn Files>,
    /// Where the sockets with these names are, for `localabstract:NAME`.
    pub sockets: Mutex<BTreeMap<String, Socket>>,
    /// Whether a name that is not among them is one of this machine's own.
    pub shares_sockets: bool,
    pub(super) reverse: Reverse,
    agrees: AtomicBool,
}

/// A socket of this machine that stands for one of the phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Socket {
    Tcp(SocketAddr),
    Unix(PathBuf),
    /// One without a file, where this machine knows such.
    Abstract(String),
}

impl fmt::Debug for FakePhone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakePhone").field("model", &self.model).finish_non_exhaustive()
    }
}

impl FakePhone {
    /// A phone with no files, whose shell does this.
    pub fn new(commands: impl Fn(&mut Process) -> io::Result<u8> + Send + Sync + 'static) -> Self {
        Self {
            product: "paper".to_owned(),
            model: "Paper Phone".to_owned(),
            device: "paper1".to_owned(),
            features: FEATURES.iter().map(|&name| name.to_owned()).collect(),
            commands: Box::new(commands),
            files: Box::new(Memory::default()),
            sockets: Mutex::default(),
            shares_sockets: false,
            reverse: Reverse::default(),
            agrees: AtomicBool::new(true),
        }
    }

    #[must_use]
    pub fn files(mut self, files: impl Files + 'static) -> Self {
        self.files = Box::new(files);
        self
    }

    /// One that lacks these features.
    #[must_use]
    pub fn without(mut self, features: &[&str]) -> Self {
        self.features.retain(|name| !features.contains(&name.as_str()));
        self
    }

    /// One that asks before it lets a laptop in.
    #[must_use]
    pub fn that_asks(self) -> Self {
        self.agrees.store(false, Ordering::SeqCst);
        self
    }

    /// Lets `localabstract:NAME` end here.
    pub fn bridge(&self, name: &str, to: Socket) {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), to);
    }

    pub(super) fn agrees(&self) -> bool {
        self.agrees.load(Ordering::SeqCst)
    }

    pub(super) fn agree(&self) {
        self.agrees.store(true, Ordering::SeqCst);
    }

    pub(super) fn banner(&self) -> String {
        let Self { product, model, device, features, .. } = self;
        let features = features.join(",");
        format!(
            "device::ro.product.name={product};ro.product.model={model};ro.product.device={device};features={features}"
        )
    }

    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|name| name == feature)
    }

    /// Serves one connection of a host that named this service. False where there is no such service.
    pub fn serve(self: &Arc<Self>, service: &str, channel: Channel) -> bool {
        match self.clone().service(service, None) {
            Some(serve) => {
                serve(channel);
                true
            }
            None => false,
        }
    }

    /// What is to be done for a service; none where it is refused.
    pub(super) fn service(self: Arc<Self>, service: &str, link: Option<&Arc<Link>>) -> Option<Serve> {
        let (name, rest) = service.split_once(':')?;
        let rest = rest.to_owned();
        let run = |way: Way, phone: Arc<Self>| -> Option<Serve> {
            let rest = rest.clone();
            Some(Box::new(move |channel| process::run(&phone.commands, way, &rest, channel)))
        };
        match name {
            "shell" => run(Way::Raw, self),
            "exec" => run(Way::Raw, self),
            "abb_exec" if self.has("abb_exec") => run(Way::Args, self),
            _ if name.starts_with("shell,") => {
                let wants_packets = name.split(',').any(|option| option == "v2");
                match wants_packets {
                    true if !self.has("shell_v2") => None,
                    true => run(Way::Packets, self),
                    false => run(Way::Raw, self),
                }
            }
            "sync" => Some(Box::new(move |channel| sync::serve(&self, channel))),
            "reverse" => {
                let link = link.cloned();
                Some(Box::new(move |channel| self.reverse.serve(&rest, link.as_ref(), channel)))
            }
            "localabstract" => {
                let named = self.sockets.lock().unwrap_or_else(PoisonError::into_inner).get(&rest).cloned();
                let own = || self.shares_sockets.then_some(Socket::Abstract(rest));
                bridge(&named.or_else(own)?).ok()
            }
            _ => None,
        }
    }
}

/// Both directions of a socket, and what ends it.
struct Halves {
    read: Box<dyn io::Read + Send>,
    write: Box<dyn Write + Send>,
    end: Box<dyn FnOnce() + Send>,
}

fn bridge(socket: &Socket) -> io::Result<Serve> {
    let halves = match socket {
        Socket::Tcp(at) => halves_of_tcp(TcpStream::connect(at)?)?,
        Socket::Unix(path) => halves_of_unix(UnixStream::connect(path)?)?,
        Socket::Abstract(name) => halves_of_unix(connect_abstract(name)?)?,
    };
    Ok(Box::new(move |channel| join(channel, halves)))
}

#[cfg(target_os = "linux")]
fn connect_abstract(name: &str) -> io::Result<UnixStream> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?)
}

#[cfg(not(target_os = "linux"))]
fn connect_abstract(_name: &str) -> io::Result<UnixStream> {
    Err(io::ErrorKind::Unsupported.into())
}

fn halves_of_unix(socket: UnixStream) -> io::Result<Halves> {
    let other = socket.try_clone()?;
    let end = Box::new(move || drop(other.shutdown(Shutdown::Both)));
    Ok(Halves { read: Box::new(socket.try_clone()?), write: Box::new(socket), end })
}

fn halves_of_tcp(socket: TcpStream) -> io::Result<Halves> {
    socket.set_nodelay(true)?;
    let other = socket.try_clone()?;
    let end = Box::new(move || drop(other.shutdown(Shutdown::Both)));
    Ok(Halves { read: Box::new(Prompt(socket.try_clone()?)), write: Box::new(socket), end })
}

/// A socket that acknowledges at once what it reads. On a phone it would be one that knows no acknowledgements, and an app
/// that writes in pieces must not wait for them here.
struct Prompt(TcpStream);

impl io::Read for Prompt {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(into)?;
        // Without it everything is slower, not wrong.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_quickack(&self.0, true);
        Ok(count)
    }
}

/// Passes everything on in both directions, until one of the two ends.
fn join(channel: Channel, halves: Halves) {
    let Channel { mut from_host, mut to_host, close, .. } = channel;
    let Halves { mut read, mut write, end } = halves;
    // An end of either side is the end of both.
    thread::spawn(move || {
        let _ = io::copy(&mut read, &mut to_host);
        close();
    });
    let _ = io::copy(&mut from_host, &mut write);
    end();
}

/// Passes everything on between a socket of this machine and a service.
pub(super) fn join_tcp(channel: Channel, socket: TcpStream) {
    if let Ok(halves) = halves_of_tcp(socket) {
        join(channel, halves);
    }
}
