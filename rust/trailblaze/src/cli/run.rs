//! `trailblaze run`

mod on_device;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_engine::host::Cancel;
use trailblaze_engine::memory::Secret;
use trailblaze_model::driver::AgentMode;
use trailblaze_report::terminal::{Options, Terminal, Verbosity};

use super::devices::Devices;
use super::{Agent, devices, pair, parse_driver, print, print_json};
use crate::endpoint::{self, Endpoint};
use crate::env_vars;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::laptop;
use crate::run::{self, DriverChoice, Listeners, Outcome, Prepared, RunOptions, Selection, Shard};
use crate::session::{self, Found, SavedSession};
use crate::toolsets::{RecordedServers, Starter, ToolsetServers};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Workspaces, folders, trail files or globs; the workspace of the current folder unless given
    paths: Vec<PathBuf>,

    /// The target; the trail's or the workspace's unless given
    #[arg(long, value_name = "ID", help_heading = "What it runs on")]
    target: Option<String>,
    /// How the screen is driven: 'sim' is embedded, 'recorded' is a saved run
    #[arg(long, value_name = "KEY", help_heading = "What it runs on")]
    driver: Option<String>,
    /// The driver that the sim stands in for; wins over what trails ask for
    #[arg(long = "as", value_name = "KEY", help_heading = "What it runs on")]
    stands_in_for: Option<String>,
    /// The device, or several: serials of phones, 'sim-1,sim-2', 'sim:8'; 'sim' unless given. Every trail runs on each
    /// of them. For 'recorded' a session folder or a bundle
    #[arg(long, value_name = "ID", help_heading = "What it runs on")]
    device: Option<String>,
    /// The agent's APK for a phone; the release's, beside the program, unless given
    #[arg(long, value_name = "FILE", help_heading = "What it runs on")]
    agent_apk: Option<PathBuf>,
    /// Let the phone run the trails itself: push them there, show what happens, fetch the reports
    #[arg(long, help_heading = "What it runs on")]
    on_device: bool,
    /// All phones that are connected
    #[arg(long, conflicts_with = "device", help_heading = "What it runs on")]
    all_devices: bool,
    /// Run every trail on one of the devices, whichever is free, and those first that took longest in the last run
    #[arg(long, help_heading = "What it runs on")]
    shard_across: bool,
    /// The JavaScript app that the sim runs; the target's unless given
    #[arg(long, value_name = "FILE", help_heading = "What it runs on")]
    app: Option<PathBuf>,
    /// Where the agent runs
    #[arg(long, value_enum, default_value_t, help_heading = "What it runs on")]
    agent: Agent,

    /// Only trails with this tag; several: any of them
    #[arg(long = "tag", value_name = "TAG", help_heading = "Which trails")]
    tags: Vec<String>,
    /// Only trails whose id or title contains this or matches it as a glob; several: any of them
    #[arg(long = "filter", value_name = "TEXT", help_heading = "Which trails")]
    filters: Vec<String>,
    /// Only the i-th of n parts; a trail is always in the same part
    #[arg(long, value_name = "I/N", help_heading = "Which trails")]
    shard: Option<Shard>,

    /// Remember a value before the first step
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, help_heading = "Values")]
    memory: Vec<(String, String)>,
    /// Remember a value that is never shown
    #[arg(long = "secret", value_name = "NAME=VALUE", value_parser = unread, help_heading = "Values")]
    secrets: Vec<Secret>,
    /// Give a declared argument of the trail
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair, help_heading = "Values")]
    args: Vec<(String, String)>,
    /// A variable that nobody knows and an element that is not the only one are errors
    #[arg(long, help_heading = "Values")]
    strict: bool,

    /// Answer only callers over RPC that bring this: 'Authorization: Bearer TOKEN'
    #[arg(long, value_name = "TOKEN", value_parser = unread, help_heading = "How")]
    rpc_token: Option<Secret>,
    /// Try a failed trail again, so often
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "How")]
    retries: u32,
    /// Start no more trails after the first that fails
    #[arg(long, help_heading = "How")]
    fail_fast: bool,
    /// The longest that one trail may take: '90s', '5m'
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "How")]
    trail_timeout: Option<u64>,
    /// How long the run may take: '30m', '1h'. Near its end no trail is started; the rest is reported as not run
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "How")]
    deadline: Option<u64>,
    /// Run so many trails at the same time
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "How")]
    jobs: u16,

    /// Write JUnit XML
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    junit: Option<PathBuf>,
    /// Write every event as a line of JSON
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    events: Option<PathBuf>,
    /// Write what was invoked as a trail that replays
    #[arg(long, value_name = "FILE", help_heading = "Reports")]
    record: Option<PathBuf>,
    /// Put the reports here instead of .trailblaze/runs/
    #[arg(long, value_name = "DIR", help_heading = "Reports")]
    out: Option<PathBuf>,
    /// Save every trail's run here as a session that 'trailblaze replay' runs again
    #[arg(long, value_name = "DIR", help_heading = "Reports")]
    capture: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long, help_heading = "Reports")]
    json: bool,
    /// Show every tool call and gesture
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Reports")]
    verbose: bool,
    /// Show only failures and the summary
    #[arg(long, short, help_heading = "Reports")]
    quiet: bool,
}

