//! The files that came back, put together by the run that each belongs to: a shard on a device, one try of it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use trailblaze_apk::zip::Archive;
use trailblaze_model::hash::fnv1a;

use super::told::{End, Names, Told, Try};
use super::{instrumentation, junit, lines, logcat};
use crate::exit_code::{Exit, Problem};
use crate::files;

/// More of one file is not read; the log of a phone can be endless.
const MOST: u64 = 64 << 20;
/// More of one zip is not read: a small one can hold endless texts.
const MOST_OF_ZIP: u64 = 1 << 30;
/// Folders in folders, deeper than any farm has them.
const DEEPEST: usize = 32;

/// One run of a shard on a device, as far as its files tell.
#[derive(Debug, Default)]
pub(super) struct Execution {
    /// The folder that is all its own, from the folder that is collected.
    pub root: String,
    /// What the folder calls the device; empty where it does not.
    pub device: String,
    /// Counted from 1.
    pub shard: Option<usize>,
    /// 0 for the first try.
    pub rerun: u32,
    /// What each kind of file says, the best first.
    told: BTreeMap<Rank, Vec<Told>>,
}

/// Which files know more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Events,
    Status,
    Junit,
    Log,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub executions: Vec<Execution>,
    /// One report of all shards, by the name of the device, as Flank makes it.
    pub merged: Vec<(String, Told)>,
    pub strangers: Vec<String>,
    /// Files that could not be read.
    pub notes: Vec<String>,
    /// How many files say something.
    pub files: usize,
}

impl Execution {
    /// The tries of every trail: of the file that knows most of it.
    pub(super) fn trails(&self) -> BTreeMap<std::sync::Arc<str>, Vec<Try>> {
        let mut trails: BTreeMap<_, Vec<Try>> = BTreeMap::new();
        for (id, tries) in self.told.values().flatten().flat_map(|told| &told.trails) {
            let Some(known) = trails.get_mut(id) else {
                trails.insert(id.clone(), tries.clone());
                continue;
            };
            let (Some(last), Some(also)) = (known.last_mut(), tries.last()) else { continue };
            if last.verdict.is_none() && also.verdict.is_some() {
                // A better file that was cut off before the trail ended.
                let (events, folder) = (std::mem::take(&mut last.events), last.folder.take());
                *last = Try { events, folder, steps: last.steps, ..also.clone() };
            }
            last.duration_ms = last.duration_ms.or(also.duration_ms);
        }
        trails
    }

    /// How it ended: a file that says so is believed, and the log of the phone is asked last.
    pub(super) fn end(&self) -> End {
        let ends =
            || self.told.iter().flat_map(|(rank, told)| told.iter().map(move |told| (*rank, &told.end)));
        let is_cut = |(rank, end): &(Rank, &End)| {
            matches!(end, End::Cut(_)) && (*rank != Rank::Log || self.told.len() == 1)
        };
        let trouble = ends().find(|(_, end)| matches!(end, End::Trouble(_)));
        let finished = || ends().find(|(_, end)| **end == End::Finished);
        trouble.or_else(finished).or_else(|| ends().find(is_cut)).map_or(End::Unknown, |(_, end)| end.clone())
    }
}

/// Reads everything below a folder.
pub(super) fn read(folder: &Path, names: &Names) -> Result<Found, Problem> {
    let bad = |why: String| {
        Problem::new(Exit::BadDocument, format!("{} cannot be collected: {why}", files::shown(folder)))
            .hint("give the folder that the results were copied to")
    };
    let metadata = fs::metadata(folder).map_err(|error| bad(files::why(&error)))?;
    let mut reader = Reader { names, found: Found::default(), seen: HashSet::new() };
    if metadata.is_dir() {
        // Whoever gives the folder of one device means that device.
        let name = Some(name_of(folder)).filter(|name| is_of_device(name));
        reader.folder(folder, &mut name.into_iter().collect()).map_err(|error| bad(files::why(&error)))?;
    } else {
        reader.file(folder, &[], &name_of(folder)).map_err(|error| bad(files::why(&error)))?;
    }
    let mut found = reader.found;
    found.executions.sort_by(|one, other| {
        (&one.device, one.shard, one.rerun, &one.root).cmp(&(
            &other.device,
            other.shard,
            other.rerun,
            &other.root,
        ))
    });
    Ok(found)
}

