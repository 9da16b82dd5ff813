//! A phone on a cable: the agent on it does what it is asked, and the trails run here.
//!
//! Invariant: nothing is left behind on the phone. The agent ends when it is told to, and by itself when nobody asks it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use trailblaze_android::platform::Platform;
use trailblaze_android::remote::client::{Dial, RemotePlatform};
use trailblaze_android::remote::server::Stream;
use trailblaze_devices::adb::{self, InstallOptions, Limit, Listed, Part, Server, Shell};
use trailblaze_engine::clock::SystemClock;
use trailblaze_engine::host::Cancel;
use trailblaze_mcp::client::unguessable;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::VERSION;
use crate::apk::template;
use crate::exit_code::{Exit, Problem};
use crate::phone::{self, socket};
use crate::run::Attached;

/// The package of the agent, and what runs in it.
const AGENT: &str = "dev.trailblaze.agent";
const RUNNER: &str = "dev.trailblaze.agent/.TrailblazeInstrumentation";
/// How long adb may take for something small.
const SMALL: Duration = Duration::from_secs(15);
/// How long an installation may take.
const INSTALL: Duration = Duration::from_secs(120);
/// How long the agent may take to open its socket.
const START: Duration = Duration::from_secs(30);
/// How long one stream to the agent may be used.
const STREAM: Duration = Duration::from_secs(24 * 60 * 60);

fn var(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn trouble(error: adb::Error) -> Problem {
    let failure = Failure::from(error);
    Problem { hint: failure.hint, ..Problem::new(Exit::Device, failure.message) }
}

/// adb's server, started where it does not run.
fn server(cancel: &Cancel) -> Result<Server, Problem> {
    let address = adb::Address::from_vars(var).map_err(trouble)?;
    let server = Server::new(address, adb::Program::find(|name| std::env::var_os(name)));
    server.ensure_running(&Limit::within(SMALL, cancel)).map_err(trouble)?;
    Ok(server)
}

/// The phones that are connected.
pub fn phones(cancel: &Cancel) -> Result<Vec<Listed>, Problem> {
    server(cancel)?.devices(&Limit::within(SMALL, cancel)).map_err(trouble)
}

/// A phone whose agent answers, until this is dropped.
#[derive(Debug)]
pub struct Phone {
    platform: Arc<RemotePlatform>,
    attached: Arc<dyn Attached>,
}

impl Drop for Phone {
    fn drop(&mut self) {
        self.platform.goodbye();
    }
}

impl Phone {
    pub fn attached(&self) -> Arc<dyn Attached> {
        self.attached.clone()
    }

    /// Installs the agent where another version is there, starts it, and connects to it.
    pub fn connect(
        serial: &str,
        driver: Driver,
        agent: Option<&Path>,
        cancel: &Cancel,
    ) -> Result<Self, Problem> {
        let server = server(cancel)?;
        let small = || Limit::within(SMALL, cancel);
        let devices = server.devices(&small()).map_err(trouble)?;
        let listed = adb::choose(&devices, Some(serial)).map_err(trouble)?;
        listed.ready().map_err(trouble)?;
        let phone = Arc::new(server.phone(serial));
        ensure_agent(&phone, agent, cancel)?;
        let session = unguessable()
            .map_err(|error| Problem::new(Exit::Device, format!("no name can be made: {error}")))?;
        let command = format!(
            "am instrument -w -r -e mode serve -e session {session} -e driver {} {RUNNER}",
            driver.key()
        );
        let shell = phone.start_shell(&command, &Limit::within(STREAM, cancel)).map_err(trouble)?;
        let cable =
            Cable { phone, socket: socket(&session), cancel: cancel.clone(), agent: Mutex::new(Some(shell)) };
        let failed =
            |failure: Failure| Problem { hint: failure.hint, ..Problem::new(Exit::Device, failure.message) };
        let cable = Arc::new(cable);
        cable.wait().map_err(failed)?;
        let platform = Arc::new(RemotePlatform::connect(cable, &session, &who(), cancel).map_err(failed)?);
        let asked: Arc<dyn Platform> = platform.clone();
        let attached = phone::attached(&asked, driver, Arc::new(SystemClock::default()), Some(serial));
        Ok(Self { attached: attached.map_err(failed)?, platform })
    }
}

/// `eve@laptop`, for others who want the phone.
fn who() -> String {
    let user = var("USER").or_else(|| var("LOGNAME")).unwrap_or_else(|| "somebody".to_owned());
    let machine = std::fs::read_to_string("/etc/hostname").ok().or_else(|| var("HOSTNAME"));
    match machine.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()) {
        Some(machine) => format!("{user}@{machine}"),
        None => user,
    }
}

fn ensure_agent(phone: &adb::Phone, agent: Option<&Path>, cancel: &Cancel) -> Result<(), Problem> {
    let about = phone.shell(&format!("dumpsys package {AGENT}"), &Limit::within(SMALL, cancel));
    let about = about.map_err(trouble)?.text();
    let version = about.lines().find_map(|line| line.trim().strip_prefix("versionName="));
    if version == Some(VERSION) {
        return Ok(());
    }
    let apk = template::find(agent)?;
    let options = InstallOptions { allow_downgrade: true, grant_permissions: true, user: None };
    phone.install(&apk, &options, &Limit::within(INSTALL, cancel)).map_err(trouble)
}

/// The way to the agent's socket.
struct Cable {
    phone: Arc<adb::Phone>,
    socket: String,
    cancel: Cancel,
    /// The instrumentation, as long as nothing was heard of its end.
    agent: Mutex<Option<Shell>>,
}

impl Dial for Cable {
    fn dial(&self) -> Result<Box<dyn Stream>, Failure> {
        let stream = self.phone.open_abstract(&self.socket, &Limit::within(STREAM, &self.cancel))?;
        Ok(Box::new(stream))
    }
}

impl Cable {
    /// Waits until the agent listens. One that ended says why.
    fn wait(&self) -> Result<(), Failure> {
        let whole = Limit::within(START, &self.cancel);
        loop {
            let tried = self.phone.open_abstract(&self.socket, &whole.at_most(Duration::from_secs(2)));
            let error = match tried {
                Ok(_) => return Ok(()),
                Err(error) => Failure::from(error),
            };
            if self.cancel.is_cancelled() {
                return Err(Failure::new(FailureKind::Interrupted, "the run was interrupted"));
            }
            if let Some(said) = self.ended() {
                let message = format!("the agent on the phone ended before it answered:\n{}", said.trim());
                return Err(
                    Failure::new(FailureKind::Device, message).hint("'trailblaze doctor' looks at the phone")
                );
            }
            if whole.left().is_zero() {
                let message = format!("the agent on the phone did not answer within {} s", START.as_secs());
                let hint = error.hint.unwrap_or_else(|| "'trailblaze doctor' looks at the phone".to_owned());
                return Err(Failure::new(FailureKind::Device, message).hint(hint));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// What the instrumentation said, where it has ended.
    fn ended(&self) -> Option<String> {
        let mut agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        let shell = agent.as_mut()?;
        let mut said = String::new();
        loop {
            shell.set_limit(&Limit::within(Duration::from_millis(100), &self.cancel));
            match shell.next_part() {
                Ok(Part::Out(bytes) | Part::Err(bytes)) => said += &String::from_utf8_lossy(&bytes),
                Ok(Part::Exit(_)) => {
                    *agent = None;
                    return Some(said);
                }
                // It runs.
                Err(_) => return None,
            }
        }
    }
}
