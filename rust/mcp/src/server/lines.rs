//! Messages as lines. One that is none is answered with what is wrong, where the library says nothing.

use std::future::Future;
use std::io;
use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, NumberOrString};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, BufReader, Empty};
use tokio::sync::mpsc;

/// The longest message, in bytes, as over HTTP.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// So many messages are read ahead.
const AHEAD: usize = 16;
/// What some editors write in front of text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

type Received = RxJsonRpcMessage<RoleServer>;
type Answer = TxJsonRpcMessage<RoleServer>;

/// What came on a line.
enum Line {
    Message(Box<Received>),
    /// Nobody is to be answered.
    Nothing,
    Bad(Box<Answer>),
}

/// A stream of lines in, and one out.
pub(super) struct Lines<W: AsyncWrite> {
    lines: mpsc::Receiver<Line>,
    out: AsyncRwTransport<RoleServer, Empty, W>,
    /// An answer that is being written, also while the library does something else.
    answering: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    pub(super) fn new(from: impl AsyncRead + Send + Unpin + 'static, to: W) -> Self {
        let (sender, lines) = mpsc::channel(AHEAD);
        tokio::spawn(async move {
            let mut from = BufReader::new(from);
            while let Some(line) = next(&mut from).await {
                // Nobody listens any more: so be it.
                if sender.send(line).await.is_err() {
                    break;
                }
            }
        });
        Self { lines, out: AsyncRwTransport::new(tokio::io::empty(), to), answering: None }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, item: Answer) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.out.send(item)
    }

    async fn receive(&mut self) -> Option<Received> {
        loop {
            if let Some(answering) = &mut self.answering {
                let answered = answering.await;
                self.answering = None;
                answered.ok()?;
            }
            match self.lines.recv().await? {
                Line::Message(message) => return Some(*message),
                Line::Nothing => {}
                Line::Bad(answer) => self.answering = Some(Box::pin(self.out.send(*answer))),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.close().await
    }
}

/// None at the end of the stream.
async fn next<R: AsyncRead + Unpin>(from: &mut BufReader<R>) -> Option<Line> {
    let mut line = Vec::new();
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    from.take(most).read_until(b'\n', &mut line).await.ok().filter(|count| *count > 0)?;
    if line.len() == MAX_BYTES && !line.ends_with(b"\n") {
        // The rest of it is of no use either, and is not kept.
        loop {
            let rest = from.fill_buf().await.ok()?;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let count = end.map_or(rest.len(), |end| end + 1);
            from.consume(count);
            if end.is_some() || count == 0 {
                break;
            }
        }
        let message = format!("a message may have {MAX_BYTES} bytes, and this one has more");
        return Some(bad(ErrorCode::INVALID_REQUEST, message, None));
    }
    Some(read(&line))
}

fn bad(code: ErrorCode, message: impl Into<String>, id: Option<NumberOrString>) -> Line {
    Line::Bad(Box::new(Answer::error(ErrorData::new(code, message.into(), None), id)))
}

fn read(line: &[u8]) -> Line {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Line::Nothing;
    }
    let why = match serde_json::from_slice(line) {
        Ok(message) => return Line::Message(Box::new(message)),
        Err(why) => why,
    };
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return bad(ErrorCode::PARSE_ERROR, format!("this line is no JSON: {why}"), None);
    };
    let has = |name: &str| value.get(name).is_some();
    let is_answer = !has("method") && (has("result") || has("error"));
    let is_notification = value["method"].is_string() && value["jsonrpc"] == "2.0" && !has("id");
    if is_answer || is_notification {
        // To answer these might go on for ever, and nobody waits for it.
        return Line::Nothing;
    }
    let what = match &value {
        Value::Object(_) if value["jsonrpc"] != "2.0" => "'jsonrpc' must be \"2.0\"",
        Value::Object(_) if !value["method"].is_string() => "'method' must be a string",
        Value::Object(_) => "'id' must be a string or a whole number, and 'params' an object",
        Value::Array(_) => "several messages on one line are not taken: write one on each",
        _ => "a message is an object",
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    bad(ErrorCode::INVALID_REQUEST, what, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let said = match read(line.as_bytes()) {
            Line::Message(_) => "a message".to_owned(),
            Line::Nothing => "nothing".to_owned(),
            Line::Bad(answer) => serde_json::to_string(&answer).unwrap(),
        };
        assert_eq!(said, expected, "{line}");
    }

    #[test]
    fn what_is_no_message_is_answered() {
        let error = |id: &str, code: i32, message: &str| {
            format!(r#"{{"jsonrpc":"2.0",{id}"error":{{"code":{code},"message":"{message}"}}}}"#)
        };
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "a message");
        check("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n", "a message");
        check("\r\n", "nothing");
        let no_json = "this line is no JSON: expected ident at line 1 column 2";
        check("this is no json", &error("", -32700, no_json));
        let half = "this line is no JSON: EOF while parsing a value at line 1 column 24";
        check(r#"{"jsonrpc":"2.0","id":1,"#, &error("", -32700, half));
        let version = r#"'jsonrpc' must be \"2.0\""#;
        check(r#"{"id":4,"method":"ping"}"#, &error(r#""id":4,"#, -32600, version));
        check(r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, &error(r#""id":"a","#, -32600, version));
        let method = "'method' must be a string";
        check(r#"{"jsonrpc":"2.0","id":5,"method":7}"#, &error(r#""id":5,"#, -32600, method));
        check(r#"{"jsonrpc":"2.0","id":{},"method":7}"#, &error("", -32600, method));
        check("7", &error("", -32600, "a message is an object"));
        let several = "several messages on one line are not taken: write one on each";
        check("[]", &error("", -32600, several));
    }

    #[test]
    fn answers_and_notifications_are_not_answered() {
        check(r#"{"jsonrpc":"2.0","error":7}"#, "nothing");
        check(r#"{"id":1,"result":{}}"#, "nothing");
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_not_kept_and_the_next_one_is_read() {
        let text =
            [vec![b'x'; MAX_BYTES + 5], b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".to_vec()];
        let text = text.concat();
        let mut from = BufReader::new(text.as_slice());
        assert!(matches!(next(&mut from).await, Some(Line::Bad(_))));
        assert!(matches!(next(&mut from).await, Some(Line::Message(_))));
        assert!(next(&mut from).await.is_none());
    }
}