/// What is written wrongly would be repeated in the message, so it is read later.
pub(super) fn unread(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::new(text))
}

/// In milliseconds.
fn time(text: &str) -> Result<u64, String> {
    let what = match crate::phone::duration(text) {
        Some(0) => "it must be more than 0",
        Some(time) => return Ok(time),
        None if text.contains(['.', ',']) => "write a whole number: '1500ms' is one second and a half",
        None => "write a time such as '90s', '30m' or '1h'",
    };
    Err(what.to_owned())
}

fn secret(text: &Secret) -> Result<(String, Secret), Problem> {
    match pair(text.reveal()) {
        Ok((name, value)) => Ok((name, Secret::new(value))),
        Err(message) => Err(Problem::new(Exit::Usage, format!("invalid value for '--secret': {message}"))),
    }
}

pub(super) fn verbosity(verbose: bool, quiet: bool) -> Verbosity {
    match (verbose, quiet) {
        (true, _) => Verbosity::Verbose,
        (_, true) => Verbosity::Quiet,
        _ => Verbosity::Normal,
    }
}

impl Args {
    /// What is the same wherever the trails run.
    fn into_options(self, driver: DriverChoice, agent: AgentMode) -> Result<RunOptions, Problem> {
        let mut options = RunOptions {
            paths: self.paths,
            target: self.target,
            driver,
            agent,
            memory: self.memory,
            secrets: self.secrets.iter().map(secret).collect::<Result<_, _>>()?,
            args: self.args,
            selection: Selection { tags: self.tags, filters: self.filters, shard: self.shard },
            retries: self.retries,
            fail_fast: self.fail_fast,
            jobs: usize::from(self.jobs),
            shard_across: self.shard_across,
            strict: self.strict,
            app: self.app,
            junit: self.junit,
            events: self.events,
            record: self.record,
            out: self.out,
            capture: self.capture,
            trail_timeout_ms: self.trail_timeout,
            ..RunOptions::default()
        };
        options.set_deadline(self.deadline);
        Ok(options)
    }
}

