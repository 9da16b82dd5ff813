//! URLs as browsers understand them (the URL Standard): what a URL is made of and how it is printed.
//!
//! Reading is in `parse.rs`, hosts are in `host.rs`, the setters of the `URL` class in `set.rs`. All of it is plain
//! text in and out, so that a script that changes a prototype cannot change what a URL means.

mod encode;
mod host;
mod parse;
mod punycode;
mod set;
#[cfg(test)]
mod tests;

pub(super) use encode::{form_parse, form_print};
pub(super) use set::Part;

/// Unicode's NFKC, which the engine has and Rust has not.
pub(super) type Normalize<'a> = &'a dyn Fn(&str) -> Option<String>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Path {
    /// `mailto:somebody`: one text, nothing is relative to it.
    Opaque(String),
    Segments(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    scheme: String,
    username: String,
    password: String,
    /// As printed; IPv6 with its brackets.
    host: Option<String>,
    /// None also for the scheme's usual port.
    port: Option<u16>,
    path: Path,
    query: Option<String>,
    fragment: Option<String>,
}

/// `None` for a scheme that is not special, `Some(None)` for `file`.
fn default_port(scheme: &str) -> Option<Option<u16>> {
    match scheme {
        "http" | "ws" => Some(Some(80)),
        "https" | "wss" => Some(Some(443)),
        "ftp" => Some(Some(21)),
        "file" => Some(None),
        _ => None,
    }
}

fn is_special(scheme: &str) -> bool {
    default_port(scheme).is_some()
}

impl Url {
    pub(super) fn parse(input: &str, base: Option<&Self>, nfkc: Normalize<'_>) -> Option<Self> {
        parse::parse(input, base, nfkc)
    }

    fn is_special(&self) -> bool {
        is_special(&self.scheme)
    }

    fn is_file(&self) -> bool {
        self.scheme == "file"
    }

    fn is_opaque(&self) -> bool {
        matches!(self.path, Path::Opaque(_))
    }

    fn has_credentials(&self) -> bool {
        !self.username.is_empty() || !self.password.is_empty()
    }

    fn may_have_credentials(&self) -> bool {
        !self.is_file() && self.host.as_ref().is_some_and(|host| !host.is_empty())
    }

    fn set_port(&mut self, port: u16) {
        let usual = default_port(&self.scheme).flatten();
        self.port = Some(port).filter(|port| Some(*port) != usual);
    }

    fn host_and_port(&self) -> String {
        let host = self.host.as_deref().unwrap_or_default();
        self.port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    fn pathname(&self) -> String {
        match &self.path {
            Path::Opaque(path) => path.clone(),
            Path::Segments(segments) => segments.iter().flat_map(|segment| ["/", segment]).collect(),
        }
    }

    fn href(&self) -> String {
        let mut text = format!("{}:", self.scheme);
        if self.host.is_some() {
            text += "//";
            if self.has_credentials() {
                text += &self.username;
                if !self.password.is_empty() {
                    text.push(':');
                    text += &self.password;
                }
                text.push('@');
            }
            text += &self.host_and_port();
        } else if matches!(&self.path, Path::Segments(path) if path.len() > 1 && path[0].is_empty()) {
            // Without the dot, the path would be read back as a host.
            text += "/.";
        }
        text += &self.pathname();
        for (mark, part) in [('?', &self.query), ('#', &self.fragment)] {
            if let Some(part) = part {
                text.push(mark);
                text += part;
            }
        }
        text
    }

    fn origin(&self, nfkc: Normalize<'_>) -> String {
        match self.scheme.as_str() {
            "http" | "https" | "ws" | "wss" | "ftp" => format!("{}://{}", self.scheme, self.host_and_port()),
            "blob" => Self::parse(&self.pathname(), None, nfkc)
                .filter(|inner| inner.scheme == "http" || inner.scheme == "https")
                .map_or_else(|| "null".to_owned(), |inner| inner.origin(nfkc)),
            _ => "null".to_owned(),
        }
    }

    /// What the `URL` class shows, in the order in which `url.js` reads it.
    pub(super) fn parts(&self, nfkc: Normalize<'_>) -> Vec<String> {
        let marked = |mark: char, part: &Option<String>| match part.as_deref() {
            None | Some("") => String::new(),
            Some(part) => format!("{mark}{part}"),
        };
        vec![
            self.href(),
            self.origin(nfkc),
            format!("{}:", self.scheme),
            self.username.clone(),
            self.password.clone(),
            self.host_and_port(),
            self.host.clone().unwrap_or_default(),
            self.port.map(|port| port.to_string()).unwrap_or_default(),
            self.pathname(),
            marked('?', &self.query),
            marked('#', &self.fragment),
        ]
    }
}
