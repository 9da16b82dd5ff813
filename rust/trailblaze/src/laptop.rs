//! Phones on cables: the agent on each does what it is asked, and the trails run here.
//!
//! Invariant: nothing is left behind on a phone. The agent ends when it is told to, and by itself when nobody asks it.

mod agent;
mod cable;
mod fit;
mod kept;
pub(crate) mod taken;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(crate) use agent::{Agent, ensure_agent, given as agent_apk, version as agent_version};
use cable::Cable;
pub(crate) use fit::About;
pub use kept::STARTED_AGAIN;
pub(crate) use taken::refuse_if_taken;
use trailblaze_android::class_tool::ApkClasses;
use trailblaze_android::platform::Platform;
use trailblaze_android::remote::client::{Dial, Patience, RemotePlatform};
use trailblaze_devices::adb::{self, Limit, Listed, Server};
use trailblaze_engine::clock::{Clock, SystemClock};
use trailblaze_engine::host::Cancel;
use trailblaze_engine::yaml_tool::Classes;
use trailblaze_mcp::client::unguessable;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::exit_code::{Exit, Problem};
use crate::phone;
use crate::run::Attached;

/// How long adb may take for something small.
pub(crate) const SMALL: Duration = Duration::from_secs(15);

/// What a person should know of a phone that is gone.
const OUT_OF_REACH: &str = "it is out of reach, and its animations, its accessibility and what trails changed (how it is held, \
    where it is, airplane mode) could not be put back; its agent does that itself, about a minute after it was left alone";

fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

pub(crate) fn trouble(error: adb::Error) -> Problem {
    failed(Failure::from(error))
}

fn failed(failure: Failure) -> Problem {
    let exit = if failure.kind == FailureKind::Interrupted { Exit::Interrupted } else { Exit::Device };
    // An agent that fails may repeat how it was started.
    Problem { hint: failure.hint, ..Problem::new(exit, adb::without_secrets(&failure.message)) }
}

/// adb's server, started where it does not run.
pub(crate) fn server(cancel: &Cancel) -> Result<Server, Problem> {
    let address = adb::Address::from_vars(var).map_err(trouble)?;
    let server = Server::new(address, adb::Program::find(|name| std::env::var_os(name)));
    server.ensure_running(&Limit::within(SMALL, cancel)).map_err(trouble)?;
    Ok(server)
}

/// The phones that are connected.
pub fn phones(cancel: &Cancel) -> Result<Vec<Listed>, Problem> {
    server(cancel)?.devices(&Limit::within(SMALL, cancel)).map_err(trouble)
}

/// The serial of the only phone that is connected.
pub fn the_phone(cancel: &Cancel) -> Result<String, Problem> {
    let phones = phones(cancel)?;
    let phone = adb::choose(&phones, None).map_err(trouble)?;
    Ok(phone.serial.clone())
}

/// Whether a phone can be used, as far as adb knows; nothing is asked of the phone itself.
pub fn ready(serial: &str, cancel: &Cancel) -> Result<Listed, Problem> {
    let phones = phones(cancel)?;
    adb::choose(&phones, Some(serial)).cloned().map_err(trouble)
}

/// Phones whose agents answer, until this is dropped.
#[derive(Debug)]
pub struct Phones(Vec<Arc<Phone>>);

impl Phones {
    /// Makes them all ready, side by side. One that cannot be used is trouble before anything runs.
    pub fn connect(
        serials: &[String],
        driver: Driver,
        agent: Option<&Path>,
        cancel: &Cancel,
    ) -> Result<Self, Problem> {
        let server = server(cancel)?;
        let devices = server.devices(&Limit::within(SMALL, cancel)).map_err(trouble)?;
        for serial in serials {
            adb::choose(&devices, Some(serial)).and_then(Listed::ready).map_err(trouble)?;
        }
        // One time for all, so that what they say is in order.
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let connect = |serial: &String| {
            let phone = Arc::new(server.phone(serial));
            Phone::connect(phone, driver, agent, clock.clone(), cancel)
        };
        let connected: Vec<Result<Phone, Problem>> = std::thread::scope(|scope| {
            let connecting: Vec<_> =
                serials.iter().map(|serial| scope.spawn(move || connect(serial))).collect();
            let bug = |_| Err(Problem::new(Exit::Device, "Trailblaze itself failed; this is a bug"));
            connecting.into_iter().map(|phone| phone.join().unwrap_or_else(bug)).collect()
        });
        let several = serials.len() > 1;
        let (mut phones, mut problems) = (Vec::new(), Vec::new());
        for (serial, connected) in serials.iter().zip(connected) {
            match connected {
                Ok(phone) => phones.push(Arc::new(phone)),
                Err(problem) if several && !problem.message.contains(serial.as_str()) => {
                    problems.push(Problem { message: format!("{serial}: {}", problem.message), ..problem });
                }
                Err(problem) => problems.push(problem),
            }
        }
        let phones = Self(phones);
        problems.into_iter().next().map_or(Ok(phones), Err)
    }

    /// Each of them. Who keeps one longer keeps its agent.
    pub fn each(&self) -> &[Arc<Phone>] {
        &self.0
    }

    pub fn attached(&self) -> Vec<Arc<dyn Attached>> {
        self.0.iter().map(|phone| phone.attached.clone()).collect()
    }

