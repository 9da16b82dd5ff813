//! The first contact with a phone: what it is, and whether the agent can do its work there.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use trailblaze_devices::adb::{self, Limit, Listed, Server};
use trailblaze_engine::device::Device;
use trailblaze_engine::host::Cancel;
use trailblaze_model::action::Action;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{Flag, Screen};

use super::{Check, Group};
use crate::VERSION;
use crate::exit_code::Problem;
use crate::laptop::{self, About, Phones, SMALL};
use crate::load::DEFAULT_DRIVER;

/// So much room on the phone is enough for the agent and the reports of a run.
const ROOM_KIB: u64 = 200 << 10;

pub(super) struct Contact {
    pub(super) group: Group,
    /// Whether the agent of this version is on the phone now.
    pub(super) has_agent: bool,
}

pub(super) fn report(server: &Server, listed: &Listed, agent: Option<&Path>, cancel: &Cancel) -> Contact {
    let phone = Arc::new(server.phone(&listed.serial));
    let shell = Shell { phone: &phone, cancel };
    let (about, fits) = about(&phone, agent.is_some(), cancel);
    let mut checks = vec![
        about,
        Check::timed("display", || shell.display()),
        room(&shell),
        Check::timed("SELinux", || shell.line("getenforce")),
        settings(&shell),
        sockets(&shell),
    ];
    if fits {
        checks.push(version(&phone, cancel));
        checks.extend(agent_at_work(listed, agent, cancel));
    }
    let has_agent = laptop::agent_version(&phone, cancel).ok().flatten().as_deref() == Some(VERSION);
    Contact { group: Group { title: format!("First contact with {}", listed.name()), checks }, has_agent }
}

struct Shell<'a> {
    phone: &'a adb::Phone,
    cancel: &'a Cancel,
}

impl Shell<'_> {
    /// What a command prints; one that fails says why.
    fn run(&self, command: &str) -> Result<String, Failure> {
        let output = self.phone.shell(command, &Limit::within(SMALL, self.cancel))?;
        if output.exit.unwrap_or_default() == 0 {
            return Ok(output.text());
        }
        let said = String::from_utf8_lossy(&output.err).trim().to_owned();
        let said = if said.is_empty() { output.text() } else { said };
        let said = said.lines().next().unwrap_or("it gave no reason").to_owned();
        Err(Failure::new(FailureKind::Device, format!("'{command}' failed: {said}")))
    }

    fn line(&self, command: &str) -> Result<String, Failure> {
        Ok(self.run(command)?.lines().next().unwrap_or_default().trim().to_owned())
    }

    fn display(&self) -> Result<String, Failure> {
        let value = |text: &str| text.rsplit(": ").next().unwrap_or_default().trim().to_owned();
        // The last line is what is used where somebody has overridden it.
        let last =
            |command: &str| Ok::<_, Failure>(value(self.run(command)?.lines().last().unwrap_or_default()));
        Ok(format!("{}, density {}", last("wm size")?, last("wm density")?))
    }
}

/// What it is, and whether the agent can run on it. One that was given may be made for more.
fn about(phone: &adb::Phone, is_given: bool, cancel: &Cancel) -> (Check, bool) {
    const NAME: &str = "phone";
    let mut about = None;
    let check = Check::timed(NAME, || {
        let found = About::ask(phone, cancel)?;
        Ok(about.insert(found).to_string())
    });
    match about.filter(|_| !is_given).and_then(|about| about.fits(phone.serial()).err()) {
        Some(refused) => {
            let wrong = Check::wrong(NAME, refused.message);
            (Check { hint: refused.hint, millis: check.millis, ..wrong }, false)
        }
        None => (check, true),
    }
}

fn room(shell: &Shell<'_>) -> Check {
    const NAME: &str = "room";
    let check = Check::timed(NAME, || shell.run("df -k /data"));
    let Some(free) = free_kib(&check.found).filter(|_| check.state == super::State::Fine) else {
        return check;
    };
    let found = format!("{} MB free", free / 1024);
    if free < ROOM_KIB {
        let hint = "remove apps or files: the agent and the reports of a run need some";
        return Check { millis: check.millis, ..Check::wrong(NAME, found).hint(hint) };
    }
    Check { found, ..check }
}

/// The fourth number of the last line that `df -k` prints.
fn free_kib(printed: &str) -> Option<u64> {
    printed.lines().last()?.split_whitespace().nth(3)?.parse().ok()
}

/// Some makers let adb change settings only where another switch is on.
fn settings(shell: &Shell<'_>) -> Check {
    const NAME: &str = "settings";
    let mut check = Check::timed(NAME, || {
        shell.run("settings put secure trailblaze_doctor 1 && settings delete secure trailblaze_doctor")?;
        Ok("may be changed, so that the accessibility service can be switched on".to_owned())
    });
    if check.state == super::State::Wrong {
        check = check.hint(
            "switch on 'USB debugging (Security settings)' or 'Disable permission monitoring' in the developer options",
        );
    }
    check
}

/// Who uses the phone is seen there; without it, two laptops may disturb each other.
fn sockets(shell: &Shell<'_>) -> Check {
    const NAME: &str = "sockets";
    let check = Check::timed(NAME, || {
        shell.run("head -n 1 /proc/net/unix")?;
        Ok("/proc/net/unix may be read".to_owned())
    });
    match check.state {
        super::State::Wrong => Check { state: super::State::Noted, ..check },
        _ => check,
    }
}

