//! What reaches beyond the screen: snapshots, other trails, programs on the host.

use serde::Deserialize;
use trailblaze_model::event::EventKind;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;

use super::{BuiltIn, Entry, helper};
use crate::dispatch::{Context, Output};
use crate::host::HostCommand;
use crate::runner;

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<TakeSnapshot>(),
    Entry::of::<RunTrail>(),
    Entry::of::<ReloadTools>(),
    Entry::of::<Exec>(),
    Entry::of::<RunCommand>(),
];

/// Save a picture of the screen under a name.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct TakeSnapshot {
    /// The name of the screen
    screen_name: String,
    /// What it shows
    #[serde(rename = "description")]
    _description: Option<String>,
}

impl BuiltIn for TakeSnapshot {
    const NAME: &'static str = "takeSnapshot";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let png = context.session.device().screenshot()?;
        // The name becomes that of a file, where a secret would be read by anybody.
        let name = context.session.memory.redact(&self.screen_name).unwrap_or(self.screen_name);
        let file = context.session.host.save(&name, "png", &png)?;
        context.session.emit(EventKind::Saved { name, file: file.clone() });
        Ok(Output::message(format!("saved {file}")))
    }
}

/// Run the steps of another trail.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RunTrail {
    /// The file, relative to this trail or to the workspace
    path: String,
}

impl BuiltIn for RunTrail {
    const NAME: &'static str = "runTrail";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let trail = context.session.host.load_trail(&self.path, context.call.at.as_ref())?;
        runner::run_inside(&self.path, &trail, context)?;
        Ok(Output::default())
    }
}

/// Flags of a tool that starts programs.
fn host_only() -> ToolFlags {
    ToolFlags { requires_host: true, ..helper() }
}

/// What a program must do to count as a success.
struct Expectation {
    exit_code: i32,
    filter: Option<String>,
}

fn run_program(
    context: &Context<'_>,
    command: &HostCommand,
    expected: &Expectation,
) -> Result<Output, Failure> {
    let filter = expected.filter.as_deref().map(regex::Regex::new).transpose().map_err(|error| {
        Failure::new(FailureKind::InvalidArguments, format!("'outputFilterRegex': {error}"))
    })?;
    let done = context.session.host.run_command(command)?;
    let program = command.argv.first().map(String::as_str).unwrap_or_default();
    if done.exit_code != expected.exit_code {
        let message = format!("'{program}' exited with {}, not {}", done.exit_code, expected.exit_code);
        let failure = Failure::new(FailureKind::Exception, message);
        return Err(if done.output.is_empty() { failure } else { failure.stack(done.output) });
    }
    let output = match filter {
        None => done.output,
        Some(regex) => done.output.lines().filter(|line| regex.is_match(line)).collect::<Vec<_>>().join("\n"),
    };
    Ok(Output::message(output))
}

/// Read the tools of the workspace again: documents that changed, and toolset servers, which are started anew.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReloadTools {}

impl BuiltIn for ReloadTools {
    const NAME: &'static str = "reloadTools";

    fn flags() -> ToolFlags {
        ToolFlags { is_recordable: false, ..host_only() }
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let session = context.session;
        let (before, after) = (session.registry(), session.host.reload_tools()?);
        let changes = after.changes_since(&before);
        session.set_registry(after);
        Ok(Output { message: changes.to_string(), structured: Some(changes.to_json()), ..Output::default() })
    }
}

/// What was asked for, within what is left of the call.
fn timeout_ms(context: &Context<'_>, seconds: Option<u64>) -> u64 {
    seconds.unwrap_or(60).saturating_mul(1000).min(context.commands().remaining_ms())
}

/// Run a program on the host.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Exec {
    /// The program and its arguments
    #[cfg_attr(test, schemars(length(min = 1)))]
    argv: Vec<String>,
    /// Where it runs, relative to the workspace
    working_dir: Option<String>,
    /// What it must exit with
    #[serde(default)]
    expected_exit_code: i32,
    /// Only lines that match this regular expression are returned
    output_filter_regex: Option<String>,
    /// Not longer than this
    timeout_seconds: Option<u64>,
}

impl BuiltIn for Exec {
    const NAME: &'static str = "exec";

    fn flags() -> ToolFlags {
        host_only()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let expected = Expectation { exit_code: self.expected_exit_code, filter: self.output_filter_regex };
        let timeout_ms = timeout_ms(context, self.timeout_seconds);
        run_program(
            context,
            &HostCommand { argv: self.argv, working_dir: self.working_dir, timeout_ms },
            &expected,
        )
    }
}

/// Run a line of shell on the host.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct RunCommand {
    /// The line, as it is typed into a shell
    command: String,
    /// Where it runs, relative to the workspace
    working_dir: Option<String>,
    /// What it must exit with
    #[serde(default)]
    expected_exit_code: i32,
    /// Only lines that match this regular expression are returned
    output_filter_regex: Option<String>,
    /// Not longer than this
    timeout_seconds: Option<u64>,
}

impl BuiltIn for RunCommand {
    const NAME: &'static str = "runCommand";

    fn flags() -> ToolFlags {
        host_only()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let expected = Expectation { exit_code: self.expected_exit_code, filter: self.output_filter_regex };
        let timeout_ms = timeout_ms(context, self.timeout_seconds);
        let argv = vec!["sh".to_owned(), "-c".to_owned(), self.command];
        run_program(context, &HostCommand { argv, working_dir: self.working_dir, timeout_ms }, &expected)
    }
}
