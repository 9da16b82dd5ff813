//! `trailblaze farm plan`: checks everything, and then writes what the farm takes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use trailblaze_model::diagnostic::{Code, Diagnostic, Severity};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::test_name::TestName;

use super::device::{self, Device, Kind, Named};
use super::limits::{self, Limits, RESERVE_MINUTES, RETRIES};
use super::script::quoted;
use super::shards::{self, Classes, Shard, Shards, Timed};
use super::{Farm, PLAN, RESULTS, apk, aws, device_run, firebase, flank, folder, options};
use crate::exit_code::{Exit, Problem};
use crate::load::{self, DEFAULT_DRIVER, LoadOptions};
use crate::run::Selection;
use crate::{files, run_times};

/// Everything that `farm plan` can be told.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    pub farm: Farm,
    pub paths: Vec<PathBuf>,
    pub target: Option<String>,
    pub selection: Selection,
    /// The app under test: a file, or `gs://…` where the farm takes that.
    pub app: String,
    /// The packed test APK.
    pub test: String,
    pub devices: Vec<String>,
    pub kind: Option<Kind>,
    pub shards: Shards,
    /// The longest that a shard may take; none = as long as the farm allows.
    pub minutes: Option<u64>,
    /// `-e key value` for the runner.
    pub options: Vec<(String, String)>,
    /// How often the farm tries a shard again that failed.
    pub retries: u32,
    /// The project at the farm: an id, or an ARN of AWS.
    pub project: Option<String>,
    /// AWS: let the farm list the tests itself.
    pub standard: bool,
    pub out: Option<PathBuf>,
}

/// What was planned.
#[derive(Debug)]
pub struct Plan {
    /// Warnings of the workspace.
    pub problems: Vec<Diagnostic>,
    pub folder: PathBuf,
    /// Names in the folder, with their texts.
    pub files: Vec<(String, String)>,
    /// The one command to type.
    pub command: String,
    /// A line per shard, and what a person should know.
    pub notes: Vec<String>,
}

/// What the writers of the farms work with.
pub(super) struct Draft<'a> {
    pub options: &'a PlanOptions,
    pub limits: Limits,
    pub devices: Vec<Device>,
    /// Of the test APK.
    pub package: String,
    pub shards: Vec<Shard>,
    /// How many trails the workspace has, and the classes that they are in.
    pub trails: usize,
    pub classes: Classes,
    /// How the folder of the plan is written in commands.
    pub folder: String,
}

/// What a farm takes: files and the command.
pub(super) struct Written {
    pub files: Vec<(String, String)>,
    pub command: String,
    pub notes: Vec<String>,
}

impl Draft<'_> {
    /// The minutes that the farm gives to one shard.
    pub(super) const fn minutes(&self) -> u64 {
        self.limits.minutes
    }

    /// `-e` pairs: those that were asked for, and when our own run must be over.
    pub(super) fn options(&self) -> Vec<(String, String)> {
        let mut pairs = self.options.options.clone();
        pairs.extend(self.options.target.clone().map(|target| ("target".to_owned(), target)));
        if !pairs.iter().any(|(key, _)| key == "deadline") {
            pairs.push(("deadline".to_owned(), format!("{}m", self.minutes() - RESERVE_MINUTES)));
        }
        pairs.sort();
        pairs
    }

    /// Names of tests for one shard; none where it has all there are.
    pub(super) fn names(&self, shard: &Shard) -> Option<Vec<String>> {
        (shard.trails.len() < self.trails).then(|| shard.names(&self.classes))
    }

    /// A file of the plan, as commands write it.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }
}

