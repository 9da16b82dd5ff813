//! Files to the phone and from it, by the service `sync:`.

use std::io::{Read, Write};

use super::error::{Error, ErrorKind, plain};
use super::limit::Limit;
use super::phone::Phone;
use super::stat::{Entry, NEW, Stat};
use super::stream::{Sent, Stream};
use super::wire::shown;

/// The most that adbd takes and sends in one piece.
const MOST_DATA: usize = 64 << 10;
const LONGEST_PATH: usize = 1024;
/// A folder with more has no end.
const MOST_ENTRIES: usize = 1 << 20;
/// A name on a phone has 255 bytes at most.
const LONGEST_NAME: usize = 4096;
const REGULAR: u32 = 0o100_000;

/// What `stat` says where there is nothing: no such file, or no folder on the way to it.
const NOTHING_THERE: [u32; 2] = [2, 20];

/// A session with the phone's files, for many calls. It goes on after a file that is not there or cannot be read; after a
/// push that failed, a deadline or a lost connection it is over.
#[derive(Debug)]
pub struct Sync {
    stream: Stream,
    serial: String,
    has_new_stat: bool,
    has_new_list: bool,
}

impl Phone {
    pub fn sync(&self, limit: &Limit) -> Result<Sync, Error> {
        Ok(Sync {
            has_new_stat: self.has("stat_v2", limit)?,
            has_new_list: self.has("ls_v2", limit)?,
            stream: self.open("sync:", limit)?,
            serial: self.serial().to_owned(),
        })
    }
}

impl Sync {
    /// From now on calls end by this deadline.
    pub fn set_limit(&mut self, limit: &Limit) {
        self.stream.set_limit(limit);
    }

    /// None where there is no such file. Links are followed, but not before Android 8.
    pub fn stat(&mut self, path: &str) -> Result<Option<Stat>, Error> {
        self.stat_by(path, b"STA2")
    }

    /// As `stat`, of a link itself.
    pub fn lstat(&mut self, path: &str) -> Result<Option<Stat>, Error> {
        self.stat_by(path, b"LST2")
    }

    fn stat_by(&mut self, path: &str, new: &[u8; 4]) -> Result<Option<Stat>, Error> {
        let found = self.ask_stat(path, new);
        self.unless_broken(found)
    }

    fn ask_stat(&mut self, path: &str, new: &[u8; 4]) -> Result<Option<Stat>, Error> {
        let id = if self.has_new_stat { new } else { b"STAT" };
        self.request(id, path)?;
        let answer = self.stream.array::<4>()?;
        if answer != *id {
            return Err(self.trouble("looked at", path, &answer));
        }
        if !self.has_new_stat {
            return Ok(Stat::of_old(&self.stream.array()?));
        }
        match Stat::of_new(&self.stream.array::<NEW>()?) {
            Ok(stat) => Ok(Some(stat)),
            Err(number) if NOTHING_THERE.contains(&number) => Ok(None),
            Err(number) => {
                let why = std::io::Error::from_raw_os_error(number.cast_signed());
                Err(self.refused("looked at", path, &why.to_string()))
            }
        }
    }

    /// What is in a folder, without `.` and `..`. A folder that is not there looks empty.
    pub fn list(&mut self, path: &str) -> Result<Vec<Entry>, Error> {
        let found = self.ask_list(path);
        self.unless_broken(found)
    }

    fn ask_list(&mut self, path: &str) -> Result<Vec<Entry>, Error> {
        let (id, entry): (_, &[u8; 4]) =
            if self.has_new_list { (b"LIS2", b"DNT2") } else { (b"LIST", b"DENT") };
        self.request(id, path)?;
        let mut entries = Vec::new();
        loop {
            let answer = self.stream.array::<4>()?;
            if answer != *entry && answer != *b"DONE" {
                return Err(self.trouble("listed", path, &answer));
            }
            // What cannot be looked at is named all the same.
            let stat = match self.has_new_list {
                true => Stat::of_new(&self.stream.array::<NEW>()?).ok(),
                false => Stat::of_old(&self.stream.array()?),
            };
            let length = u32::from_le_bytes(self.stream.array()?) as usize;
            if answer == *b"DONE" {
                return Ok(entries);
            }
            if length > LONGEST_NAME || entries.len() >= MOST_ENTRIES {
                let what = format!("entry {} of '{path}', with a name of {length} bytes", entries.len() + 1);
                return Err(self.stream.protocol(what));
            }
            let mut name = vec![0; length];
            self.stream.fill(&mut name)?;
            let name = String::from_utf8_lossy(&name).into_owned();
            if name != "." && name != ".." {
                let stat = stat.unwrap_or(Stat { mode: 0, size: 0, mtime: 0 });
                entries.push(Entry { name, stat });
            }
        }
    }

    /// Writes a file of the phone, with the folders around it, and returns how long it is. A push that fails leaves
    /// no file behind.
    pub fn push(
        &mut self,
        from: &mut dyn Read,
        path: &str,
        permissions: u32,
        mtime: u32,
    ) -> Result<u64, Error> {
        // What is half there must not look whole: adbd removes it when the session ends.
        self.send_file(from, path, permissions, mtime).inspect_err(|_| self.stream.close())
    }

