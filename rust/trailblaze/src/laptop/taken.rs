//! Whether somebody else has the phone. Another agent would end theirs, so they are asked first.

use std::sync::Arc;
use std::time::Duration;

use trailblaze_android::remote::Wire;
use trailblaze_android::remote::client::{Dial, Patience, RemotePlatform};
use trailblaze_devices::adb::{self, Limit};
use trailblaze_engine::host::Cancel;
use trailblaze_mcp::client::unguessable;
use trailblaze_model::failure::{Failure, FailureKind};

use super::SMALL;
use super::cable::Line;
use crate::phone::socket;

/// How long an agent may take to end that nobody uses any more.
const END: Duration = Duration::from_secs(10);

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

/// Refused when a laptop uses an agent on the phone. One whose laptop is gone is asked to end, and puts back what it
/// changed.
pub(super) fn check(phone: &Arc<adb::Phone>, who: &str, cancel: &Cancel) -> Result<(), Failure> {
    for socket in sockets(phone, cancel)? {
        let theirs = Arc::new(Theirs { phone: phone.clone(), socket });
        let session = unguessable()
            .map_err(|error| Failure::new(FailureKind::Device, format!("no name can be made: {error}")))?;
        match RemotePlatform::connect(theirs.clone(), &session, who, Patience::default(), cancel) {
            Ok(left) => {
                left.goodbye();
                let until = Limit::within(END, cancel);
                while !until.left().is_zero() && theirs.dial().is_ok() {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            Err(busy) if busy.kind == FailureKind::Refused && busy.message.contains("in use") => {
                return Err(Failure { kind: FailureKind::Device, ..busy });
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
