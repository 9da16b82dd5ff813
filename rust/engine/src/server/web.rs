//! The network for scripts: only hosts that the target grants, also where a redirect leads.

use serde_json::{Value, json};
use trailblaze_model::base64;

use crate::host::{Host, WebAnswer, WebRequest};

/// More than browsers follow.
const MOST_REDIRECTS: usize = 10;

/// Headers that follow from the request; whoever sends it knows them better than a script.
const NOT_FOR_SCRIPTS: &[&str] = &["content-length", "connection", "transfer-encoding"];

/// `{ url, method, headers: [[name, value]], body }` to `{ url, status, headers, body }`. A body is null,
/// `{ text }` or `{ base64 }`.
pub(super) fn fetch(
    host: &dyn Host,
    granted: &[String],
    request: &Value,
    timeout_ms: u64,
) -> Result<Value, String> {
    let mut request = read(request, timeout_ms)?;
    for _ in 0..=MOST_REDIRECTS {
        check(granted, &request.url)?;
        let answer = host.fetch(&request)?;
        let Some(next) = redirect(&request, &answer) else { return Ok(write(&request.url, &answer)) };
        let left_ms = request.timeout_ms.saturating_sub(answer.took_ms);
        if left_ms == 0 {
            return Err("the time of the call was over before it was done".to_owned());
        }
        request = WebRequest { timeout_ms: left_ms, ..next };
    }
    Err(format!("it was redirected more than {MOST_REDIRECTS} times"))
}

fn read(request: &Value, timeout_ms: u64) -> Result<WebRequest, String> {
    let text =
        |key: &str| request[key].as_str().map(str::to_owned).ok_or(format!("the request has no '{key}'"));
    let pair = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
    let body = match &request["body"] {
        Value::Null => None,
        body => Some(match (body["text"].as_str(), body["base64"].as_str()) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(coded)) => base64::decode(coded).ok_or("the body is no base64")?,
            _ => return Err("the body is neither a text nor bytes".to_owned()),
        }),
    };
    let headers = request["headers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut headers: Vec<(String, String)> = headers.iter().filter_map(pair).collect();
    if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        return Err("a script may not set the header 'Host': it follows from the address".to_owned());
    }
    headers.retain(|(name, _)| !is_one_of(name, NOT_FOR_SCRIPTS));
    Ok(WebRequest { method: text("method")?, url: text("url")?, headers, body, timeout_ms })
}

fn is_one_of(header: &str, names: &[&str]) -> bool {
    names.iter().any(|name| header.eq_ignore_ascii_case(name))
}

fn write(url: &str, answer: &WebAnswer) -> Value {
    let headers: Vec<Value> = answer.headers.iter().map(|(name, value)| json!([name, value])).collect();
    let body = match std::str::from_utf8(&answer.body) {
        Ok(text) => json!({ "text": text }),
        Err(_) => json!({ "base64": base64::encode(&answer.body) }),
    };
    json!({ "url": url, "status": answer.status, "headers": headers, "body": body })
}

/// The host and port of a URL that a script normalised, in lower case.
fn authority(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    Some(authority.rsplit_once('@').map_or(authority, |(_, host)| host))
}

/// A grant is a host, with a port or for all of them; `*.example.com` is every host below it.
fn is_granted(grant: &str, authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let fits = |whole: &str| match grant.strip_prefix("*.") {
        Some(parent) => whole
            .len()
            .checked_sub(parent.len() + 1)
            .and_then(|at| whole.get(at..))
            .is_some_and(|end| end.starts_with('.') && end[1..].eq_ignore_ascii_case(parent)),
        None => whole.eq_ignore_ascii_case(grant),
    };
    fits(authority) || fits(host)
}

fn check(granted: &[String], url: &str) -> Result<(), String> {
    let authority = authority(url).ok_or_else(|| format!("'{url}' is no address of the web"))?;
    if granted.iter().any(|grant| is_granted(grant, authority)) {
        return Ok(());
    }
    Err(match granted {
        [] => "this toolset may not use the network: the target grants no 'script_hosts'".to_owned(),
        granted => format!(
            "this toolset may not talk to '{authority}': the target grants only {}",
            granted.join(", ")
        ),
    })
}