    fn send_file(
        &mut self,
        from: &mut dyn Read,
        path: &str,
        permissions: u32,
        mtime: u32,
    ) -> Result<u64, Error> {
        self.request(b"SEND", &format!("{path},{}", REGULAR | permissions & 0o777))?;
        let mut piece = vec![0; 8 + MOST_DATA];
        let mut pushed = 0;
        loop {
            let count = match from.read(&mut piece[8..]) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let message = format!("what is to become '{path}' cannot be read: {error}");
                    return Err(Error::new(ErrorKind::Local, message));
                }
            };
            piece[..8].copy_from_slice(&head(b"DATA", count));
            match self.stream.send_unless_answered(&piece[..8 + count]) {
                Ok(Sent::All) => pushed += count as u64,
                // It only speaks before the end where something is wrong.
                Ok(Sent::Answered) => {
                    return Err(self.pushed(path).err().unwrap_or_else(|| self.too_early()));
                }
                Err(error) => return Err(self.why_lost(path, error)),
            }
        }
        let done = [b'D', b'O', b'N', b'E'];
        let mtime = mtime.to_le_bytes();
        if let Err(error) = self.stream.send(&[done, mtime].concat()) {
            return Err(self.why_lost(path, error));
        }
        self.pushed(path)?;
        Ok(pushed)
    }

    /// What was said before a connection was lost says more than that it was.
    fn why_lost(&mut self, path: &str, error: Error) -> Error {
        match error.kind {
            ErrorKind::Lost => self.pushed(path).err().unwrap_or(error),
            _ => error,
        }
    }

    fn too_early(&self) -> Error {
        self.stream.protocol("an agreement before the end of the file")
    }

    fn pushed(&mut self, path: &str) -> Result<(), Error> {
        match &self.stream.array::<4>()? {
            b"OKAY" => self.stream.array::<4>().map(drop),
            answer => Err(self.trouble("pushed", path, answer)),
        }
    }

    /// Reads a file of the phone, and returns how long it was.
    pub fn pull(&mut self, path: &str, to: &mut dyn Write) -> Result<u64, Error> {
        let pulled = self.receive_file(path, to);
        self.unless_broken(pulled)
    }

    fn receive_file(&mut self, path: &str, to: &mut dyn Write) -> Result<u64, Error> {
        self.request(b"RECV", path)?;
        let mut piece = vec![0; MOST_DATA];
        let mut pulled = 0;
        loop {
            let answer = self.stream.array::<4>()?;
            match &answer {
                b"DATA" => {
                    let length = u32::from_le_bytes(self.stream.array()?) as usize;
                    if length > MOST_DATA {
                        return Err(self.stream.protocol(format!("a piece of {length} bytes")));
                    }
                    self.stream.fill(&mut piece[..length])?;
                    to.write_all(&piece[..length]).map_err(|error| {
                        let message = format!("what '{path}' is pulled to cannot be written: {error}");
                        Error::new(ErrorKind::Local, message)
                    })?;
                    pulled += length as u64;
                }
                b"DONE" => {
                    self.stream.array::<4>()?;
                    return Ok(pulled);
                }
                _ => return Err(self.trouble("pulled", path, &answer)),
            }
        }
    }

    /// Ends the session after an answer that was not read to its end: the rest would be taken for the next one.
    fn unless_broken<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        result.inspect_err(|error| {
            if !matches!(error.kind, ErrorKind::NoFile | ErrorKind::Refused) {
                self.stream.close();
            }
        })
    }

    fn request(&mut self, id: &[u8; 4], path: &str) -> Result<(), Error> {
        if path.len() > LONGEST_PATH {
            let message = format!("'{path}' is too long for a path on a phone: {} bytes", path.len());
            return Err(Error::new(ErrorKind::Refused, message).hint(format!("at most {LONGEST_PATH}")));
        }
        self.stream.send(&[&head(id, path.len())[..], path.as_bytes()].concat())
    }

    /// An answer that is not the one that was hoped for.
    fn trouble(&mut self, done: &str, path: &str, answer: &[u8; 4]) -> Error {
        if answer != b"FAIL" {
            return self.stream.protocol(shown(answer));
        }
        let read = |this: &mut Self| {
            let length = u32::from_le_bytes(this.stream.array()?) as usize;
            if length > MOST_DATA {
                return Err(this.stream.protocol(format!("a reason of {length} bytes")));
            }
            let mut why = vec![0; length];
            this.stream.fill(&mut why)?;
            Ok(String::from_utf8_lossy(&why).into_owned())
        };
        match read(self) {
            Ok(why) => self.refused(done, path, &plain(&why)),
            Err(error) => error,
        }
    }

    fn refused(&self, done: &str, path: &str, why: &str) -> Error {
        let message = format!("'{path}' cannot be {done} on {}: {why}", self.serial);
        let says = |words: &str| why.contains(words);
        if says("No such file") {
            Error::new(ErrorKind::NoFile, message)
        } else if says("No space left") {
            Error::new(ErrorKind::Refused, message).hint("make room on the phone")
        } else if says("ermission denied") || says("Read-only") || says("not permitted") {
            Error::new(ErrorKind::Refused, message)
                .hint("take a folder that adb may use, such as /data/local/tmp or /sdcard")
        } else {
            Error::new(ErrorKind::Refused, message)
        }
    }
}

fn head(id: &[u8; 4], length: usize) -> [u8; 8] {
    let [a, b, c, d] = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    let [i, j, k, l] = *id;
    [i, j, k, l, a, b, c, d]
}
