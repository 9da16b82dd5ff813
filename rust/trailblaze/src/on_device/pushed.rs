//! What lies on the phone for one run: the workspace, what the run is told, and the reports.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use trailblaze_apk::{Asset, Content};
use trailblaze_devices::adb::{Error, ErrorKind, FileKind, Limit, Phone, Sync, quote};
use trailblaze_engine::host::Cancel;
use trailblaze_mcp::client::unguessable;

use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::laptop::{Agent, SMALL, trouble, who};
use crate::phone::handed::Handed;

/// Where the shell may write and the agent may read.
const SHELLS: &str = "/data/local/tmp/trailblaze-run-";
/// Where the agent may write and the shell may read, below the folder of all apps.
const APPS: &str = "/sdcard/Android/data";
/// What everybody may read.
const READABLE: u32 = 0o644;
/// How long files may take on their way.
const FILES: Duration = Duration::from_secs(20 * 60);
/// How long the agent of the run before may take to go.
const GOING: Duration = Duration::from_secs(3);
/// How long it takes between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// What is written here anew, out of the same events.
const OURS: [&str; 4] = ["events.jsonl", "junit.xml", "summary.md", ".trailblaze-reports"];

/// The folders of a run. They are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pushed {
    phone: Phone,
    agent: Agent,
    session: String,
    is_there: bool,
}

impl Drop for Pushed {
    fn drop(&mut self) {
        // Whoever wants to know asks before.
        let _ = self.remove(&self.phone.clone());
    }
}

impl Pushed {
    pub(super) fn push(
        phone: &Phone,
        agent: &Agent,
        assets: &[Asset],
        handed: &Handed,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let session = unguessable().map_err(|error| said(&format!("no name can be made: {error}")))?;
        let pushed = Self { phone: phone.clone(), agent: agent.clone(), session, is_there: true };
        let small = || Limit::within(SMALL, cancel);
        // What a run left that was killed here, and is over there.
        run(phone, &format!("rm -rf {SHELLS}* {}*", agents(agent)), None, &small())?;
        let (base, owner) = (pushed.base(), quote(&format!("{} {}", agent.package, who())));
        // Whoever does not know its name finds nothing of it.
        run(phone, &format!("mkdir -m 711 {base} && echo {owner} > {base}/owner"), None, &small())?;
        let mut sync = phone.sync(&Limit::within(FILES, cancel))?;
        for Asset { name, content } in assets {
            let to = format!("{}/{name}", pushed.workspace());
            let mut from: Box<dyn Read> = match content {
                Content::File(path) => Box::new(File::open(path).map_err(|error| {
                    said(&format!("{} cannot be read: {}", files::shown(path), files::why(&error)))
                })?),
                Content::Bytes(bytes) => Box::new(bytes.as_slice()),
            };
            // The agent is another user there.
            sync.push(&mut from, &to, READABLE, 0)?;
        }
        // adb would let everybody read it.
        let write = format!("umask 077 && cat > {}", pushed.arguments());
        run(phone, &write, Some(handed.print().as_bytes()), &small())?;
        Ok(pushed)
    }

    pub(super) fn base(&self) -> String {
        format!("{SHELLS}{}", self.session)
    }

    pub(super) fn workspace(&self) -> String {
        format!("{}/workspace", self.base())
    }

    pub(super) fn arguments(&self) -> String {
        format!("{}/arguments.json", self.base())
    }

    /// The run ends when this file is there.
    pub(super) fn stop(&self) -> String {
        format!("{}/stop", self.base())
    }

    pub(super) fn output(&self) -> String {
        format!("{}{}", agents(&self.agent), self.session)
    }

    pub(super) fn reports(&self) -> String {
        format!("{}/trailblaze", self.output())
    }

    /// Fetches pictures, bundles and logs.
    pub(super) fn pull(&self, phone: &Phone, to: &Path) -> Result<(), Error> {
        let mut sync = phone.sync(&Limit::within(SMALL, &Cancel::default()))?;
        sync.set_limit(&Limit::within(FILES, &Cancel::default()));
        for entry in sync.list(&self.reports())? {
            self.pull_one(&mut sync, &entry.name, entry.stat.kind(), to)?;
        }
        Ok(())
    }

    fn pull_one(&self, sync: &mut Sync, name: &str, kind: FileKind, to: &Path) -> Result<(), Error> {
        let from = format!("{}/{name}", self.reports());
        match kind {
            // A name comes from the phone, and must not lead out of the folder.
            _ if name.contains(['/', '\0']) || OURS.contains(&name) => Ok(()),
            FileKind::Folder => sync.pull_folder(&from, &to.join(name)).map(drop),
            FileKind::File => sync.pull_file(&from, &to.join(name)).map(drop),
            _ => Ok(()),
        }
    }

    /// Removes everything from the phone, also when the run was interrupted.
    pub(super) fn remove(&mut self, phone: &Phone) -> Result<(), Error> {
        if !std::mem::take(&mut self.is_there) {
            return Ok(());
        }
        let limit = Limit::within(SMALL, &Cancel::default());
        run(phone, &format!("rm -rf {} {}", self.base(), self.output()), None, &limit)
    }
}

/// Where reports of an agent are, up to the name of the run.
fn agents(agent: &Agent) -> String {
    format!("{APPS}/{}/files/trailblaze-run-", agent.package)
}

/// A phone does one run at a time, and a new one would end the one that is there. It may be just over, and take a
/// moment to go.
pub(crate) fn refuse_if_busy(phone: &Phone, cancel: &Cancel) -> Result<(), Problem> {
    let small = || Limit::within(SMALL, cancel);
    let owners = phone.shell(&format!("cat {SHELLS}*/owner 2>/dev/null"), &small()).map_err(trouble)?.text();
    let until = Instant::now() + GOING;
    for (package, owner) in owners.lines().filter_map(|line| line.split_once(' ')) {
        while is_there(phone, package).map_err(trouble)? {
            if Instant::now() > until {
                let message = format!("{} is in use by {owner}, who runs trails on it", phone.serial());
                let hint = format!(
                    "wait until they are done; 'adb shell am force-stop {package}' ends them in any case"
                );
                return Err(Problem::new(Exit::Device, message).hint(hint));
            }
            std::thread::sleep(LOOK);
        }
    }
    Ok(())
}

/// Whether an app runs, also after an interrupt.
pub(super) fn is_there(phone: &Phone, package: &str) -> Result<bool, Error> {
    let command = format!("pidof {}", quote(package));
    Ok(!phone.shell(&command, &Limit::within(SMALL, &Cancel::default()))?.text().is_empty())
}

/// Runs a command that must succeed.
pub(super) fn run(phone: &Phone, command: &str, input: Option<&[u8]>, limit: &Limit) -> Result<(), Error> {
    let output = match input {
        None => phone.shell(command, limit)?,
        Some(input) => {
            let mut shell = phone.start_shell(command, limit)?;
            shell.write(input)?;
            shell.close_input()?;
            shell.output()?
        }
    };
    if output.exit.unwrap_or_default() == 0 {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.err);
    let why = why.lines().next().unwrap_or("no reason was given").to_owned();
    let word = command.split_whitespace().next().unwrap_or_default();
    Err(said(&format!("'{word}' failed on {}: {why}", phone.serial())))
}

fn said(message: &str) -> Error {
    let hint = message.contains("No space left").then(|| "make room on the phone".to_owned());
    Error { kind: ErrorKind::Refused, message: message.to_owned(), hint }
}
