//! The server of the tests that is reached over HTTP.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use trailblaze_mcp::client::{Address, Connection, Limits, Toolset};

use crate::fixture::{PATIENT, Session, call, shared, text};

/// It ends when its input does.
pub(crate) struct Web {
    child: Child,
    pub(crate) url: String,
}

impl Web {
    /// With words that say what is strange about it.
    pub(crate) fn start(behaviour: &str) -> Self {
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/http.mjs");
        let mut child = Command::new("node")
            .arg(server)
            .args(behaviour.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let scheme = if behaviour.contains("--tls") { "https" } else { "http" };
        Self { child, url: format!("{scheme}://127.0.0.1:{}/mcp", port.trim()) }
    }

    pub(crate) fn toolset(&self, limits: Limits) -> Toolset {
        toolset(&self.url, limits)
    }

    pub(crate) fn open(&self) -> Connection {
        self.toolset(PATIENT).open().unwrap()
    }

    /// What the server saw.
    pub(crate) fn state(&self) -> Value {
        let result = call(&self.open(), "state", &json!({}), &mut Session::default()).unwrap();
        serde_json::from_str(text(&result)).unwrap()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn toolset(url: &str, limits: Limits) -> Toolset {
    Toolset::http("fixture", Address::parse(url).unwrap(), shared(limits))
}
