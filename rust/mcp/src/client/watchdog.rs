//! A process that outlives this one for a moment and ends what this one started.
//!
//! No code of this program runs when it is killed, and a signal at the parent's death would not reach the children of
//! a server. So a small shell waits for the end of a pipe whose other end only this program has. It has a process
//! group of its own, so that Ctrl-C in a terminal does not reach it.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads `+GROUP` and `-GROUP`; at the end TERM, 2 seconds and KILL for the groups that are left.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
groups=' '
while read -r line; do
    group=${line#?}
    case $line in
        +*) groups="$groups$group " ;;
        -*) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
    esac
done
signal() {
    left=
    for group in $groups; do
        kill -s "$1" -- "-$group" 2>/dev/null && left=1
    done
    [ -n "$left" ]
}
signal TERM || exit 0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    sleep 0.1
    signal 0 || exit 0
done
signal KILL
"#;

static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog { groups: BTreeSet::new(), running: None });

struct Watchdog {
    groups: BTreeSet<i32>,
    running: Option<(Child, ChildStdin)>,
}

/// The group is ended when this program ends, however it does.
pub(super) fn watch(group: i32) -> io::Result<()> {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.groups.insert(group);
    watchdog.tell('+', group)
}

/// The group has ended, and its number may be somebody else's soon.
pub(super) fn forget(group: i32) {
    let mut watchdog = WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner);
    watchdog.groups.remove(&group);
    if watchdog.running.is_some() {
        // One that cannot be told anything knows no groups either, or is told with the next one.
        let _ = watchdog.tell('-', group);
    }
}

impl Watchdog {
    fn tell(&mut self, sign: char, group: i32) -> io::Result<()> {
        if let Some((_, pipe)) = &mut self.running {
            // One write, so that half a line cannot stay behind.
            if pipe.write_all(format!("{sign}{group}\n").as_bytes()).is_ok() {
                return Ok(());
            }
        }
        // None yet, or somebody ended it.
        if let Some((mut child, pipe)) = self.running.take() {
            drop(pipe);
            child.wait()?;
        }
        let mut child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "trailblaze-watchdog"])
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut pipe = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let all: String = self.groups.iter().map(|group| format!("+{group}\n")).collect();
        pipe.write_all(all.as_bytes())?;
        self.running = Some((child, pipe));
        Ok(())
    }
}
