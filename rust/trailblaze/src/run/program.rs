//! A program of the laptop that a tool runs.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trailblaze_engine::host::{Cancel, CommandOutput, HostCommand};
use trailblaze_model::failure::{Failure, FailureKind};

use crate::files;

/// Starts a program and waits for it; folders are from `base`.
pub(super) fn run(command: &HostCommand, base: &Path, cancel: &Cancel) -> Result<CommandOutput, Failure> {
    let (program, rest) = command
        .argv
        .split_first()
        .ok_or_else(|| Failure::new(FailureKind::InvalidArguments, "there is no program to run"))?;
    let folder = command.working_dir.as_ref().map_or_else(|| base.to_owned(), |dir| base.join(dir));
    let failed = |message: String| Failure::new(FailureKind::Exception, message);
    let (reader, writer) = std::io::pipe().map_err(|error| failed(error.to_string()))?;
    let both = writer.try_clone().map_err(|error| failed(error.to_string()))?;
    let mut line = Command::new(program);
    line.args(rest).current_dir(&folder).stdin(Stdio::null()).stdout(writer).stderr(both);
    in_own_group(&mut line);
    let mut child = line
        .spawn()
        .map_err(|error| failed(format!("'{program}' could not be started: {}", files::why(&error))))?;
    let output = ProgramOutput::read(reader);
    let deadline = Instant::now() + Duration::from_millis(command.timeout_ms);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline && !cancel.is_cancelled() => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Ok(None) => {
                kill_group(&mut child);
                if cancel.is_cancelled() {
                    return Err(Failure::new(FailureKind::Interrupted, "the run was interrupted"));
                }
                let message = format!("'{program}' took longer than {} s", command.timeout_ms / 1000);
                return Err(Failure::new(FailureKind::Timeout, message));
            }
            Err(error) => return Err(failed(error.to_string())),
        }
    };
    Ok(CommandOutput { exit_code: status.code().unwrap_or(-1), output: output.text() })
}

/// A program and all that it starts can be ended together.
#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn in_own_group(_command: &mut Command) {}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// What a program writes, gathered while it runs.
struct ProgramOutput {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// Closes when the program and everything that it started have closed the pipe.
    open: Receiver<()>,
}

/// A program that left others running behind is not waited for longer than this.
const LAST_WORDS: Duration = Duration::from_millis(200);

impl ProgramOutput {
    fn read(mut reader: impl Read + Send + 'static) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (closed, open) = mpsc::channel();
        let all = bytes.clone();
        std::thread::spawn(move || {
            let _closed: mpsc::Sender<()> = closed;
            let mut part = [0; 8192];
            while let Ok(length @ 1..) = reader.read(&mut part) {
                all.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&part[..length]);
            }
        });
        Self { bytes, open }
    }

    /// Everything that was written until the program ended.
    fn text(&self) -> String {
        // Nothing is ever sent: this waits for the end of the thread, or long enough.
        let _ = self.open.recv_timeout(LAST_WORDS);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}
