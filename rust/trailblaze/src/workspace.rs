//! A workspace: where it is, its targets, tools and toolsets, in either of the two layouts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::order;
use trailblaze_model::place::{FilePlace, Source};
use trailblaze_model::target::TargetFile;
use trailblaze_model::tool::{Mode, Script, ToolFile};
use trailblaze_model::toolset::ToolsetFile;
use trailblaze_model::waypoint::Waypoint;
use trailblaze_model::workspace::{ServerKind, WorkspaceFile, plain_script};
use trailblaze_model::{target, tool, toolset, waypoint, workspace, yaml};

use crate::bundles::{self, FOLDER};
use crate::files;
use crate::screens::same_ids;

const FILE: &str = "trailblaze.yaml";
const CONFIG: &str = "trailblaze-config";
/// The layout of other files in the field: everything below `trails/config/`.
const INNER_CONFIG: &str = "trails/config";

/// Everything that a workspace declares.
#[derive(Debug, Default)]
pub struct Workspace {
    /// None when trails are run without a workspace.
    pub root: Option<PathBuf>,
    pub file: WorkspaceFile,
    pub targets: Vec<Arc<TargetFile>>,
    pub tools: Vec<(Source, ToolFile)>,
    pub toolsets: Vec<ToolsetFile>,
    pub waypoints: Arc<Vec<Waypoint>>,
    /// Every document that was read, for the lines that problems point at.
    pub sources: Vec<Source>,
    /// How many documents there are, readable or not.
    pub documents: usize,
}

/// The root of the workspace that a path belongs to, going up.
pub fn find_root(from: &Path) -> Option<PathBuf> {
    let start = if from.is_dir() { from } else { from.parent()? };
    let start = std::path::absolute(start).ok()?;
    start.ancestors().find(|folder| is_root(folder)).map(Path::to_owned)
}

pub fn is_root(folder: &Path) -> bool {
    (folder.join(CONFIG).is_dir() && folder.join("trails").is_dir())
        || folder.join(INNER_CONFIG).join(FILE).is_file()
        || is_workspace_file(&folder.join(FILE))
}

/// Inside a trail's folder the same name can be a trail in the list form.
fn is_workspace_file(path: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return path.is_file() };
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with('#'));
    !first.is_some_and(|line| line.starts_with("- "))
}

impl Workspace {
    /// Reads all documents but the trails. Problems are reported, what is good is kept.
    pub fn read(root: &Path, problems: &mut Diagnostics) -> Self {
        let mut found = Self { root: Some(root.to_owned()), ..Self::default() };
        let inner = root.join(INNER_CONFIG);
        for file in [root.join(FILE), inner.join(FILE)] {
            if file.is_file()
                && let Some(source) = found.text(&file, problems)
                && let Some(file) = workspace::read(&source, problems)
            {
                found.file = file;
                break;
            }
        }
        found.read_layout(&root.join(CONFIG), problems);
        found.read_layout(&inner, problems);
        for map in folders(&inner.join("trailmaps")) {
            found.read_trailmap(&map, problems);
        }
        found.check_names(problems);
        found.check_files(problems);
        found.check_folders(problems);
        found
    }

    fn text(&mut self, path: &Path, problems: &mut Diagnostics) -> Option<Source> {
        self.documents += 1;
        let source = files::read(path).map_err(|problem| problems.push(problem)).ok();
        self.sources.extend(source.clone());
        source
    }

    fn read_layout(&mut self, config: &Path, problems: &mut Diagnostics) {
        for path in yaml_files(&config.join("targets")) {
            let source = self.text(&path, problems);
            let target = source.and_then(|source| target::read(&source, problems));
            self.targets.extend(target.map(Arc::new));
        }
        self.read_tools(&config.join("tools"), problems);
        self.read_toolsets(&config.join("toolsets"), problems);
        self.read_waypoints(&config.join("waypoints"), problems);
    }

    fn read_trailmap(&mut self, folder: &Path, problems: &mut Diagnostics) {
        let file = folder.join("trailmap.yaml");
        if file.is_file() {
            let source = self.text(&file, problems);
            let target = source.and_then(|source| target::read_trailmap(&source, problems));
            self.targets.extend(target.map(Arc::new));
        }
        for tools in ["tools", "shortcuts", "trailheads"] {
            self.read_tools(&folder.join(tools), problems);
        }
        self.check_scripts(&folder.join("tools"), problems);
        self.read_toolsets(&folder.join("toolsets"), problems);
        self.read_waypoints(&folder.join("waypoints"), problems);
    }

    /// Scripts of a trailmap that nothing names; what stands beside one that is named may be a part of it.
    fn check_scripts(&self, folder: &Path, problems: &mut Diagnostics) {
        let Some(root) = &self.root else { return };
        let named: Vec<PathBuf> =
            self.scripts().iter().map(|script| files::normal(&root.join(script))).collect();
        let scripts: Vec<PathBuf> = entries(folder)
            .into_iter()
            .filter(|path| {
                let name = path.to_string_lossy();
                name.ends_with(".ts")
                    && !name.ends_with(".d.ts")
                    && !name.ends_with(".test.ts")
                    && path.is_file()
            })
            .collect();
        if scripts.iter().any(|path| named.contains(&files::normal(path))) {
            return;
        }
        for path in scripts {
            let shown = files::shown(&path);
            let message = format!("'{shown}' is a script that nothing names, so its tools are not there");
            let hint = "name it under 'mcp_servers' of the target, as '- script: PATH'";
            problems.push(Diagnostic::warning(Code::UnknownName, message).in_file(shown).hint(hint));
        }
    }

