//! Reading a URL, part after part from the left; every step takes what is its own and hands the rest on.

use super::encode::{CONTROLS, FRAGMENT, PATH, QUERY, SPECIAL_QUERY, USERINFO, encode, encode_to};
use super::{Normalize, Path, Url, host};

pub(super) fn parse(input: &str, base: Option<&Url>, nfkc: Normalize<'_>) -> Option<Url> {
    let input = without_breaks(input.trim_matches(|char| char <= ' '));
    match split_scheme(&input) {
        Some((scheme, rest)) => with_scheme(scheme, rest, base, nfkc),
        None => without_scheme(&input, base?, nfkc),
    }
}

/// Line breaks and tabs may stand anywhere and mean nothing.
pub(super) fn without_breaks(input: &str) -> String {
    input.chars().filter(|char| !matches!(char, '\t' | '\n' | '\r')).collect()
}

pub(super) fn split_scheme(input: &str) -> Option<(String, &str)> {
    let (scheme, rest) = input.split_once(':')?;
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let valid = scheme.starts_with(|char: char| char.is_ascii_alphabetic()) && scheme.bytes().all(usual);
    valid.then(|| (scheme.to_ascii_lowercase(), rest))
}

fn empty(scheme: String) -> Url {
    Url {
        scheme,
        username: String::new(),
        password: String::new(),
        host: None,
        port: None,
        path: Path::Segments(Vec::new()),
        query: None,
        fragment: None,
    }
}

fn with_scheme(scheme: String, rest: &str, base: Option<&Url>, nfkc: Normalize<'_>) -> Option<Url> {
    let base = base.filter(|base| base.scheme == scheme);
    let mut url = empty(scheme);
    if url.is_file() {
        return file(url, rest, base, nfkc);
    }
    if url.is_special() {
        return match base {
            Some(base) if !rest.starts_with("//") => relative(rest, base, nfkc),
            _ => authority(url, rest.trim_start_matches(['/', '\\']), nfkc),
        };
    }
    if let Some(rest) = rest.strip_prefix("//") {
        return authority(url, rest, nfkc);
    }
    if rest.starts_with('/') {
        return Some(path_and_after(url, rest));
    }
    let (path, after) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    url.path = Path::Opaque(encode(path, CONTROLS));
    Some(query_and_fragment(url, after))
}

fn without_scheme(input: &str, base: &Url, nfkc: Normalize<'_>) -> Option<Url> {
    if base.is_opaque() {
        return input.starts_with('#').then(|| query_and_fragment(base.clone(), input));
    }
    if base.is_file() {
        file(empty("file".into()), input, Some(base), nfkc)
    } else {
        relative(input, base, nfkc)
    }
}

fn is_slash(char: char, special: bool) -> bool {
    char == '/' || (special && char == '\\')
}

fn relative(input: &str, base: &Url, nfkc: Normalize<'_>) -> Option<Url> {
    let special = base.is_special();
    let slash = |char| is_slash(char, special);
    let Some(rest) = input.strip_prefix(slash) else { return Some(beside(base.clone(), input)) };
    if let Some(after) = rest.strip_prefix(slash) {
        let after = if special { after.trim_start_matches(['/', '\\']) } else { after };
        return authority(empty(base.scheme.clone()), after, nfkc);
    }
    let url = Url { path: Path::Segments(Vec::new()), query: None, fragment: None, ..base.clone() };
    Some(path_and_after(url, input))
}

/// What does not start with a slash replaces the last part of what there is.
fn beside(mut url: Url, input: &str) -> Url {
    url.fragment = None;
    if input.is_empty() || input.starts_with(['?', '#']) {
        if !input.starts_with('#') && !input.is_empty() {
            url.query = None;
        }
        return query_and_fragment(url, input);
    }
    url.query = None;
    if url.is_file() && starts_with_drive(input) {
        url.path = Path::Segments(Vec::new());
    }
    shorten(&mut url);
    path_and_after(url, input)
}

fn file(mut url: Url, input: &str, base: Option<&Url>, nfkc: Normalize<'_>) -> Option<Url> {
    url.host = Some(String::new());
    let Some(rest) = input.strip_prefix(['/', '\\']) else {
        return match base {
            Some(base) => Some(beside(base.clone(), input)),
            None => Some(path_and_after(url, input)),
        };
    };
    let Some(rest) = rest.strip_prefix(['/', '\\']) else {
        if let Some(base) = base {
            url.host.clone_from(&base.host);
            if let Path::Segments(path) = &base.path
                && let Some(drive) = path.first().filter(|first| is_printed_drive(first))
                && !starts_with_drive(rest)
            {
                url.path = Path::Segments(vec![drive.clone()]);
            }
        }
        return Some(path_and_after(url, input));
    };
    let (name, after) = rest.split_at(rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len()));
    if is_drive(name) {
        return Some(path_and_after(url, rest));
    }
    url.host = Some(file_host(name, nfkc)?);
    Some(path_and_after(url, after))
}

