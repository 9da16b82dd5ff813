//! Whether somebody else has the phone: a laptop that drives it, or one that lets it run trails. Another agent would end
//! theirs, so they are asked first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use trailblaze_android::remote::Wire;
use trailblaze_android::remote::client::{Dial, Patience, RemotePlatform};
use trailblaze_devices::adb::{self, Limit};
use trailblaze_engine::host::Cancel;
use trailblaze_mcp::client::unguessable;
use trailblaze_model::failure::{Failure, FailureKind};

use super::cable::Line;
use super::{SMALL, failed, trouble, who};
use crate::exit_code::{Exit, Problem};
use crate::phone::socket;

/// Where a run that the phone does itself has its folder, up to its name. The shell may write there, the agent may read.
/// In it `owner` says whose it is, and is locked as long as they are there; `over` is there when only reports are fetched.
pub(crate) const RUNS: &str = "/data/local/tmp/trailblaze-run-";
/// How long an agent may take to end that nobody uses any more.
const END: Duration = Duration::from_secs(10);
/// How long a run that is just over may take to go.
const GOING: Duration = Duration::from_secs(3);
/// How long it takes between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// A phone does one thing at a time, whoever asks for it.
pub(crate) fn refuse_if_taken(phone: &Arc<adb::Phone>, cancel: &Cancel) -> Result<(), Problem> {
    refuse_if_others(phone, None, cancel)
}

/// The same for a run that has its folder on the phone already.
pub(crate) fn refuse_if_others(
    phone: &Arc<adb::Phone>,
    own: Option<&str>,
    cancel: &Cancel,
) -> Result<(), Problem> {
    refuse_if_driven(phone, None, cancel).map_err(failed)?;
    refuse_if_it_runs(phone, own, cancel)
}

/// The way to an agent that others started.
struct Theirs {
    phone: Arc<adb::Phone>,
    socket: String,
}

impl Dial for Theirs {
    fn phone(&self) -> &str {
        self.phone.serial()
    }

    fn dial(&self) -> Result<Arc<dyn Wire>, Failure> {
        Ok(Arc::new(Line::open(&self.phone, &self.socket)?))
    }

    fn restart(&self) -> Result<(), Failure> {
        Err(Failure::new(FailureKind::NotSupported, "it is not ours"))
    }
}