fn version(phone: &adb::Phone, cancel: &Cancel) -> Check {
    const NAME: &str = "agent";
    match laptop::agent_version(phone, cancel) {
        Ok(Some(version)) if version == VERSION => Check::fine(NAME, format!("version {version} was there")),
        Ok(Some(version)) => {
            Check::noted(NAME, format!("version {version} was there; a run replaces it by {VERSION}"))
        }
        Ok(None) => Check::noted(NAME, "was not there; a run installs it"),
        Err(problem) => Check::failed(NAME, problem),
    }
}

/// Lets the agent look at the screen and touch it.
fn agent_at_work(listed: &Listed, agent: Option<&Path>, cancel: &Cancel) -> Vec<Check> {
    let started = Instant::now();
    let serials = [listed.serial.clone()];
    let phones = match Phones::connect(&serials, DEFAULT_DRIVER, agent, cancel) {
        Ok(phones) => phones,
        Err(problem) => {
            return vec![Check { millis: Some(started.elapsed().as_millis()), ..start_failed(problem) }];
        }
    };
    let found = "the agent starts, its service is connected, and its socket answers";
    let start = Check { millis: Some(started.elapsed().as_millis()), ..Check::fine(START, found) };
    let Some(device) = phones.attached().first().map(|attached| attached.device()) else {
        return vec![start];
    };
    let mut screen = None;
    let capture = Check::timed("capture", || {
        let captured = device.capture()?;
        let found = format!("{} nodes, {} bytes", captured.len(), captured.to_bytes().len());
        screen = Some(captured);
        Ok(found)
    });
    let again = Check::timed("capture again", || Ok(format!("{} nodes", device.capture()?.len())));
    let picture = Check::timed("picture", || Ok(format!("{} bytes", device.screenshot()?.len())));
    let gesture = screen.map(|screen| gesture(device.as_ref(), &screen));
    let started = Instant::now();
    drop(phones);
    let end =
        Check { millis: Some(started.elapsed().as_millis()), ..Check::fine("end", "the agent is gone") };
    [start, capture, again, picture].into_iter().chain(gesture).chain([end]).collect()
}

const START: &str = "start";

fn start_failed(problem: Problem) -> Check {
    if problem.message.contains("is in use by") {
        // Who that is need not be sent to anybody.
        return Check::wrong(START, "somebody else uses the phone just now").hint("wait until they are done");
    }
    let hint = problem.hint.filter(|hint| !hint.contains("trailblaze doctor"));
    Check { hint, ..Check::wrong(START, problem.message) }
}

/// Touches the screen where nothing takes a touch.
fn gesture(device: &dyn Device, screen: &Screen) -> Check {
    const NAME: &str = "gesture";
    match free_point(screen) {
        Some((x, y)) => Check::timed(NAME, || {
            device.act(&Action::Tap { x, y })?;
            Ok(format!("a touch at {x},{y}, where nothing takes one, was taken"))
        }),
        None => Check::noted(NAME, "not tried: everything on the screen can be touched"),
    }
}

/// A corner, or the middle of a side, in which nothing can be touched.
fn free_point(screen: &Screen) -> Option<(i32, i32)> {
    let all = screen.bounds();
    let (right, bottom) = (all.right - 1, all.bottom - 1);
    let (middle_x, middle_y) = all.center();
    let points =
        [(0, 0), (right, 0), (middle_x, 0), (0, middle_y), (right, middle_y), (0, bottom), (right, bottom)];
    let takes = [Flag::Clickable, Flag::LongClickable, Flag::Checkable, Flag::Editable, Flag::Focusable];
    points.into_iter().find(|&(x, y)| {
        let there = screen.nodes().filter(|node| node.bounds().is_some_and(|bounds| bounds.contains(x, y)));
        !there.into_iter().any(|node| takes.iter().any(|flag| node.has(*flag)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trailblaze_model::screen::{Bounds, NodeSpec, ScreenBuilder, WindowKind};

    #[test]
    fn what_commands_print_is_understood() {
        let df = "Filesystem     1K-blocks     Used Available Use% Mounted on\n/dev/block/dm-44 112000000 70000000 42000000  63% /data\n";
        assert_eq!(free_kib(df), Some(42_000_000));
        assert_eq!(free_kib("df: /data: Permission denied"), None);
    }

    #[test]
    fn a_touch_goes_where_nothing_takes_it() {
        let with = |touchable: &[Bounds]| {
            let mut builder = ScreenBuilder::new(100, 200, 0);
            builder.window(WindowKind::Application);
            builder
                .open(NodeSpec { bounds: Some(Bounds::new(0, 0, 100, 200)), ..NodeSpec::default() })
                .unwrap();
            for bounds in touchable {
                let mut spec = NodeSpec { bounds: Some(*bounds), ..NodeSpec::default() };
                spec.flags.set(Flag::Clickable, true);
                builder.open(spec).unwrap();
                builder.close();
            }
            builder.close();
            free_point(&builder.finish())
        };
        assert_eq!(with(&[]), Some((0, 0)));
        assert_eq!(with(&[Bounds::new(0, 0, 50, 20)]), Some((99, 0)));
        assert_eq!(with(&[Bounds::new(0, 0, 100, 20)]), Some((0, 100)));
        assert_eq!(with(&[Bounds::new(0, 0, 100, 200)]), None);
    }
}
