//! A program that must not run for ever.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(5);

/// How the program ended; none when it had to be killed. Its errors go into a file, which no pipe can hold up.
pub(super) fn run(command: &mut Command, errors: &Path, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(errors)?).spawn()?;
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::temp_folder::TempFolder;
    use super::*;

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let temp = TempFolder::new().unwrap();
        let errors = temp.path().join("errors");
        let run = |text: &str, limit| run(Command::new("sh").args(["-c", text]), &errors, limit).unwrap();
        assert_eq!(run("exec sleep 1000", Duration::from_millis(50)), None);
        let ended = run("echo no >&2; exit 3", Duration::from_secs(60));
        assert_eq!(ended.and_then(|status| status.code()), Some(3));
        assert_eq!(std::fs::read_to_string(&errors).unwrap(), "no\n");
    }
}