/// Refused when a laptop uses an agent on the phone, other than the own one. One whose laptop is gone is asked to end, and
/// puts back what it changed.
pub(super) fn refuse_if_driven(
    phone: &Arc<adb::Phone>,
    own: Option<&str>,
    cancel: &Cancel,
) -> Result<(), Failure> {
    let sockets = sockets(phone, cancel)?;
    for socket in sockets.into_iter().filter(|socket| own != Some(socket)) {
        let theirs = Arc::new(Theirs { phone: phone.clone(), socket });
        let session = unguessable()
            .map_err(|error| Failure::new(FailureKind::Device, format!("no name can be made: {error}")))?;
        match RemotePlatform::connect(theirs.clone(), &session, &who(), Patience::default(), cancel) {
            Ok(left) => {
                left.goodbye();
                let until = Limit::within(END, cancel);
                while !until.left().is_zero() && theirs.dial().is_ok() {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            Err(busy) if busy.kind == FailureKind::Refused && busy.message.contains("in use") => {
                return Err(busy);
            }
            // It has ended just now, or is of another version, which is replaced.
            Err(_) => {}
        }
    }
    Ok(())
}

/// The sockets of agents on the phone. A phone that does not show them has none that could be asked.
fn sockets(phone: &adb::Phone, cancel: &Cancel) -> Result<Vec<String>, Failure> {
    let listed = phone.shell("cat /proc/net/unix", &Limit::within(SMALL, cancel))?;
    let name = |line: &str| Some(line.split_whitespace().next_back()?.strip_prefix('@')?.to_owned());
    let prefix = socket("");
    let mut names: Vec<String> =
        listed.text().lines().filter_map(name).filter(|name| name.starts_with(&prefix)).collect();
    // Each connection of a socket is listed, too.
    names.sort();
    names.dedup();
    Ok(names)
}

/// Somebody's run on the phone itself.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    name: String,
    /// Whether its laptop is there; else it may still run.
    is_held: bool,
    /// Of the agent.
    package: String,
    who: String,
}

/// Refused while the phone runs trails, or is about to. A run may be just over, and take a moment to go. Of two who come
/// at the same moment each has a folder before it looks, so that never both go on; the one whose name is greater gives
/// way, and the other waits a moment to see that. Who has none yet gives way, too.
fn refuse_if_it_runs(phone: &adb::Phone, own: Option<&str>, cancel: &Cancel) -> Result<(), Problem> {
    let until = Instant::now() + GOING;
    loop {
        let mut others = runs(phone, cancel).map_err(trouble)?.into_iter();
        let busy = others.find_map(|run| match own == Some(run.name.as_str()) {
            true => None,
            false if run.is_held => Some(Ok(run)),
            false => match is_there(phone, &run.package, &Limit::within(SMALL, cancel)) {
                Ok(is_there) => is_there.then_some(Ok(run)),
                Err(error) => Some(Err(trouble(error))),
            },
        });
        let Some(busy) = busy.transpose()? else { return Ok(()) };
        let gives_way = busy.is_held && own.is_none_or(|own| own > busy.name.as_str());
        if gives_way || Instant::now() > until {
            let message = format!("{} is in use by {}, who runs trails on it", phone.serial(), busy.who);
            let package = busy.package;
            let hint = format!(
                "wait until they are done; 'adb shell am force-stop {package}' ends them in any case"
            );
            return Err(Problem::new(Exit::Device, message).hint(hint));
        }
        std::thread::sleep(LOOK);
    }
}

/// The runs that have a folder on the phone and are not over.
fn runs(phone: &adb::Phone, cancel: &Cancel) -> Result<Vec<Run>, adb::Error> {
    // Who only looks shares the lock, so that two who look do not see each other. 1 says that it is taken; whatever else
    // may be, the phone has no 'flock'.
    let look = format!(
        "for run in {RUNS}*; do \
         [ -e \"$run/owner\" ] && [ ! -e \"$run/over\" ] && \
         {{ flock -sn 8; echo $? \"${{run#{RUNS}}}\" \"$(cat \"$run/owner\")\"; }} 8<\"$run/owner\"; done 2>/dev/null"
    );
    let found = phone.shell(&look, &Limit::within(SMALL, cancel))?.text();
    let run = |line: &str| {
        let mut words = line.splitn(4, ' ').map(str::to_owned);
        let is_held = words.next()? == "1";
        Some(Run { is_held, name: words.next()?, package: words.next()?, who: words.next()? })
    };
    Ok(found.lines().filter_map(run).collect())
}

/// Removes the folders of runs that are over, or whose laptop is gone, from there and from where agents write.
pub(crate) fn clear(phone: &adb::Phone, agents: &str, limit: &Limit) -> Result<(), adb::Error> {
    let command = format!(
        "for run in {RUNS}*; do \
         {{ flock -sn 8; [ $? = 1 ]; }} 2>/dev/null 8<\"$run/owner\" || rm -rf \"$run\"; done; \
         for out in {agents}*; do [ -e \"{RUNS}${{out#{agents}}}\" ] || rm -rf \"$out\"; done"
    );
    // What cannot be removed disturbs nobody.
    phone.shell(&command, limit).map(drop)
}

/// Whether an app runs.
pub(crate) fn is_there(phone: &adb::Phone, package: &str, limit: &Limit) -> Result<bool, adb::Error> {
    let found = phone.shell(&format!("pidof {}", adb::quote(package)), limit)?;
    Ok(!found.text().trim().is_empty())
}
