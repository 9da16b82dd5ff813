//! From paths to everything a run needs: the workspace, the trails, a registry per target, and all problems.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_engine::check::{self, Checker};
use trailblaze_engine::registry::{Registry, Scope, Source as ToolSource};
use trailblaze_engine::{builtin, yaml_tool};
use trailblaze_model::classifier::Classifiers;
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::place::Source;
use trailblaze_model::target::TargetFile;
use trailblaze_model::trail::{self, Trail};

use crate::discover;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::workspace::{Workspace, find_root};

/// What is loaded, and for what.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub paths: Vec<PathBuf>,
    pub target: Option<String>,
    /// The driver that filters and toolsets see; none = the trail's pin, else the default.
    pub driver: Option<Driver>,
    pub agent: AgentMode,
}

impl LoadOptions {
    pub fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, target: None, driver: None, agent: AgentMode::Host }
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
    /// How many documents were read.
    pub documents: usize,
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
    let device = device_classifiers();
    let found = discover::trail_files(&paths, &workspace, &device);
    let mut loader =
        Loader { options, workspace: &workspace, registries: BTreeMap::new(), found: Vec::new() };
    loader.check_tools();
    let (trails, read) = match found {
        Ok(found) => loader.read_trails(found, &mut problems),
        // A broken workspace file may be why no trails were found; its own errors say more.
        Err(_) if problems.has_errors() => (Vec::new(), 0),
        Err(problem) => return Err(problem),
    };
    problems.extend(loader.found);
    let documents = workspace.documents + read;
    duplicate_ids(&trails, &mut problems);
    Ok(Loaded { workspace: Arc::new(workspace), trails, problems: problems.sorted(), documents })
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

/// A registry for one target, driver and agent mode.
pub fn registry(
    workspace: &Workspace,
    target: Option<&Arc<TargetFile>>,
    driver: Driver,
    agent: AgentMode,
    problems: &mut Vec<Diagnostic>,
) -> Registry {
    let scope = Scope { driver, agent, target: target.cloned() };
    let own = workspace
        .tools
        .iter()
        .map(|(_, file)| yaml_tool::tool(file.clone(), ToolSource::File(file.at.clone())));
    let mut toolsets = builtin::toolsets();
    toolsets.extend(workspace.toolsets.iter().map(|file| (ToolSource::File(file.at.clone()), file.clone())));
    let tools = builtin::tools().into_iter().chain(own);
    let mut registry = Registry::build(&scope, tools, &toolsets, problems);
    registry.leave_out(builtin::later());
    registry
}

struct Loader<'a> {
    options: &'a LoadOptions,
    workspace: &'a Workspace,
    registries: BTreeMap<(String, Driver), Arc<Registry>>,
    found: Vec<Diagnostic>,
}

impl Loader<'_> {
    fn registry(&mut self, target: Option<&Arc<TargetFile>>, driver: Driver) -> Arc<Registry> {
        let key = (target.map(|target| target.id.clone()).unwrap_or_default(), driver);
        if let Some(known) = self.registries.get(&key) {
            return known.clone();
        }
        let registry = registry(self.workspace, target, driver, self.options.agent, &mut self.found);
        let registry = Arc::new(registry);
        self.registries.insert(key, registry.clone());
        registry
    }

    fn has_servers(&self, target: Option<&Arc<TargetFile>>) -> bool {
        !self.workspace.file.servers.is_empty() || target.is_some_and(|target| !target.servers.is_empty())
    }

    /// Tools are checked even where no trail uses them.
    fn check_tools(&mut self) {
        let target = self.workspace.default_target();
        let registry = self.registry(target, self.options.driver.unwrap_or(DEFAULT_DRIVER));
        let checker = Checker { registry: &registry, has_servers: self.has_servers(target) };
        for (source, file) in &self.workspace.tools {
            checker.tool_file(source, file, &mut self.found);
        }
        let files: Vec<_> = self.workspace.tools.iter().map(|(_, file)| file.clone()).collect();
        self.found.extend(check::cycles(&files));
    }

    fn read_trails(&mut self, paths: Vec<PathBuf>, problems: &mut Diagnostics) -> (Vec<LoadedTrail>, usize) {
        let count = paths.len();
        let trails = paths.into_iter().filter_map(|path| self.read_trail(path, problems)).collect();
        (trails, count)
    }

    fn read_trail(&mut self, path: PathBuf, problems: &mut Diagnostics) -> Option<LoadedTrail> {
        let source = files::read(&path).map_err(|problem| problems.push(problem)).ok()?;
        let trail = trail::read(&source, problems)?;
        let target = self.target_of(&trail, &source);
        let pinned = trail.config.devices.for_device(&device_classifiers()).copied();
        let driver = self.options.driver.or(pinned).unwrap_or(DEFAULT_DRIVER);
        if let Some(reason) = driver.unsupported() {
            let message = format!("the trail asks for the driver '{driver}': {reason}");
            let problem = Diagnostic::error(Code::UnsupportedDriver, message)
                .in_file(source.file.clone())
                .hint("'--driver sim' runs it on the embedded device");
            self.found.push(problem);
        }
        let registry = self.registry(target.as_ref(), driver);
        let checker = Checker { registry: &registry, has_servers: self.has_servers(target.as_ref()) };
        checker.trail(&source, &trail, &mut self.found);
        let name = discover::display_name(&path, self.workspace.root.as_deref());
        let id = trail.config.id.clone().unwrap_or(name).into();
        Some(LoadedTrail { id, path, source, trail: Arc::new(trail), target, driver, registry })
    }

    /// `--target`, the trail's own, the workspace's.
    fn target_of(&mut self, trail: &Trail, source: &Source) -> Option<Arc<TargetFile>> {
        let named = self.options.target.as_ref().or(trail.config.target.as_ref());
        let Some(name) = named else { return self.workspace.default_target().cloned() };
        let target = self.workspace.target(name).cloned();
        // An app id or a URL names an app that no target file describes.
        if target.is_none() && !name.contains(['.', ':']) && self.workspace.root.is_some() {
            let problem = Diagnostic::error(Code::UnknownName, format!("unknown target '{name}'"))
                .in_file(source.file.clone())
                .hint(self.workspace.target_hint(name));
            self.found.push(problem);
        }
        target
    }
}

/// What `sim` stands in for unless told otherwise.
pub const DEFAULT_DRIVER: Driver = Driver::AndroidOndeviceAccessibility;

fn duplicate_ids(trails: &[LoadedTrail], problems: &mut Diagnostics) {
    let mut seen: BTreeMap<&str, &Path> = BTreeMap::new();
    for trail in trails {
        if let Some(first) = seen.insert(&trail.id, &trail.path) {
            let message = format!("the id '{}' is also that of {}", trail.id, files::shown(first));
            let problem = Diagnostic::error(Code::DuplicateId, message)
                .in_file(trail.source.file.clone())
                .hint("give one of them another 'config.id'");
            problems.push(problem);
        }
    }
}
