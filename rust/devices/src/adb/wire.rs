//! The smart-socket protocol: four hex digits and a text; `OKAY`, or `FAIL` and a text.

use super::error::{Error, ErrorKind};
use super::stream::Stream;

/// What four hex digits can say.
const LONGEST: usize = 0xffff;

impl Stream {
    pub(super) fn request(&mut self, service: &str) -> Result<(), Error> {
        if service.len() > LONGEST {
            let message = format!("{} is too long for adb: {} bytes", self.about(), service.len());
            return Err(Error::new(ErrorKind::Refused, message)
                .hint(format!("at most {LONGEST}; push a script and run that")));
        }
        self.send(format!("{:04x}{service}", service.len()).as_bytes())
    }

    /// Reads `OKAY`; `FAIL` becomes an error with what was said.
    pub(super) fn okay(&mut self) -> Result<(), Error> {
        match &self.array::<4>()? {
            b"OKAY" => Ok(()),
            b"FAIL" => {
                let said = self.text()?;
                Err(Error::refused(self.about(), &said))
            }
            other => Err(self.protocol(shown(other))),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, Error> {
        let digits = self.array::<4>()?;
        let length = length(&digits).ok_or_else(|| self.protocol(shown(&digits)))?;
        let mut text = vec![0; length];
        self.fill(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Reads to the end, but no more than this.
    pub(super) fn rest(&mut self, most: usize) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        let mut part = vec![0; 64 << 10];
        loop {
            match self.some(&mut part)? {
                0 => return Ok(all),
                count => all.extend_from_slice(&part[..count]),
            }
            if all.len() > most {
                return Err(too_much(self.about(), most));
            }
        }
    }
}

pub(super) fn too_much(about: &str, most: usize) -> Error {
    Error::new(ErrorKind::Refused, format!("{about} has more than {} MiB to say", most >> 20))
        .hint("write it to a file on the phone and pull that")
}

pub(super) fn length(digits: &[u8; 4]) -> Option<usize> {
    // A sign would be taken for a part of the number.
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    usize::from_str_radix(text, 16).ok()
}

/// Bytes as a message can show them.
pub(super) fn shown(bytes: &[u8]) -> String {
    format!("'{}'", bytes.escape_ascii())
}
