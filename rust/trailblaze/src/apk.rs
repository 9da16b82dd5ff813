//! A test APK out of a workspace: what `trailblaze apk pack` does.
//!
//! The trails are checked as on the phone, named as on the phone, and lie in the APK as the phone reads them.

mod check;
mod contents;
mod key;
pub mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_apk::dex::{Dex, Suite};
use trailblaze_apk::manifest::Changes;
use trailblaze_apk::zip::Archive;
use trailblaze_apk::{Asset, Request, Template, Verified};
use trailblaze_engine::host::Cancel;
use trailblaze_model::diagnostic::{Diagnostic, Severity};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::test_name::TestName;

pub(crate) use self::key::debug_key_path;
pub use self::key::{KeyChoice, Password};
use crate::exit_code::{Exit, Problem};
use crate::load::{self, LoadOptions, Loaded, LoadedTrail};
use crate::workspace::{self, Workspace};
use crate::{VERSION, discover, files};

/// What is packed, and how.
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// The workspace; the current folder's unless given.
    pub workspace: Option<PathBuf>,
    /// The agent's APK; looked for unless given.
    pub template: Option<PathBuf>,
    pub out: PathBuf,
    pub changes: Changes,
    /// A debug key unless given.
    pub key: Option<KeyChoice>,
    /// Dex files with the classes of `class:` tools.
    pub dex: Vec<PathBuf>,
    /// Files and folders of the workspace that come along besides its documents and trails.
    pub include: Vec<PathBuf>,
}

/// A workspace that was checked, with everything that packing needs.
#[derive(Debug)]
pub struct Ready {
    /// In the order of files and places.
    pub problems: Vec<Diagnostic>,
    root: PathBuf,
    workspace: Arc<Workspace>,
    template: Template,
    dex: Vec<Dex>,
    tests: Vec<Test>,
}

/// A trail and what it is called where tests are Java methods.
#[derive(Clone, Debug)]
struct Test {
    id: String,
    name: TestName,
    /// As people read it.
    file: String,
}

/// What was made.
#[derive(Debug)]
pub struct Packed {
    pub apk: Verified,
    /// Whether the key is the one for developing.
    pub is_debug_key: bool,
    /// Whether the key came without a certificate, and got one.
    pub made_certificate: bool,
}

impl Ready {
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// Something that has nothing to do with the documents of the workspace.
fn problem(error: trailblaze_apk::Error, path: Option<&Path>) -> Problem {
    let message = match path {
        Some(path) => format!("{}: {}", files::shown(path), error.message),
        None => error.message,
    };
    Problem { exit: Exit::BadDocument, message, hint: error.hint }
}

/// An agent and this program must be of one release.
pub(crate) fn same_version(path: &Path, theirs: &str) -> Result<(), Problem> {
    if theirs == VERSION {
        return Ok(());
    }
    let path = files::shown(path);
    let message = format!("{path}: the agent is of version {theirs}, and this is Trailblaze {VERSION}");
    Err(Problem::new(Exit::BadDocument, message).hint("take the agent of the same release"))
}

/// Opens the template and checks the workspace. Nothing is written.
pub fn prepare(options: &PackOptions) -> Result<Ready, Problem> {
    let path = template::find(options.template.as_deref())?;
    let template = Template::open(&path).map_err(|error| problem(error, Some(&path)))?;
    same_version(&path, &template.facts.version_name)?;
    check_out(options, &path)?;
    let dex = options.dex.iter().map(|path| read_dex(path)).collect::<Result<Vec<_>, _>>()?;
    let (root, loaded) = load(options.workspace.as_deref())?;
    let tests: Vec<Test> = loaded
        .trails
        .iter()
        .filter(|trail| !trail.trail.is_config_only())
        .map(|trail| test(&root, trail))
        .collect();
    if tests.is_empty() && loaded.errors().next().is_none() {
        let nothing = Problem::new(Exit::BadDocument, format!("no trails in {}", files::shown(&root)));
        return Err(loaded.no_trails.unwrap_or(nothing));
    }
    let mut problems = loaded.problems;
    problems.extend(check::names(&tests));
    let has_class = |class: &str| {
        template.has_class(class)
            || dex.iter().any(|dex| dex.defines(&trailblaze_apk::dex::descriptor(class)))
    };
    problems.extend(check::classes(&loaded.workspace, has_class));
    problems.extend(check::places(&root, &loaded.workspace));
    Ok(Ready { problems, root, workspace: loaded.workspace, template, dex, tests })
}

/// Packs what was checked.
pub fn pack(options: &PackOptions, ready: Ready, cancel: &Cancel) -> Result<Packed, Problem> {
    let Ready { root, workspace, template, dex, tests, .. } = ready;
    let key = key::open(options.key.as_ref())?;
    let assets = contents::assets(&root, &workspace, &options.include)?;
    let changes = options.changes.clone();
    let stop = &cancel.flag();
    let request = Request { template, changes, suites: suites(&tests), dex, assets, key: &key, stop };
    let apk = trailblaze_apk::pack(request, &options.out).map_err(|error| match cancel.is_cancelled() {
        true => Problem::new(Exit::Interrupted, "interrupted: no APK was written"),
        false => problem(error, None),
    })?;
    Ok(Packed { apk, is_debug_key: options.key.is_none(), made_certificate: key.made_certificate() })
}

/// The files of a workspace that a phone needs: in an APK, or pushed.
pub(crate) fn assets(root: &Path, workspace: &Workspace, besides: &[PathBuf]) -> Result<Vec<Asset>, Problem> {
    contents::assets(root, workspace, besides)
}

/// What documents name and no phone gets.
pub(crate) fn outside(root: &Path, workspace: &Workspace) -> Vec<Diagnostic> {
    check::places(root, workspace)
}

fn check_out(options: &PackOptions, template: &Path) -> Result<(), Problem> {
    let bad = |message: String| Problem::new(Exit::Usage, message);
    let shown = files::shown(&options.out);
    if options.out.is_dir() {
        return Err(bad(format!("{shown} is a folder")).hint("give '--out' a name for the APK"));
    }
    let folder = options.out.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let shown = files::shown(folder);
        return Err(match folder.exists() {
            true => bad(format!("{shown} is a file, not a folder")).hint("give '--out' a name in a folder"),
            false => bad(format!("the folder {shown} does not exist")).hint("make it first, or leave it out"),
        });
    }
    let real = |path: &Path| path.canonicalize().ok();
    if real(&options.out).is_some_and(|out| real(template) == Some(out)) {
        return Err(bad(format!("{shown} is the template itself")).hint("give '--out' another name"));
    }
    match options.out.exists().then(|| foreign(&options.out)).flatten() {
        Some(what) => {
            let message = format!("{shown} is there already, and it is {what}");
            Err(bad(message).hint("give '--out' another name: it would be overwritten"))
        }
        None => Ok(()),
    }
}

