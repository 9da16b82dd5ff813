//! Where a server is, by its URL.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use axum::http::Uri;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::headers::is_token;

/// Headers that belong to the protocol.
const OURS: &[&str] =
    &["accept", "connection", "content-length", "content-type", "host", "last-event-id", "transfer-encoding"];

/// Where a server is that speaks MCP over HTTP, and what every request to it says besides.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// What stands in messages: no query, because there may be a key in it.
    shown: String,
    pub(super) is_secure: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// The host as it stands in the header of that name.
    pub(super) authority: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) authorities: Vec<CertificateDer<'static>>,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Address {
    /// The error says what is wrong with the URL.
    pub fn parse(url: &str) -> Result<Self, String> {
        let uri: Uri = url.trim().parse().map_err(|error| format!("it is no URL: {error}"))?;
        let is_secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(other) => return Err(format!("it begins with '{other}:', not with 'http:' or 'https:'")),
            None => return Err("it does not begin with 'http://' or 'https://'".to_owned()),
        };
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        let Some(authority) = authority else { return Err("it names no host".to_owned()) };
        if authority.as_str().contains('@') {
            return Err("it has a user in it, which is not supported".to_owned());
        }
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            None if authority.as_str().ends_with(':')
                || authority.host().len() < authority.as_str().len() =>
            {
                return Err("its port is not a number up to 65535".to_owned());
            }
            None if is_secure => 443,
            None => 80,
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let scheme = if is_secure { "https" } else { "http" };
        Ok(Self {
            shown: format!("{scheme}://{authority}{}", uri.path()),
            is_secure,
            host: authority.host().trim_matches(['[', ']']).to_owned(),
            port,
            authority: authority.to_string(),
            path: path.to_owned(),
            headers: Vec::new(),
            authorities: Vec::new(),
        })
    }

    /// Every request says this too, such as a key that the server wants to see.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, String> {
        let lower = name.to_ascii_lowercase();
        if !is_token(name) {
            return Err(format!("'{}' is not the name of a header", name.escape_debug()));
        }
        if OURS.contains(&lower.as_str()) || lower.starts_with("mcp-") {
            return Err(format!("the header '{name}' belongs to the protocol"));
        }
        if !value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
            return Err(format!("the value of header '{name}' has characters that a header cannot have"));
        }
        self.headers.push((name.to_owned(), value.to_owned()));
        Ok(self)
    }

    /// Trusts certificates from these authorities too, which are given as PEM.
    pub fn trusting(mut self, pem: &[u8]) -> Result<Self, String> {
        let found = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let found = found.map_err(|error| format!("the certificates cannot be read: {error}"))?;
        if found.is_empty() {
            return Err("there is no certificate in it".to_owned());
        }
        self.authorities.extend(found);
        Ok(self)
    }

    /// The addresses of the host. The system's own way has no limit, so it is waited for.
    pub(super) fn resolve(&self, patience: Duration) -> io::Result<Vec<SocketAddr>> {
        let target = (self.host.clone(), self.port);
        if let Ok(ip) = target.0.parse() {
            return Ok(vec![SocketAddr::new(ip, self.port)]);
        }
        let (answer, answered) = mpsc::sync_channel(1);
        thread::Builder::new().name("resolve".to_owned()).spawn(move || {
            // Nobody may wait for it any more.
            let _ = answer.send(target.to_socket_addrs().map(Iterator::collect));
        })?;
        answered.recv_timeout(patience).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expected: Result<&str, &str>) {
        let found = Address::parse(url).map(|address| {
            let Address { host, port, authority, path, .. } = &address;
            format!("{address} {host} {port} {authority} {path}")
        });
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn urls() {
        check(
            "http://localhost:3000/mcp",
            Ok("http://localhost:3000/mcp localhost 3000 localhost:3000 /mcp"),
        );
        check("https://tools.test", Ok("https://tools.test/ tools.test 443 tools.test /"));
        check("http://[::1]:80/a?key=1", Ok("http://[::1]:80/a ::1 80 [::1]:80 /a?key=1"));
        check("ws://x/", Err("it begins with 'ws:', not with 'http:' or 'https:'"));
        check("localhost:3000", Err("it does not begin with 'http://' or 'https://'"));
        check("/mcp", Err("it does not begin with 'http://' or 'https://'"));
        check("http://a:b@x/", Err("it has a user in it, which is not supported"));
        check("http://x:99999/", Err("its port is not a number up to 65535"));
        check("http://", Err("it is no URL: empty string"));
        check("http:///mcp", Err("it is no URL: invalid format"));
        check("", Err("it is no URL: empty string"));
    }

    #[test]
    fn authorities() {
        let check = |pem: &[u8]| Address::parse("https://x").unwrap().trusting(pem).err();
        assert_eq!(check(include_bytes!("../../../tests/servers/localhost.pem")), None);
        assert_eq!(check(b"hello").as_deref(), Some("there is no certificate in it"));
        assert!(check(b"-----BEGIN CERTIFICATE-----\nx\n").is_some());
    }

    #[test]
    fn headers_of_ones_own() {
        let address = Address::parse("http://x").unwrap();
        let check = |name: &str, value: &str| address.clone().with_header(name, value).err();
        assert_eq!(check("X-Key", "a b"), None);
        assert_eq!(check("Host", "a").as_deref(), Some("the header 'Host' belongs to the protocol"));
        assert_eq!(check("Mcp-Name", "a").as_deref(), Some("the header 'Mcp-Name' belongs to the protocol"));
        assert_eq!(check("a b", "").as_deref(), Some("'a b' is not the name of a header"));
        let why = "the value of header 'a' has characters that a header cannot have";
        assert_eq!(check("a", "x\r\nb: c").as_deref(), Some(why));
    }
}
