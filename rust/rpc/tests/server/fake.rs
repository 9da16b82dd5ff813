//! A backend without devices: two names, three tool calls, and tools that say what they were asked.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_rpc::client::Client;
use trailblaze_rpc::{Backend, Call, Device, Group, Options, Refusal, Routing, ToolFailure, router};

/// Longer than any test takes.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// Invocations with their session and device.
const LIVE: &[(&str, &str, &str)] = &[("inv-1", "s-1", "a"), ("inv-2", "s-2", "b"), ("inv-3", "s-2", "b")];

/// What the tool `block` tells the test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Began,
    Cancelled { deadline: bool },
}

pub(crate) struct Fake {
    words: Mutex<Sender<Word>>,
    memory: Mutex<BTreeMap<String, String>>,
}

impl Fake {
    fn say(&self, word: Word) {
        // The test may have ended.
        let _ = self.words.lock().expect("no test panics with it").send(word);
    }

    fn device(&self, routing: &Routing) -> Result<&'static str, Refusal> {
        let Routing { device_id, session_id, invocation_id } = routing;
        if !invocation_id.is_empty() {
            let live = LIVE.iter().find(|(invocation, ..)| invocation == invocation_id);
            let (_, session, device) =
                live.ok_or_else(|| Refusal::UnknownInvocation(invocation_id.clone()))?;
            if !session_id.is_empty() && session_id != session {
                let (invocation, session) = (invocation_id.clone(), session_id.clone());
                return Err(Refusal::WrongSession { invocation, session });
            }
            return Ok(device);
        }
        match device_id.as_str() {
            "a" => Ok("a"),
            "b" => Ok("b"),
            "" => Err(Refusal::Ambiguous { devices: 2, invocations: LIVE.len() }),
            id => {
                Err(Refusal::UnknownDevice { id: id.to_owned(), known: vec!["a".to_owned(), "b".to_owned()] })
            }
        }
    }

    fn block(&self, call: &Call) -> Refusal {
        self.say(Word::Began);
        let end = Instant::now() + LONG;
        while !call.cancel.is_cancelled() && Instant::now() < end {
            thread::yield_now();
        }
        if call.cancel.is_cancelled() {
            self.say(Word::Cancelled { deadline: call.deadline.is_some() });
        }
        Refusal::Cancelled
    }
}

impl Backend for Fake {
    fn run(&self, call: &Call, tool: &str, args: Map<String, Value>) -> Result<Value, Refusal> {
        let device = self.device(&call.routing)?;
        let ok = |structured: Value| json!({ "success": true, "textContent": "", "structuredContent": structured });
        let text = args.get("text").and_then(Value::as_str).unwrap_or_default();
        Ok(match tool {
            "block" => return Err(self.block(call)),
            "panic" => panic!("the tool has a bug"),
            "over" => return Err(Refusal::Over),
            "late" => return Err(Refusal::TimedOut),
            "big" => json!({ "success": true, "textContent": "x".repeat(17 << 20) }),
            "isVisible" | "hasText" if text.is_empty() => json!({
                "success": false, "errorMessage": format!("'{tool}' needs 'text' or 'id'"), "kind": "MissingRequiredArgs",
            }),
            "stopApp" if !args.contains_key("appId") => json!({
                "success": false, "errorMessage": format!("'{tool}' needs 'appId'"), "kind": "MissingRequiredArgs",
            }),
            "long" => json!({ "success": true, "textContent": "x".repeat(64 << 10) }),
            "isVisible" | "hasText" => ok(json!({ "value": text == "Sign in" })),
            "getElementText" => ok(json!({ "value": args["id"].as_str().filter(|id| *id == "title") })),
            "getElementCount" => ok(json!({ "value": 3 })),
            "captureScreen" => {
                let nodes = json!([
                    { "text": "Sign in", "id": null, "bounds": [0, 10, 100, 30] },
                    { "text": null, "id": "logo", "bounds": null },
                ]);
                let screen = json!({ "width": 1080, "height": 2400, "nodes": nodes });
                json!({ "success": true, "textContent": "Sign in", "structuredContent": screen })
            }
            "assertVisible" => json!({
                "success": false, "errorMessage": "'Sing in' is not visible", "kind": "AssertionFailed",
                "hint": "did you mean 'Sign in'?", "candidates": ["Sign in", "Sign up"],
            }),
            tool => {
                json!({ "success": true, "textContent": format!("{device}: {tool} {}", Value::Object(args)) })
            }
        })
    }

    fn screenshot(&self, call: &Call) -> Result<Vec<u8>, Refusal> {
        match self.device(&call.routing)? {
            "b" => Err(Failure::new(FailureKind::Device, "the device is gone").hint("plug it in").into()),
            _ => Ok((0..10_000u32).flat_map(u32::to_be_bytes).collect()),
        }
    }

    fn memory(&self, call: &Call) -> Result<BTreeMap<String, String>, Refusal> {
        self.device(&call.routing)?;
        Ok(self.memory.lock().expect("no test panics with it").clone())
    }

    fn remember(&self, call: &Call, name: &str, text: &str) -> Result<(), Refusal> {
        self.device(&call.routing)?;
        self.memory.lock().expect("no test panics with it").insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    fn devices(&self, _call: &Call) -> Result<Vec<Device>, Refusal> {
        let device = |id: &str| Device {
            id: id.to_owned(),
            platform: "android".to_owned(),
            driver: "sim".to_owned(),
            width: 1080,
            height: 2400,
            session_id: String::new(),
            groups: vec![Group::Maestro],
        };
        Ok(vec![device("a"), device("b")])
    }

    fn registry(&self, call: &Call) -> Result<Value, Refusal> {
        self.device(&call.routing)?;
        let tap = json!({ "platforms": ["android"], "exposedToLlm": true, "isRecordable": true });
        let failure =
            ToolFailure { kind: "Device".to_owned(), message: "no".to_owned(), ..ToolFailure::default() };
        if call.routing.device_id == "b" {
            return Err(Refusal::Failed(failure));
        }
        Ok(json!({ "tools": { "tap": tap }, "serverInfo": { "name": "fake", "version": "1" } }))
    }
}

/// A server on a port of its own, until it is dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) words: Receiver<Word>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Self {
        let (words, heard) = mpsc::channel();
        let fake = Fake { words: Mutex::new(words), memory: Mutex::default() };
        let router = router(Arc::new(fake), options);
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = runtime.block_on(TcpListener::bind(at)).expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    _ = axum::serve(listener, router) => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        Self { port, words: heard, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A client that means the device `a`.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.url()).routing(Routing { device_id: "a".to_owned(), ..Routing::default() })
    }

    /// The next thing that `block` says.
    pub(crate) fn word(&self) -> Word {
        self.words.recv_timeout(LONG).expect("the tool says something")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