    /// Waypoints stand in folders of their own choosing.
    fn read_waypoints(&mut self, folder: &Path, problems: &mut Diagnostics) {
        for path in folders(folder) {
            self.read_waypoints(&path, problems);
        }
        let is_waypoint = |path: &PathBuf| path.to_string_lossy().ends_with(".waypoint.yaml");
        for path in yaml_files(folder).into_iter().filter(is_waypoint) {
            let source = self.text(&path, problems);
            let waypoint = source.and_then(|source| waypoint::read(&source, problems));
            Arc::make_mut(&mut self.waypoints).extend(waypoint);
        }
    }

    fn read_tools(&mut self, folder: &Path, problems: &mut Diagnostics) {
        for path in yaml_files(folder) {
            let Some(source) = self.text(&path, problems) else { continue };
            if let Some(mut tool) = tool::read(&source, problems) {
                self.find_script(folder, &mut tool);
                self.tools.push((source, tool));
            }
        }
    }

    /// The descriptor of a script names it from its own folder, or from that of the trailmap.
    fn find_script(&self, folder: &Path, tool: &mut ToolFile) {
        let Some(root) = &self.root else { return };
        let Mode::Script { script: Script::File(file), .. } = &mut tool.mode else { return };
        if root.join(&*file).is_file() {
            return;
        }
        let found = folder.ancestors().take(2).map(|folder| folder.join(&*file)).find(|path| path.is_file());
        if let Some(found) = found {
            let found = files::normal(&found);
            *file = found.strip_prefix(files::normal(root)).unwrap_or(&found).to_string_lossy().into_owned();
        }
    }

    fn read_toolsets(&mut self, folder: &Path, problems: &mut Diagnostics) {
        for path in yaml_files(folder) {
            let source = self.text(&path, problems);
            self.toolsets.extend(source.and_then(|source| toolset::read(&source, problems)));
        }
    }

    fn check_names(&self, problems: &mut Diagnostics) {
        for (index, target) in self.targets.iter().enumerate() {
            if let Some(first) = self.targets[..index].iter().find(|first| first.id == target.id) {
                let message = format!(
                    "two targets are called '{}': {} and {}",
                    target.id, first.at.file, target.at.file
                );
                let mut error = Diagnostic::error(Code::Collision, message).hint("rename one of them");
                error.at = Some(target.at.clone());
                problems.push(error);
            }
        }
        problems.extend(same_ids(&self.waypoints));
        if let (Some(name), Some(at)) = (&self.file.target, &self.file.target_at)
            && self.target(name).is_none()
            && !self.targets.is_empty()
        {
            let error = Diagnostic::error(Code::UnknownName, format!("unknown target '{name}'"));
            let source = self.sources.iter().find(|source| source.file == at.file);
            let error = match source {
                Some(source) => error.at(source, at.place),
                None => error.in_file(at.file.clone()),
            };
            problems.push(error.hint(self.target_hint(name)));
        }
    }

    /// Files that documents name must be there.
    fn check_files(&self, problems: &mut Diagnostics) {
        let Some(root) = &self.root else { return };
        let mut named: Vec<(&str, FilePlace)> = Vec::new();
        for target in &self.targets {
            let missing = target.sim_app.as_deref().filter(|app| !root.join(app).is_file());
            named.extend(missing.map(|app| (app, self.place_of_app(target))));
        }
        let servers = self.targets.iter().flat_map(|target| &target.servers).chain(&self.file.servers);
        for server in servers {
            if let ServerKind::Script(script) = &server.kind {
                named.push((script, server.at.clone()));
            }
        }
        for (_, tool) in &self.tools {
            if let Mode::Script { script: Script::File(file), .. } = &tool.mode {
                named.push((file, tool.at.clone()));
            }
        }
        for server in self.targets.iter().flat_map(|target| &target.servers).chain(&self.file.servers) {
            if let ServerKind::Command { working_dir: Some(dir), .. } = &server.kind
                && !root.join(dir).is_dir()
            {
                let message =
                    format!("the 'workingDir' of server '{}', '{dir}', is not a folder", server.name);
                let mut error = Diagnostic::error(Code::MissingFile, message)
                    .hint(format!("paths are relative to the workspace, {}", files::shown(root)));
                error.at = Some(server.at.clone());
                problems.push(error);
            }
        }
        let has_bundle = |file: &str| root.join(FOLDER).join(bundles::module_name(file)).is_file();
        for (file, at) in named {
            if !root.join(file).is_file() && !has_bundle(file) {
                let mut error = Diagnostic::error(Code::MissingFile, format!("'{file}' does not exist"))
                    .hint(format!("paths are relative to the workspace, {}", files::shown(root)));
                error.at = Some(at);
                problems.push(error);
            }
        }
    }

