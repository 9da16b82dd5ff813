//! Tools that are classes of the APK, asked for by a laptop: while one runs, it asks the laptop for commands.

use std::collections::HashMap;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use trailblaze_model::failure::{Failure, FailureKind};

use super::lock;
use super::message::{Request, Response};
use super::method::CLASS_COMMAND;
use super::wire::Outgoing;
use crate::class_tool;
use crate::platform::Platform;

/// The classes that run for one stream. They are told when it is over.
pub(super) struct Classes {
    platform: Arc<dyn Platform>,
    out: Arc<Outgoing>,
    answers: Arc<Mutex<HashMap<u64, Sender<Response>>>>,
}

impl Drop for Classes {
    fn drop(&mut self) {
        lock(&self.answers).clear();
    }
}

impl Classes {
    pub(super) fn new(platform: Arc<dyn Platform>, out: Arc<Outgoing>) -> Self {
        Self { platform, out, answers: Arc::default() }
    }

    /// Runs a class on a thread of its own.
    pub(super) fn execute(&self, request: Request) {
        let (platform, out, answers) = (self.platform.clone(), self.out.clone(), self.answers.clone());
        let (sender, inbox) = mpsc::channel::<Response>();
        lock(&answers).insert(request.id, sender);
        thread::spawn(move || {
            let id = request.id;
            let gone = || Failure::new(FailureKind::Device, "the laptop is gone");
            let ask = |call: &str| {
                let texts = vec![call.to_owned()];
                let asked = Response { id, texts, method: CLASS_COMMAND, ..Response::default() };
                out.send(&asked.to_bytes()).map_err(|_| gone())?;
                let answer = inbox.recv().map_err(|_| gone())?;
                answer.failure.map_or_else(|| Ok(answer.texts.into_iter().next().unwrap_or_default()), Err)
            };
            let result = match request.texts.as_slice() {
                [class, arguments] => platform.class_code(class).and_then(|code| {
                    // What it throws is its own failure, and not one of the phone.
                    let thrown = |failure| Failure { kind: FailureKind::Exception, ..failure };
                    class_tool::run(&code, arguments, ask).map_err(thrown)
                }),
                _ => Err(Failure::new(FailureKind::Device, "the laptop named no class")),
            };
            lock(&answers).remove(&id);
            // A laptop that is gone does not wait for it.
            let _ = out.send(&response(id, result).to_bytes());
        });
    }

    /// What the laptop says to a class. One that has ended does not hear it.
    pub(super) fn answered(&self, request: &Request) {
        if let Some(answer) = Response::read(&request.data)
            && let Some(sender) = lock(&self.answers).get(&answer.id)
        {
            let _ = sender.send(answer);
        }
    }
}

/// A text, or why there is none.
pub(super) fn response(id: u64, result: Result<String, Failure>) -> Response {
    match result {
        Ok(text) => Response { id, yes: true, texts: vec![text], ..Response::default() },
        Err(failure) => Response { id, failure: Some(failure), ..Response::default() },
    }
}