/// Where an answer sends the request on to.
fn redirect(request: &WebRequest, answer: &WebAnswer) -> Option<WebRequest> {
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = answer.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    let url = resolve(&request.url, &location.1)?;
    let mut next = WebRequest { url, ..request.clone() };
    let becomes_get = answer.status == 303 || (answer.status < 307 && request.method == "POST");
    if becomes_get && request.method != "HEAD" {
        "GET".clone_into(&mut next.method);
        next.body = None;
    }
    if !is_same_origin(&next.url, &request.url) {
        // Who the script is at one host is not the business of another, nor of those who read along.
        next.headers.retain(|(name, _)| !is_one_of(name, &["authorization", "cookie"]));
    }
    Some(next)
}

fn is_same_origin(one: &str, other: &str) -> bool {
    authority(one) == authority(other) && one.starts_with("https:") == other.starts_with("https:")
}

/// The scheme of an address that has one, and the rest behind it.
fn scheme(location: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = location.split_once(':')?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(fits))
        .then_some((scheme, rest))
}

/// An address seen from another one. It may lead out of the web, which [`check`] refuses.
fn resolve(base: &str, location: &str) -> Option<String> {
    if let Some((scheme, rest)) = scheme(location) {
        return Some(format!("{}:{rest}", scheme.to_ascii_lowercase()));
    }
    let scheme_end = base.find("://")? + 3;
    let path_start = base[scheme_end..].find(['/', '?', '#']).map_or(base.len(), |at| scheme_end + at);
    if let Some(rest) = location.strip_prefix("//") {
        return Some(format!("{}{rest}", &base[..scheme_end]));
    }
    if location.starts_with('/') {
        return Some(format!("{}{location}", &base[..path_start]));
    }
    let path = base[path_start..].split(['?', '#']).next().unwrap_or_default();
    if location.starts_with('?') {
        return Some(format!("{}{path}{location}", &base[..path_start]));
    }
    if location.is_empty() || location.starts_with('#') {
        let whole = base.split('#').next().unwrap_or_default();
        return Some(format!("{whole}{location}"));
    }
    let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
    Some(format!("{}{folder}{location}", &base[..path_start]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use trailblaze_model::failure::Failure;
    use trailblaze_model::place::FilePlace;
    use trailblaze_model::trail::Trail;

    use crate::host::{CommandOutput, HostCommand};

    #[test]
    fn a_grant_is_a_host_a_host_with_a_port_or_all_below_one() {
        let granted = |grant: &str, url: &str| is_granted(grant, authority(url).unwrap_or_default());
        assert!(granted("api.example.com", "https://api.example.com/x"));
        assert!(granted("api.example.com", "https://api.example.com:8443/x"));
        assert!(granted("localhost:8080", "http://localhost:8080"));
        assert!(granted("*.example.com", "https://a.b.example.com/"));
        assert!(granted("Example.com", "https://example.com?x"));
        assert!(!granted("localhost:8080", "http://localhost:8081"));
        assert!(!granted("*.example.com", "https://example.com/"));
        assert!(!granted("*.example.com", "https://badexample.com/"));
        assert!(!granted("example.com", "https://example.com.evil.org/"));
        assert!(!granted("example.com", "https://example.com@evil.org/"));
        assert!(!granted("example.com", "https://evil.org/example.com"));
        assert!(!granted("example.com", "https://evil.org\\@example.com"));
    }

    #[test]
    fn redirects_are_resolved() {
        let check = |location: &str, expected: &str| {
            assert_eq!(resolve("https://a.org/x/y?q", location).as_deref(), Some(expected));
        };
        check("z", "https://a.org/x/z");
        check("/z", "https://a.org/z");
        check("//b.org/z", "https://b.org/z");
        check("http://c.org", "http://c.org");
        check("HTTPS://c.org/Z", "https://c.org/Z");
        check("?p=1", "https://a.org/x/y?p=1");
        check("#end", "https://a.org/x/y?q#end");
        check("z:8", "z:8");
        check("./z:8", "https://a.org/x/./z:8");
    }

    type Answer = dyn Fn(&WebRequest) -> WebAnswer + Send + Sync;

    /// A network of paper.
    struct Net(Box<Answer>, Mutex<Vec<WebRequest>>);

    impl Host for Net {
        fn save(&self, _name: &str, _extension: &str, _bytes: &[u8]) -> Result<String, Failure> {
            unreachable!("nothing is saved")
        }

        fn load_trail(&self, _path: &str, _named_by: Option<&FilePlace>) -> Result<Arc<Trail>, Failure> {
            unreachable!("no trail is read")
        }

        fn run_command(&self, _command: &HostCommand) -> Result<CommandOutput, Failure> {
            unreachable!("no program is run")
        }

        fn fetch(&self, request: &WebRequest) -> Result<WebAnswer, String> {
            self.1.lock().unwrap().push(request.clone());
            Ok((self.0)(request))
        }
    }

    fn net(answer: impl Fn(&WebRequest) -> WebAnswer + Send + Sync + 'static) -> Net {
        Net(Box::new(answer), Mutex::default())
    }

    fn sent_on(location: &str) -> WebAnswer {
        let headers = vec![("Location".to_owned(), location.to_owned())];
        WebAnswer { status: 302, headers, ..WebAnswer::default() }
    }

    /// Fetches an address that sends on to another one; gives what reached the network, or why nothing came back.
    fn redirected(url: &str, location: &'static str, headers: Value) -> Result<Vec<WebRequest>, String> {
        let net = net(move |request| match request.url.ends_with("/first") {
            true => sent_on(location),
            false => WebAnswer { status: 200, ..WebAnswer::default() },
        });
        let request = json!({ "url": url, "method": "GET", "headers": headers });
        fetch(&net, &["a.org".to_owned()], &request, 1_000)?;
        Ok(net.1.into_inner().unwrap())
    }

    #[test]
    fn a_redirect_never_leaves_the_web() {
        for location in ["file:///etc/passwd", "FTP://a.org/x", "http:x", "data:,x"] {
            let refused = redirected("https://a.org/first", location, json!([])).unwrap_err();
            assert!(refused.ends_with("is no address of the web"), "{refused}");
        }
    }

    #[test]
    fn who_the_script_is_stays_at_the_origin() {
        let check = |url: &str, location: &'static str, kept: bool| {
            let headers = json!([["Authorization", "x"], ["cookie", "y"], ["accept", "z"]]);
            let requests = redirected(url, location, headers).unwrap();
            assert_eq!(requests[1].headers.len(), if kept { 3 } else { 1 }, "{:?}", requests[1]);
        };
        check("https://a.org/first", "https://a.org/second", true);
        check("https://a.org/first", "second", true);
        check("https://a.org/first", "http://a.org/second", false);
        check("https://a.org/first", "https://a.org:8443/second", false);
    }

    #[test]
    fn some_headers_are_not_for_scripts() {
        let headers =
            json!([["Content-Length", "7"], ["connection", "close"], ["Transfer-Encoding", "x"], ["a", "b"]]);
        let requests = redirected("https://a.org/", "", headers).unwrap();
        assert_eq!(requests[0].headers, [("a".to_owned(), "b".to_owned())]);
        let refused = redirected("https://a.org/", "", json!([["HOST", "b.org"]])).unwrap_err();
        assert_eq!(refused, "a script may not set the header 'Host': it follows from the address");
    }

    #[test]
    fn all_redirects_share_the_time_of_the_request() {
        let net = net(|request| WebAnswer { took_ms: 30, ..sent_on(&request.url) });
        let request = json!({ "url": "https://a.org/", "method": "GET" });
        let late = fetch(&net, &["a.org".to_owned()], &request, 50).unwrap_err();
        assert_eq!(late, "the time of the call was over before it was done");
        let times: Vec<u64> = net.1.into_inner().unwrap().iter().map(|request| request.timeout_ms).collect();
        assert_eq!(times, [50, 20]);
    }
}
