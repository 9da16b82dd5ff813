//! The phone on a cable that is driven instead of sims.
//!
//! It is taken by the first call that needs it, not before: programs start their MCP servers whether they use them or
//! not, and a phone can be had by one only. From then on it is kept.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use trailblaze_engine::host::Cancel;
use trailblaze_mcp::server::Caller;
use trailblaze_model::driver::Driver;

use super::open::wait_for;
use super::{Trouble, locked};
use crate::exit_code::Problem;
use crate::laptop::{self, Phone, Phones};

/// Which phone, and how it is reached.
#[derive(Clone, Debug)]
pub struct McpPhone {
    pub serial: String,
    /// How it is driven.
    pub driver: Driver,
    /// The agent's APK; the release's unless given.
    pub agent_apk: Option<PathBuf>,
    /// Ends what is under way on it, in whatever way the server ends.
    pub cancel: Cancel,
}

/// The phone, taken or not.
pub(super) struct OnCable {
    wanted: McpPhone,
    taken: Mutex<Option<Arc<Phones>>>,
    /// Held by whoever does something on it: a session, or a run of trails.
    turn: Mutex<()>,
}

impl OnCable {
    pub(super) fn new(wanted: McpPhone) -> Self {
        Self { wanted, taken: Mutex::default(), turn: Mutex::default() }
    }

    pub(super) fn serial(&self) -> &str {
        &self.wanted.serial
    }

    /// Why it cannot be used just now, if so.
    pub(super) fn problem(&self) -> Option<Problem> {
        laptop::ready(self.serial(), &self.wanted.cancel).err()
    }

    /// Takes the phone, where it is not taken yet, and sees that it is there.
    pub(super) fn take(&self, caller: &Caller) -> Result<Arc<Phones>, Trouble> {
        let mut taken = wait_for(&self.taken, &caller.cancel)?;
        if let Some(phones) = &*taken {
            phones.each().iter().try_for_each(|phone| phone.look_after())?;
            return Ok(phones.clone());
        }
        let McpPhone { serial, driver, agent_apk, cancel } = &self.wanted;
        let serials = std::slice::from_ref(serial);
        let phones = Arc::new(Phones::connect(serials, *driver, agent_apk.as_deref(), cancel)?);
        *taken = Some(phones.clone());
        Ok(phones)
    }

    /// Waits until nobody else does anything on it.
    pub(super) fn turn(&self, cancel: &Cancel) -> Result<MutexGuard<'_, ()>, Problem> {
        wait_for(&self.turn, cancel)
    }

    /// Lets it go, as it was before; what could not be put back, for people.
    pub(super) fn let_go(&self) -> Vec<String> {
        let taken = locked(&self.taken).take();
        taken.iter().flat_map(|phones| phones.put_back()).collect()
    }
}

/// The only one of them: one is named.
pub(super) fn only(phones: &Phones) -> Option<&Arc<Phone>> {
    phones.each().first()
}
