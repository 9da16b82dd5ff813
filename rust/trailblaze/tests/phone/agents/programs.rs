//! Programs that drive a phone: one that talks to `trailblaze mcp`, and those that call `trailblaze serve`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use trailblaze_rpc::Routing;
use trailblaze_rpc::client::Client;

use crate::adb::{Desk, Said};

pub(super) fn signal(id: u32, name: &str) {
    assert!(Command::new("kill").args([name, &id.to_string()]).status().unwrap().success());
}

/// A program that started `trailblaze mcp` and talks to it.
pub(super) struct Agent<'a> {
    desk: &'a Desk,
    child: Option<Child>,
    stdout: BufReader<ChildStdout>,
    last: u64,
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl<'a> Agent<'a> {
    pub(super) fn new(desk: &'a Desk, args: &[&str]) -> Self {
        let mut command = desk.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut agent = Self { desk, child: Some(child), stdout, last: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let welcome = agent.ask("initialize", &hello);
        assert!(welcome["instructions"].as_str().unwrap().contains("a real phone"), "{welcome}");
        agent.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    pub(super) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    fn write(&mut self, message: &Value) {
        let stdin = self.child.as_mut().unwrap().stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    pub(super) fn send(&mut self, method: &str, params: &Value) {
        self.last += 1;
        let id = self.last;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// The next answer, whatever it is to.
    pub(super) fn answer(&mut self) -> Value {
        loop {
            let mut line = String::new();
            self.stdout.read_line(&mut line).unwrap();
            let said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: '{line}'"));
            if said["id"].is_u64() {
                return said;
            }
        }
    }

    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(method, params);
        let answer = self.answer();
        assert_eq!(answer["id"], self.last);
        answer["result"].clone()
    }

    /// All text of what a tool gives, with a mark when it is an error.
    pub(super) fn call(&mut self, name: &str, arguments: Value) -> String {
        let result = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let mark = if result["isError"] == true { "isError " } else { "" };
        format!("{mark}{}", texts.join("\n"))
    }

    /// A tool of the app.
    pub(super) fn tool(&mut self, name: &str, arguments: Value) -> String {
        self.call("tool", json!({ "name": name, "arguments": arguments }))
    }

    pub(super) fn launch(&mut self) {
        assert_eq!(self.tool("launchApp", json!({ "appId": "com.example.lab" })), "done");
    }

    pub(super) fn tap(&mut self) -> String {
        self.tool("tap", json!({ "text": "Add one" }))
    }

    /// Closes the stream, as a program does that ends.
    pub(super) fn leave(mut self) -> Said {
        let mut child = self.child.take().unwrap();
        drop(child.stdin.take());
        self.desk.said(child.wait_with_output().unwrap())
    }

    pub(super) fn wait(mut self) -> Option<i32> {
        self.child.take().unwrap().wait_with_output().unwrap().status.code()
    }
}

/// `trailblaze serve`, which ends with the test.
pub(super) struct Served {
    child: Child,
    url: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Served {
    pub(super) fn new(desk: &Desk, args: &[&str]) -> Self {
        let child = desk.start(&[&["serve", "--port", "0"], args].concat());
        let mut served = Self { child, url: String::new() };
        let stdout = served.child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut served.url).unwrap();
        served
    }

    pub(super) fn client(&self, serial: &str) -> Client {
        let routing = Routing { device_id: serial.to_owned(), ..Default::default() };
        Client::new(self.url.trim()).routing(routing)
    }

    pub(super) fn interrupt(mut self) {
        signal(self.child.id(), "-INT");
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
    }
}
