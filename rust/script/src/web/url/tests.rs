//! Properties that hold for every input; what single URLs mean is compared with Node in `tests/web.rs`.

use super::*;

fn nfkc(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn parse(text: &str) -> Option<Url> {
    Url::parse(text, None, &nfkc)
}

/// Texts of pieces that mean something in a URL, the same ones at every run.
fn texts() -> impl Iterator<Item = String> {
    const PIECES: &[&str] = &[
        "http:", "file:", "x:", "//", "/", "\\", "..", ".", "%2e", "a", "C|", "C:", ":", "@", "?", "#",
        "[::1]", "[", "1.2", "0x", ":80", "xn--", "ä", " ", "%", "\t", "-", "|", "^",
    ];
    let mut state = 1_u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits fit")
    };
    (0..20_000).map(move |_| (0..next() % 9).map(|_| PIECES[next() % PIECES.len()]).collect())
}

#[test]
fn what_is_printed_is_read_as_the_same() {
    let mut read = 0;
    for text in texts() {
        let Some(url) = parse(&text) else { continue };
        read += 1;
        assert_eq!(parse(&url.href()), Some(url), "{text:?}");
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn whatever_is_set_leaves_a_url() {
    const PARTS: &[&str] =
        &["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
    let bases = ["http://u:p@h:1/a?b#c", "file:///C:/x", "x://h/p", "x:/p", "x:o?q#f"]
        .map(|base| parse(base).expect("a URL"));
    for text in texts().take(500) {
        for (base, part) in bases.iter().flat_map(|base| PARTS.iter().map(move |part| (base, part))) {
            let mut url = base.clone();
            url.set(Part::named(part).expect("a part"), &text, &nfkc);
            assert_eq!(parse(&url.href()).map(|url| url.href()), Some(url.href()), "{part} = {text:?}");
        }
    }
}

#[test]
fn punycode_there_and_back() {
    #[track_caller]
    fn check(plain: &str, encoded: &str) {
        assert_eq!(punycode::encode(plain).as_deref(), Some(encoded));
        assert_eq!(punycode::decode(encoded).as_deref(), Some(plain));
    }
    check("bücher", "bcher-kva");
    check("münchen", "mnchen-3ya");
    check("日本語", "wgv71a119e");
    check("😀", "e28h");
    check("ελλάς", "hxarsa0b");
    check("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b");
    assert_eq!(punycode::decode("99999999999999"), None);
    assert_eq!(punycode::decode("ä"), None);
}
