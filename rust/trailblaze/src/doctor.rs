//! What is missing to drive phones, how to mend it, and what a phone says at the first contact.
//!
//! Invariant: a report can be sent to anybody. No text of a screen, no account and no whole serial is in it.

mod contact;
mod here;
mod port;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use trailblaze_devices::adb::{self, Limit, Listed};
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::Failure;

use crate::exit_code::{Exit, Problem};
use crate::laptop::{self, SMALL};
use crate::{VERSION, env_vars, files};

/// What is looked at.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The phone; the only one that is ready unless given.
    pub serial: Option<String>,
    /// The agent's APK; looked for unless given.
    pub agent: Option<PathBuf>,
}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Fine,
    /// It is not as it might be, and nothing needs it.
    Noted,
    /// Something that is needed is missing or broken.
    Wrong,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Noted => "noted",
            Self::Wrong => "wrong",
        }
    }

    const fn mark(self) -> &'static str {
        match self {
            Self::Fine => "✓",
            Self::Noted => "–",
            Self::Wrong => "✗",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct Check {
    pub name: &'static str,
    pub state: State,
    pub found: String,
    pub hint: Option<String>,
    /// How long it took, where that says something.
    pub millis: Option<u128>,
}

impl Check {
    fn new(name: &'static str, state: State, found: impl Into<String>) -> Self {
        Self { name, state, found: found.into(), hint: None, millis: None }
    }

    fn fine(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, State::Fine, found)
    }

    fn noted(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, State::Noted, found)
    }

    fn wrong(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, State::Wrong, found)
    }

    fn failed(name: &'static str, problem: Problem) -> Self {
        Self { hint: problem.hint, ..Self::wrong(name, problem.message) }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Does something, and notes how long it took.
    fn timed(name: &'static str, run: impl FnOnce() -> Result<String, Failure>) -> Self {
        let started = Instant::now();
        let check = match run() {
            Ok(found) => Self::fine(name, found),
            Err(failure) => Self { hint: failure.hint, ..Self::wrong(name, failure.message) },
        };
        Self { millis: Some(started.elapsed().as_millis()), ..check }
    }
}

/// Checks that belong together.
#[derive(Clone, Debug)]
pub struct Group {
    pub title: String,
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug)]
pub struct Report {
    pub groups: Vec<Group>,
    /// What the phone is called in the name of the report; none without a phone.
    pub phone: Option<String>,
    /// What must not be seen, and what stands there instead.
    hidden: Vec<(String, String)>,
}

/// Looks at everything. What can be mended is said, and nothing is mended; but the agent is installed on the phone that
/// is looked at, as a run does.
pub fn examine(options: &Options, cancel: &Cancel) -> Report {
    let mut laptop = vec![here::adb_program()];
    let server = laptop::server(cancel);
    laptop.push(here::adb_server(server.as_ref(), cancel));
    let listed = server.map(|server| {
        let devices = server.devices(&Limit::within(SMALL, cancel));
        (server, devices)
    });
    let phones = listed.as_ref().map(|(_, devices)| devices.clone().unwrap_or_default()).unwrap_or_default();
    let meant = adb::choose(&phones, options.serial.as_deref()).ok().cloned();
    let mut contact = None;
    if let (Ok((server, _)), Some(meant)) = (&listed, &meant) {
        contact = Some(contact::report(server, meant, options.agent.as_deref(), cancel));
    }
    let has_agent = contact.as_ref().is_some_and(|contact| contact.has_agent);
    laptop.push(here::agent_apk(options.agent.as_deref(), has_agent));
    laptop.extend([here::scripts(), port::check(), here::debug_key(), here::cache()]);
    let mut groups = vec![Group { title: "This laptop".to_owned(), checks: laptop }];
    if let Ok((_, devices)) = listed {
        groups.push(Group { title: "Phones".to_owned(), checks: connected(devices, options) });
    }
    groups.extend(contact.map(|contact| contact.group));
    let mut hidden: Vec<(String, String)> =
        phones.iter().map(|phone| (phone.serial.clone(), short(&phone.serial))).collect();
    let home = env_vars::HOME.path().filter(|home| home.parent().is_some());
    hidden.extend(home.map(|home| (home.to_string_lossy().into_owned(), "~".to_owned())));
    Report { groups, phone: meant.map(|meant| file_part(&meant.serial)), hidden }
}

/// The phones that adb knows, and what each needs.
fn connected(devices: Result<Vec<Listed>, adb::Error>, options: &Options) -> Vec<Check> {
    const NAME: &str = "phone";
    let failed = |error: adb::Error| Check { hint: error.hint, ..Check::wrong(NAME, error.message) };
    let devices = match devices {
        Ok(devices) => devices,
        Err(error) => return vec![failed(error)],
    };
    // Only what is meant is needed.
    let is_meant = |device: &Listed| options.serial.as_ref().is_none_or(|serial| *serial == device.serial);
    let chosen = adb::choose(&devices, options.serial.as_deref());
    let is_looked_at = |device: &Listed| chosen.as_ref().is_ok_and(|chosen| chosen.serial == device.serial);
    let one = |device: &Listed| match device.ready() {
        Ok(()) if is_looked_at(device) => Check::fine(NAME, format!("{}, ready", device.name())),
        Ok(()) => Check::noted(NAME, format!("{}, connected and not looked at", device.name())),
        Err(error) if is_meant(device) && !devices.iter().any(|other| other.ready().is_ok()) => failed(error),
        Err(error) if options.serial.is_some() && is_meant(device) => failed(error),
        Err(error) => Check { state: State::Noted, ..failed(error) },
    };
    let mut checks: Vec<Check> = devices.iter().map(one).collect();
    match chosen {
        // What each of them needs is said above.
        Err(error) if error.kind == adb::ErrorKind::SeveralDevices => {
            let several = Check { state: State::Noted, ..failed(error) };
            checks.push(several.hint("name one with '--device SERIAL' to look at it"));
        }
        Err(error) if !devices.iter().any(is_meant) => checks.push(failed(error)),
        _ => {}
    }
    checks
}

