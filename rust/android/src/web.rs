//! Web requests as the Java side takes them: lines of text, an empty line, and the body.

use trailblaze_engine::host::{WebAnswer, WebRequest};

/// The longest answer that a script gets. Java reads no further.
const MOST_BYTES: usize = 16 << 20;

/// The bytes of a request, unless a line of it would become two.
pub fn to_bytes(request: &WebRequest) -> Result<Vec<u8>, String> {
    let timeout = i32::try_from(request.timeout_ms).unwrap_or(i32::MAX);
    let mut lines =
        vec![request.method.clone(), request.url.clone(), timeout.to_string(), MOST_BYTES.to_string()];
    lines.extend(request.headers.iter().map(|(name, value)| format!("{name}:{value}")));
    if let Some(broken) = lines.iter().find(|line| line.contains(['\n', '\r'])) {
        return Err(format!("'{}' has a line break in it", broken.escape_debug()));
    }
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend_from_slice(b"\n\n");
    bytes.extend(request.body.iter().flatten());
    Ok(bytes)
}

pub fn from_bytes(bytes: &[u8]) -> Result<WebAnswer, String> {
    let end =
        bytes.windows(2).position(|pair| pair == b"\n\n").ok_or("the answer has no end of its headers")?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.parse().ok()).ok_or("the answer has no status")?;
    let header =
        |line: &str| line.split_once(':').map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    Ok(WebAnswer {
        took_ms: 0,
        status,
        headers: lines.filter_map(header).collect(),
        body: bytes[end + 2..].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(header: &str) -> WebRequest {
        WebRequest {
            method: "POST".into(),
            url: "http://a.org/x".into(),
            headers: vec![("accept".into(), header.into())],
            body: Some(b"two\n\nlines".to_vec()),
            timeout_ms: 1_000,
        }
    }

    #[test]
    fn a_request_is_lines_and_a_body() {
        let bytes = to_bytes(&request("*/*"));
        assert_eq!(bytes, Ok(b"POST\nhttp://a.org/x\n1000\n16777216\naccept:*/*\n\ntwo\n\nlines".to_vec()));
        assert_eq!(to_bytes(&request("a\nb:c")), Err("'accept:a\\nb:c' has a line break in it".into()));
    }

    #[test]
    fn an_answer_is_read_back() {
        let answer = from_bytes(b"404\nContent-Type:text/plain\n\nno\n\nsuch");
        let headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
        assert_eq!(answer, Ok(WebAnswer { took_ms: 0, status: 404, headers, body: b"no\n\nsuch".to_vec() }));
        assert!(from_bytes(b"404").is_err() && from_bytes(b"x\n\n").is_err());
    }
}
