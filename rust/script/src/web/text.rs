//! Text to bytes and back, for `TextEncoder` and `TextDecoder`.

/// What the labels that are supported stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

impl Encoding {
    /// The name in the Encoding Standard.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
        }
    }

    /// White space around a label and its case mean nothing. Latin-1 and ASCII are other names of Windows-1252.
    pub(super) fn labelled(label: &str) -> Option<Self> {
        let label = label.trim_matches(['\t', '\n', '\x0c', '\r', ' ']).to_ascii_lowercase();
        Some(match label.as_str() {
            "unicode-1-1-utf-8" | "unicode11utf8" | "unicode20utf8" | "utf-8" | "utf8"
            | "x-unicode20utf8" => Self::Utf8,
            "csunicode" | "iso-10646-ucs-2" | "ucs-2" | "unicode" | "unicodefeff" | "utf-16" | "utf-16le" => {
                Self::Utf16Le
            }
            "unicodefffe" | "utf-16be" => Self::Utf16Be,
            "ansi_x3.4-1968" | "ascii" | "cp1252" | "cp819" | "csisolatin1" | "ibm819" | "iso-8859-1"
            | "iso-ir-100" | "iso8859-1" | "iso88591" | "iso_8859-1" | "iso_8859-1:1987" | "l1"
            | "latin1" | "us-ascii" | "windows-1252" | "x-cp1252" => Self::Windows1252,
            _ => return None,
        })
    }

    /// How many bytes at the end are the beginning of a character that may still come.
    pub(super) fn unfinished(self, bytes: &[u8]) -> usize {
        match self {
            Self::Utf8 => {
                let tail = bytes.utf8_chunks().last().map(|chunk| chunk.invalid()).unwrap_or_default();
                let whole = match tail.first() {
                    Some(0xc2..=0xdf) => 2,
                    Some(0xe0..=0xef) => 3,
                    Some(0xf0..=0xf4) => 4,
                    _ => 0,
                };
                if tail.len() < whole && bytes.ends_with(tail) { tail.len() } else { 0 }
            }
            Self::Utf16Le | Self::Utf16Be => {
                let odd = bytes.len() % 2;
                let last = bytes[..bytes.len() - odd].chunks_exact(2).next_back();
                let high = last.is_some_and(|unit| (0xd800..=0xdbff).contains(&self.unit(unit)));
                odd + if high { 2 } else { 0 }
            }
            Self::Windows1252 => 0,
        }
    }

    fn unit(self, pair: &[u8]) -> u16 {
        let pair = [pair[0], pair[1]];
        if self == Self::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }

    /// Without a replacement for what is wrong, the text is None.
    pub(super) fn decode(self, bytes: &[u8], fatal: bool) -> Option<String> {
        match self {
            Self::Utf8 if fatal => std::str::from_utf8(bytes).ok().map(str::to_owned),
            Self::Utf8 => Some(String::from_utf8_lossy(bytes).into_owned()),
            Self::Utf16Le | Self::Utf16Be => {
                let units = bytes.chunks_exact(2).map(|pair| self.unit(pair));
                let mut text = String::with_capacity(bytes.len());
                for char in char::decode_utf16(units) {
                    text.push(if fatal { char.ok()? } else { char.unwrap_or(char::REPLACEMENT_CHARACTER) });
                }
                if bytes.len() % 2 == 1 {
                    if fatal {
                        return None;
                    }
                    // A half pair and the byte after it are one mistake, not two.
                    let units = bytes.len() / 2;
                    let cut = units > 0 && self.unfinished(bytes) == 3;
                    if !cut {
                        text.push(char::REPLACEMENT_CHARACTER);
                    }
                }
                Some(text)
            }
            Self::Windows1252 => Some(bytes.iter().map(|byte| windows_1252(*byte)).collect()),
        }
    }
}

fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
