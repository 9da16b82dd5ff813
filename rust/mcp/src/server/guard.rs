//! Who may talk to a server on this machine: programs on this machine, and no page in a browser.
//!
//! A page can make a browser send requests to any address, under a name that an attacker lets point to 127.0.0.1.
//! Such requests carry the name in `Host`, and where the page came from in `Origin`; a program sends the address that
//! it was given.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};

/// The names that only this machine has for itself.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Lets only requests through that were sent to a name of this machine with this port.
pub fn guarded(router: Router, port: u16) -> Router {
    let allowed: Arc<[String]> = NAMES.iter().map(|name| format!("{name}:{port}")).collect();
    router.layer(middleware::from_fn(move |request: Request, next: Next| {
        let refusal = refusal(&request, &allowed);
        async move {
            match refusal {
                Some(reason) => refused(reason),
                None => next.run(request).await,
            }
        }
    }))
}

fn refused(reason: &'static str) -> Response {
    (StatusCode::FORBIDDEN, format!("{reason}\n")).into_response()
}

/// Why a request is not let through.
fn refusal(request: &Request, allowed: &[String]) -> Option<&'static str> {
    let is_ours = |authority: &str| allowed.iter().any(|name| name.eq_ignore_ascii_case(authority));
    let headers = request.headers();
    // HTTP/2 says it in the URI, and many of its clients nowhere else.
    let authority = request.uri().authority().map(|authority| authority.as_str());
    let host = single(headers, header::HOST);
    let host_fits = host.map_or(authority.is_some(), |host| host.is_some_and(is_ours));
    if !host_fits || authority.is_some_and(|authority| !is_ours(authority)) {
        return Some("this server answers only under the names of this machine");
    }
    // What is served here has no pages, so a page of this server's own address does not exist.
    let of_ours = |origin: &str| origin.strip_prefix("http://").is_some_and(is_ours);
    let origin_fits = single(headers, header::ORIGIN).is_none_or(|origin| origin.is_some_and(of_ours));
    let from_a_page = ["cross-site", "same-site"];
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if !origin_fits || from_a_page.iter().any(|name| site == Some(name.as_bytes())) {
        return Some("this server does not answer pages in a browser");
    }
    None
}

/// None when the header is not there; nothing in it when it is there twice, or no text.
fn single(headers: &HeaderMap, name: header::HeaderName) -> Option<Option<&str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    Some(first.to_str().ok().filter(|_| values.next().is_none()))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;

    use super::{NAMES, refusal};

    fn is_refused(headers: &[(&str, &str)]) -> bool {
        let allowed: Vec<String> = NAMES.iter().map(|name| format!("{name}:52525")).collect();
        let mut request = Request::builder().uri("/scripting/callback");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        refusal(&request.body(Body::empty()).expect("a request"), &allowed).is_some()
    }

    #[test]
    fn only_this_machine_gets_in() {
        for host in ["127.0.0.1:52525", "localhost:52525", "LOCALHOST:52525", "[::1]:52525"] {
            assert!(!is_refused(&[("host", host)]), "{host}");
        }
        let hostile = [
            "evil.example",
            "evil.example:52525",
            "127.0.0.1",
            "127.0.0.1:1",
            "localhost.evil.example:52525",
            "localhost:52525@evil.example",
            "127.0.0.1.nip.io:52525",
            "0.0.0.0:52525",
            "::1:52525",
            "",
        ];
        for host in hostile {
            assert!(is_refused(&[("host", host)]), "{host}");
        }
        assert!(is_refused(&[]));
        assert!(is_refused(&[("host", "localhost:52525"), ("host", "evil.example")]));
    }

    #[test]
    fn no_page_in_a_browser_gets_in() {
        let from = |origin: &str| is_refused(&[("host", "localhost:52525"), ("origin", origin)]);
        assert!(!from("http://localhost:52525"));
        for origin in [
            "null",
            "https://evil.example",
            "http://localhost",
            "http://localhost:3000",
            "https://localhost:52525",
            "http://evil.example#http://localhost:52525",
            "file://",
        ] {
            assert!(from(origin), "{origin}");
        }
        let site = |site: &str| is_refused(&[("host", "localhost:52525"), ("sec-fetch-site", site)]);
        assert!(site("cross-site") && site("same-site") && !site("none"));
    }
}
