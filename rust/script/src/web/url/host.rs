//! Hosts: names, IPv4 and IPv6 addresses, and the opaque hosts of schemes that only their own programs know.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::encode::{CONTROLS, decode, encode};
use super::{Normalize, punycode};

/// DNS has room for 253; more than this only costs time, since Punycode is quadratic.
const LONGEST_UNICODE: usize = 1000;

fn is_forbidden(char: char) -> bool {
    matches!(
        char,
        '\0' | '\t'
            | '\n'
            | '\r'
            | ' '
            | '#'
            | '/'
            | ':'
            | '<'
            | '>'
            | '?'
            | '@'
            | '['
            | '\\'
            | ']'
            | '^'
            | '|'
    )
}

/// The host as it is printed, or None when it cannot be one.
pub(super) fn parse(input: &str, special: bool, nfkc: Normalize<'_>) -> Option<String> {
    if let Some(rest) = input.strip_prefix('[') {
        let address: Ipv6Addr = rest.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{}]", print_ipv6(&address.segments())));
    }
    if !special {
        return (!input.contains(is_forbidden)).then(|| encode(input, CONTROLS));
    }
    let domain = to_ascii(&decode(input), nfkc)?;
    if domain.contains(|char: char| is_forbidden(char) || char == '%' || char.is_ascii_control()) {
        return None;
    }
    if ends_in_number(&domain) {
        parse_ipv4(&domain).map(|address| address.to_string())
    } else {
        Some(domain)
    }
}

fn to_ascii(domain: &str, nfkc: Normalize<'_>) -> Option<String> {
    let domain = if domain.is_ascii() {
        domain.to_ascii_lowercase()
    } else {
        if domain.len() > LONGEST_UNICODE {
            return None;
        }
        fold(domain, nfkc)?
    };
    let labels: Option<Vec<String>> = domain.split('.').map(|label| label_to_ascii(label, nfkc)).collect();
    labels.map(|labels| labels.join(".")).filter(|domain| !domain.is_empty())
}

/// The mapping of UTS 46, near enough: compatibility forms, lower case, and without what nobody sees.
fn fold(text: &str, nfkc: Normalize<'_>) -> Option<String> {
    let shown: String = text.chars().filter(|char| !is_ignored(*char)).collect();
    // Letter by letter: `str::to_lowercase` knows the final sigma, and a domain does not.
    let lower: String = nfkc(&shown)?.chars().flat_map(char::to_lowercase).collect();
    Some(nfkc(&lower)?.replace('\u{3002}', "."))
}

fn is_ignored(char: char) -> bool {
    matches!(
        char,
        '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{200b}' | '\u{2060}' | '\u{2064}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0100}'..='\u{e01ef}'
    )
}

fn label_to_ascii(label: &str, nfkc: Normalize<'_>) -> Option<String> {
    if let Some(encoded) = label.strip_prefix("xn--") {
        let plain = punycode::decode(encoded)?;
        let genuine = !plain.is_ascii() && is_valid(&plain) && fold(&plain, nfkc)? == plain;
        return genuine.then(|| label.to_owned());
    }
    if label.is_ascii() {
        return Some(label.to_owned());
    }
    if is_valid(label) { punycode::encode(label).map(|encoded| format!("xn--{encoded}")) } else { None }
}

fn is_valid(label: &str) -> bool {
    !label.chars().any(|char| {
        let point = u32::from(char);
        char.is_control()
            || char.is_whitespace()
            || point & 0xfffe == 0xfffe
            || matches!(char, '\u{200c}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2061}'..='\u{206f}')
            || matches!(char, '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{ffff}')
            || point >= 0xe0000
    })
}

fn ends_in_number(domain: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let last = domain.rsplit('.').next().unwrap_or_default();
    let digits = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    digits || ipv4_number(last).is_some()
}

fn ipv4_number(text: &str) -> Option<u64> {
    let (digits, radix) = if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        (hex, 16)
    } else if text.len() > 1 && text.starts_with('0') {
        (&text[1..], 8)
    } else if text.is_empty() {
        return None;
    } else {
        (text, 10)
    };
    let mut value = 0_u64;
    for digit in digits.chars() {
        value = value.saturating_mul(u64::from(radix)).saturating_add(u64::from(digit.to_digit(radix)?));
    }
    Some(value)
}

fn parse_ipv4(domain: &str) -> Option<Ipv4Addr> {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let numbers: Option<Vec<u64>> = domain.split('.').map(ipv4_number).collect();
    let numbers = numbers.filter(|numbers| numbers.len() <= 4)?;
    let (last, first) = numbers.split_last()?;
    let room = 256_u64.pow(5 - u32::try_from(numbers.len()).ok()?);
    if *last >= room || first.iter().any(|number| *number > 255) {
        return None;
    }
    let high = first.iter().zip([24, 16, 8]).map(|(number, shift)| number << shift).sum::<u64>();
    u32::try_from(high + last).ok().map(Ipv4Addr::from)
}

/// The first of the longest runs of zeros becomes `::`. The standard library prints some addresses with dots.
fn print_ipv6(pieces: &[u16; 8]) -> String {
    let zeros = |from: usize| pieces[from..].iter().take_while(|piece| **piece == 0).count();
    let mut run = (0, 0);
    for from in 0..8 {
        if zeros(from) > run.1 {
            run = (from, zeros(from));
        }
    }
    let print = |part: &[u16]| part.iter().map(|piece| format!("{piece:x}")).collect::<Vec<_>>().join(":");
    if run.1 < 2 {
        return print(pieces);
    }
    format!("{}::{}", print(&pieces[..run.0]), print(&pieces[run.0 + run.1..]))
}
