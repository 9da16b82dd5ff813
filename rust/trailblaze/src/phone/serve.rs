//! The phone does what a laptop asks for: `-e mode serve -e session NAME`.
//!
//! What is changed on the phone for that is changed from here, so that it is put back even when the laptop is gone at once.

use std::io;
#[cfg(target_os = "android")]
use std::os::android::net::SocketAddrExt;
#[cfg(not(target_os = "android"))]
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use trailblaze_android::platform::Platform;
use trailblaze_android::remote::Wire;
use trailblaze_android::remote::server::{self, Door, Ended, Patience};
use trailblaze_engine::clock::Clock;
use trailblaze_engine::host::Cancel;
use trailblaze_model::driver::Driver;

use super::arguments::Arguments;
use super::settings::Changed;
use super::{make_ready, socket, told};
use crate::VERSION;

/// How long the door may take to close.
const CLOSES: Duration = Duration::from_secs(1);

/// A socket without a file.
struct Abstract(UnixListener);

impl Door for Abstract {
    fn next(&mut self) -> io::Result<Arc<dyn Wire>> {
        Ok(Arc::new(self.0.accept()?.0))
    }
}

/// Serves until the laptop says goodbye or stays away; what it came to, for people.
pub(super) fn run(
    platform: &Arc<dyn Platform>,
    arguments: &Arguments,
    clock: &dyn Clock,
    cancel: &Cancel,
) -> Result<String, String> {
    let session = arguments.session.as_deref().filter(|session| !session.is_empty());
    let session =
        session.ok_or("'-e mode serve' needs '-e session NAME', by which the laptop finds the phone")?;
    let driver = arguments.driver.unwrap_or(Driver::AndroidOndeviceAccessibility);
    let mut changed = Changed::new(platform.clone());
    make_ready(&mut changed, driver, clock, cancel).map_err(told)?;
    // Only now: whoever finds the socket finds a phone that is ready.
    let name = socket(session);
    let unopened = |error: io::Error| format!("the socket '{name}' cannot be opened: {error}");
    let at = SocketAddr::from_abstract_name(&name).map_err(unopened)?;
    let door = Abstract(UnixListener::bind_addr(&at).map_err(unopened)?);
    let mut patience = Patience::default();
    patience.alone = arguments.patience_ms.map_or(patience.alone, Duration::from_millis);
    let ended = server::serve(platform.clone(), VERSION, Some(session), door, patience, cancel);
    // Wakes who waits at the door, which closes it; the next agent may want the same one.
    let until = Instant::now() + CLOSES;
    while UnixStream::connect_addr(&at).is_ok() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(changed);
    Ok(match ended {
        Ended::Goodbye => "\n\nthe laptop is done\n".to_owned(),
        Ended::Alone => "\n\nno laptop came, or it stayed away\n".to_owned(),
        Ended::Interrupted => "\n\ninterrupted\n".to_owned(),
    })
}
