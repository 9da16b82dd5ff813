//! The way to the agent on a phone: it is started over adb, and its socket is opened through adb.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use trailblaze_android::remote::Wire;
use trailblaze_android::remote::client::Dial;
use trailblaze_devices::adb::{self, Limit, Part, Shell, Stream};
use trailblaze_engine::host::Cancel;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};

use super::{Agent, SMALL, taken};
use crate::phone::socket;

/// How long the agent may take to open its socket.
const START: Duration = Duration::from_secs(30);
/// How long it may take to put back what it changed, and end.
const END: Duration = Duration::from_secs(10);
/// How long nothing may be heard on a stream; that nothing is answered is noticed long before.
const STREAM: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the phone may take to accept a request.
const WRITE: Duration = Duration::from_secs(60);
/// How long is listened for the end of an agent before its socket is tried again.
const LISTEN: Duration = Duration::from_millis(20);
const DOCTOR: &str = "'trailblaze doctor' looks at the phone";

/// One phone, and how its agent is started.
pub(super) struct Cable {
    phone: Arc<adb::Phone>,
    agent: Agent,
    socket: String,
    /// What starts it.
    command: String,
    /// The instrumentation, as long as nothing was heard of its end.
    running: Mutex<Option<Running>>,
}

/// An instrumentation, and what it said so far.
struct Running {
    shell: Shell,
    said: String,
}

/// What is heard of an instrumentation.
enum Heard {
    Nothing,
    /// It ended, and said this.
    End(String),
    /// The cable is out or nobody listens any more, and it may well run; what it said until then.
    NoMore(String),
}

impl Cable {
    pub(super) fn new(phone: Arc<adb::Phone>, agent: Agent, session: &str, driver: Driver) -> Self {
        let command = agent.start(&[("mode", "serve"), ("session", session), ("driver", driver.key())]);
        Self { phone, agent, socket: socket(session), command, running: Mutex::default() }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the agent and waits until it listens.
    pub(super) fn start(&self) -> Result<(), Failure> {
        let shell = self.phone.start_shell(&self.command, &Limit::within(SMALL, &Cancel::default()))?;
        *self.running() = Some(Running { shell, said: String::new() });
        self.wait().inspect_err(|_| {
            // One that has ended need not be, and the process may be that of somebody else.
            if self.running().is_some() {
                self.force_end();
            }
        })
    }

    /// One that ended says why. An interrupt waits, too: an agent that has just begun must be told to end.
    fn wait(&self) -> Result<(), Failure> {
        let whole = Limit::within(START, &Cancel::default());
        loop {
            let tried = self.phone.open_abstract(&self.socket, &whole.at_most(Duration::from_secs(2)));
            let error = match tried {
                Ok(_) => return Ok(()),
                Err(error) => Failure::from(error),
            };
            if let Some(said) = self.ended(LISTEN) {
                self.refuse_if_replaced()?;
                let message = format!("the agent on the phone ended before it answered:\n{}", said.trim());
                return Err(Failure::new(FailureKind::Device, message).hint(DOCTOR));
            }
            if whole.left().is_zero() {
                let message = format!("the agent on the phone did not answer within {} s", START.as_secs());
                let hint = error.hint.unwrap_or_else(|| DOCTOR.to_owned());
                return Err(Failure::new(FailureKind::Device, message).hint(hint));
            }
        }
    }

    /// An agent that was started by two at the same moment is that of the second.
    fn refuse_if_replaced(&self) -> Result<(), Failure> {
        taken::refuse_if_driven(&self.phone, Some(&self.socket), &Cancel::default())
    }

    /// What the instrumentation said, where it has ended within so long.
    fn ended(&self, patience: Duration) -> Option<String> {
        match self.hear(patience) {
            Heard::Nothing => None,
            Heard::End(said) => Some(said),
            Heard::NoMore(said) => {
                let until = Limit::within(patience, &Cancel::default());
                self.is_gone(&until).then_some(said)
            }
        }
    }

    /// Listens to the instrumentation for so long.
    fn hear(&self, patience: Duration) -> Heard {
        let mut running = self.running();
        let Some(Running { shell, said }) = running.as_mut() else {
            return Heard::NoMore("it does not run".to_owned());
        };
        shell.set_limit(&Limit::within(patience, &Cancel::default()));
        let end = loop {
            match shell.next_part() {
                Ok(Part::Out(bytes) | Part::Err(bytes)) => *said += &String::from_utf8_lossy(&bytes),
                Ok(Part::Exit(_)) => break Heard::End(std::mem::take(said)),
                Err(error) if error.kind == adb::ErrorKind::TimedOut => return Heard::Nothing,
                Err(_) => break Heard::NoMore(std::mem::take(said)),
            }
        };
        *running = None;
        end
    }

    /// Waits until the agent, which was told so, has put everything back. One that does not is ended, which is false.
    pub(super) fn see_it_end(&self) -> bool {
        let is_heard = self.running().is_some();
        let until = Limit::within(END, &Cancel::default());
        let has_ended = if is_heard { self.ended(END).is_some() } else { self.is_gone(&until) };
        // What runs may be that of somebody else.
        if has_ended || self.refuse_if_replaced().is_err() {
            return true;
        }
        self.force_end();
        false
    }

    /// Looks for the agent where nothing is heard of it any more, because the cable was out. So does a phone that is
    /// not there have none.
    fn is_gone(&self, until: &Limit) -> bool {
        loop {
            match self.runs(until) {
                Ok(true) => {}
                Err(error) if error.kind == adb::ErrorKind::TimedOut => return false,
                _ => return true,
            }
            if until.left().is_zero() {
                return false;
            }
            std::thread::sleep(LISTEN);
        }
    }

    /// Whether the phone has a process of the agent.
    fn runs(&self, until: &Limit) -> Result<bool, adb::Error> {
        taken::is_there(&self.phone, &self.agent.package, &until.at_most(SMALL))
    }

    /// A phone that is gone cannot be told, and its agent ends by itself.
    fn force_end(&self) {
        let stop = format!("am force-stop {}", adb::quote(&self.agent.package));
        let _ = self.phone.shell(&stop, &Limit::within(SMALL, &Cancel::default()));
        self.running().take();
    }
}

impl Dial for Cable {
    fn phone(&self) -> &str {
        self.phone.serial()
    }