/// What a file is that must not be overwritten; none for an APK that was packed here.
fn foreign(path: &Path) -> Option<&'static str> {
    let archive = fs::File::open(path).ok().and_then(|file| Archive::open(file).ok());
    let apk = archive.filter(|archive| archive.find(trailblaze_apk::MANIFEST).is_some());
    match apk {
        None => Some("no APK"),
        Some(apk) if apk.entries.iter().any(|entry| entry.name.starts_with(trailblaze_apk::ASSETS)) => None,
        Some(_) => Some("an APK that 'trailblaze apk pack' did not make"),
    }
}

fn read_dex(path: &Path) -> Result<Dex, Problem> {
    let cannot = |error: std::io::Error| {
        let message = format!("{} cannot be read: {}", files::shown(path), files::why(&error));
        Problem::new(Exit::BadDocument, message)
            .hint("'d8' of the Android SDK makes a dex file of class files")
    };
    Dex::read(fs::read(path).map_err(cannot)?).map_err(|error| problem(error, Some(path)))
}

/// Reads and checks the whole workspace, as the phone will.
fn load(from: Option<&Path>) -> Result<(PathBuf, Loaded), Problem> {
    let start = from.unwrap_or_else(|| Path::new("."));
    if !start.exists() {
        let problem = Problem::new(Exit::BadDocument, format!("{} does not exist", files::shown(start)));
        return Err(problem.hint("give the folder of a workspace, or nothing for the current one"));
    }
    if start.is_file() {
        let problem =
            Problem::new(Exit::Usage, format!("{} is a file, not a workspace", files::shown(start)));
        return Err(problem.hint("give the folder of a workspace, or nothing for the current one"));
    }
    let root = workspace::find_root(start).ok_or_else(|| {
        let (message, hint) = match from {
            Some(from) => (format!("{} is no workspace", files::shown(from)), "'trailblaze init' makes one"),
            None => (
                "there is no workspace here".to_owned(),
                "'trailblaze init' makes one; or give a path to one",
            ),
        };
        Problem::new(Exit::BadDocument, message).hint(hint)
    })?;
    let root = files::normal(&root);
    let real = |path: &Path| path.canonicalize().ok();
    if from.is_some_and(|from| real(from) != real(&root)) {
        let message = format!("{} is a part of a workspace, and all of it is packed", files::shown(start));
        let hint = format!("pack {}, and choose trails when they run", files::shown(&root));
        return Err(Problem::new(Exit::Usage, message).hint(hint));
    }
    let options = LoadOptions {
        agent: AgentMode::OnDevice,
        driver: Some(Driver::AndroidOndeviceAccessibility),
        ..LoadOptions::new(vec![root.clone()])
    };
    load::load(&options).map(|loaded| (root, loaded))
}

fn test(root: &Path, trail: &LoadedTrail) -> Test {
    let id = id_on_phone(root, trail);
    Test { name: TestName::of(&id), id, file: files::shown(&trail.path) }
}

/// What a trail is called on the phone, where the workspace lies somewhere else.
pub(crate) fn id_on_phone(root: &Path, trail: &LoadedTrail) -> String {
    trail.trail.config.id.clone().unwrap_or_else(|| {
        let inner = trail.path.strip_prefix(root).unwrap_or(&trail.path);
        discover::display_name(&Path::new("/").join(inner), Some(Path::new("/")))
    })
}

fn suites(tests: &[Test]) -> Vec<Suite> {
    let mut classes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for test in tests {
        classes.entry(&test.name.class).or_default().insert(test.name.method.clone());
    }
    classes.into_iter().map(|(class, methods)| Suite { class: class.to_owned(), methods }).collect()
}