/// Makes the plan and writes nothing.
pub fn make(options: &PlanOptions) -> Result<Plan, Problem> {
    let devices = device::read(options.farm, &options.devices, options.kind)?;
    let limits = limits(options, &devices)?;
    let mut notes = options::check(options, &limits)?;
    check_project(options)?;
    check_farm(options)?;
    let mut loaded = load::load(&LoadOptions {
        target: options.target.clone(),
        driver: Some(DEFAULT_DRIVER),
        agent: AgentMode::OnDevice,
        ..LoadOptions::new(options.paths.clone())
    })?;
    // What the sim lacks is none of a farm's business, and an unknown tool fails when it is called.
    loaded.problems.retain(|problem| !matches!(problem.code, Code::Coverage | Code::MissingFile));
    for problem in loaded.problems.iter_mut().filter(|problem| problem.code == Code::UnknownTool) {
        problem.severity = Severity::Warning;
    }
    let problems = std::mem::take(&mut loaded.problems);
    if problems.iter().any(|problem| problem.severity == Severity::Error) {
        let files = Vec::new();
        let (folder, command) = (PathBuf::new(), String::new());
        return Ok(Plan { problems, folder, files, command, notes: Vec::new() });
    }
    if let Some(problem) = &loaded.no_trails {
        return Err(problem.clone());
    }
    let root = loaded.workspace.root.clone().unwrap_or_default();
    let runnable = loaded.trails.iter().filter(|trail| !trail.trail.is_config_only());
    let all: Vec<Arc<str>> = runnable.map(|trail| trail.id.clone()).collect();
    let chosen = options.selection.choose(&loaded.trails)?;
    let apks = apk::check(options, &devices, &root, &chosen)?;
    let ids: Vec<Arc<str>> = chosen.iter().map(|trail| trail.id.clone()).collect();
    let names: HashSet<&str> = ids.iter().map(|id| &**id).collect();
    let known = run_times::known(Some(&root), &names);
    let (timed, unknown) = shards::timed(&ids, &known.times);
    let classes = Classes::of(&all);
    let shards = shards::make(&timed, options.shards, &limits, &classes)?;
    let key = options.farm.key();
    let folder = options.out.clone().unwrap_or_else(|| root.join(".trailblaze").join("farm").join(key));
    let draft = Draft {
        options,
        limits,
        devices,
        package: apks.package,
        shards,
        trails: all.len(),
        classes,
        folder: files::shown(&folder),
    };
    let mut written = match options.farm {
        Farm::Firebase => firebase::write(&draft),
        Farm::DeviceRun => device_run::write(&draft)?,
        Farm::Aws => aws::write(&draft)?,
    };
    if options.farm == Farm::Firebase {
        written.files.extend(flank::write(&draft));
    }
    let names: Vec<&str> = written.files.iter().map(|(name, _)| name.as_str()).collect();
    let plan = format!("{:#}\n", plan_file(&draft, &names));
    written.files.push((PLAN.to_owned(), plan));
    notes.extend(options::too_short(&options.options, &draft.shards));
    notes.extend(told(&draft, unknown, known.only_on_sim));
    notes.extend(apks.notes.iter().map(|note| format!("  {note}")));
    notes.extend(written.notes);
    let workspace: String = options.paths.iter().map(|path| format!(" -w {}", shown_word(path))).collect();
    notes.push(format!("and: trailblaze farm collect {RESULTS}{workspace} --plan {}", quoted(&draft.folder)));
    Ok(Plan { problems, folder, files: written.files, command: written.command, notes })
}

/// Writes the files of a plan.
pub fn write(plan: &Plan) -> Result<(), Problem> {
    folder::write(plan)
}

fn limits(options: &PlanOptions, devices: &[Device]) -> Result<Limits, Problem> {
    let kinds: Vec<Kind> = devices.iter().map(|device| device.kind).collect();
    let mut limits = limits::of(options.farm, &kinds, options.standard);
    if let Some(minutes) = options.minutes {
        if minutes > limits.most_minutes {
            let message = format!("{minutes} minutes are more than this farm gives, {}", limits.most_minutes);
            let hint = match options.farm {
                Farm::Firebase => "virtual devices may have more; say it with --kind where the name does not",
                Farm::DeviceRun | Farm::Aws => "ask for less, or leave it out",
            };
            return Err(Problem::new(Exit::BadDocument, message).hint(hint));
        }
        if minutes <= RESERVE_MINUTES {
            let message = format!(
                "--minutes {minutes} is too little: {RESERVE_MINUTES} minute is kept for the reports"
            );
            let hint = format!("ask for {} or more", RESERVE_MINUTES + 1);
            return Err(Problem::new(Exit::BadDocument, message).hint(hint));
        }
        limits.minutes = minutes;
    }
    Ok(limits)
}

