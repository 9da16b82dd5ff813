//! From paths to everything a run needs: the workspace, the trails, a registry per target, and all problems.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_engine::builtin;
use trailblaze_engine::check::{self, Checker};
use trailblaze_engine::registry::{Registry, Scope, Source as ToolSource, Tool};
use trailblaze_engine::yaml_tool::{self, Bodies, Classes};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use trailblaze_model::driver::{AgentMode, Driver, Platform};
use trailblaze_model::place::{Place, Source};
use trailblaze_model::target::TargetFile;
use trailblaze_model::trail::{self, Trail};
use trailblaze_model::workspace::{ServerEntry, ServerKind};
use trailblaze_model::yaml;

use crate::discover;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::toolsets::{Starter, Toolsets};
use crate::workspace::{Workspace, find_root};

/// What is loaded, and for what.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub paths: Vec<PathBuf>,
    pub target: Option<String>,
    /// The driver that filters and toolsets see; none = the trail's pin, else the default.
    pub driver: Option<Driver>,
    pub agent: AgentMode,
    /// The classes of the APK, on a phone.
    pub classes: Option<Arc<dyn Classes>>,
    /// Starts toolsets that are programs, where something is to be run.
    pub starter: Option<Arc<dyn Starter>>,
}

impl LoadOptions {
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, target: None, driver: None, agent: AgentMode::Host, classes: None, starter: None }
    }
}

/// A trail that was read.
#[derive(Clone, Debug)]
pub struct LoadedTrail {
    pub id: Arc<str>,
    pub path: PathBuf,
    pub source: Source,
    pub trail: Arc<Trail>,
    pub target: Option<Arc<TargetFile>>,
    pub driver: Driver,
    pub registry: Arc<Registry>,
}

impl LoadedTrail {
    pub fn title(&self) -> String {
        self.trail.config.title.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// Everything that was found.
#[derive(Debug)]
pub struct Loaded {
    pub workspace: Arc<Workspace>,
    pub trails: Vec<LoadedTrail>,
    /// In the order of files and places.
    pub problems: Vec<Diagnostic>,
    /// How many documents there are, readable or not.
    pub documents: usize,
    /// Why there is nothing to run.
    pub no_trails: Option<Problem>,
}

impl Loaded {
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error)
    }
}

/// The device that files are picked for.
pub fn device_classifiers() -> Classifiers {
    Classifiers::new(["android", "phone"])
}

