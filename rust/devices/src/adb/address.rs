//! Where adb's server listens.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};

use super::error::{Error, ErrorKind};

const PORT: u16 = 5037;

/// The variables that adb's own command line reads for this; the first one wins.
pub const ADB_SERVER_SOCKET: &str = "ADB_SERVER_SOCKET";
pub const ANDROID_ADB_SERVER_ADDRESS: &str = "ANDROID_ADB_SERVER_ADDRESS";
pub const ANDROID_ADB_SERVER_PORT: &str = "ANDROID_ADB_SERVER_PORT";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

impl Default for Address {
    fn default() -> Self {
        Self { host: "127.0.0.1".to_owned(), port: PORT }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            return write!(f, "[{}]:{}", self.host, self.port);
        }
        write!(f, "{}:{}", self.host, self.port)
    }
}

impl Address {
    /// Reads the variables by their names. One that cannot be understood is an error, as it is for adb.
    pub fn from_vars(var: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let set = |name| var(name).filter(|value| !value.is_empty());
        if let Some(socket) = set(ADB_SERVER_SOCKET) {
            return Self::of_socket(&socket);
        }
        let mut address = Self::default();
        if let Some(host) = set(ANDROID_ADB_SERVER_ADDRESS) {
            address.host = host;
        }
        if let Some(value) = set(ANDROID_ADB_SERVER_PORT) {
            address.port = port(&value).ok_or_else(|| {
                Error::new(ErrorKind::NoServer, format!("'{value}' in {ANDROID_ADB_SERVER_PORT} is no port"))
                    .hint(format!("a number from 1 to 65535; without it, it is {PORT}"))
            })?;
        }
        Ok(address)
    }

    /// `tcp:PORT` or `tcp:HOST:PORT`.
    fn of_socket(socket: &str) -> Result<Self, Error> {
        let read = || {
            let rest = socket.strip_prefix("tcp:")?;
            let (host, number) = rest.rsplit_once(':').unwrap_or(("127.0.0.1", rest));
            let host = host.trim_start_matches('[').trim_end_matches(']');
            // Only with a port in brackets is an address of IPv6 told from a host and a port.
            let is_whole = !host.is_empty() && (!host.contains(':') || rest.starts_with('['));
            Some(Self { host: host.to_owned(), port: port(number).filter(|_| is_whole)? })
        };
        read().ok_or_else(|| {
            Error::new(
                ErrorKind::NoServer,
                format!("'{socket}' in {ADB_SERVER_SOCKET} is no place that can be reached from here"),
            )
            .hint("write 'tcp:PORT' or 'tcp:HOST:PORT'")
        })
    }

    pub(super) fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok((self.host.as_str(), self.port).to_socket_addrs()?.collect())
    }

    /// Whether a server may be started for it.
    pub(super) fn is_here(&self) -> bool {
        ["127.0.0.1", "localhost", "::1"].contains(&self.host.as_str())
    }
}

fn port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|&port| port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(vars: &[(&str, &str)], expected: &str) {
        let var =
            |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        let found = match Address::from_vars(var) {
            Ok(address) => address.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_usual_place() {
        check(&[], "127.0.0.1:5037");
        check(&[(ADB_SERVER_SOCKET, ""), (ANDROID_ADB_SERVER_PORT, "")], "127.0.0.1:5037");
    }

    #[test]
    fn another_place() {
        check(&[(ANDROID_ADB_SERVER_PORT, "5038")], "127.0.0.1:5038");
        check(&[(ANDROID_ADB_SERVER_ADDRESS, "lab")], "lab:5037");
        check(&[(ADB_SERVER_SOCKET, "tcp:5039"), (ANDROID_ADB_SERVER_PORT, "1")], "127.0.0.1:5039");
        check(&[(ADB_SERVER_SOCKET, "tcp:lab.local:5039")], "lab.local:5039");
        check(&[(ADB_SERVER_SOCKET, "tcp:[::1]:5039")], "[::1]:5039");
    }

    #[test]
    fn no_place() {
        check(
            &[(ANDROID_ADB_SERVER_PORT, "0")],
            "'0' in ANDROID_ADB_SERVER_PORT is no port\nhint: a number from 1 to 65535; without it, it is 5037",
        );
        for socket in ["localfilesystem:a", "tcp:", "tcp:x", "tcp:lab:x", "tcp::::1", "tcp::5"] {
            check(
                &[(ADB_SERVER_SOCKET, socket)],
                &format!(
                    "'{socket}' in ADB_SERVER_SOCKET is no place that can be reached from here\nhint: write 'tcp:PORT' or 'tcp:HOST:PORT'"
                ),
            );
        }
    }
}