    fn dial(&self) -> Result<Arc<dyn Wire>, Failure> {
        // adb's server may have been ended, too.
        self.phone.server().ensure_running(&Limit::within(SMALL, &Cancel::default()))?;
        Ok(Arc::new(Line::open(&self.phone, &self.socket)?))
    }

    fn has_ended(&self) -> bool {
        let until = Limit::within(SMALL, &Cancel::default());
        match self.hear(LISTEN) {
            Heard::Nothing => false,
            Heard::End(_) => true,
            // What runs may be that of somebody else.
            Heard::NoMore(_) => match self.runs(&until) {
                Ok(runs) => !runs || self.refuse_if_replaced().is_err(),
                Err(_) => false,
            },
        }
    }

    fn restart(&self) -> Result<(), Failure> {
        self.refuse_if_replaced()?;
        self.force_end();
        self.start()
    }
}

/// A stream that one thread reads while others write.
pub(super) struct Line {
    reads: Mutex<Stream>,
    writes: Mutex<Stream>,
    either: Stream,
}

impl Line {
    /// It is not ended by an interrupt: the agent is still told goodbye.
    pub(super) fn open(phone: &adb::Phone, socket: &str) -> Result<Self, Failure> {
        let open = || {
            let either = phone.open_abstract(socket, &Limit::within(SMALL, &Cancel::default()))?;
            let (reads, writes) = (Mutex::new(either.try_clone()?), Mutex::new(either.try_clone()?));
            Ok(Self { reads, writes, either })
        };
        // That nothing listens may be said of a phone that is about to come back.
        open().map_err(|error: adb::Error| Failure { kind: FailureKind::Device, ..Failure::from(error) })
    }
}

fn lock(stream: &Mutex<Stream>) -> MutexGuard<'_, Stream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire for Line {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let mut reads = lock(&self.reads);
        reads.set_limit(&Limit::within(STREAM, &Cancel::default()));
        io::Read::read(&mut *reads, into)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut writes = lock(&self.writes);
        writes.set_limit(&Limit::within(WRITE, &Cancel::default()));
        io::Write::write_all(&mut *writes, bytes)
    }

    fn close(&self) {
        self.either.close();
    }
}
