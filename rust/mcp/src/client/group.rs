//! A process group that is there, and watched, before anything is started in it.
//!
//! A program that is started in a group of its own has no number before it runs, so whoever is killed at that moment
//! leaves it behind. Here a small shell has the group first. It waits for the end of a pipe whose other end only this
//! program has, so it goes by itself when this program is killed before the watchdog knows of it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

use super::watchdog;

/// When it is dropped, all that is in it has ended.
#[derive(Debug)]
pub(super) struct Group {
    /// Also the number of its first member, which stays until the end, at last as a zombie: as long as it does, no
    /// other group gets the number.
    id: Pid,
    first: Mutex<Child>,
}

impl Group {
    pub(super) fn new() -> io::Result<Self> {
        let first = Command::new("/bin/sh")
            .args(["-c", "read -r _", "trailblaze-group"])
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let group = Self { id: Pid::from_child(&first), first: Mutex::new(first) };
        watchdog::watch(group.number())?;
        Ok(group)
    }

    pub(super) fn number(&self) -> i32 {
        self.id.as_raw_nonzero().get()
    }

    /// Somebody else is in it now, so its first member may go.
    pub(super) fn is_used(&self) {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).stdin.take();
    }

    pub(super) fn signal(&self, signal: Signal) {
        // A group without members is what is wanted.
        let _ = kill_process_group(self.id, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        watchdog::forget(self.number());
        let _ = self.first.get_mut().unwrap_or_else(PoisonError::into_inner).wait();
    }
}
