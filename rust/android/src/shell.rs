//! Commands of the phone's shell that have to work.

use trailblaze_model::failure::{Failure, FailureKind};

use crate::platform::Platform;

/// A command is split at spaces and run without a shell, and only what it writes to its output comes back: why it failed
/// is lost. This runs the same words in a shell that joins the two. The script must have no space in it, and takes the
/// words as they are.
pub const JOINED: &str = "sh -c (\"$@\")2>&1 sh ";

/// All permissions that an app asks for.
const ALL: &str = "all";

/// What the platform says of a permission that this app cannot have.
const NOT_FOR_THE_APP: [&str; 3] =
    ["has not requested permission", "not a changeable permission type", "Unknown permission"];

/// Runs a command that says nothing, or `Success`, when it worked.
pub fn command(platform: &dyn Platform, command: &str) -> Result<(), Failure> {
    let output = platform.shell(&format!("{JOINED}{command}"))?;
    // The linker of some phones has something to say about every program.
    let said: Vec<&str> = output.lines().filter(|line| !line.starts_with("WARNING: linker")).collect();
    let said = said.join("\n").trim().to_owned();
    if said.is_empty() || said == "Success" {
        return Ok(());
    }
    let first = said.lines().map(str::trim).find(|line| is_reason(line)).unwrap_or_default();
    let failure = Failure::new(FailureKind::Device, format!("'{command}' failed: {first}"));
    Err(if said == first { failure } else { failure.stack(said.clone()) })
}

/// The platform says first that something was thrown, and what it was in the next line.
fn is_reason(line: &str) -> bool {
    !line.is_empty() && !line.starts_with("Exception occurred while executing")
}

/// Grants or takes away a permission, or all that the app asks for. One that the app cannot have is refused.
pub(crate) fn set_permission(
    platform: &dyn Platform,
    app_id: &str,
    permission: &str,
    granted: bool,
) -> Result<(), Failure> {
    let verb = if granted { "grant" } else { "revoke" };
    let set = |permission: &str| {
        command(platform, &format!("pm {verb} {app_id} {permission}")).map_err(|failure| {
            let is_refused = |text: &str| NOT_FOR_THE_APP.iter().any(|part| text.contains(part));
            match is_refused(&failure.message) || failure.stack.as_deref().is_some_and(is_refused) {
                true => Failure { kind: FailureKind::Refused, ..failure },
                false => failure,
            }
        })
    };
    if permission != ALL {
        return set(permission);
    }
    for permission in requested(&platform.shell(&format!("dumpsys package {app_id}"))?) {
        match set(permission) {
            // Most of what an app asks for is given when it is installed, and not at all by hand.
            Err(failure) if failure.kind == FailureKind::Refused => {}
            result => result?,
        }
    }
    Ok(())
}

/// The indented lines below `requested permissions:`, such as `android.permission.CAMERA: restricted=true`.
fn requested(about: &str) -> impl Iterator<Item = &str> {
    let below = about.lines().map(str::trim).skip_while(|line| *line != "requested permissions:").skip(1);
    let names = below.take_while(|line| !line.is_empty() && !line.ends_with("permissions:"));
    names.map(|line| line.split(':').next().unwrap_or(line)).filter(|name| name.contains('.'))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// As `UiAutomation` does it: words, no shell, and only one of the two streams.
    fn run(command: &str) -> String {
        let mut words = command.split_ascii_whitespace();
        let program = words.next().expect("a command has a word");
        let output =
            std::process::Command::new(program).args(words).output().expect("there is such a program");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn what_goes_wrong_is_heard() {
        let missing = "ls /none/such";
        assert_eq!(run(missing), "");
        assert!(run(&format!("{JOINED}{missing}")).contains("/none/such"));
    }

    #[test]
    fn words_are_taken_as_they_are() {
        assert_eq!(run(&format!("{JOINED}echo $HOME * 'a' \"b\" ;x >y")), "$HOME * 'a' \"b\" ;x >y\n");
    }

    #[test]
    fn what_an_app_asks_for_is_known() {
        let about = "Packages:\n  Package [com.example.app] (1a2b):\n    declared permissions:\n      \
                     com.example.app.OWN: prot=signature\n    requested permissions:\n      \
                     android.permission.CAMERA\n      android.permission.INTERNET: restricted=true\n    \
                     install permissions:\n      android.permission.INTERNET: granted=true\n";
        let found: Vec<&str> = requested(about).collect();
        assert_eq!(found, ["android.permission.CAMERA", "android.permission.INTERNET"]);
    }
}
