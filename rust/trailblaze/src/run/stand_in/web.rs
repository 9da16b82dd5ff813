//! Web requests of scripts, from a laptop.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use trailblaze_engine::host::{Cancel, WebAnswer, WebRequest};
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

/// The longest answer that a script gets.
const MOST_BYTES: u64 = 16 << 20;

/// How long a request may be deaf to an interrupt.
const SLICE: Duration = Duration::from_millis(50);

/// Sends one request and waits for its answer, unless the run is interrupted. Where a redirect leads is for the
/// caller to look at.
pub(crate) fn fetch(request: &WebRequest, cancel: &Cancel) -> Result<WebAnswer, String> {
    let (sender, answer) = mpsc::channel();
    let request = request.clone();
    // A request that nobody waits for any more ends with its time.
    std::thread::spawn(move || sender.send(send(&request)));
    loop {
        match answer.recv_timeout(SLICE) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => {
                return Err("the run was interrupted".to_owned());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err("the request came to no end".to_owned()),
        }
    }
}

fn send(request: &WebRequest) -> Result<WebAnswer, String> {
    let started = Instant::now();
    let agent: Agent = Agent::config_builder()
        .max_redirects(0)
        .http_status_as_error(false)
        .allow_non_standard_methods(true)
        .timeout_global(Some(Duration::from_millis(request.timeout_ms)))
        .build()
        .into();
    let mut builder = Request::builder().method(request.method.as_str()).uri(&request.url);
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let answer = match &request.body {
        Some(body) => agent.run(builder.body(body.as_slice()).map_err(|error| error.to_string())?),
        None => agent.run(builder.body(()).map_err(|error| error.to_string())?),
    };
    let answer = read(answer.map_err(|error| error.to_string())?)?;
    Ok(WebAnswer { took_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX), ..answer })
}

fn read(mut answer: Response<Body>) -> Result<WebAnswer, String> {
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = answer.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
    let body = body.map_err(|error| error.to_string())?;
    Ok(WebAnswer { took_ms: 0, status: answer.status().as_u16(), headers, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_ends_the_wait_for_an_answer() {
        // It takes connections and never answers.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let request = WebRequest {
            method: "GET".to_owned(),
            url: format!("http://{}/", silent.local_addr().unwrap()),
            headers: Vec::new(),
            body: None,
            timeout_ms: 60_000,
        };
        let cancel = Cancel::default();
        cancel.cancel();
        assert_eq!(fetch(&request, &cancel), Err("the run was interrupted".to_owned()));
    }
}
