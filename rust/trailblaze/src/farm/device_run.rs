//! Device Run, the successor of Test Lab: a line of gcloud per shard.
//!
//! What cannot be said in 1,024 bytes is said in a file that is pushed.

use std::path::Path;

use trailblaze_apk::RUNNER;

use super::device::Device;
use super::folder::way_back;
use super::limits::OptionLimits;
use super::plan::{Draft, Written};
use super::script::quoted;
use super::{RESULTS, reports_folder};
use crate::exit_code::{Exit, Problem};

const FILE: &str = "run.sh";
/// Where names of tests lie on the phone.
pub(super) const NAMES: &str = "/data/local/tmp/trailblaze-tests.txt";

pub(super) fn write(draft: &Draft<'_>) -> Result<Written, Problem> {
    let mut files = Vec::new();
    let mut lines = Vec::new();
    for number in 1..=draft.shards.len() {
        lines.push(line(draft, number, &mut files)?);
    }
    if let [line] = lines.as_slice() {
        let command = line.join(" ");
        return Ok(Written { files, command, notes: fetch(draft) });
    }
    let shown = lines.iter().map(|line| format!("{}\n", line.join(" \\\n  ")));
    let script = format!(
        "#!/bin/sh\n# One session for each shard; they run side by side.\nset -e\n{}{}",
        way_back(Path::new(&draft.folder)),
        shown.collect::<String>()
    );
    files.push((FILE.to_owned(), script));
    let command = format!("sh {}", quoted(&draft.path(FILE)));
    Ok(Written { files, command, notes: fetch(draft) })
}

/// Where the results of a session lie is documented; its id is known when it was submitted.
fn fetch(draft: &Draft<'_>) -> Vec<String> {
    let project = draft.options.project.as_deref();
    let wait: String = project.map(|project| format!(" --project={project}")).unwrap_or_default();
    let bucket = format!("gs://{}-devicerun/automation/sessions/SESSION", project.unwrap_or("PROJECT"));
    let each = match draft.shards.len() {
        1 => "SESSION is".to_owned(),
        count => format!("for each of the {count} sessions; SESSION is"),
    };
    vec![
        format!("then, when it is over: gcloud beta device-run sessions wait SESSION{wait}"),
        format!("and: gcloud storage cp --recursive {bucket} {RESULTS}"),
        format!("  {each} what the command says, 'session-…'"),
    ]
}

fn line(draft: &Draft<'_>, number: usize, files: &mut Vec<(String, String)>) -> Result<Vec<String>, Problem> {
    let mut options = draft.options();
    let mut pushed = None;
    if let Some(names) = draft.names(&draft.shards[number - 1]) {
        let list = names.join(",");
        let most = draft.limits.options.map_or(usize::MAX, |OptionLimits { value, .. }| value);
        if list.len() <= most {
            options.push(("class".to_owned(), list));
        } else {
            let file = format!("shard-{number}.txt");
            options.push(("testFile".to_owned(), NAMES.to_owned()));
            pushed = Some(format!("--other-files-to-push={}={NAMES}", draft.path(&file)));
            files.push((file, names.join("\n") + "\n"));
        }
    }
    options.sort();
    let devices: Vec<&str> = draft.devices.iter().map(|Device { name, .. }| name.as_str()).collect();
    let plan = draft.options;
    let mut words = vec![
        "gcloud beta device-run sessions submit instrumentation".to_owned(),
        format!("--device={}", devices.join(",")),
        format!("--apps={}", plan.app),
        format!("--test={}", plan.test),
        format!("--test-runner-class={RUNNER}"),
        format!("--instrumentation-timeout={}m", draft.minutes()),
        format!("--additional-test-options={}", list(&options)?),
        format!("--paths-to-pull={}", reports_folder(&draft.package)),
    ];
    words.extend(pushed);
    if plan.retries > 0 {
        // Here the first try counts as well.
        words.push(format!("--flaky-test-attempts={}", plan.retries + 1));
    }
    if draft.shards.len() > 1 {
        words.push(format!("--labels=trailblaze-shard={number}"));
        words.push("--async".to_owned());
    }
    words.extend(plan.project.as_ref().map(|project| format!("--project={project}")));
    Ok(words
        .iter()
        .enumerate()
        .map(|(index, word)| if index == 0 { word.clone() } else { quoted(word) })
        .collect())
}

/// A list as gcloud reads it: commas within values need another sign between them, see `gcloud topic escaping`.
fn list(options: &[(String, String)]) -> Result<String, Problem> {
    let pairs: Vec<String> = options.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if !pairs.iter().any(|pair| pair.contains(',')) {
        return Ok(pairs.join(","));
    }
    let between =
        [";", "|", "~", "@@", "%%"].into_iter().find(|sign| !pairs.iter().any(|pair| pair.contains(sign)));
    let between = between.ok_or_else(|| {
        let message = "the values of the options hold ',', ';', '|', '~', '@@' and '%%', and nothing is left to stand between them";
        Problem::new(Exit::BadDocument, message).hint("write one of these signs in another way")
    })?;
    Ok(format!("^{between}^{}", pairs.join(between)))
}