struct Reader<'a> {
    names: &'a Names,
    found: Found,
    /// Files that were read, by the run that they are of: the same one may lie in two places.
    seen: HashSet<(String, Option<usize>, u32, u64)>,
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Reader<'_> {
    fn folder(&mut self, folder: &Path, inside: &mut Vec<String>) -> io::Result<()> {
        let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, name) = (entry.path(), name_of(&entry.path()));
            if name.starts_with('.') {
                continue;
            }
            let kind = entry.file_type()?;
            let result = if kind.is_dir() && inside.len() < DEEPEST {
                // A folder of a shard that holds nothing is a shard that never reported.
                inside.push(name.clone());
                let result = self.folder(&path, inside);
                self.touch(inside);
                inside.pop();
                result
            } else if kind.is_file() {
                self.file(&path, inside, &name)
            } else {
                Ok(())
            };
            if let Err(error) = result {
                self.found.notes.push(format!(
                    "{} cannot be read: {}",
                    files::shown(&path),
                    files::why(&error)
                ));
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, inside: &[String], name: &str) -> io::Result<()> {
        if name.to_lowercase().ends_with(".zip") {
            return if name == BUNDLE { Ok(()) } else { self.zip(path, inside, name) };
        }
        if is_wanted(name) {
            let mut bytes = Vec::new();
            fs::File::open(path)?.take(MOST).read_to_end(&mut bytes)?;
            self.text(inside, name, &bytes, path.parent(), &files::shown(path));
        }
        Ok(())
    }

    /// A zip is a folder; one that is called like what it holds names nothing.
    fn zip(&mut self, path: &Path, inside: &[String], name: &str) -> io::Result<()> {
        let stem = &name[..name.len() - ".zip".len()];
        let mut outside = inside.to_vec();
        if !TRANSPARENT.contains(&stem.to_lowercase().as_str()) {
            outside.push(stem.to_owned());
        }
        self.touch(&outside);
        let mut zip =
            Archive::open(fs::File::open(path)?).map_err(|error| io::Error::other(error.to_string()))?;
        let mut left = MOST_OF_ZIP;
        for entry in zip.entries.clone() {
            let mut parts: Vec<String> = entry.name.split('/').map(str::to_owned).collect();
            let Some(name) = parts.pop().filter(|name| is_wanted(name)) else { continue };
            left = left.saturating_sub(entry.size.into());
            let content = match left {
                0 => Err("the zip holds more than can be read".into()),
                _ => zip.read(&entry, MOST as u32).map_err(|error| error.to_string()),
            };
            let place = format!("{} in {}", entry.name, files::shown(path));
            match content {
                Ok(bytes) => self.text(&[outside.clone(), parts].concat(), &name, &bytes, None, &place),
                Err(why) => self.found.notes.push(format!("{place} cannot be read: {why}")),
            }
        }
        Ok(())
    }

    /// What a file is shows its text; people know it by its place.
    fn text(&mut self, inside: &[String], name: &str, bytes: &[u8], folder: Option<&Path>, place: &str) {
        let text = String::from_utf8_lossy(bytes);
        let Execution { device, shard, rerun, .. } = identify(own(inside), String::new());
        if !self.seen.insert((device, shard, rerun, fnv1a(&text))) {
            return;
        }
        let mut strangers = Vec::new();
        if lines::is_it(&text) {
            let (mut told, broken) = lines::read(&text, self.names);
            if broken > 0 {
                let lines = if broken == 1 { "1 line".to_owned() } else { format!("{broken} lines") };
                self.found.notes.push(format!("{place}: {lines} cannot be read, and the rest counts"));
            }
            for one in told.trails.values_mut().flatten() {
                one.folder = folder.map(Path::to_owned);
            }
            self.take(inside, Rank::Events, told, &mut strangers);
        } else if instrumentation::is_it(&text) {
            self.take(inside, Rank::Status, instrumentation::read(&text, self.names), &mut strangers);
        } else if junit::is_it(&text) {
            let suites = junit::read(&text, self.names);
            if !suites.is_whole {
                let note = format!("{place} is cut off or broken: what stands before that counts");
                self.found.notes.push(note);
            }
            for (suite, told) in suites.named {
                let of_flank = (name == FLANK).then_some(suite.as_str());
                let of_job = || inside.last().map(String::as_str).filter(|part| job(part).is_some());
                match name.strip_suffix(MERGED).or(of_flank).or_else(of_job) {
                    Some(device) => {
                        self.found.files += 1;
                        strangers.extend(told.strangers.iter().cloned());
                        self.found.merged.push((device.to_owned(), told));
                    }
                    None => self.take(inside, Rank::Junit, told, &mut strangers),
                }
            }
        } else if logcat::is_it(&text) {
            self.take(inside, Rank::Log, logcat::read(&text, self.names), &mut strangers);
        } else if is_result(name) {
            let why = if bytes.is_empty() { "it is empty" } else { "there are no results in it" };
            self.found.notes.push(format!("{place} cannot be read: {why}"));
        }
        for stranger in strangers {
            if !self.found.strangers.contains(&stranger) {
                self.found.strangers.push(stranger);
            }
        }
    }

    fn take(&mut self, inside: &[String], rank: Rank, told: Told, strangers: &mut Vec<String>) {
        strangers.extend(told.strangers.iter().cloned());
        self.found.files += 1;
        self.execution(inside).told.entry(rank).or_default().push(told);
    }

    /// A folder that is called after a shard or a device of a farm is a run, even when nothing is in it.
    fn touch(&mut self, inside: &[String]) {
        let is_run =
            inside.last().is_some_and(|name| number_after(name, &["shard"]).is_some() || is_of_device(name));
        let has_inner = || {
            let root = inside.join("/");
            self.found.executions.iter().any(|known| known.root.starts_with(&format!("{root}/")))
        };
        if is_run && !inside.iter().any(|part| INNER.contains(&part.as_str())) && !has_inner() {
            self.execution(inside);
        }
    }

    fn execution(&mut self, inside: &[String]) -> &mut Execution {
        let root = own(inside).join("/");
        let at = self.found.executions.iter().position(|known| known.root == root).unwrap_or_else(|| {
            self.found.executions.push(identify(own(inside), root));
            self.found.executions.len() - 1
        });
        &mut self.found.executions[at]
    }
}