fn check_project(options: &PlanOptions) -> Result<(), Problem> {
    let is_arn = |project: &String| device::arn(project).is_some_and(|kind| kind == "project");
    let is_id = |project: &String| {
        let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:".contains(c);
        project.starts_with(|c: char| c.is_ascii_lowercase()) && project.chars().all(is_sign)
    };
    match (&options.project, options.farm) {
        (None, Farm::Aws) => {
            let problem =
                Problem::new(Exit::Usage, "AWS Device Farm needs --project with the ARN of a project");
            Err(problem.hint("'aws devicefarm list-projects --region us-west-2' lists them"))
        }
        (Some(project), Farm::Aws) if !is_arn(project) => {
            let message = format!("'{project}' is no ARN of a project of AWS Device Farm");
            Err(Problem::new(Exit::Usage, message)
                .hint("'aws devicefarm list-projects --region us-west-2' lists them"))
        }
        (Some(project), Farm::Firebase | Farm::DeviceRun) if !is_id(project) => {
            let message = format!("'{project}' is no id of a project of Google Cloud");
            let hint = "ids have small letters, digits and '-'; 'gcloud projects list' lists them";
            Err(Problem::new(Exit::Usage, message).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Options that only some farms know.
fn check_farm(options: &PlanOptions) -> Result<(), Problem> {
    let usage = |message: &str, hint: &str| Err(Problem::new(Exit::Usage, message).hint(hint));
    if options.standard && options.farm != Farm::Aws {
        return usage("--standard is for AWS Device Farm only", "leave it out");
    }
    if options.standard && !options.options.is_empty() {
        let hint = "leave out --standard: our own runner takes them";
        return usage("the standard environment of AWS hands no options to the tests", hint);
    }
    if options.farm == Farm::Aws && options.retries > 0 {
        let hint = "'-e retries=1' lets the runner on the phone try again";
        return usage("AWS Device Farm runs no shard again by itself", hint);
    }
    if options.retries > RETRIES {
        return usage(&format!("--retries is {}; the farm takes {RETRIES}", options.retries), "take fewer");
    }
    Ok(())
}

/// What `collect` has to know of the plan.
fn plan_file(draft: &Draft<'_>, files: &[&str]) -> Value {
    let trail = |trail: &Timed| {
        let test = TestName::of(&trail.id).to_string();
        json!({ "id": &*trail.id, "test": test, "expectedMs": trail.ms })
    };
    let shard = |shard: &Shard| {
        let trails: Vec<Value> = shard.trails.iter().map(trail).collect();
        json!({ "expectedMs": shard.ms(), "trails": trails })
    };
    // Only the farm knows the devices of a pool.
    let is_known = |device: &&Device| device.is != Named::PoolArn;
    let devices: Vec<&str> =
        draft.devices.iter().filter(is_known).map(|device| device.name.as_str()).collect();
    json!({
        "trailblaze": crate::VERSION,
        "farm": draft.options.farm.key(),
        "devices": devices,
        "minutes": draft.minutes(),
        "files": files,
        "shards": draft.shards.iter().map(shard).collect::<Vec<_>>(),
    })
}

/// A path as a shell takes it.
fn shown_word(path: &Path) -> String {
    quoted(&files::shown(path))
}

fn told(draft: &Draft<'_>, unknown: usize, only_on_sim: usize) -> Vec<String> {
    let trails: usize = draft.shards.iter().map(|shard| shard.trails.len()).sum();
    let several = |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    let mut notes = vec![format!(
        "{} in {} on {}",
        several(trails, "trail"),
        several(draft.shards.len(), "shard"),
        draft.devices.iter().map(|device| device.name.as_str()).collect::<Vec<_>>().join(", ")
    )];
    for (shard, number) in draft.shards.iter().zip(1..) {
        let (count, time) = (several(shard.trails.len(), "trail"), shards::minutes(shard.ms()));
        notes.push(format!("  shard {number}: {count}, about {time} of {} minutes", draft.minutes()));
    }
    if unknown > 0 {
        let all = if unknown == trails {
            "nobody has seen these trails run on a phone".to_owned()
        } else {
            format!("{} were never seen to run on a phone", several(unknown, "trail"))
        };
        let sim = if only_on_sim > 0 { ", and not taken from the sim" } else { "" };
        notes.push(format!("  {all}: their times are guessed{sim}"));
    }
    notes
}
