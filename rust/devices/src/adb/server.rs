//! adb's server: the one process on a laptop that talks to its phones.

use std::io;
use std::sync::Arc;

use super::address::{ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_ADDRESS, Address};
use super::error::{Error, ErrorKind, about, plain};
use super::limit::Limit;
use super::listed::{self, Listed, State};
use super::phone::Phone;
use super::program::Program;
use super::stream::Stream;
use super::watch::Watch;
use super::wire::shown;

/// How to reach adb's server, and how to start it. Cheap to clone; each call is a connection of its own.
#[derive(Clone, Debug)]
pub struct Server(Arc<Way>);

#[derive(Debug)]
struct Way {
    address: Address,
    program: Option<Program>,
}

impl Server {
    /// Without a program, a server that is not running is an error.
    pub fn new(address: Address, program: Option<Program>) -> Self {
        Self(Arc::new(Way { address, program }))
    }

    pub fn address(&self) -> &Address {
        &self.0.address
    }

    /// Makes sure that the server runs, and says its version.
    pub fn ensure_running(&self, limit: &Limit) -> Result<u32, Error> {
        let address = self.address();
        match Stream::connect(address, about("host:version", None), limit) {
            Ok(stream) => version(stream).map_err(|error| error.other_server(address)),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused && address.is_here() => {
                let program = self.0.program.as_ref().ok_or_else(|| Program::missing(address))?;
                program.start_server(address, limit)?;
                self.version(limit)
            }
            Err(error) => Err(self.not_there(&error)),
        }
    }

    /// Asks a server that runs.
    pub fn version(&self, limit: &Limit) -> Result<u32, Error> {
        version(self.connect("host:version", None, limit)?)
    }

    pub fn devices(&self, limit: &Limit) -> Result<Vec<Listed>, Error> {
        let list = listed::read(&self.ask("host:devices-l", limit)?);
        list.map_err(|line| Error::protocol(&about("host:devices-l", None), line))
    }

    /// The list of devices now, and each time that it changes.
    pub fn watch(&self, limit: &Limit) -> Result<Watch, Error> {
        let mut stream = self.connect("host:track-devices-l", None, limit)?;
        stream.request("host:track-devices-l")?;
        stream.okay()?;
        Ok(Watch::new(self.clone(), stream))
    }

    /// Waits until a phone can be used, as after a cable was plugged in again.
    pub fn wait_until_ready(&self, serial: &str, limit: &Limit) -> Result<Listed, Error> {
        let mut watch = self.watch(limit)?;
        let mut last: Option<Listed> = None;
        loop {
            match watch.next(limit) {
                Ok(devices) => match devices.into_iter().find(|device| device.serial == serial) {
                    Some(device) if device.state == State::Device => return Ok(device),
                    other => last = other,
                },
                // Why it was not ready says more than that the time was over.
                Err(error) if error.kind == ErrorKind::TimedOut => {
                    return Err(match last {
                        Some(device) => device.ready().err().unwrap_or(error),
                        None => {
                            let message = format!("'{serial}' was not connected in time");
                            Error::new(ErrorKind::NoDevice, message).hint(super::error::NO_DEVICE)
                        }
                    });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Connects a phone over the network. That it is connected already is fine.
    pub fn connect_to(&self, host_and_port: &str, limit: &Limit) -> Result<(), Error> {
        let said = self.ask(&format!("host:connect:{host_and_port}"), limit)?;
        if said.starts_with("connected to") || said.starts_with("already connected") {
            return Ok(());
        }
        if said.starts_with("failed to authenticate") {
            return Err(Error::new(ErrorKind::Unauthorized, plain(&said)).hint(super::error::UNAUTHORIZED));
        }
        Err(Error::new(ErrorKind::Offline, plain(&said))
            .hint("is wireless debugging switched on, and are both in one network?"))
    }

    pub fn disconnect(&self, host_and_port: &str, limit: &Limit) -> Result<(), Error> {
        self.ask(&format!("host:disconnect:{host_and_port}"), limit).map(drop)
    }

    /// Ends the server, for all who use it.
    pub fn kill(&self, limit: &Limit) -> Result<(), Error> {
        let mut stream = self.connect("host:kill", None, limit)?;
        stream.request("host:kill")?;
        match stream.okay() {
            // It may be gone before it has said so.
            Err(error) if error.kind != ErrorKind::Lost => Err(error),
            _ => Ok(()),
        }
    }

    /// One phone, by its serial. Nothing is asked yet.
    pub fn phone(&self, serial: impl Into<String>) -> Phone {
        Phone::new(self.clone(), serial.into())
    }

    /// A question about the server itself, answered by one text.
    pub(super) fn ask(&self, service: &str, limit: &Limit) -> Result<String, Error> {
        let mut stream = self.connect(service, None, limit)?;
        stream.request(service)?;
        stream.okay()?;
        stream.text()
    }

    pub(super) fn connect(&self, what: &str, serial: Option<&str>, limit: &Limit) -> Result<Stream, Error> {
        let about = about(what, serial);
        if let Err(over) = limit.slice() {
            return Err(Error::over(&about, over, limit));
        }
        Stream::connect(self.address(), about, limit).map_err(|error| self.not_there(&error))
    }

    fn not_there(&self, error: &io::Error) -> Error {
        let address = self.address();
        let why = match error.kind() {
            io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
            io::ErrorKind::TimedOut => "nobody picks up there".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("adb's server cannot be reached at {address}: {why}");
        let hint = match address.resolve() {
            Ok(_) => "start it: 'adb start-server'".to_owned(),
            Err(_) => format!(
                "no machine is known by the name '{}': look at {ADB_SERVER_SOCKET} and {ANDROID_ADB_SERVER_ADDRESS}",
                address.host
            ),
        };
        Error::new(ErrorKind::NoServer, message).hint(hint)
    }
}

fn version(mut stream: Stream) -> Result<u32, Error> {
    stream.request("host:version")?;
    stream.okay()?;
    let text = stream.text()?;
    u32::from_str_radix(&text, 16).map_err(|_| stream.protocol(shown(text.as_bytes())))
}
