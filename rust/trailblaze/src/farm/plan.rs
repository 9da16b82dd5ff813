//! `trailblaze farm plan`: checks everything, and then writes what the farm takes.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use trailblaze_model::diagnostic::{Code, Diagnostic, Severity};
use trailblaze_model::driver::AgentMode;
use trailblaze_model::test_name::TestName;

use super::device::{self, Device, Kind, Named};
use super::limits::{self, Limits, OptionLimits, RESERVE_MINUTES, RETRIES};
use super::script::quoted;
use super::shards::{self, Classes, Shard, Shards, Timed};
use super::{Farm, PLAN, RESULTS, apk, aws, device_run, firebase, flank};
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
    check_options(&options.options, &limits)?;
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
    if chosen.is_empty() {
        return Err(Problem::new(Exit::BadDocument, "there is no trail to plan"));
    }
    let package = apk::check(options, &root, &chosen)?;
    let ids: Vec<Arc<str>> = chosen.iter().map(|trail| trail.id.clone()).collect();
    let names: HashSet<&str> = ids.iter().map(|id| &**id).collect();
    let (timed, unknown) = shards::timed(&ids, &run_times::known(Some(&root), &names));
    let classes = Classes::of(&all);
    let shards = shards::make(&timed, options.shards, &limits, &classes)?;
    let key = options.farm.key();
    let folder = options.out.clone().unwrap_or_else(|| root.join(".trailblaze").join("farm").join(key));
    let draft = Draft {
        options,
        limits,
        devices,
        package,
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
    let mut notes = told(&draft, unknown);
    notes.extend(written.notes);
    notes.push(format!("and: trailblaze farm collect {RESULTS} --plan {}", quoted(&draft.folder)));
    Ok(Plan { problems, folder, files: written.files, command: written.command, notes })
}

/// Writes the files of a plan.
pub fn write(plan: &Plan) -> Result<(), Problem> {
    let cannot = |path: &std::path::Path, error: &std::io::Error| {
        let message = format!("{} cannot be written: {}", files::shown(path), files::why(error));
        Problem::new(Exit::BadDocument, message).hint("'--out DIR' chooses another folder")
    };
    fs::create_dir_all(&plan.folder).map_err(|error| cannot(&plan.folder, &error))?;
    remove_last(plan);
    for (name, text) in &plan.files {
        let path = plan.folder.join(name);
        fs::write(&path, text).map_err(|error| cannot(&path, &error))?;
    }
    Ok(())
}

/// Removes what the last plan in the folder wrote and this one does not. What cannot be removed harms nobody.
fn remove_last(plan: &Plan) {
    let text = fs::read_to_string(plan.folder.join(PLAN)).unwrap_or_default();
    let last: Value = serde_json::from_str(&text).unwrap_or_default();
    let names = last["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_plain = |name: &&str| !name.contains(['/', '\\']) && *name != "..";
    for name in names.filter(is_plain).filter(|name| !plan.files.iter().any(|(known, _)| known == name)) {
        let _ = fs::remove_file(plan.folder.join(name));
    }
}

fn limits(options: &PlanOptions, devices: &[Device]) -> Result<Limits, Problem> {
    let kinds: Vec<Kind> = devices.iter().map(|device| device.kind).collect();
    let mut limits = limits::of(options.farm, &kinds, options.standard);
    if let Some(minutes) = options.minutes {
        if minutes > limits.minutes {
            let message = format!("{minutes} minutes are more than this farm gives, {}", limits.minutes);
            let hint = "virtual devices may have more; say it with --kind where the name does not";
            return Err(Problem::new(Exit::BadDocument, message).hint(hint));
        }
        if minutes <= RESERVE_MINUTES {
            let message = format!("{minutes} minutes are too few: {RESERVE_MINUTES} is kept for reports");
            return Err(Problem::new(Exit::BadDocument, message));
        }
        limits.minutes = minutes;
    }
    Ok(limits)
}

/// Options that we set ourselves: the shards are made here.
const OURS: [&str; 7] = ["class", "notClass", "numShards", "shardIndex", "testFile", "notTestFile", "log"];

fn check_options(pairs: &[(String, String)], limits: &Limits) -> Result<(), Problem> {
    let bad = |message: String| Problem::new(Exit::BadDocument, message);
    for (index, (key, value)) in pairs.iter().enumerate() {
        if pairs[..index].iter().any(|(other, _)| other == key) {
            return Err(bad(format!("the option '{key}' is given twice")));
        }
        if OURS.contains(&key.as_str()) {
            let problem = bad(format!("the option '{key}' is set by the plan"));
            return Err(problem.hint("choose trails with --tag and --filter, and shards with --shards"));
        }
        if key == "secrets" || key == "secret" || key.starts_with("secret.") {
            let problem = bad("secrets cannot stand in a plan: its files are kept and shown".to_owned());
            return Err(problem.hint("let the app under test or a toolset fetch them"));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || key.len() < 2 || !key.chars().all(is_name) {
            return Err(bad(format!(
                "'{key}' is no name of an option: letters, digits and '_.-', two at least"
            )));
        }
        if value.contains(['\n', '\r', '\0']) {
            return Err(bad(format!("the option '{key}' has a line break in it")));
        }
        if let Some(OptionLimits { key: longest, value: most, .. }) = limits.options {
            if key.len() > longest {
                return Err(bad(format!(
                    "the name of the option '{key}' has {} bytes; the farm takes {longest}",
                    key.len()
                )));
            }
            if value.len() > most {
                let problem =
                    bad(format!("the option '{key}' has {} bytes; the farm takes {most}", value.len()));
                return Err(problem.hint("put it into the workspace, which is packed into the APK"));
            }
        }
    }
    // Beside them stand the deadline and the names of tests.
    let count = pairs.len() + 2;
    match limits.options.filter(|limits| count > limits.count) {
        Some(limits) => Err(bad(format!(
            "{count} options, two of them ours, are more than the farm takes, {}",
            limits.count
        ))),
        None => Ok(()),
    }
}

fn check_project(options: &PlanOptions) -> Result<(), Problem> {
    let is_arn =
        |project: &String| project.starts_with("arn:aws:devicefarm:") && project.contains(":project:");
    match (&options.project, options.farm) {
        (None, Farm::Aws) => {
            let problem =
                Problem::new(Exit::Usage, "AWS Device Farm needs --project with the ARN of a project");
            Err(problem.hint("'aws devicefarm list-projects' lists them"))
        }
        (Some(project), Farm::Aws) if !is_arn(project) => {
            let message = format!("'{project}' is no ARN of a project of AWS Device Farm");
            Err(Problem::new(Exit::Usage, message).hint("'aws devicefarm list-projects' lists them"))
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

fn told(draft: &Draft<'_>, unknown: usize) -> Vec<String> {
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
            "nobody has seen these trails run".to_owned()
        } else {
            format!("{} were never seen to run", several(unknown, "trail"))
        };
        notes.push(format!("  {all}: their times are guessed"));
    }
    if apk::is_in_bucket(&draft.options.test) {
        notes.push(format!(
            "  the test APK cannot be looked at: its package is taken to be {}",
            draft.package
        ));
    }
    notes
}
