//! Phones on cables: the agent on each does what it is asked, and the trails run here.
//!
//! Invariant: nothing is left behind on a phone. The agent ends when it is told to, and by itself when nobody asks it.

mod agent;
mod cable;
mod taken;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use agent::{Agent, ensure_agent, version as agent_version};
use cable::Cable;
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
use crate::on_device;
use crate::phone;
use crate::run::Attached;

/// How long adb may take for something small.
pub(crate) const SMALL: Duration = Duration::from_secs(15);

fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

pub(crate) fn trouble(error: adb::Error) -> Problem {
    failed(Failure::from(error))
}

fn failed(failure: Failure) -> Problem {
    let exit = if failure.kind == FailureKind::Interrupted { Exit::Interrupted } else { Exit::Device };
    Problem { hint: failure.hint, ..Problem::new(exit, failure.message) }
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

/// Phones whose agents answer, until this is dropped.
#[derive(Debug)]
pub struct Phones(Vec<Phone>);

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
        let named = serials.iter().zip(connected).map(|(serial, connected)| {
            connected.map_err(|problem| match several && !problem.message.contains(serial.as_str()) {
                true => Problem { message: format!("{serial}: {}", problem.message), ..problem },
                false => problem,
            })
        });
        named.collect::<Result<_, _>>().map(Self)
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
        self.0.iter().filter_map(told).collect()
    }

    /// The classes of the agents' APK that are tools.
    pub fn classes(&self) -> Option<Arc<dyn Classes>> {
        let platform = |phone: &Phone| Arc::new(phone.platform.clone()) as Arc<dyn Platform>;
        let phones: Vec<_> = self.0.iter().map(platform).collect();
        (!phones.is_empty()).then(|| Arc::new(ApkClasses::new(phones)) as Arc<dyn Classes>)
    }
}

/// One of them.
struct Phone {
    platform: RemotePlatform,
    cable: Arc<Cable>,
    session: String,
    attached: Arc<dyn Attached>,
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

/// Sees the end of an agent that was told goodbye. One that had to be ended by force could not put back what it changed;
/// the next one does, so that one comes and goes.
fn part(cable: &Arc<Cable>, session: &str) {
    if cable.see_it_end() || cable.start().is_err() {
        return;
    }
    let cancel = Cancel::default();
    if let Ok(again) = RemotePlatform::connect(cable.clone(), session, &who(), Patience::default(), &cancel) {
        again.goodbye();
    }
    cable.see_it_end();
}

impl Phone {
    /// One that is gone cannot be asked.
    fn put_back(&self) -> Result<(), Failure> {
        if self.attached.is_reached() { self.attached.put_back() } else { Ok(()) }
    }

    /// Installs the agent where another version is there, starts it, and connects to it.
    fn connect(
        phone: Arc<adb::Phone>,
        driver: Driver,
        agent: Option<&Path>,
        clock: Arc<dyn Clock>,
        cancel: &Cancel,
    ) -> Result<Self, Problem> {
        let session = unguessable()
            .map_err(|error| Problem::new(Exit::Device, format!("no name can be made: {error}")))?;
        // Before anything else: a new agent ends the one that is there.
        refuse_if_taken(&phone, cancel)?;
        let agent = ensure_agent(&phone, agent, cancel)?;
        let cable = Arc::new(Cable::new(phone.clone(), agent, &session, driver));
        cable.start().map_err(failed)?;
        let connected = RemotePlatform::connect(cable.clone(), &session, &who(), Patience::default(), cancel);
        let platform = connected.inspect_err(|_| part(&cable, &session)).map_err(failed)?;
        let asked: Arc<dyn Platform> = Arc::new(platform.clone());
        let attached = phone::attached(&asked, driver, clock, Some(phone.serial()));
        let leave = |_: &Failure| {
            platform.goodbye();
            part(&cable, &session);
        };
        let attached = attached.inspect_err(leave).map_err(failed)?;
        Ok(Self { platform, cable, session, attached })
    }
}

/// A phone does one thing at a time, whoever asks for it.
pub(crate) fn refuse_if_taken(phone: &Arc<adb::Phone>, cancel: &Cancel) -> Result<(), Problem> {
    taken::check(phone, &who(), cancel).map_err(failed)?;
    on_device::refuse_if_busy(phone, cancel)
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
