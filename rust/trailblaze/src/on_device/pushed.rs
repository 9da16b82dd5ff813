//! What lies on the phone for one run: the workspace, what the run is told, and the reports.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use trailblaze_apk::{Asset, Content};
use trailblaze_devices::adb::{Error, ErrorKind, FileKind, Limit, Part, Phone, Shell, Sync, quote};
use trailblaze_engine::host::Cancel;
use trailblaze_mcp::client::unguessable;

use crate::files;
use crate::laptop::taken::{self, RUNS};
use crate::laptop::{Agent, SMALL, who};
use crate::phone::handed::Handed;

/// Where the agent may write and the shell may read, below the folder of all apps.
const APPS: &str = "/sdcard/Android/data";
/// What everybody may read.
const READABLE: u32 = 0o644;
/// How long files may take on their way.
const FILES: Duration = Duration::from_secs(20 * 60);
/// So many characters are shown of why the phone's shell could not do something.
const MOST_WHY: usize = 120;
/// What is written here anew, out of the same events.
const OURS: [&str; 4] = ["events.jsonl", "junit.xml", "summary.md", ".trailblaze-reports"];

/// The folders of a run. They are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Pushed {
    phone: Phone,
    agent: Agent,
    /// Nobody guesses it, and so nobody else has it.
    name: String,
    is_there: bool,
    /// Holds the lock by which others see that somebody is here. It ends with the connection, however that ends.
    held: Option<Shell>,
}

impl Drop for Pushed {
    fn drop(&mut self) {
        // Whoever wants to know asks before.
        let _ = self.remove(&self.phone.clone());
    }
}

impl Pushed {
    /// Makes the folder. Whoever looks at the phone from now on sees that it is taken.
    pub(super) fn claim(phone: &Phone, agent: &Agent, cancel: &Cancel) -> Result<Self, Error> {
        let name = unguessable().map_err(|error| said(&format!("no name can be made: {error}")))?;
        let mut claimed =
            Self { phone: phone.clone(), agent: agent.clone(), name, is_there: true, held: None };
        let owner = quote(&format!("{} {}", agent.package, who()));
        // Others remove a folder that nobody holds, so it gets its name when it is held. Whoever does not know its name
        // finds nothing of it.
        let (base, new) = (claimed.base(), claimed.unnamed());
        let command = format!(
            "mkdir -m 711 {new} && echo {owner} > {new}/owner && \
             {{ flock 8; mv {new} {base} && echo held && cat; }} 8<{new}/owner"
        );
        let what = "no folder for the run could be made";
        claimed.held = Some(hold(phone, what, &command, &Limit::within(SMALL, cancel))?);
        Ok(claimed)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn push(&self, assets: &[Asset], handed: &Handed, cancel: &Cancel) -> Result<(), Error> {
        let phone = &self.phone;
        let small = || Limit::within(SMALL, cancel);
        taken::clear(phone, &agents(&self.agent), &small())?;
        let mut sync = phone.sync(&Limit::within(FILES, cancel))?;
        for Asset { name, content } in assets {
            let to = format!("{}/{name}", self.workspace());
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
        let write = format!("umask 077 && cat > {}", self.arguments());
        run(
            phone,
            "what the run is told could not be written",
            &write,
            Some(handed.print().as_bytes()),
            &small(),
        )
    }

    /// The phone is free again, and what lies there is still needed.
    pub(super) fn is_over(&mut self) -> Result<(), Error> {
        // Held anew: the cable may have been out.
        self.held = None;
        let base = self.base();
        let command = format!("touch {base}/over && {{ flock 8; echo held && cat; }} 8<{base}/owner");
        let limit = Limit::within(SMALL, &Cancel::default());
        self.held = Some(hold(&self.phone, "the run's folder could not be held", &command, &limit)?);
        Ok(())
    }

    fn unnamed(&self) -> String {
        RUNS.replace("trailblaze-run-", ".trailblaze-run-") + &self.name
    }

    pub(super) fn base(&self) -> String {
        format!("{RUNS}{}", self.name)
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
        format!("{}{}", agents(&self.agent), self.name)
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
        let command = format!("rm -rf {} {} {}", self.base(), self.unnamed(), self.output());
        let removed = run(phone, "the run's folders could not be removed", &command, None, &limit);
        self.held = None;
        removed
    }

    /// Leaves everything to a phone that is away and goes on. The next run removes it; how to end it before, for people.
    pub(super) fn leave(&mut self) -> String {
        (self.is_there, self.held) = (false, None);
        let (serial, stop) = (self.phone.serial(), self.stop());
        format!(
            "{serial} is away and runs the trails to their end by itself; 'adb -s {serial} shell touch {stop}' ends it \
             before, once it is back, and the next run with '--on-device' removes what was pushed"
        )
    }
}

/// Where reports of an agent are, up to the name of the run.
fn agents(agent: &Agent) -> String {
    format!("{APPS}/{}/files/trailblaze-run-", agent.package)
}

/// Starts a command that says when it holds the lock, and then holds it as long as the connection is there.
fn hold(phone: &Phone, what: &str, command: &str, limit: &Limit) -> Result<Shell, Error> {
    let mut shell = phone.start_shell(command, limit)?;
    let (mut out, mut err) = (Vec::new(), Vec::new());
    loop {
        match shell.next_part()? {
            Part::Out(bytes) => out.extend(bytes),
            Part::Err(bytes) => err.extend(bytes),
            Part::Exit(_) => return Err(failed(phone, what, &err)),
        }
        if out.ends_with(b"held\n") {
            return Ok(shell);
        }
    }
}

/// Runs a command that must succeed; people are told what could not be done instead.
pub(super) fn run(
    phone: &Phone,
    what: &str,
    command: &str,
    input: Option<&[u8]>,
    limit: &Limit,
) -> Result<(), Error> {
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
    Err(failed(phone, what, &output.err))
}

fn failed(phone: &Phone, what: &str, err: &[u8]) -> Error {
    let why = String::from_utf8_lossy(err);
    let why = why.lines().map(str::trim).find(|line| !line.is_empty());
    // A shell may repeat the whole command, and what matters of that stands at its end.
    let long = |why: &str| why.chars().count().checked_sub(MOST_WHY).filter(|more| *more > 0);
    let why = match why {
        None => "its shell gave no reason".to_owned(),
        Some(why) => match long(why) {
            None => why.to_owned(),
            Some(more) => format!("…{}", why.chars().skip(more).collect::<String>()),
        },
    };
    said(&format!("{what} on {}: {why}", phone.serial()))
}

fn said(message: &str) -> Error {
    let hint = match message.contains("No space left") {
        true => "make room on the phone",
        false => "'trailblaze doctor' looks at the phone",
    };
    Error { kind: ErrorKind::Refused, message: message.to_owned(), hint: Some(hint.to_owned()) }
}
