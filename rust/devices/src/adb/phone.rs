//! One phone, by its serial: what its services are opened with.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::error::{Error, ErrorKind, about};
use super::limit::Limit;
use super::server::Server;
use super::stream::Stream;

/// A phone of adb's server. Cheap to clone; each call is a connection of its own.
#[derive(Clone, Debug)]
pub struct Phone {
    server: Server,
    serial: Arc<str>,
    /// What its adbd can do, once it was asked.
    features: Arc<OnceLock<BTreeSet<String>>>,
}

impl Phone {
    pub(super) fn new(server: Server, serial: String) -> Self {
        Self { server, serial: serial.into(), features: Arc::default() }
    }

    pub fn serial(&self) -> &str {
        &self.serial
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    /// What the phone's adbd says that it can do: `shell_v2`, `cmd`, `stat_v2`, …
    pub fn features(&self, limit: &Limit) -> Result<&BTreeSet<String>, Error> {
        if let Some(features) = self.features.get() {
            return Ok(features);
        }
        let text = self.ask_host("features", limit)?;
        let features = text.trim().split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Ok(self.features.get_or_init(|| features))
    }

    pub(super) fn has(&self, feature: &str, limit: &Limit) -> Result<bool, Error> {
        Ok(self.features(limit)?.contains(feature))
    }

    /// Opens any service of the phone's adbd.
    pub fn open(&self, service: &str, limit: &Limit) -> Result<Stream, Error> {
        let mut stream = self.connect(service, limit)?;
        stream.request(&format!("host:transport:{}", self.serial))?;
        stream.okay()?;
        stream.request(service)?;
        stream.okay().map_err(|error| closed(service, &self.serial, error))?;
        Ok(stream)
    }

    /// Connects to the socket that an app listens on under this name. No forward is made.
    pub fn open_abstract(&self, name: &str, limit: &Limit) -> Result<Stream, Error> {
        self.open(&format!("localabstract:{name}"), limit)
    }

    /// What this program writes, raw; it reads what is written here. Both ends share one end: there is no way to say
    /// that the input is over but to close everything.
    pub fn exec(&self, command: &str, limit: &Limit) -> Result<Stream, Error> {
        self.open(&format!("exec:{command}"), limit)
    }

    /// A question that the server answers about this phone.
    pub(super) fn ask_host(&self, what: &str, limit: &Limit) -> Result<String, Error> {
        let mut stream = self.begin_host(what, limit)?;
        stream.text()
    }

    /// A request about this phone that the server agreed to.
    pub(super) fn begin_host(&self, what: &str, limit: &Limit) -> Result<Stream, Error> {
        let mut stream = self.connect(what, limit)?;
        stream.request(&format!("host-serial:{}:{what}", self.serial))?;
        stream.okay()?;
        Ok(stream)
    }

    fn connect(&self, what: &str, limit: &Limit) -> Result<Stream, Error> {
        self.server.connect(what, Some(&self.serial), limit)
    }
}

/// A phone that does not open a service says no more than this.
fn closed(service: &str, serial: &str, error: Error) -> Error {
    if error.kind != ErrorKind::Refused || !error.message.ends_with(": closed") {
        return error;
    }
    let refused = |message: String, hint: &str| Error::new(ErrorKind::Refused, message).hint(hint);
    match service.strip_prefix("localabstract:") {
        Some(name) => refused(
            format!("nothing listens on the socket '{name}' of {serial}"),
            "has the app that opens it ended?",
        ),
        None => {
            let what = about(service, Some(serial));
            refused(format!("{what} was refused by the phone"), "its adbd may be too old for this")
        }
    }
}
