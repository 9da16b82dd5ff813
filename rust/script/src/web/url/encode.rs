//! Percent-encoding: which part of a URL keeps which characters, and the form of a query.

/// What is encoded beyond controls and everything outside ASCII; each set holds the ones it is made from.
pub(super) const CONTROLS: &str = "";
pub(super) const FRAGMENT: &str = " \"<>`";
pub(super) const QUERY: &str = " \"#<>";
pub(super) const SPECIAL_QUERY: &str = " \"#<>'";
pub(super) const PATH: &str = " \"#<>?^`{}";
pub(super) const USERINFO: &str = " \"#<>?`{}/:;=@[\\]^|";

pub(super) fn encode(text: &str, set: &str) -> String {
    let mut out = String::with_capacity(text.len());
    encode_to(&mut out, text, set);
    out
}

pub(super) fn encode_to(out: &mut String, text: &str, set: &str) {
    for char in text.chars() {
        if matches!(char, ' '..='~') && !set.contains(char) {
            out.push(char);
        } else {
            encode_char(out, char);
        }
    }
}

fn encode_char(out: &mut String, char: char) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in char.encode_utf8(&mut [0; 4]).bytes() {
        out.push('%');
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

pub(super) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).expect("two hex digits make a byte"));
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// `a=1&b=2` as names and values in turn.
pub(in super::super) fn form_parse(text: &str) -> Vec<String> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .flat_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            [name, value].map(|part| decode(&part.replace('+', " ")))
        })
        .collect()
}

/// The reverse of [`form_parse`].
pub(in super::super) fn form_print(parts: &[String]) -> String {
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(if at % 2 == 0 { '&' } else { '=' });
        }
        for char in part.chars() {
            match char {
                ' ' => out.push('+'),
                '*' | '-' | '.' | '_' | '0'..='9' | 'A'..='Z' | 'a'..='z' => out.push(char),
                _ => encode_char(&mut out, char),
            }
        }
    }
    out
}
