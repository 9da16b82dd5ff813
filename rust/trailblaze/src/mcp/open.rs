//! The workspace as it was read, for each target, with the servers of its toolsets.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use trailblaze_engine::host::Cancel;
use trailblaze_engine::registry::Registry;
use trailblaze_mcp::server::Caller;
use trailblaze_model::driver::AgentMode;
use trailblaze_model::target::TargetFile;

use super::{Shared, Trouble, locked};
use crate::authoring::Bench;
use crate::exit_code::{Exit, Problem};
use crate::laptop::Phones;
use crate::toolsets::ToolsetServers;

/// How long a wait may be deaf to a caller who lost interest.
const SLICE: Duration = Duration::from_millis(50);

/// A workspace as one target sees it.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) bench: Bench,
    pub(super) registry: Arc<Registry>,
    /// The phone that the tools are for; none = a sim.
    pub(super) phone: Option<Arc<Phones>>,
    #[expect(dead_code, reason = "the servers of the toolsets end when it is dropped")]
    servers: Arc<ToolsetServers>,
}

/// What is known of one target. Held by whoever reads it, so that it is read once, and others need not wait.
pub(super) type Slot = Arc<Mutex<Option<Arc<Opened>>>>;

impl Shared {
    /// Reads the workspace for a target, once.
    pub(super) fn opened(&self, target: Option<&str>, caller: &Caller) -> Result<Arc<Opened>, Trouble> {
        let slot = locked(&self.opened).entry(target.unwrap_or_default().to_owned()).or_default().clone();
        let mut slot = wait_for(&slot, &caller.cancel)?;
        if let Some(known) = &*slot {
            return Ok(known.clone());
        }
        let fresh = Arc::new(self.read(target, caller)?);
        *slot = Some(fresh.clone());
        Ok(fresh)
    }

    /// What was read for a target, if it was.
    pub(super) fn known(&self, target: Option<&str>) -> Option<Arc<Opened>> {
        let slot = locked(&self.opened).get(target.unwrap_or_default())?.clone();
        // Who reads just now knows nothing yet.
        slot.try_lock().ok()?.clone()
    }

    /// From now on this is what is known; other targets are read again when they are asked for.
    pub(super) fn replace(&self, target: Option<&str>, fresh: Arc<Opened>) {
        let slot = Arc::new(Mutex::new(Some(fresh)));
        let opened = [(target.unwrap_or_default().to_owned(), slot)].into();
        let old = std::mem::replace(&mut *locked(&self.opened), opened);
        // Servers may take their time to end, and nobody else should wait for that.
        drop(old);
    }

    /// Reads the workspace for a target, whatever is known already.
    pub(super) fn read(&self, target: Option<&str>, caller: &Caller) -> Result<Opened, Trouble> {
        let mut bench = self.bench(target)?;
        // The classes of its APK may be tools.
        let phone = self.phone.as_ref().map(|phone| phone.take(caller)).transpose()?;
        let classes = phone.as_ref().and_then(|phones| phones.classes());
        let cancel = Cancel::default();
        let servers = ToolsetServers::new(&cancel, self.endpoint.clone());
        let read = || bench.registry_with(Some(servers.as_ref()), classes.as_deref());
        let registry = while_wanted(caller, &cancel, read)?;
        bench.without_errors()?;
        Ok(Opened { bench, registry, phone, servers })
    }

    fn bench(&self, target: Option<&str>) -> Result<Bench, Problem> {
        let folder = self.options.workspace.clone();
        let target = target.or(self.options.target.as_deref());
        let shown = folder.clone();
        let bench = Bench::open(folder, target, Some(self.driver()), AgentMode::Host)?;
        match shown {
            Some(folder) if bench.workspace.root.is_none() => {
                let message = format!("{} is no workspace", folder.display());
                Err(Problem::new(Exit::BadDocument, message).hint("'trailblaze init' makes one"))
            }
            _ => Ok(bench),
        }
    }

    /// The workspace, read once.
    pub(super) fn base(&self) -> Result<Arc<Bench>, Problem> {
        let mut base = locked(&self.base);
        if let Some(known) = &*base {
            return Ok(known.clone());
        }
        let fresh = Arc::new(self.bench(None)?);
        *base = Some(fresh.clone());
        Ok(fresh)
    }

    /// The targets that a sim can play.
    pub(super) fn playable(&self) -> Result<Vec<Arc<TargetFile>>, Problem> {
        let bench = self.base()?;
        Ok(bench.workspace.targets.iter().filter(|target| target.sim_app.is_some()).cloned().collect())
    }

    /// A path that a model wrote: of the workspace where there is such a file, else as it stands.
    pub(super) fn path(&self, bench: &Bench, path: &str) -> PathBuf {
        let own = bench.workspace.root.as_ref().map(|root| root.join(path));
        own.filter(|own| own.exists() || path.contains('*')).unwrap_or_else(|| Path::new(path).to_owned())
    }
}

/// Waits for another caller, unless this one loses interest.
pub(super) fn wait_for<'a, T>(mutex: &'a Mutex<T>, cancel: &Cancel) -> Result<MutexGuard<'a, T>, Problem> {
    while !cancel.is_cancelled() {
        match mutex.try_lock() {
            Ok(guard) => return Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => thread::sleep(SLICE),
        }
    }
    Err(Problem::new(Exit::Interrupted, "the call was called off"))
}

/// Does what may take long, and calls it off when its caller loses interest. It cannot be given the caller's own way to
/// say so: that is used up with the call, and servers are for the calls that follow as well.
fn while_wanted<T: Send>(caller: &Caller, cancel: &Cancel, work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let (working, is_done) = mpsc::channel::<()>();
        let work = scope.spawn(move || {
            let _until_the_end = working;
            work()
        });
        while is_done.recv_timeout(SLICE) == Err(RecvTimeoutError::Timeout) {
            if caller.cancel.is_cancelled() {
                cancel.cancel();
            }
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
