//! The encoding of protobuf, as far as these messages need it.

use std::io::{self, Read};

/// A screen of a hundred thousand nodes, or a large picture, fits well.
pub(super) const LONGEST: usize = 64 << 20;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field<'a> {
    Number(u64),
    Double(f64),
    Bytes(&'a [u8]),
}

/// Writes fields one after the other.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn number(&mut self, field: u32, value: u64) {
        varint(&mut self.0, u64::from(field) << 3);
        varint(&mut self.0, value);
    }

    pub(super) fn signed(&mut self, field: u32, value: i64) {
        self.number(field, ((value << 1) ^ (value >> 63)) as u64);
    }

    pub(super) fn double(&mut self, field: u32, value: f64) {
        varint(&mut self.0, u64::from(field) << 3 | 1);
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, field: u32, value: &[u8]) {
        varint(&mut self.0, u64::from(field) << 3 | 2);
        varint(&mut self.0, value.len() as u64);
        self.0.extend(value);
    }
}

/// The number that a zigzag stands for.
pub(super) const fn unsigned(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Hands every field to `take`, with its number. False when this is no message.
pub(super) fn read(mut bytes: &[u8], mut take: impl FnMut(u32, Field<'_>)) -> bool {
    while !bytes.is_empty() {
        if read_field(&mut bytes, &mut take).is_none() {
            return false;
        }
    }
    true
}

fn read_field(bytes: &mut &[u8], take: &mut impl FnMut(u32, Field<'_>)) -> Option<()> {
    let tag = take_varint(bytes)?;
    let field = u32::try_from(tag >> 3).ok()?;
    let value = match tag & 7 {
        0 => Field::Number(take_varint(bytes)?),
        1 => Field::Double(f64::from_le_bytes(take_bytes(bytes, 8)?.try_into().ok()?)),
        2 => {
            let length = usize::try_from(take_varint(bytes)?).ok()?;
            Field::Bytes(take_bytes(bytes, length)?)
        }
        _ => return None,
    };
    take(field, value);
    Some(())
}

fn take_bytes<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A message behind its length.
pub(super) fn frame(message: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(message.len() + 5);
    varint(&mut frame, message.len() as u64);
    frame.extend(message);
    frame
}

/// The next message; none at the end of the stream.
pub(super) fn receive(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = 0u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(0) if shift == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        length |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] & 0x80 == 0 {
            break;
        }
    }
    let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message is too long"))?;
    let mut message = vec![0; length];
    stream.read_exact(&mut message)?;
    Ok(Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let mut writer = Writer::default();
        writer.number(1, u64::MAX);
        writer.signed(2, -7);
        writer.double(3, 0.5);
        writer.bytes(4, b"abc");
        let mut seen = Vec::new();
        assert!(read(&writer.0, |field, value| seen.push(format!("{field} {value:?}"))));
        let bytes = "4 Bytes([97, 98, 99])";
        assert_eq!(seen, ["1 Number(18446744073709551615)", "2 Number(13)", "3 Double(0.5)", bytes]);
        assert_eq!([unsigned(13), unsigned(0), unsigned(u64::MAX - 1)], [-7, 0, i64::MAX]);
    }

    #[test]
    fn what_is_no_message_is_seen() {
        for bad in [&[0xff][..], &[0x08], &[0x0b], &[0x12, 5, 1], &[0x09, 1, 2], &[0xff; 12]] {
            assert!(!read(bad, |_, _| {}), "{bad:?}");
        }
    }

    #[test]
    fn a_stream_of_messages() {
        let stream = [frame(&[7; 300]), frame(b"")].concat();
        let mut stream = stream.as_slice();
        assert_eq!(receive(&mut stream).unwrap(), Some(vec![7; 300]));
        assert_eq!(receive(&mut stream).unwrap(), Some(Vec::new()));
        assert_eq!(receive(&mut stream).unwrap(), None);
        assert!(receive(&mut &[5, 1][..]).is_err());
        assert!(receive(&mut &[0xff, 0xff, 0xff, 0xff, 0x7f][..]).is_err());
    }
}
