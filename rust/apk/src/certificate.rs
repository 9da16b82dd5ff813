//! X.509 certificates: what signing has to know of one, and one of our own for a key that has none.

use sha2::{Digest, Sha256};

use crate::der::{
    self, AROUND, BIT_STRING, INTEGER, NULL, OID, Reader, SEQUENCE, SET, TIME, UTC_TIME, UTF8, around, value,
};
use crate::error::{Error, Result};
use crate::key::{Kind, Private};

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ECDSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const RSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
const NAME: &str = "Trailblaze";
/// Fixed, so that the same key gives the same certificate.
const NOT_BEFORE: &[u8] = b"200101000000Z";
const NOT_AFTER: &[u8] = b"20560101000000Z";
const DAY: i64 = 24 * 60 * 60;

/// A certificate and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    pub(crate) der: Vec<u8>,
    /// As DER.
    pub(crate) public_key: Vec<u8>,
    /// In seconds since 1970.
    pub(crate) not_before: i64,
    pub(crate) not_after: i64,
}

impl Certificate {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self> {
        read(bytes).map_err(|error| Error { message: "the certificate is broken".to_owned(), ..error })
    }
}

fn read(bytes: &[u8]) -> Result<Certificate> {
    let mut file = Reader::new(bytes);
    let mut whole = file.enter(SEQUENCE)?;
    file.end()?;
    let mut inner = whole.enter(SEQUENCE)?;
    if inner.peek() == Some(AROUND) {
        inner.any()?;
    }
    inner.take(INTEGER)?;
    // The algorithm and the issuer.
    inner.take(SEQUENCE)?;
    inner.take(SEQUENCE)?;
    let mut valid = inner.enter(SEQUENCE)?;
    let (not_before, not_after) = (time(&mut valid)?, time(&mut valid)?);
    inner.take(SEQUENCE)?;
    let public_key = inner.any()?.whole.to_vec();
    Ok(Certificate { der: bytes.to_vec(), public_key, not_before, not_after })
}

/// Seconds since 1970.
fn time(reader: &mut Reader<'_>) -> Result<i64> {
    let bad = || Error::new("a time is broken");
    let item = reader.any()?;
    let text = std::str::from_utf8(item.content).map_err(|_| bad())?;
    let digits = text.strip_suffix('Z').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let digits = digits.ok_or_else(bad)?;
    let full = match (item.tag, digits.len()) {
        (UTC_TIME, 12) if digits < "50" => format!("20{digits}"),
        (UTC_TIME, 12) => format!("19{digits}"),
        (TIME, 14) => digits.to_owned(),
        _ => return Err(bad()),
    };
    let number = |from: usize, to: usize| full[from..to].parse::<i64>().unwrap_or_default();
    let seconds = number(8, 10) * 3600 + number(10, 12) * 60 + number(12, 14);
    Ok(days(number(0, 4), number(4, 6), number(6, 8)) * DAY + seconds)
}

/// Days since 1970 in the calendar of today.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have their odd day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// `2026-11-15`
pub(crate) fn date(seconds: i64) -> String {
    let day = seconds.div_euclid(DAY);
    let year = (1970..10_000).take_while(|year| days(*year, 1, 1) <= day).last().unwrap_or(1970);
    let month = (1..=12).take_while(|month| days(year, *month, 1) <= day).last().unwrap_or(1);
    format!("{year}-{month:02}-{:02}", day - days(year, month, 1) + 1)
}

/// A certificate that a key signs for itself; the same one each time.
pub(crate) fn self_signed(private: &Private, public_key: &[u8]) -> Result<Certificate> {
    let oid = |oid: &[u8]| value(OID, oid);
    let algorithm = match private.kind() {
        Kind::Ec => around(SEQUENCE, &[&oid(ECDSA_SHA256)]),
        Kind::Rsa => around(SEQUENCE, &[&oid(RSA_SHA256), &value(NULL, &[])]),
    };
    let mut serial = Sha256::digest(public_key)[..8].to_vec();
    // Neither negative nor with a zero in front.
    serial[0] = serial[0] & 0x3f | 0x40;
    let name = around(SEQUENCE, &[&oid(COMMON_NAME), &value(UTF8, NAME.as_bytes())]);
    let name = around(SEQUENCE, &[&around(SET, &[&name])]);
    let inner = around(
        SEQUENCE,
        &[
            &around(AROUND, &[&value(INTEGER, &[2])]),
            &value(INTEGER, &serial),
            &algorithm,
            &name,
            &around(SEQUENCE, &[&value(UTC_TIME, NOT_BEFORE), &value(TIME, NOT_AFTER)]),
            &name,
            public_key,
        ],
    );
    let signature = [&[0][..], &private.sign(&inner)?].concat();
    let certificate = der::around(SEQUENCE, &[&inner, &algorithm, &value(BIT_STRING, &signature)]);
    Certificate::read(&certificate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (year, month, day, expected) in
            [(1970, 1, 1, 0), (2000, 3, 1, 11_017), (2024, 2, 29, 19_782), (2026, 11, 15, 20_772)]
        {
            assert_eq!(days(year, month, day), expected);
            assert_eq!(date(expected * DAY + 5), format!("{year}-{month:02}-{day:02}"));
        }
    }
}
