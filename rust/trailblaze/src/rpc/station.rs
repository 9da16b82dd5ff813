//! A device that is open without a run: one thread with its session, and a queue of what is wanted of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::observer::Observer;
use trailblaze_engine::registry::Registry;
use trailblaze_engine::session::Session;
use trailblaze_model::failure::Failure;
use trailblaze_rpc::{Call, Device, Refusal};

use crate::authoring::Bench;
use crate::exit_code::{Exit, Problem};
use crate::run::{Live, Reload, Stand};

/// How long a wait may be deaf to somebody who stops waiting.
const SLICE: Duration = Duration::from_millis(50);

/// Done in the session, or told why the device is not there.
type Work = Box<dyn FnOnce(Result<&Session, Failure>) + Send>;

#[derive(Debug)]
pub struct Station {
    device: Device,
    /// Taken when it closes.
    jobs: Mutex<Option<Sender<Job>>>,
    thread: Option<JoinHandle<()>>,
}

struct Job {
    cancel: Cancel,
    work: Work,
}

impl Station {
    /// Opens the device, and starts nothing on it.
    pub fn open(
        stand: Stand,
        bench: &Arc<Bench>,
        registry: &Arc<Registry>,
        listener: &Arc<dyn Observer>,
        hidden: Option<&Secret>,
        reload: Option<Reload>,
    ) -> Result<Self, Problem> {
        let id = stand.id();
        let (jobs, wanted) = mpsc::channel::<Job>();
        let (opened, is_open) = mpsc::channel();
        let (bench, registry, listener) = (bench.clone(), registry.clone(), listener.clone());
        let hidden = hidden.cloned();
        // A sim stays on the thread that it was made on.
        let work = move || {
            let mut live = match Live::open_on(&stand, &bench, registry, listener) {
                Ok(live) => live.reloading(reload),
                Err(problem) => return drop(opened.send(Err(problem))),
            };
            let session = &live.session;
            hidden.iter().for_each(|token| session.memory.hide(token.reveal().to_owned()));
            let _ = opened.send(Ok(super::device(session.device().info(), &session.options.id)));
            for Job { cancel, work } in wanted {
                live.interrupted_by(&cancel);
                // A bug in one call is that call's end; whoever waits for it learns that.
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    let is_there = live.look_after();
                    live.news();
                    work(is_there.map(|()| &live.session));
                }));
            }
        };
        let failed = |error: String| Problem::new(Exit::Device, format!("no thread for the device: {error}"));
        let thread = std::thread::Builder::new().name(id.to_string()).spawn(work);
        let thread = thread.map_err(|error| failed(error.to_string()))?;
        let device = is_open.recv().map_err(|error| failed(error.to_string()))??;
        Ok(Self { device, jobs: Mutex::new(Some(jobs)), thread: Some(thread) })
    }

    pub fn id(&self) -> &str {
        &self.device.id
    }

    pub(super) fn session(&self) -> &str {
        &self.device.session_id
    }

    pub(super) fn device(&self) -> Device {
        self.device.clone()
    }

    /// Does something in the session when its turn comes, and waits for it at most so long.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        call: &Call,
        limit: Duration,
        wish: impl FnOnce(&Session) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Refusal> {
        let (answer, answered) = mpsc::sync_channel(1);
        let cancel = call.cancel.clone();
        let work: Work = Box::new(move |session| {
            // Nobody may wait for it any more.
            let _ = answer.send(session.and_then(|session| {
                session.check_cancelled()?;
                wish(session)
            }));
        });
        let gone = || Refusal::Internal("the device is no longer there".to_owned());
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        jobs.ok_or_else(gone)?.send(Job { cancel, work }).map_err(|_| gone())?;
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match answered.recv_timeout(left.min(SLICE)) {
                Ok(granted) => return granted.map_err(Refusal::from),
                Err(RecvTimeoutError::Timeout) if call.cancel.is_cancelled() => {
                    return Err(Refusal::Cancelled);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    call.cancel.cancel();
                    return Err(Refusal::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Refusal::Internal("Trailblaze itself failed; this is a bug".to_owned()));
                }
            }
        }
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
