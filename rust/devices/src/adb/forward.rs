//! Sockets of the laptop that end on the phone, and the other way round. They outlive the call that made them.

use super::error::{Error, ErrorKind};
use super::limit::Limit;
use super::phone::Phone;
use super::stream::Stream;
use super::wire::shown;

/// A socket, and where it ends: `tcp:8080`, `localabstract:name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forward {
    pub from: String,
    pub to: String,
}

impl Phone {
    /// Lets a socket of the laptop end on the phone. `tcp:0` takes a free port, which is returned.
    pub fn forward(&self, local: &str, remote: &str, limit: &Limit) -> Result<Option<u16>, Error> {
        let mut stream = self.begin_host(&format!("forward:{local};{remote}"), limit)?;
        stream.okay()?;
        port(&mut stream)
    }

    /// Those of this phone.
    pub fn forwards(&self, limit: &Limit) -> Result<Vec<Forward>, Error> {
        let text = self.ask_host("list-forward", limit)?;
        Ok(lines(&text).filter(|(serial, _)| *serial == self.serial()).map(|(_, forward)| forward).collect())
    }

    /// False where there was none.
    pub fn remove_forward(&self, local: &str, limit: &Limit) -> Result<bool, Error> {
        let removed = self.begin_host(&format!("killforward:{local}"), limit);
        was_there(removed.and_then(|mut stream| stream.okay()))
    }

    /// Lets a socket of the phone end on the laptop. `tcp:0` takes a free port, which is returned.
    pub fn reverse(&self, remote: &str, local: &str, limit: &Limit) -> Result<Option<u16>, Error> {
        let mut stream = self.open(&format!("reverse:forward:{remote};{local}"), limit)?;
        stream.okay()?;
        port(&mut stream)
    }

    pub fn reverses(&self, limit: &Limit) -> Result<Vec<Forward>, Error> {
        let text = self.open("reverse:list-forward", limit)?.text()?;
        Ok(lines(&text).map(|(_, forward)| forward).collect())
    }

    /// False where there was none.
    pub fn remove_reverse(&self, remote: &str, limit: &Limit) -> Result<bool, Error> {
        let stream = self.open(&format!("reverse:killforward:{remote}"), limit);
        was_there(stream.and_then(|mut stream| stream.okay()))
    }
}

/// What follows an agreement: the port where one was chosen, else nothing.
fn port(stream: &mut Stream) -> Result<Option<u16>, Error> {
    let rest = stream.rest(1024)?;
    match rest.get(4..) {
        _ if rest.is_empty() => Ok(None),
        Some(number) => match String::from_utf8_lossy(number).parse() {
            Ok(port) => Ok(Some(port)),
            Err(_) => Err(stream.protocol(shown(&rest))),
        },
        None => Err(stream.protocol(shown(&rest))),
    }
}

fn was_there(removed: Result<(), Error>) -> Result<bool, Error> {
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.kind == ErrorKind::Refused && error.message.ends_with(" not found") => Ok(false),
        Err(error) => Err(error),
    }
}

/// `SERIAL FROM TO`, one a line.
fn lines(text: &str) -> impl Iterator<Item = (&str, Forward)> {
    text.lines().filter_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [serial, from, to] => Some((serial, Forward { from: from.to_owned(), to: to.to_owned() })),
        _ => None,
    })
}