/// Reads and checks everything that the paths mean.
pub fn load(options: &LoadOptions) -> Result<Loaded, Problem> {
    let mut problems = Diagnostics::new();
    let workspace = open(&options.paths, &mut problems)?;
    let paths = match options.paths.as_slice() {
        [] => vec![workspace.root.clone().unwrap_or_default()],
        paths => paths.to_vec(),
    };
    // The workspace's own documents are read in any case; named one by one they are no trails.
    let named = discover::expand(&paths)?;
    let (own, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        named.into_iter().partition(|path| workspace.is_config(path));
    let found = discover::trail_files(&paths, &workspace, &device_classifiers());
    let mut loader =
        Loader { options, workspace: &workspace, registries: BTreeMap::new(), found: Vec::new() };
    loader.check_platform();
    let (found, no_trails) = match found {
        Ok(found) if found.is_empty() => {
            let named: Vec<String> = own.iter().map(|path| files::shown(path)).collect();
            (found, Some(Problem::new(Exit::BadDocument, format!("no trail in {}", named.join(", ")))))
        }
        Ok(found) => (found, None),
        // Only a workspace as a whole can be checked without a trail.
        Err(problem)
            if workspace.documents == 0 || paths.iter().any(|path| Some(path) != workspace.root.as_ref()) =>
        {
            return Err(problem);
        }
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let documents = workspace.documents + found.len();
    let trails = loader.read_trails(found, &mut problems)?;
    loader.check_tools()?;
    problems.extend(loader.found);
    duplicate_ids(&trails, &mut problems);
    let mut problems = problems.sorted();
    let sources: Vec<&Source> = trails.iter().map(|trail| &trail.source).chain(&workspace.sources).collect();
    problems.iter_mut().for_each(|problem| show_line(problem, &sources));
    Ok(Loaded { workspace: Arc::new(workspace), trails, problems, documents, no_trails })
}

/// Adds the line that a problem points at, where only its place is known.
fn show_line(problem: &mut Diagnostic, sources: &[&Source]) {
    if let (Some(at), None) = (&problem.at, &problem.snippet)
        && let Some(source) = sources.iter().find(|source| source.file == at.file)
    {
        problem.snippet = source.line(at.place.line).map(Arc::from);
    }
}

/// The workspace that paths belong to: the current folder's without any.
pub fn open(paths: &[PathBuf], problems: &mut Diagnostics) -> Result<Workspace, Problem> {
    let mut roots: Vec<PathBuf> = Vec::new();
    let expanded = discover::expand(paths)?;
    for path in &expanded {
        roots.extend(find_root(path).filter(|root| !roots.contains(root)));
    }
    match (roots.as_slice(), paths.is_empty()) {
        ([], false) => Ok(Workspace::default()),
        ([], true) => {
            let current = std::env::current_dir().unwrap_or_default();
            let root = find_root(&current).or_else(|| current.join("trails").is_dir().then_some(current));
            let root = root.ok_or_else(|| {
                Problem::new(Exit::BadDocument, "there is no workspace here")
                    .hint("'trailblaze init' makes one; or give a path to one")
            })?;
            Ok(Workspace::read(&root, problems))
        }
        ([root], _) => Ok(Workspace::read(root, problems)),
        (several, _) => {
            let shown: Vec<String> = several.iter().map(|root| files::shown(root)).collect();
            let message = format!("the paths belong to several workspaces: {}", shown.join(", "));
            Err(Problem::new(Exit::Usage, message).hint("run one workspace at a time"))
        }
    }
}

/// What a registry is for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub workspace: &'a Workspace,
    pub target: Option<&'a Arc<TargetFile>>,
    pub driver: Driver,
    pub agent: AgentMode,
    pub classes: Option<&'a dyn Classes>,
    /// Starts toolsets that are programs.
    pub starter: Option<&'a dyn Starter>,
}

/// A registry for one target, driver and agent mode. An error is a toolset server that does not start.
pub fn registry(wanted: Wanted<'_>, problems: &mut Vec<Diagnostic>) -> Result<Registry, Problem> {
    let Wanted { workspace, target, driver, agent, classes, starter } = wanted;
    let scripts = Toolsets::new(workspace, target.map(AsRef::as_ref), agent).started_by(starter);
    let bodies = Bodies { classes, scripts: Some(&scripts) };
    let own: Vec<Tool> = workspace
        .tools
        .iter()
        .map(|(_, file)| yaml_tool::tool(file.clone(), ToolSource::File(file.at.clone()), bodies))
        .collect();
    let before = problems.len();
    let scripted = scripts.tools(target.map(AsRef::as_ref), driver, problems)?;
    // What a toolset that does not load would have brought is not known.
    let are_missing = problems[before..].iter().any(|problem| problem.severity == Severity::Error);
    let own_servers = target.map(|target| target.servers.as_slice()).unwrap_or_default();
    let mut servers = workspace.file.servers.iter().chain(own_servers);
    let unknown = starter.is_none() || agent == AgentMode::OnDevice;
    let is_program = |server: &ServerEntry| !matches!(server.kind, ServerKind::Script(_));
    let has_servers = are_missing || (unknown && servers.any(is_program));
    let scope = Scope { driver, agent, target: target.cloned(), has_servers };
    problems.extend(scripts.into_problems());
    let mut toolsets = builtin::toolsets();
    toolsets.extend(workspace.toolsets.iter().map(|file| (ToolSource::File(file.at.clone()), file.clone())));
    let tools = builtin::tools().into_iter().chain(own).chain(scripted);
    Ok(Registry::build(&scope, tools, builtin::later(), &toolsets, problems))
}

struct Loader<'a> {
    options: &'a LoadOptions,
    workspace: &'a Workspace,
    registries: BTreeMap<(String, Driver), Arc<Registry>>,
    found: Vec<Diagnostic>,
}

