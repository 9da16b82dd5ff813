//! What goes over the wire between adb's server and a phone: 24 bytes and a payload.

use std::io::{self, Read, Write};

pub(super) const CNXN: u32 = u32::from_le_bytes(*b"CNXN");
pub(super) const AUTH: u32 = u32::from_le_bytes(*b"AUTH");
pub(super) const OPEN: u32 = u32::from_le_bytes(*b"OPEN");
pub(super) const OKAY: u32 = u32::from_le_bytes(*b"OKAY");
pub(super) const WRTE: u32 = u32::from_le_bytes(*b"WRTE");
pub(super) const CLSE: u32 = u32::from_le_bytes(*b"CLSE");

/// From this version on nobody looks at checksums.
pub(super) const VERSION: u32 = 0x0100_0001;
pub(super) const MOST_PAYLOAD: u32 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    pub(super) command: u32,
    pub(super) arg0: u32,
    pub(super) arg1: u32,
    pub(super) payload: Vec<u8>,
}

impl Packet {
    pub(super) fn new(command: u32, arg0: u32, arg1: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self { command, arg0, arg1, payload: payload.into() }
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 24];
        from.read_exact(&mut head)?;
        let [command, arg0, arg1, length, _checksum, magic] = words(&head);
        if magic != !command || length > MOST_PAYLOAD {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no packet of adb"));
        }
        let mut payload = vec![0; length as usize];
        from.read_exact(&mut payload)?;
        Ok(Self { command, arg0, arg1, payload })
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let length = u32::try_from(self.payload.len()).map_err(io::Error::other)?;
        // Before both have said their versions, it is looked at.
        let checksum = match self.command {
            CNXN | AUTH => self.payload.iter().map(|&byte| u32::from(byte)).sum(),
            _ => 0,
        };
        let mut bytes = Vec::with_capacity(24 + self.payload.len());
        for word in [self.command, self.arg0, self.arg1, length, checksum, !self.command] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(&self.payload);
        to.write_all(&bytes)
    }

    /// The payload as text; it may end with a zero.
    pub(super) fn text(&self) -> String {
        let text = self.payload.strip_suffix(b"\0").unwrap_or(&self.payload);
        String::from_utf8_lossy(text).into_owned()
    }
}

fn words(head: &[u8; 24]) -> [u32; 6] {
    let (words, _) = head.as_chunks::<4>();
    std::array::from_fn(|index| u32::from_le_bytes(words[index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_comes_back_as_it_was() {
        let packet = Packet::new(CNXN, VERSION, MOST_PAYLOAD, "device::");
        let mut bytes = Vec::new();
        packet.write(&mut bytes).unwrap();
        assert_eq!(
            bytes[..24],
            *b"CNXN\x01\0\0\x01\0\0\x10\0\x08\0\0\0\xe4\x02\0\0\xbc\xb1\xa7\xb1",
            "the bytes of the protocol"
        );
        assert_eq!(Packet::read(&mut bytes.as_slice()).unwrap(), packet);
    }

    #[test]
    fn what_is_no_packet_is_refused() {
        assert!(Packet::read(&mut [0; 24].as_slice()).is_err());
        assert!(Packet::read(&mut b"CNXN".as_slice()).is_err());
    }
}
