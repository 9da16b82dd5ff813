//! The service `sync:`, which moves files.

use std::io::{self, Read, Write};

use super::channel::Channel;
use super::files::{Files, Node};
use super::phone::FakePhone;

const LONGEST_PATH: u32 = 1024;
const MOST_DATA: u32 = 64 << 10;

pub(super) fn serve(phone: &FakePhone, channel: Channel) {
    let Channel { from_host, to_host, .. } = channel;
    let mut session = Session { phone, from_host, to_host };
    // A session that breaks is over.
    while matches!(session.next(), Ok(true)) {}
}

struct Session<'a> {
    phone: &'a FakePhone,
    from_host: Box<dyn Read + Send>,
    to_host: Box<dyn Write + Send>,
}

impl Session<'_> {
    /// Whether there may be another request.
    fn next(&mut self) -> io::Result<bool> {
        let (id, length) = self.head()?;
        if length > LONGEST_PATH {
            self.fail("path too long")?;
            return Ok(false);
        }
        let mut path = vec![0; length as usize];
        self.from_host.read_exact(&mut path)?;
        let path = String::from_utf8_lossy(&path).into_owned();
        let files = &*self.phone.files;
        let has = |feature| self.phone.has(feature);
        match &id {
            b"STAT" => {
                let node = files.stat(&path, false).unwrap_or_default();
                self.to_host.write_all(&[&b"STAT"[..], &old(node)].concat())?;
            }
            b"STA2" | b"LST2" if has("stat_v2") => {
                let found = files.stat(&path, &id == b"STA2");
                self.to_host.write_all(&[&id[..], &new(found)].concat())?;
            }
            b"LIST" => self.list(&path, files, b"DENT", |node| old(node).to_vec())?,
            b"LIS2" if has("ls_v2") => self.list(&path, files, b"DNT2", |node| new(Ok(node)))?,
            b"RECV" => self.receive(&path, files)?,
            b"SEND" => return self.take(&path, files),
            b"QUIT" => return Ok(false),
            _ => {
                self.fail(&format!("unknown command {}", id.escape_ascii()))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn head(&mut self) -> io::Result<([u8; 4], u32)> {
        let (mut id, mut length) = ([0; 4], [0; 4]);
        self.from_host.read_exact(&mut id)?;
        self.from_host.read_exact(&mut length)?;
        Ok((id, u32::from_le_bytes(length)))
    }

    fn fail(&mut self, why: &str) -> io::Result<()> {
        self.to_host.write_all(&[&b"FAIL"[..], &length(why.len()), why.as_bytes()].concat())
    }

    fn list(
        &mut self,
        path: &str,
        files: &dyn Files,
        id: &[u8; 4],
        written: fn(Node) -> Vec<u8>,
    ) -> io::Result<()> {
        for (name, node) in files.list(path).unwrap_or_default() {
            let entry = [&id[..], &written(node), &length(name.len()), name.as_bytes()].concat();
            self.to_host.write_all(&entry)?;
        }
        let nothing = vec![0; written(Node::default()).len() + 4];
        self.to_host.write_all(&[&b"DONE"[..], &nothing].concat())
    }

    fn receive(&mut self, path: &str, files: &dyn Files) -> io::Result<()> {
        let mut file = match files.read(path) {
            Ok(file) => file,
            Err(error) => return self.fail(&format!("open failed: {}", words(&error))),
        };
        let mut part = vec![0; MOST_DATA as usize];
        loop {
            let count = file.read(&mut part)?;
            if count == 0 {
                return self.to_host.write_all(b"DONE\0\0\0\0");
            }
            self.to_host.write_all(&[&b"DATA"[..], &length(count), &part[..count]].concat())?;
        }
    }

    /// After a failure it takes the rest and ends, as adbd does.
    fn take(&mut self, spec: &str, files: &dyn Files) -> io::Result<bool> {
        let (path, mode) = spec.rsplit_once(',').unwrap_or((spec, "420"));
        let permissions = mode.parse::<u32>().unwrap_or(0o644) & 0o777;
        let mut failed = false;
        let mut file = match files.create(path) {
            Ok(file) => file,
            Err(error) => {
                failed = true;
                self.fail(&format!("couldn't create file: {}", words(&error)))?;
                Box::new(io::sink())
            }
        };
        loop {
            let (id, size) = self.head().inspect_err(|_| files.remove(path))?;
            match &id {
                b"DATA" if size <= MOST_DATA => {
                    let mut data = vec![0; size as usize];
                    self.from_host.read_exact(&mut data).inspect_err(|_| files.remove(path))?;
                    if let Err(error) = file.write_all(&data)
                        && !failed
                    {
                        failed = true;
                        files.remove(path);
                        self.fail(&format!("write failed: {}", words(&error)))?;
                    }
                }
                b"DONE" if failed => return Ok(false),
                b"DONE" => {
                    drop(file);
                    files.finish(path, permissions, size)?;
                    self.to_host.write_all(b"OKAY\0\0\0\0")?;
                    return Ok(true);
                }
                _ => {
                    files.remove(path);
                    self.fail("invalid data message")?;
                    return Ok(false);
                }
            }
        }
    }
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn old(node: Node) -> [u8; 12] {
    let size = (node.size & 0xffff_ffff) as u32;
    let words = [node.mode, size, node.mtime].map(u32::to_le_bytes);
    std::array::from_fn(|index| words[index / 4][index % 4])
}

fn new(found: io::Result<Node>) -> Vec<u8> {
    let (error, node) = match found {
        Ok(node) => (0, node),
        Err(error) => (number(&error), Node::default()),
    };
    let mut bytes = error.to_le_bytes().to_vec();
    // The device and the inode, which are of no use to anybody here.
    bytes.extend([0; 16]);
    // Links, owner and group: 2000 is the shell.
    for word in [node.mode, 1, 2000, 2000] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(node.size.to_le_bytes());
    for _ in 0..3 {
        bytes.extend(u64::from(node.mtime).to_le_bytes());
    }
    bytes
}

fn number(error: &io::Error) -> u32 {
    match error.kind() {
        io::ErrorKind::NotFound => 2,
        io::ErrorKind::PermissionDenied => 13,
        io::ErrorKind::NotADirectory => 20,
        _ => 5,
    }
}

fn words(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "No such file or directory",
        io::ErrorKind::PermissionDenied => "Permission denied",
        io::ErrorKind::IsADirectory => "Is a directory",
        io::ErrorKind::StorageFull => "No space left on device",
        _ => "I/O error",
    }
}