fn key_of(target: Option<&Arc<TargetFile>>, driver: Driver) -> (String, Driver) {
    (target.map(|target| target.id.clone()).unwrap_or_default(), driver)
}

impl Loader<'_> {
    fn registry(
        &mut self,
        target: Option<&Arc<TargetFile>>,
        driver: Driver,
    ) -> Result<Arc<Registry>, Problem> {
        let key = key_of(target, driver);
        if let Some(known) = self.registries.get(&key) {
            return Ok(known.clone());
        }
        let wanted = Wanted {
            workspace: self.workspace,
            target,
            driver,
            agent: self.options.agent,
            classes: self.options.classes.as_deref(),
            starter: self.options.starter.as_deref(),
        };
        let registry = Arc::new(registry(wanted, &mut self.found)?);
        self.registries.insert(key, registry.clone());
        Ok(registry)
    }

    /// A workspace for another platform is not run on an Android device by accident.
    fn check_platform(&mut self) {
        let platform = self.workspace.file.platform.filter(|platform| *platform != Platform::Android);
        let (Some(platform), None) = (platform, self.options.driver) else { return };
        let source = self.workspace.sources.iter().find(|source| source.file.ends_with("trailblaze.yaml"));
        let Some(source) = source else { return };
        let place = yaml::read(source, &mut Diagnostics::new())
            .and_then(|document| document.get("platform").map(|value| value.place))
            .unwrap_or(Place::START);
        let message = format!("the workspace is for '{platform}', and Trailblaze drives Android");
        let problem = Diagnostic::error(Code::UnsupportedDriver, message).at(source, place);
        self.found.push(problem.hint("'--driver sim' runs it on the embedded Android device all the same"));
    }

    /// Tools are checked even where no trail uses them.
    fn check_tools(&mut self) -> Result<(), Problem> {
        let target = self.workspace.default_target();
        let driver = self.options.driver.unwrap_or(DEFAULT_DRIVER);
        // Programs are started for trails, not to look at tools that none of them uses.
        if self.options.starter.is_some() && !self.registries.contains_key(&key_of(target, driver)) {
            return Ok(());
        }
        let registry = self.registry(target, driver)?;
        let checker = Checker { registry: &registry, waypoints: &self.workspace.waypoints };
        for (source, file) in &self.workspace.tools {
            checker.tool_file(source, file, &mut self.found);
        }
        let files: Vec<_> = self.workspace.tools.iter().map(|(_, file)| file.clone()).collect();
        self.found.extend(check::cycles(&files));
        Ok(())
    }

    fn read_trails(
        &mut self,
        paths: Vec<PathBuf>,
        problems: &mut Diagnostics,
    ) -> Result<Vec<LoadedTrail>, Problem> {
        let mut loaded = Vec::new();
        for read in read_all(paths) {
            problems.extend(read.problems);
            if let Some((source, trail)) = read.trail {
                loaded.extend(self.take(read.path, source, trail, read.broken)?);
            }
        }
        Ok(loaded)
    }

    /// Checks a trail that was read; one with errors is checked too, but not run.
    fn take(
        &mut self,
        path: PathBuf,
        source: Source,
        trail: Trail,
        broken: bool,
    ) -> Result<Option<LoadedTrail>, Problem> {
        let target = self.target_of(&trail, &source);
        let pinned = trail.config.devices.for_device(&device_classifiers()).copied();
        let driver = self.options.driver.or(pinned).unwrap_or(DEFAULT_DRIVER);
        if let Some(reason) = driver.unsupported() {
            let message = format!("the trail asks for the driver '{driver}': {reason}");
            let problem = Diagnostic::error(Code::UnsupportedDriver, message)
                .at(&source, config_place(&source, "devices"))
                .hint("'--driver sim' runs it on the embedded device");
            self.found.push(problem);
        }
        let registry = self.registry(target.as_ref(), driver)?;
        let checker = Checker { registry: &registry, waypoints: &self.workspace.waypoints };
        checker.trail(&source, &trail, &mut self.found);
        let name = discover::display_name(&path, self.workspace.root.as_deref());
        let id = trail.config.id.clone().unwrap_or(name).into();
        let trail = Arc::new(trail);
        Ok((!broken).then_some(LoadedTrail { id, path, source, trail, target, driver, registry }))
    }

    /// `--target`, the trail's own, the workspace's.
    fn target_of(&mut self, trail: &Trail, source: &Source) -> Option<Arc<TargetFile>> {
        let named = self.options.target.as_ref().or(trail.config.target.as_ref());
        let Some(name) = named else { return self.workspace.default_target().cloned() };
        if self.workspace.lacks_target(name) {
            let problem = Diagnostic::error(Code::UnknownName, format!("unknown target '{name}'"))
                .at(source, config_place(source, "target"))
                .hint(self.workspace.target_hint(name));
            self.found.push(problem);
        }
        self.workspace.target(name).cloned()
    }
}

