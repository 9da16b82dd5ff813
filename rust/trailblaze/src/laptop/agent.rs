//! The agent's APK on a phone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use trailblaze_apk::{Identity, RUNNER};
use trailblaze_devices::adb::{self, ErrorKind, InstallOptions, Limit, Refusal};
use trailblaze_engine::host::Cancel;

use super::{SMALL, trouble};
use crate::VERSION;
use crate::apk::{same_version, template};
use crate::exit_code::{Exit, Problem};
use crate::files;

/// The package of the agent as it is released.
pub(crate) const AGENT: &str = "dev.trailblaze.agent";
/// How long an installation may take.
const INSTALL: Duration = Duration::from_secs(120);

/// An agent that is on the phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) package: String,
}

impl Agent {
    /// Starts it with these arguments. `am` holds the agent's shell, and a cable that drops out would hang up on it.
    pub(crate) fn start(&self, arguments: &[(&str, &str)]) -> String {
        let pair = |(key, value): &(&str, &str)| format!("-e {key} {} ", adb::quote(value));
        let pairs: String = arguments.iter().map(pair).collect();
        let runner = adb::quote(&format!("{}/{RUNNER}", self.package));
        format!("trap '' HUP; am instrument -w -r {pairs}{runner}")
    }
}

/// The file that `--agent-apk` names.
pub(crate) fn given(apk: &Path) -> Result<PathBuf, Problem> {
    let hint = || format!("'--agent-apk' names the '{}' of the release", template::NAME);
    template::find(Some(apk)).map_err(|problem| problem.hint(hint()))
}

/// Installs the agent where another is on the phone. One that is given must be the same to the last byte; of the
/// released one the version is enough, so that a laptop without the file can use a phone that has it. No file of another
/// version is installed.
pub(crate) fn ensure_agent(
    phone: &adb::Phone,
    apk: Option<&Path>,
    cancel: &Cancel,
) -> Result<Agent, Problem> {
    let Some(apk) = apk else {
        let agent = Agent { package: AGENT.to_owned() };
        if version(phone, cancel)?.as_deref() == Some(VERSION) {
            return Ok(agent);
        }
        let apk = template::find(None).map_err(|problem| {
            problem.hint(format!("take '{}' of the release, or name it with '--agent-apk'", template::NAME))
        })?;
        same_version(&apk, &identity(&apk)?.version_name)?;
        install(phone, &agent, &apk, cancel)?;
        return Ok(agent);
    };
    let apk = given(apk)?;
    let Identity { package, version_name, has_trails, sha256 } = identity(&apk)?;
    if !has_trails {
        same_version(&apk, &version_name)?;
    }
    let agent = Agent { package };
    if !is_there(phone, &agent, &sha256, cancel)? {
        install(phone, &agent, &apk, cancel)?;
    }
    Ok(agent)
}

fn identity(apk: &Path) -> Result<Identity, Problem> {
    Identity::of(apk).map_err(|error| {
        let problem = Problem::new(Exit::BadDocument, format!("{}: {}", files::shown(apk), error.message));
        Problem { hint: error.hint, ..problem }
    })
}

/// The version of the released agent, where it is installed.
pub(crate) fn version(phone: &adb::Phone, cancel: &Cancel) -> Result<Option<String>, Problem> {
    let about = phone.shell(&format!("dumpsys package {AGENT}"), &Limit::within(SMALL, cancel));
    let about = about.map_err(trouble)?.text();
    Ok(about.lines().find_map(|line| line.trim().strip_prefix("versionName=")).map(str::to_owned))
}

/// Whether this very file is installed.
fn is_there(phone: &adb::Phone, agent: &Agent, sha256: &str, cancel: &Cancel) -> Result<bool, Problem> {
    let said = |command: String| -> Result<String, Problem> {
        Ok(phone.shell(&command, &Limit::within(SMALL, cancel)).map_err(trouble)?.text())
    };
    let paths = said(format!("pm path {}", adb::quote(&agent.package)))?;
    let mut paths = paths.lines().filter_map(|line| line.trim().strip_prefix("package:"));
    let (Some(path), None) = (paths.next(), paths.next()) else { return Ok(false) };
    Ok(said(format!("sha256sum {}", adb::quote(path)))?.split_whitespace().next() == Some(sha256))
}

/// One that cannot be replaced is removed first: it is only an agent, and holds nothing.
fn install(phone: &adb::Phone, agent: &Agent, apk: &Path, cancel: &Cancel) -> Result<(), Problem> {
    let options = InstallOptions { allow_downgrade: true, grant_permissions: true, user: None };
    let install = || phone.install(apk, &options, &Limit::within(INSTALL, cancel));
    match install() {
        Err(error)
            if matches!(error.kind, ErrorKind::Install(Refusal::Downgrade | Refusal::OtherSignature)) =>
        {
            phone.uninstall(&agent.package, &Limit::within(INSTALL, cancel)).map_err(trouble)?;
            install().map_err(trouble)
        }
        other => other.map_err(trouble),
    }
}