pub(super) fn file_host(name: &str, nfkc: Normalize<'_>) -> Option<String> {
    if name.is_empty() {
        return Some(String::new());
    }
    let host = host::parse(name, true, nfkc)?;
    Some(if host == "localhost" { String::new() } else { host })
}

fn authority(mut url: Url, rest: &str, nfkc: Normalize<'_>) -> Option<Url> {
    let special = url.is_special();
    let end = rest.find(|char| is_slash(char, special) || matches!(char, '?' | '#')).unwrap_or(rest.len());
    let (all, after) = rest.split_at(end);
    let place = match all.rsplit_once('@') {
        Some((_, "")) => return None,
        Some((user, place)) => {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            url.username = encode(name, USERINFO);
            url.password = encode(password, USERINFO);
            place
        }
        None => all,
    };
    let (name, port) = split_port(place);
    if name.is_empty() && (special || port.is_some()) {
        return None;
    }
    url.host = Some(host::parse(name, special, nfkc)?);
    if let Some(port) = port.filter(|port| !port.is_empty()) {
        if !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        url.set_port(port.parse().ok()?);
    }
    Some(path_and_after(url, after))
}

/// The colons between brackets belong to the address.
pub(super) fn split_port(place: &str) -> (&str, Option<&str>) {
    let mut inside = false;
    for (at, char) in place.char_indices() {
        match char {
            '[' => inside = true,
            ']' => inside = false,
            ':' if !inside => return (&place[..at], Some(&place[at + 1..])),
            _ => {}
        }
    }
    (place, None)
}

/// Adds to the path that the URL has already.
fn path_and_after(mut url: Url, rest: &str) -> Url {
    let (path, after) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    if url.is_special() || !path.is_empty() {
        add_path(&mut url, path);
    }
    query_and_fragment(url, after)
}

pub(super) fn add_path(url: &mut Url, path: &str) {
    let special = url.is_special();
    let slash = |char| is_slash(char, special);
    let mut rest = Some(path.strip_prefix(slash).unwrap_or(path));
    while let Some(text) = rest {
        let (segment, after) = match text.find(slash) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        add_segment(url, segment, after.is_none());
        rest = after;
    }
}

fn add_segment(url: &mut Url, segment: &str, last: bool) {
    let dots = segment.replace("%2e", ".").replace("%2E", ".");
    let file = url.is_file();
    if dots == ".." {
        shorten(url);
    }
    let Path::Segments(path) = &mut url.path else { return };
    if dots == "." || dots == ".." {
        if last {
            path.push(String::new());
        }
        return;
    }
    let mut segment = encode(segment, PATH);
    if file && path.is_empty() && is_drive(&segment) {
        segment.replace_range(1.., ":");
    }
    path.push(segment);
}

fn shorten(url: &mut Url) {
    let file = url.is_file();
    let Path::Segments(path) = &mut url.path else { return };
    if !(file && path.len() == 1 && is_printed_drive(&path[0])) {
        path.pop();
    }
}

fn query_and_fragment(mut url: Url, rest: &str) -> Url {
    let (query, fragment) = match rest.split_once('#') {
        Some((query, fragment)) => (query, Some(fragment)),
        None => (rest, None),
    };
    if let Some(query) = query.strip_prefix('?') {
        url.query = Some(encode_query(query, url.is_special()));
    }
    url.fragment = fragment.map(|fragment| encode(fragment, FRAGMENT));
    url
}

pub(super) fn encode_query(query: &str, special: bool) -> String {
    let mut out = String::with_capacity(query.len());
    encode_to(&mut out, query, if special { SPECIAL_QUERY } else { QUERY });
    out
}

/// `c:` or `c|`, as Windows names its drives.
fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

fn is_printed_drive(text: &str) -> bool {
    is_drive(text) && text.ends_with(':')
}

fn starts_with_drive(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|char| char.is_ascii_alphabetic())
        && matches!(chars.next(), Some(':' | '|'))
        && matches!(chars.next(), None | Some('/' | '\\' | '?' | '#'))
}