/// What was read of one trail file.
struct Read {
    path: PathBuf,
    trail: Option<(Source, Trail)>,
    broken: bool,
    problems: Diagnostics,
}

fn read_one(path: PathBuf) -> Read {
    let mut problems = Diagnostics::new();
    let source = files::read(&path).map_err(|problem| problems.push(problem)).ok();
    let trail = source.and_then(|source| {
        let trail = trail::read_what_is_there(&source, &mut problems)?;
        Some((source, trail))
    });
    Read { path, trail, broken: problems.has_errors(), problems }
}

/// Phones have several, and asking how many takes more code than that is worth.
fn cores() -> usize {
    if cfg!(target_os = "android") {
        return 4;
    }
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Reads all files, on all cores, in their order.
fn read_all(paths: Vec<PathBuf>) -> Vec<Read> {
    let share = paths.len().div_ceil(cores()).max(16);
    if paths.len() <= share {
        return paths.into_iter().map(read_one).collect();
    }
    let parts: Vec<Vec<PathBuf>> = paths.chunks(share).map(<[PathBuf]>::to_vec).collect();
    std::thread::scope(|scope| {
        let workers: Vec<_> = parts
            .into_iter()
            .map(|part| scope.spawn(|| part.into_iter().map(read_one).collect::<Vec<Read>>()))
            .collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<Read>>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect()
    })
}

/// Where a key of the `config` stands; only asked when something is wrong with it.
fn config_place(source: &Source, key: &str) -> Place {
    let document = yaml::read(source, &mut Diagnostics::new());
    let config = document.as_ref().and_then(|document| match document.as_list() {
        Some(items) => items.first()?.get("config"),
        None => document.get("config"),
    });
    config.and_then(|config| config.get(key)).map_or(Place::START, |value| value.place)
}

/// What `sim` stands in for unless told otherwise.
pub const DEFAULT_DRIVER: Driver = Driver::AndroidOndeviceAccessibility;

fn duplicate_ids(trails: &[LoadedTrail], problems: &mut Diagnostics) {
    let mut seen: BTreeMap<&str, &Path> = BTreeMap::new();
    for trail in trails {
        if let Some(first) = seen.insert(&trail.id, &trail.path) {
            let message = format!("the id '{}' is also that of {}", trail.id, files::shown(first));
            let problem = Diagnostic::error(Code::DuplicateId, message)
                .at(&trail.source, config_place(&trail.source, "id"))
                .hint("give one of them another 'config.id'");
            problems.push(problem);
        }
    }
}
