//! A client of `trailblaze mcp`: a process, and lines of JSON-RPC of both generations.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::space::Space;

/// Which protocol a client speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// `initialize` first.
    Older,
    /// Each request says what it needs.
    Newer,
}

pub(crate) const BOTH: [Generation; 2] = [Generation::Older, Generation::Newer];

pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    generation: Generation,
    last: u64,
    /// What came besides answers.
    pub(crate) notes: Vec<Value>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    pub(crate) fn start(space: &Space, args: &[&str], generation: Generation) -> Self {
        let mut command = space.command(&["mcp"]);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, stdin, stdout, generation, last: 0, notes: Vec::new() };
        if generation == Generation::Older {
            let info = json!({ "name": "test", "version": "1" });
            let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
            let began = client.ask("initialize", params);
            assert_eq!(began["result"]["protocolVersion"], "2025-11-25");
            client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        } else {
            let found = client.ask("server/discover", json!({}));
            let versions = found["result"]["supportedVersions"].as_array().unwrap();
            assert!(versions.contains(&json!("2026-07-28")), "{found}");
        }
        client
    }

    pub(crate) fn write(&mut self, message: &Value) {
        self.write_line(&message.to_string());
    }

    pub(crate) fn write_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request and goes on; gives its id.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.generation == Generation::Newer {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let id = self.last;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: '{line}'"))
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.notes.push(message);
        }
    }

    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments }));
        answer["result"].clone()
    }

    /// All text of a result, with a mark when it is an error.
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let mark = if result["isError"] == true { "isError " } else { "" };
        format!("{mark}{}", texts.join("\n"))
    }
}

/// `trailblaze mcp --http`, which is ended with the test.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub(crate) fn start(space: &Space, args: &[&str]) -> Self {
        let mut command = space.command(&["mcp", "--http"]);
        let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let port =
            line.trim().strip_prefix("MCP on http://127.0.0.1:").and_then(|rest| rest.strip_suffix("/mcp"));
        let port: u16 = port.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { child, port }
    }

    /// Sends a request as a program of this machine does.
    pub(crate) fn ask(&self, method: &str, mut params: Value) -> String {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        post(self.port, &format!("127.0.0.1:{}", self.port), None, &body)
    }
}

/// One answer over HTTP: its status line and its body.
pub(crate) fn post(port: u16, host: &str, origin: Option<&str>, body: &Value) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let name =
        body["params"]["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let method = body["method"].as_str().unwrap();
    let body = body.to_string();
    let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
