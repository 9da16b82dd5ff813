//! A run that ends when a file appears: who started it has no other way to reach it.

use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use trailblaze_engine::host::Cancel;

/// How often to look.
const LOOK: Duration = Duration::from_millis(100);

/// Looks for the file until this is dropped.
pub(super) struct Stop(#[expect(dead_code, reason = "its end is what the thread waits for")] Sender<()>);

impl Stop {
    pub(super) fn when_there(file: PathBuf, cancel: &Cancel) -> Self {
        let (alive, ended) = mpsc::channel::<()>();
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if file.exists() {
                    cancel.cancel();
                    return;
                }
            }
        });
        Self(alive)
    }
}