pub(super) fn run(args: Args) -> Result<Exit, Problem> {
    if args.on_device {
        return on_device::run(args);
    }
    let recorded = recorded(&args)?;
    let named = match recorded {
        Some(_) => Devices::Sims(Vec::new()),
        None if args.all_devices => devices::all()?,
        None => devices::chosen(args.device.as_deref(), args.driver.as_deref())?,
    };
    let (devices, serials) = match named {
        Devices::Sims(sims) => (sims, Vec::new()),
        Devices::Phones(serials) => (Vec::new(), serials),
    };
    let on_phones = !serials.is_empty();
    let driver = match on_phones {
        true => DriverChoice { stands_in_for: Some(phone_driver(args.driver.as_deref())?) },
        false => driver_of(args.driver.as_deref(), args.stands_in_for.as_deref())?,
    };
    if !on_phones {
        devices::refuse_agent_apk(args.agent_apk.as_deref())?;
    } else if args.app.is_some() {
        return Err(Problem::new(Exit::Usage, "'--app' is what the sim runs, and a phone is named")
            .hint("leave it out: on the phone the app is installed"));
    }
    if (devices.len() > 1 || on_phones) && args.jobs > 1 {
        let message = "'--jobs' is for one sim, and other devices are named";
        return Err(
            Problem::new(Exit::Usage, message).hint("leave it out: every device runs one trail at a time")
        );
    }
    let json = args.json;
    let verbosity = verbosity(args.verbose, args.quiet);
    let cancel = Cancel::default();
    stop_on_interrupt(&cancel);
    let token = endpoint::token(args.rpc_token.clone())?;
    let (agent, agent_apk) = (args.agent, args.agent_apk.clone());
    let options = args.into_options(driver, agent.into())?;
    let phones = on_phones.then(|| {
        let driver = driver.stands_in_for.unwrap_or(crate::load::DEFAULT_DRIVER);
        laptop::Phones::connect(&serials, driver, agent_apk.as_deref(), &cancel)
    });
    let phones = phones.transpose()?;
    let width = options.jobs.max(devices.len()).max(serials.len());
    let names = if on_phones {
        serials.iter().map(|serial| serial.as_str().into()).collect()
    } else {
        devices.clone()
    };
    let endpoint = Arc::new(Endpoint::new(width, names, token.clone()));
    // What was seen before is replayed without any of the programs that took part.
    let starter: Arc<dyn Starter> = match &recorded {
        Some(saved) => RecordedServers::new(&saved.servers),
        None => ToolsetServers::for_devices(width, &cancel, endpoint),
    };
    let options = RunOptions {
        devices,
        hidden: token,
        recorded,
        attached: phones.as_ref().map(laptop::Phones::attached).unwrap_or_default(),
        classes: phones.as_ref().and_then(laptop::Phones::classes),
        starter: Some(starter),
        ..options
    };
    let prepared = run::prepare(&options)?;
    report_problems(&prepared)?;
    let plan = run::plan(&options, &prepared)?;
    let folder = run::folder(&options, &prepared)?;
    let listeners: Listeners = vec![Arc::new(terminal(json, verbosity, Some(folder.path()), !on_phones))];
    let outcome = run::run(&options, &prepared, &plan, &folder, &listeners, &cancel)?;
    phones.iter().flat_map(laptop::Phones::put_back).for_each(|warning| talk!("warning: {warning}"));
    print_outcome(&outcome, json, verbosity);
    Ok(outcome.exit())
}

/// How a phone is driven.
pub(super) fn phone_driver(driver: Option<&str>) -> Result<trailblaze_model::driver::Driver, Problem> {
    let driver =
        driver.map(|name| parse_driver(name, &[])).transpose()?.unwrap_or(crate::load::DEFAULT_DRIVER);
    match driver.unsupported() {
        None => Ok(driver),
        Some(reason) => {
            Err(Problem::new(Exit::Device, format!("the driver '{driver}' cannot be used: {reason}")))
        }
    }
}

