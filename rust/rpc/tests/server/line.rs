//! One connection over HTTP/1.1 that is kept: an answer is read to its last byte, so that the next one can follow.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::fake::LONG;
use crate::http::Answer;

pub(crate) struct Line(BufReader<TcpStream>);

impl Line {
    pub(crate) fn connect(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("a time");
        stream.set_nodelay(true).expect("it is connected");
        Self(BufReader::new(stream))
    }

    pub(crate) fn ask(&mut self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "POST /{path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {}\r\n\r\n",
            body.len()
        );
        let stream = self.0.get_mut();
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).expect("it reads");
        self.answer()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("it answers");
        line.trim_end().to_owned()
    }

    fn answer(&mut self) -> Answer {
        let first = self.line();
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let mut content_type = String::new();
        let mut length = None;
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-type" => content_type = value.to_owned(),
                "content-length" => length = value.parse().ok(),
                _ => {}
            }
        }
        let body = match length {
            Some(length) => self.bytes(length),
            None => self.chunks(),
        };
        Answer { status, content_type, body }
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).expect("all of it");
        bytes
    }

    fn chunks(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line(), 16).expect("a length");
            all.extend(self.bytes(length));
            self.line();
            if length == 0 {
                return all;
            }
        }
    }
}