/// A session of ours that can be replayed; no result.
const BUNDLE: &str = "bundle.zip";
/// Flank's report of all shards; its suites are called after devices.
const FLANK: &str = "JUnitReport.xml";
/// Test Lab's report of all shards and tries on a device, behind the name of the device.
const MERGED: &str = "-test_results_merged.xml";
/// Zips that are called after their content.
const TRANSPARENT: [&str; 6] = ["customer_artifacts", "artifacts", "results", "output", "logs", "reports"];
/// Folders within what one run left: from here on a path says nothing of the device.
const INNER: [&str; 10] = [
    "artifacts",
    "sdcard",
    "storage",
    "data",
    "test_cases",
    "reports",
    "logs",
    "files",
    "Host_Machine_Files",
    "$DEVICEFARM_LOG_DIR",
];

fn is_wanted(name: &str) -> bool {
    let name = name.to_lowercase();
    let has_ending =
        [".results", ".xml", ".jsonl", ".txt", ".log"].iter().any(|ending| name.ends_with(ending));
    has_ending || name.contains("logcat") || name.contains("instrumentation")
}

/// Whether a file is called as only results are.
fn is_result(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_junit = ["junit", "test_result", "test-result"].iter().any(|word| name.contains(word));
    name == "events.jsonl" || name.ends_with(".results") || (is_junit && name.ends_with(".xml"))
}

/// The folders of a path that say which run it is of.
fn own(inside: &[String]) -> &[String] {
    let end = inside.iter().position(|part| INNER.contains(&part.as_str()));
    &inside[..end.unwrap_or(inside.len())]
}

/// The device, the shard and the try, out of the names of folders.
fn identify(parts: &[String], root: String) -> Execution {
    let mut execution = Execution { root, ..Execution::default() };
    for part in parts {
        // Device Run: a session has a job for each device, and a job an execution for each try.
        if part.starts_with("session-") {
            continue;
        }
        if let Some(number) = part.strip_prefix("execution-").and_then(|number| number.parse().ok()) {
            execution.rerun = number;
            continue;
        }
        let mut rest = part.clone();
        if let Some((number, is_from_0, range)) = number_after(&rest, &["shard"]) {
            execution.shard = Some(number as usize + usize::from(is_from_0));
            rest.replace_range(range, "");
        }
        if let Some((number, _, range)) = number_after(&rest, &["rerun", "attempt"]) {
            execution.rerun = number;
            rest.replace_range(range, "");
        }
        let rest = rest.trim_matches(['-', '_', ' ', '.']);
        if !rest.is_empty() {
            execution.device = rest.to_owned();
        }
    }
    execution
}

/// `shiba-34-en-portrait` of Test Lab
fn is_of_device(name: &str) -> bool {
    name.ends_with("-portrait") || name.ends_with("-landscape")
}

/// `job-000` of Device Run: the device with this number, in the order of the plan.
pub(super) fn job(name: &str) -> Option<usize> {
    name.strip_prefix("job-").filter(|number| number.len() == 3).and_then(|number| number.parse().ok())
}

/// `shard_0` of Test Lab is counted from 0, `shard-1` of ours from 1.
fn number_after(text: &str, words: &[&str]) -> Option<(u32, bool, std::ops::Range<usize>)> {
    let lower = text.to_ascii_lowercase();
    words.iter().find_map(|word| {
        let start = lower.rfind(word)?;
        let after = &lower[start + word.len()..];
        let mark = after.chars().next().filter(|c| ['_', '-'].contains(c))?;
        let digits: String = after[1..].chars().take_while(char::is_ascii_digit).collect();
        let end = start + word.len() + 1 + digits.len();
        Some((digits.parse().ok()?, mark == '_', start..end))
    })
}
