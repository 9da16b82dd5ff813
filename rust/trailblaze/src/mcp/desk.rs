//! A device that is driven by whoever calls: one thread with the session, and a queue of what is wanted of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};

use trailblaze_engine::host::Cancel;
use trailblaze_mcp::server::Caller;
use trailblaze_model::failure::{Failure, FailureKind};

use super::notes::Notes;
use super::{Opened, Said, locked};
use crate::exit_code::{Exit, Problem};
use crate::run::Live;

/// What is open at a desk.
pub(super) struct Seat {
    pub(super) live: Live,
    pub(super) notes: Arc<Notes>,
}

type Work = Box<dyn FnOnce(&mut Seat) -> Said + Send>;

struct Job {
    cancel: Cancel,
    work: Work,
    answer: Sender<Said>,
}

/// The thread of one device. It ends when nobody can ask for anything any more.
pub(super) struct Desk {
    jobs: Sender<Job>,
    /// What a session is opened with.
    opened: Arc<Mutex<Arc<Opened>>>,
}

impl Desk {
    /// The session is opened with the first thing that is wanted of it.
    pub(super) fn new(name: &str, opened: Arc<Opened>) -> Result<Self, Problem> {
        let (jobs, wanted) = mpsc::channel::<Job>();
        let opened = Arc::new(Mutex::new(opened));
        let current = opened.clone();
        let work = move || {
            let mut seat: Option<Seat> = None;
            for Job { cancel, work, answer } in wanted {
                let opened = locked(&current).clone();
                let said = run(&mut seat, &opened, &cancel, work);
                // Who asked may have left.
                let _ = answer.send(said);
            }
        };
        std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| {
            Problem::new(Exit::Device, format!("no thread could be started for the device: {error}"))
        })?;
        Ok(Self { jobs, opened })
    }

    /// A handle that does not keep the caller from using other desks.
    pub(super) fn handle(&self) -> Self {
        Self { jobs: self.jobs.clone(), opened: self.opened.clone() }
    }

    /// A session that is opened from now on has these tools.
    pub(super) fn renew(&self, opened: Arc<Opened>) {
        *locked(&self.opened) = opened;
    }

    /// Does something with the session and waits for it.
    pub(super) fn ask(&self, caller: &Caller, work: impl FnOnce(&mut Seat) -> Said + Send + 'static) -> Said {
        let (answer, said) = mpsc::channel();
        let job = Job { cancel: caller.cancel.clone(), work: Box::new(work), answer };
        let gone = || Failure::new(FailureKind::Device, "the device is no longer there").into();
        self.jobs.send(job).map_err(|_| gone())?;
        said.recv().unwrap_or_else(|_| Err(gone()))
    }
}

/// A bug in one job ends the session, not the thread.
fn run(seat: &mut Option<Seat>, opened: &Opened, cancel: &Cancel, work: Work) -> Said {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let seat = match seat {
            Some(seat) => seat,
            None => seat.insert(open(opened)?),
        };
        seat.live.interrupted_by(cancel);
        seat.live.session.check_cancelled()?;
        work(seat)
    }));
    done.unwrap_or_else(|_| {
        *seat = None;
        let message = "Trailblaze itself failed; this is a bug. The next call begins with a fresh device";
        Err(Failure::new(FailureKind::Exception, message).into())
    })
}

fn open(opened: &Opened) -> Result<Seat, Problem> {
    let notes = Arc::new(Notes::default());
    let live = Live::open(&opened.bench, opened.registry.clone(), notes.clone())?;
    Ok(Seat { live, notes })
}