    /// Where a target names its app; only asked when that is not there.
    fn place_of_app(&self, target: &TargetFile) -> FilePlace {
        let source = self.sources.iter().find(|source| source.file == target.at.file);
        let document = source.and_then(|source| yaml::read(source, &mut Diagnostics::new()));
        let app = document.as_ref().and_then(|document| {
            let target = document.get("target").unwrap_or(document);
            target.get("sim")?.get("app")
        });
        app.map_or_else(|| target.at.clone(), |app| FilePlace { place: app.place, ..target.at.clone() })
    }

    /// Folders that cannot be read must not look like empty ones.
    fn check_folders(&self, problems: &mut Diagnostics) {
        let Some(root) = &self.root else { return };
        let mut todo = vec![root.join(CONFIG), root.join(INNER_CONFIG)];
        while let Some(folder) = todo.pop() {
            match files::list(&folder) {
                Ok(entries) => {
                    todo.extend(entries.into_iter().filter(|path| path.is_dir() && !path.is_symlink()))
                }
                Err(problem) => {
                    let error = Diagnostic::error(Code::Unreadable, problem.message);
                    problems.push(error.in_file(files::shown(&folder)));
                }
            }
        }
        if let (Some(name), Some(trails)) = (&self.file.trails_dir, self.trails_dir())
            && !trails.is_dir()
        {
            let error = Diagnostic::error(
                Code::MissingFile,
                format!("the folder of trails, '{name}', does not exist"),
            )
            .in_file(files::shown(&root.join(FILE)))
            .hint("'trailsDir' is relative to the workspace");
            problems.push(error);
        }
    }

    /// The target with an id, or with an app id.
    pub fn target(&self, name: &str) -> Option<&Arc<TargetFile>> {
        let by_app = |target: &&Arc<TargetFile>| {
            target.platforms.iter().any(|block| block.app_ids.iter().any(|id| id == name))
        };
        self.targets.iter().find(|target| target.id == name).or_else(|| self.targets.iter().find(by_app))
    }

    pub fn target_hint(&self, name: &str) -> String {
        let known: Vec<&str> = self.targets.iter().map(|target| target.id.as_str()).collect();
        trailblaze_model::names::nearest_hint(name, known.iter().copied()).unwrap_or_else(|| {
            if known.is_empty() {
                "the workspace has no targets; they are files in trailblaze-config/targets".to_owned()
            } else {
                format!("known targets: {}", known.join(", "))
            }
        })
    }

    /// Whether a name can only be that of a target, and there is none.
    pub fn lacks_target(&self, name: &str) -> bool {
        // An app id or a URL names an app that no target file describes.
        self.root.is_some() && !name.contains(['.', ':']) && self.target(name).is_none()
    }

    /// The target that the workspace names, or its only one.
    pub fn default_target(&self) -> Option<&Arc<TargetFile>> {
        match &self.file.target {
            Some(name) => self.target(name),
            None if self.targets.len() == 1 => self.targets.first(),
            None => None,
        }
    }

    /// Whether a file is one of the workspace's own documents and no trail.
    pub fn is_config(&self, path: &Path) -> bool {
        let Some(root) = &self.root else { return false };
        path == root.join(FILE)
            || path.starts_with(root.join(CONFIG))
            || path.starts_with(root.join(INNER_CONFIG))
    }

    /// The scripts that toolsets and tools name, each once.
    pub fn scripts(&self) -> Vec<String> {
        let servers = self.targets.iter().flat_map(|target| &target.servers).chain(&self.file.servers);
        let toolsets = servers.filter_map(|server| match &server.kind {
            ServerKind::Script(script) => Some(script),
            _ => None,
        });
        let tools = self.tools.iter().filter_map(|(_, tool)| match &tool.mode {
            Mode::Script { script: Script::File(file), .. } => Some(file),
            _ => None,
        });
        let mut scripts: Vec<String> = toolsets.chain(tools).map(|script| plain_script(script)).collect();
        order::sort(&mut scripts);
        scripts.dedup();
        scripts
    }

    /// The files and folders that a workspace is made of, whether they are there or not.
    pub fn places(&self) -> Vec<PathBuf> {
        let own = self.root.iter().flat_map(|root| [FILE, CONFIG, INNER_CONFIG].map(|name| root.join(name)));
        own.chain(self.trails_dir()).collect()
    }

    pub fn trails_dir(&self) -> Option<PathBuf> {
        let root = self.root.as_ref()?;
        Some(files::normal(&root.join(self.file.trails_dir.as_deref().unwrap_or("trails"))))
    }
}

/// The YAML files of a folder, in the order of their names.
fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let is_yaml =
        |path: &PathBuf| path.is_file() && path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    entries(folder).into_iter().filter(is_yaml).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

/// What stands in a folder; one that cannot be read is reported by [`Workspace::read`].
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    files::list(folder).unwrap_or_default()
}
