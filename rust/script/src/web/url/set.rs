//! The setters of the `URL` class. A value that does not fit changes nothing, as the standard wants it.

use super::encode::{FRAGMENT, USERINFO, encode};
use super::parse::{add_path, encode_query, file_host, split_port, split_scheme, without_breaks};
use super::{Normalize, Path, Url, default_port, host, is_special};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Part {
    Protocol,
    Username,
    Password,
    Host,
    Hostname,
    Port,
    Pathname,
    Search,
    Hash,
}

impl Part {
    pub(in super::super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "protocol" => Self::Protocol,
            "username" => Self::Username,
            "password" => Self::Password,
            "host" => Self::Host,
            "hostname" => Self::Hostname,
            "port" => Self::Port,
            "pathname" => Self::Pathname,
            "search" => Self::Search,
            "hash" => Self::Hash,
            _ => return None,
        })
    }
}

impl Url {
    pub(in super::super) fn set(&mut self, part: Part, value: &str, nfkc: Normalize<'_>) {
        match part {
            Part::Username if self.may_have_credentials() => self.username = encode(value, USERINFO),
            Part::Password if self.may_have_credentials() => self.password = encode(value, USERINFO),
            Part::Username | Part::Password => {}
            Part::Protocol => self.set_scheme(&without_breaks(value)),
            Part::Host | Part::Hostname => {
                self.set_host(&without_breaks(value), part == Part::Host, nfkc);
            }
            Part::Port if self.may_have_credentials() => {
                if value.is_empty() {
                    self.port = None;
                } else {
                    self.set_leading_port(&without_breaks(value));
                }
            }
            Part::Port => {}
            Part::Pathname => self.set_pathname(&without_breaks(value)),
            Part::Search => {
                let special = self.is_special();
                let query = without_breaks(value.strip_prefix('?').unwrap_or(value));
                self.query = (!value.is_empty()).then(|| encode_query(&query, special));
                self.drop_last_spaces();
            }
            Part::Hash => {
                let fragment = without_breaks(value.strip_prefix('#').unwrap_or(value));
                self.fragment = (!value.is_empty()).then(|| encode(&fragment, FRAGMENT));
                self.drop_last_spaces();
            }
        }
    }

    fn set_scheme(&mut self, value: &str) {
        let value = format!("{value}:");
        let Some((scheme, _)) = split_scheme(&value) else { return };
        let crowded = self.has_credentials() || self.port.is_some();
        let homeless = self.is_file() && self.host.as_deref().is_none_or(str::is_empty);
        if is_special(&self.scheme) != is_special(&scheme) || (scheme == "file" && crowded) || homeless {
            return;
        }
        self.scheme = scheme;
        self.port = self.port.filter(|port| default_port(&self.scheme).flatten() != Some(*port));
    }

    fn set_host(&mut self, value: &str, with_port: bool, nfkc: Normalize<'_>) {
        if self.is_opaque() {
            return;
        }
        let special = self.is_special();
        let end = value.find(|char| matches!(char, '/' | '?' | '#') || (special && char == '\\'));
        let place = &value[..end.unwrap_or(value.len())];
        if self.is_file() {
            if let Some(host) = file_host(place, nfkc) {
                self.host = Some(host);
            }
            return;
        }
        let (name, port) = split_port(place);
        let crowded = self.has_credentials() || self.port.is_some();
        if (port.is_some() && !with_port) || (name.is_empty() && (special || port.is_some() || crowded)) {
            return;
        }
        let Some(host) = host::parse(name, special, nfkc) else { return };
        self.host = Some(host);
        if let Some(port) = port {
            self.set_leading_port(port);
        }
    }

    /// Digits, and then whatever else.
    fn set_leading_port(&mut self, value: &str) {
        let end = value.find(|char: char| !char.is_ascii_digit()).unwrap_or(value.len());
        if let Ok(port) = value[..end].parse() {
            self.set_port(port);
        }
    }

    fn set_pathname(&mut self, value: &str) {
        if self.is_opaque() {
            return;
        }
        self.path = Path::Segments(Vec::new());
        if self.is_special() || !value.is_empty() {
            add_path(self, value);
        } else if self.host.is_none() {
            self.path = Path::Segments(vec![String::new()]);
        }
    }

    /// Spaces at the end of an opaque path would be lost when the URL is read again.
    fn drop_last_spaces(&mut self) {
        if self.query.is_none()
            && self.fragment.is_none()
            && let Path::Opaque(path) = &mut self.path
        {
            path.truncate(path.trim_end_matches(' ').len());
        }
    }
}