/// Without a phone only the sim can be driven; everything else is refused with the reason.
pub(super) fn driver_of(driver: Option<&str>, stands_in_for: Option<&str>) -> Result<DriverChoice, Problem> {
    let stand_in = stands_in_for.map(|name| parse_driver(name, &[])).transpose()?;
    match driver.map(str::to_lowercase).as_deref() {
        None | Some("sim") => {}
        Some("recorded") => return Ok(DriverChoice { stands_in_for: stand_in }),
        Some(name) => {
            let driver = parse_driver(name, &["sim", "recorded"])?;
            let reason = driver.unsupported().unwrap_or("no phone was named");
            let message = format!("the driver '{driver}' cannot be used: {reason}");
            let stand_in =
                if driver.unsupported().is_none() { format!(" --as {driver}") } else { String::new() };
            let hint = format!(
                "name a phone with '--device SERIAL'; '--driver sim{stand_in}' runs the trails on the embedded device"
            );
            return Err(Problem::new(Exit::Device, message).hint(hint));
        }
    }
    if let Some(reason) = stand_in.and_then(|driver| driver.unsupported()) {
        let name = stands_in_for.unwrap_or_default();
        let message = format!("the sim cannot stand in for '{name}': {reason}");
        return Err(Problem::new(Exit::Device, message));
    }
    // A driver that was asked for by name beats what trails ask for.
    let named = driver.map(|_| crate::load::DEFAULT_DRIVER);
    Ok(DriverChoice { stands_in_for: stand_in.or(named) })
}

/// What `--driver recorded` runs on: the session that `--device` names.
fn recorded(args: &Args) -> Result<Option<Arc<SavedSession>>, Problem> {
    if !args.driver.as_deref().is_some_and(|driver| driver.eq_ignore_ascii_case("recorded")) {
        return Ok(None);
    }
    let Some(device) = &args.device else {
        let message = "'--driver recorded' needs the session that it runs on";
        return Err(Problem::new(Exit::Usage, message).hint("name it with '--device DIR'"));
    };
    let sessions = session::read(Path::new(device))?;
    match <[Found; 1]>::try_from(sessions) {
        Ok([found]) => Ok(Some(Arc::new(found.session))),
        Err(several) => {
            let message = format!("'{device}' holds {} sessions", several.len());
            Err(Problem::new(Exit::Usage, message).hint("name one of them with --device"))
        }
    }
}

/// Errors end the run before it begins.
pub(super) fn report_problems(prepared: &Prepared) -> Result<(), Problem> {
    prepared.loaded.problems.iter().for_each(|problem| talk!("{problem}\n"));
    let errors = prepared.loaded.errors().count();
    match errors {
        0 => Ok(()),
        1 => Err(Problem::new(Exit::BadDocument, "nothing was run because of the error above")),
        n => Err(Problem::new(Exit::BadDocument, format!("nothing was run because of the {n} errors above"))),
    }
}

/// The first Ctrl-C ends the run after the current gesture, the second ends the program.
pub(super) fn stop_on_interrupt(cancel: &Cancel) {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without a handler the signal ends the program at once, which is what it did before.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, cancel.flag());
        let _ = signal_hook::flag::register(signal, cancel.flag());
    }
}

pub(super) fn terminal(
    json: bool,
    verbosity: Verbosity,
    folder: Option<&Path>,
    virtual_time: bool,
) -> Terminal {
    let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
    let shown_on_terminal = if json { stderr.is_terminal() } else { stdout.is_terminal() };
    let out: Box<dyn Write + Send> = match (json, stderr.is_terminal()) {
        (false, _) => Box::new(stdout),
        (true, true) => Box::new(std::io::stderr()),
        // A program reads the result; nobody reads along.
        (true, false) => Box::new(std::io::sink()),
    };
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let options = Options {
        color: shown_on_terminal && !env_vars::NO_COLOR.is_set(),
        progress: stderr.is_terminal(),
        verbosity,
        columns: columns.unwrap_or(100),
        folder: folder.map(|folder| PathBuf::from(files::shown(folder))),
        virtual_time,
        collected: false,
    };
    Terminal::new(out, Box::new(stderr), options)
}

pub(super) fn print_outcome(outcome: &Outcome, json: bool, verbosity: Verbosity) {
    for note in &outcome.notes {
        talk!("warning: {note}");
    }
    for problem in &outcome.problems {
        talk!("{problem}");
    }
    if json {
        print_json(&outcome.result.to_json());
    } else if verbosity != Verbosity::Quiet {
        print(&format!("report: {}\n", files::shown(&outcome.folder.join("summary.md"))));
    }
}
