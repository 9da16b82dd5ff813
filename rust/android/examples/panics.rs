//! The native methods over a run that panics: a library for the tests in a JVM, which cannot make the real one panic.

use std::sync::Arc;

use trailblaze_android::platform::Platform;
use trailblaze_engine::host::Cancel;

trailblaze_android::entries!(run);

fn run(_platform: Arc<dyn Platform>, arguments: Vec<(String, String)>, _cancel: &Cancel) {
    panic!("{} arguments were given, and this one always panics", arguments.len());
}