    /// Puts back what trails changed on them; what could not be, for people.
    pub fn put_back(&self) -> Vec<String> {
        let told = |phone: &Phone| {
            let failure = phone.put_back().err()?;
            Some(format!("{} is not as it was: {}", phone.cable.phone(), failure.message))
        };
        std::thread::scope(|scope| {
            let each: Vec<_> = self.0.iter().map(|phone| scope.spawn(|| told(phone))).collect();
            each.into_iter().filter_map(|told| told.join().ok().flatten()).collect()
        })
    }

    /// The classes of the agents' APK that are tools.
    pub fn classes(&self) -> Option<Arc<dyn Classes>> {
        let platform = |phone: &Arc<Phone>| Arc::new(phone.platform.clone()) as Arc<dyn Platform>;
        let phones: Vec<_> = self.0.iter().map(platform).collect();
        (!phones.is_empty()).then(|| Arc::new(ApkClasses::new(phones)) as Arc<dyn Classes>)
    }
}

impl Drop for Phones {
    /// Side by side: one that is gone takes its time.
    fn drop(&mut self) {
        let phones = std::mem::take(&mut self.0);
        std::thread::scope(|scope| {
            phones.into_iter().for_each(|phone| drop(scope.spawn(move || drop(phone))));
        });
    }
}

/// One of them.
pub struct Phone {
    platform: RemotePlatform,
    cable: Arc<Cable>,
    session: String,
    attached: Arc<dyn Attached>,
    device: Arc<adb::Phone>,
    /// The agent's APK, where one was given.
    apk: Option<PathBuf>,
    cancel: Cancel,
    /// Whether the agent was started again, and nobody was told.
    is_anew: AtomicBool,
}

impl std::fmt::Debug for Phone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Phone({:?})", self.platform)
    }
}

impl Drop for Phone {
    fn drop(&mut self) {
        // Where it was not asked for before, nobody is there to hear of it.
        let _ = self.put_back();
        self.platform.goodbye();
        part(&self.cable, &self.session);
    }
}

/// Sees the end of an agent that was told goodbye. One that had to be ended by force could not put back what it changed.
fn part(cable: &Arc<Cable>, session: &str) {
    if !cable.see_it_end() && cable.start().is_ok() {
        come_and_go(cable, session);
    }
}

/// What is done about an agent that could not be greeted, and so cannot be told goodbye. One that hangs is ended. One of
/// another version ends by itself when nobody comes.
fn give_up(cable: &Arc<Cable>, session: &str, why: &Failure) {
    if why.kind == FailureKind::Device && cable.restart().is_ok() {
        come_and_go(cable, session);
    }
}

/// An agent puts back what one before it could not. One that cannot be greeted either ends by itself.
fn come_and_go(cable: &Arc<Cable>, session: &str) {
    let cancel = Cancel::default();
    if let Ok(again) = RemotePlatform::connect(cable.clone(), session, &who(), Patience::default(), &cancel) {
        again.goodbye();
        cable.see_it_end();
    }
}

impl Phone {
    fn put_back(&self) -> Result<(), Failure> {
        match self.attached.is_reached() {
            true => self.attached.put_back(),
            false => Err(Failure::new(FailureKind::Device, OUT_OF_REACH)),
        }
    }

    /// Installs the agent where another version is there, starts it, and connects to it.
    fn connect(
        phone: Arc<adb::Phone>,
        driver: Driver,
        apk: Option<&Path>,
        clock: Arc<dyn Clock>,
        cancel: &Cancel,
    ) -> Result<Self, Problem> {
        let session = unguessable()
            .map_err(|error| Problem::new(Exit::Device, format!("no name can be made: {error}")))?;
        let agent = make_ready(&phone, apk, cancel)?;
        let cable = Arc::new(Cable::new(phone.clone(), agent, &session, driver));
        cable.start().map_err(failed)?;
        let connected = RemotePlatform::connect(cable.clone(), &session, &who(), Patience::default(), cancel);
        let platform = connected.inspect_err(|why| give_up(&cable, &session, why)).map_err(failed)?;
        let asked: Arc<dyn Platform> = Arc::new(platform.clone());
        let attached = phone::attached(&asked, driver, clock, Some(phone.serial()));
        let leave = |_: &Failure| {
            platform.goodbye();
            part(&cable, &session);
        };
        let attached = attached.inspect_err(leave).map_err(failed)?;
        let (apk, cancel, is_anew) = (apk.map(Path::to_owned), cancel.clone(), AtomicBool::new(false));
        Ok(Self { platform, cable, session, attached, device: phone, apk, cancel, is_anew })
    }
}

/// Sees that the phone can be used and that nobody else does, and installs the agent where another version is there.
pub(crate) fn make_ready(
    phone: &Arc<adb::Phone>,
    apk: Option<&Path>,
    cancel: &Cancel,
) -> Result<Agent, Problem> {
    if apk.is_none() {
        // One that was given may be made for more; the phone says so when it is installed.
        About::ask(phone, cancel).map_err(trouble)?.fits(phone.serial()).map_err(failed)?;
    }
    // Before anything is changed: a new agent ends the one that is there.
    refuse_if_taken(phone, cancel)?;
    ensure_agent(phone, apk, cancel)
}

/// `eve@laptop`, for others who want the phone.
pub(crate) fn who() -> String {
    let user = var("USER").or_else(|| var("LOGNAME")).unwrap_or_else(|| "somebody".to_owned());
    let machine = std::fs::read_to_string("/etc/hostname").ok().or_else(|| var("HOSTNAME"));
    match machine.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()) {
        Some(machine) => format!("{user}@{machine}"),
        None => user,
    }
}