/// Enough of a serial to tell two phones of a desk apart, and not more.
fn short(serial: &str) -> String {
    let start = |text: &str| {
        let start: String = text.chars().take(4).collect();
        if start.len() < text.len() { format!("{start}…") } else { start }
    };
    if let Some((host, port)) = serial.rsplit_once(':')
        && let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>()
    {
        // The beginning is that of the network.
        let address = address.to_string();
        let last = address.rsplit(['.', ':']).next().unwrap_or_default();
        return format!("…{last}:{port}");
    }
    match serial.strip_prefix("adb-") {
        _ if serial.starts_with("emulator-") => serial.to_owned(),
        // As phones over Wi-Fi are called that found their laptop themselves.
        Some(own) => format!("adb-{}", start(own)),
        None => start(serial),
    }
}

/// The same as part of a file's name.
fn file_part(serial: &str) -> String {
    let short = short(serial).replace(':', "-");
    short.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

impl Report {
    /// Where no phone was looked at, nobody knows whether one can be driven.
    pub fn exit(&self) -> Exit {
        let is_wrong = self.checks().any(|check| check.state == State::Wrong);
        if is_wrong || self.phone.is_none() { Exit::Device } else { Exit::Passed }
    }

    fn checks(&self) -> impl Iterator<Item = &Check> {
        self.groups.iter().flat_map(|group| &group.checks)
    }

    fn without_hidden(&self, text: &str) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, (hidden, instead)| text.replace(hidden, instead))
    }

    /// For people, here and elsewhere.
    pub fn text(&self) -> String {
        let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut text = format!("Trailblaze {VERSION} on {system} {machine}\n");
        for Group { title, checks } in &self.groups {
            text += &format!("\n{title}\n");
            let widest = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or_default();
            for Check { name, state, found, hint, millis } in checks {
                let found = found.trim().replace('\n', "\n    ");
                let millis = millis.map(|millis| format!("  {millis} ms")).unwrap_or_default();
                text += &format!("  {} {name:widest$}  {found}{millis}\n", state.mark());
                text += &hint.as_ref().map(|hint| format!("    hint: {hint}\n")).unwrap_or_default();
            }
        }
        let wrong = self.checks().filter(|check| check.state == State::Wrong).count();
        text += match wrong {
            0 if self.phone.is_none() => {
                "\nno phone was looked at: name one with '--device SERIAL'\n".to_owned()
            }
            0 => "\nall is fine\n".to_owned(),
            1 => "\n1 thing is wrong\n".to_owned(),
            wrong => format!("\n{wrong} things are wrong\n"),
        }
        .as_str();
        self.without_hidden(&text)
    }

    /// For programs; the same is hidden.
    pub fn json(&self) -> Value {
        let check = |check: &Check| {
            json!({
                "name": check.name,
                "state": check.state.word(),
                "found": self.without_hidden(&check.found),
                "hint": check.hint.as_ref().map(|hint| self.without_hidden(hint)),
                "millis": check.millis.and_then(|millis| u64::try_from(millis).ok()),
            })
        };
        let group = |group: &Group| {
            json!({
                "title": self.without_hidden(&group.title),
                "checks": group.checks.iter().map(check).collect::<Value>(),
            })
        };
        json!({
            "version": VERSION,
            "fine": self.exit() == Exit::Passed,
            "groups": self.groups.iter().map(group).collect::<Value>(),
        })
    }

    /// Writes it for sending, where there is a phone, and says where.
    pub fn write(&self, folder: &Path) -> Result<Option<PathBuf>, Problem> {
        let Some(phone) = &self.phone else { return Ok(None) };
        let path = folder.join(format!("trailblaze-doctor-{phone}.txt"));
        std::fs::write(&path, self.text()).map_err(|error| {
            let message = format!("{} cannot be written: {}", files::shown(&path), files::why(&error));
            Problem::new(Exit::BadDocument, message).hint("run it in a folder that can be written")
        })?;
        Ok(Some(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_are_told_apart_and_not_named() {
        for (serial, shown, file) in [
            ("R5CT1234ABC", "R5CT…", "R5CT"),
            ("R5", "R5", "R5"),
            ("emulator-5554", "emulator-5554", "emulator-5554"),
            ("192.168.1.20:5555", "…20:5555", "20-5555"),
            ("192.168.1.21:5555", "…21:5555", "21-5555"),
            ("[fe80::1:2a]:5555", "…2a:5555", "2a-5555"),
            ("evesphone.local:5555", "eves…", "eves"),
            ("adb-R5CT1234ABC-x7Yz._adb-tls-connect._tcp", "adb-R5CT…", "adb-R5CT"),
        ] {
            assert_eq!((short(serial).as_str(), file_part(serial).as_str()), (shown, file));
        }
    }
}
