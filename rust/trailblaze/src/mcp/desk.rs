//! A device that is driven by whoever calls: one thread with the session, and a queue of what is wanted of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;

use trailblaze_engine::host::Cancel;
use trailblaze_mcp::server::{Caller, answer};
use trailblaze_model::failure::{Failure, FailureKind};

use super::notes::Notes;
use super::open::Opened;
use super::phone::{self, OnCable};
use super::{Said, Trouble};
use crate::exit_code::{Exit, Problem};
use crate::run::{Live, Stand};

/// What is open at a desk.
pub(super) struct Seat {
    pub(super) live: Live,
    pub(super) notes: Arc<Notes>,
}

type Work = Box<dyn FnOnce(&mut Seat) -> Said + Send>;

enum Job {
    Work {
        cancel: Cancel,
        work: Work,
        answer: Sender<Said>,
    },
    /// The workspace was read again.
    Renew {
        opened: Arc<Opened>,
        device: Device,
    },
}

/// What becomes of the device when the workspace is read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Device {
    Kept,
    Fresh,
}

/// The thread of one device.
pub(super) struct Desk {
    ask: Ask,
    /// What the last job will find.
    opened: Arc<Opened>,
    is_open: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// A way to ask a desk for something that does not keep others from using theirs.
pub(super) struct Ask(Sender<Job>);

impl Desk {
    /// The session is opened with the first thing that is wanted of it.
    pub(super) fn new(name: &str, opened: Arc<Opened>, phone: Option<Arc<OnCable>>) -> Result<Self, Problem> {
        let (jobs, wanted) = mpsc::channel::<Job>();
        let is_open = Arc::new(AtomicBool::new(false));
        let (mut current, seated) = (opened.clone(), is_open.clone());
        let work = move || {
            let mut seat: Option<Seat> = None;
            for job in wanted {
                match job {
                    Job::Work { cancel, work, answer } => {
                        let said =
                            in_turn(phone.as_deref(), &cancel, || run(&mut seat, &current, &cancel, work));
                        seated.store(seat.is_some(), Ordering::Relaxed);
                        // Who asked may have left.
                        let _ = answer.send(said);
                    }
                    Job::Renew { opened, device } => {
                        seat = seat.filter(|_| device == Device::Kept);
                        seated.store(seat.is_some(), Ordering::Relaxed);
                        if let Some(seat) = &mut seat {
                            seat.live.reload(&opened.bench, opened.registry.clone());
                        }
                        // Nothing uses the servers of the last one any more, so they end here.
                        current = opened;
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work).map_err(|error| {
            Problem::new(Exit::Device, format!("no thread could be started for the device: {error}"))
        })?;
        Ok(Self { ask: Ask(jobs), opened, is_open, thread })
    }

    pub(super) fn handle(&self) -> Ask {
        Ask(self.ask.0.clone())
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// What is asked for from now on has these tools.
    pub(super) fn renew(&mut self, opened: &Arc<Opened>, device: Device) {
        if Arc::ptr_eq(&self.opened, opened) && device == Device::Kept {
            return;
        }
        self.opened = opened.clone();
        if device == Device::Fresh {
            self.is_open.store(false, Ordering::Relaxed);
        }
        // A desk that is gone says so when it is asked for something.
        let _ = self.ask.0.send(Job::Renew { opened: opened.clone(), device });
    }

    /// Ends the session and waits for that.
    pub(super) fn close(self) {
        drop((self.ask, self.opened));
        // A bug in a job was said where it happened.
        let _ = self.thread.join();
    }
}

impl Ask {
    /// Does something with the session and waits for it.
    pub(super) fn ask(&self, caller: &Caller, work: impl FnOnce(&mut Seat) -> Said + Send + 'static) -> Said {
        let (answer, said) = mpsc::channel();
        let job = Job::Work { cancel: caller.cancel.clone(), work: Box::new(work), answer };
        let gone = || Failure::new(FailureKind::Device, "the device is no longer there").into();
        self.0.send(job).map_err(|_| gone())?;
        said.recv().unwrap_or_else(|_| Err(gone()))
    }
}

/// On a phone, trails may run as well.
fn in_turn(phone: Option<&OnCable>, cancel: &Cancel, work: impl FnOnce() -> Said) -> Said {
    let _turn = phone.map(|phone| phone.turn(cancel)).transpose()?;
    work()
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
        seat.live.look_after()?;
        let news = seat.live.news();
        let mut said = work(seat)?;
        if let (Some(news), Some(content)) = (news, said["content"].as_array_mut()) {
            content.push(answer::text(format!("warning: {news}")));
        }
        Ok::<_, Trouble>(said)
    }));
    done.unwrap_or_else(|_| {
        *seat = None;
        let message = "Trailblaze itself failed; this is a bug. The next call begins with a fresh device";
        Err(Failure::new(FailureKind::Exception, message).into())
    })
}

fn open(opened: &Opened) -> Result<Seat, Problem> {
    let notes = Arc::new(Notes::default());
    let (bench, registry) = (&opened.bench, opened.registry.clone());
    let live = match opened.phone.as_deref().and_then(phone::only) {
        Some(phone) => Live::open_on(&Stand::Phone(phone.clone()), bench, registry, notes.clone())?,
        None => Live::open(bench, registry, notes.clone())?,
    };
    Ok(Seat { live, notes })
}
