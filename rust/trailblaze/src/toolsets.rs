//! Toolsets of a workspace: from scripts, programs and addresses to tools.

#[cfg(not(target_os = "android"))]
mod kept;
#[cfg(not(target_os = "android"))]
mod noted;
#[cfg(not(target_os = "android"))]
mod runtime;
#[cfg(not(target_os = "android"))]
mod servers;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use trailblaze_engine::device::LogLine;
use trailblaze_engine::dispatch::Execute;
use trailblaze_engine::registry::Tool;
use trailblaze_engine::script::{Module, ScriptEngine};
use trailblaze_engine::server::{self, Listed, Provider, Scripted};
use trailblaze_engine::yaml_tool::Scripts;
use trailblaze_model::bundle::Bundle;
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::driver::{AgentMode, Driver};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::{FilePlace, Place};
use trailblaze_model::source_map::SourceMap;
use trailblaze_model::target::TargetFile;
use trailblaze_model::tool::{Script, ToolFile};
use trailblaze_model::workspace::{ServerEntry, ServerKind};
use trailblaze_script::{QuickJs, sdk};

use crate::exit_code::{Exit, Problem};
use crate::workspace::Workspace;
use crate::{bundles, files};

#[cfg(not(target_os = "android"))]
pub use noted::RecordedServers;
#[cfg(not(target_os = "android"))]
pub use servers::ToolsetServers;

/// Starts what runs outside of this process. Without one, nothing is started, and what such toolsets have is not known.
pub trait Starter: std::fmt::Debug + Send + Sync {
    /// Starts all of them at once and asks for their tools.
    fn open(&self, entries: &[&ServerEntry], root: &Path, driver: Driver) -> Vec<Result<Opened, Failure>>;

    /// What is opened next is started anew.
    fn renew(&self) {}

    /// What the servers that were opened list, by the names of their entries.
    fn listed(&self) -> Vec<(String, Listed)> {
        Vec::new()
    }

    /// Starts what so many devices need besides, before the first of them needs it.
    fn ready(&self, _devices: usize) -> Result<(), Problem> {
        Ok(())
    }

    /// Ends everything. What it said that nobody has read, by the names of the entries.
    fn close(&self) -> Vec<(String, LogLine)> {
        Vec::new()
    }
}

/// A server and what it lists; none for a script that runs in this process all the same.
pub type Opened = Option<(Arc<dyn Provider>, Listed)>;

/// The toolsets of one workspace and agent mode.
pub struct Toolsets<'a> {
    workspace: &'a Workspace,
    agent: AgentMode,
    starter: Option<&'a dyn Starter>,
    /// Hosts that scripts may talk to.
    granted: Vec<String>,
    engine: Arc<dyn ScriptEngine>,
    /// What was wrong with scripts of single tools.
    problems: Mutex<Vec<Diagnostic>>,
}

impl std::fmt::Debug for Toolsets<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Toolsets({:?})", self.workspace.root)
    }
}

impl<'a> Toolsets<'a> {
    pub fn new(workspace: &'a Workspace, target: Option<&TargetFile>, agent: AgentMode) -> Self {
        let granted = target.map(|target| target.script_hosts.clone()).unwrap_or_default();
        let engine = Arc::new(QuickJs);
        Self { workspace, agent, starter: None, granted, engine, problems: Mutex::default() }
    }

    /// Toolsets that run outside of this process are started by this.
    pub fn started_by(self, starter: Option<&'a dyn Starter>) -> Self {
        Self { starter, ..self }
    }

    /// The tools of all entries. An error is a server that does not start.
    pub fn tools(
        &self,
        target: Option<&TargetFile>,
        driver: Driver,
        problems: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Tool>, Problem> {
        let own = target.map(|target| target.servers.as_slice()).unwrap_or_default();
        let entries: Vec<&ServerEntry> = self.workspace.file.servers.iter().chain(own).collect();
        let mut tools = Vec::new();
        for (entry, opened) in entries.iter().zip(self.opened(&entries, driver)?) {
            let (provider, listed) = match (opened, &entry.kind) {
                (Some(server), _) => server,
                (_, ServerKind::Script(script)) => {
                    let Some((scripted, listed)) = self.open(&entry.name, script, Some(&entry.at), problems)
                    else {
                        continue;
                    };
                    (Arc::new(scripted) as Arc<dyn Provider>, listed)
                }
                _ if self.agent == AgentMode::OnDevice => {
                    let message =
                        format!("server '{}' is no script, and the agent runs on the device", entry.name);
                    let hint = "its tools are not there; a 'script:' runs on a phone, too";
                    let problem = Diagnostic::warning(Code::BadToolset, message).hint(hint);
                    problems.push(Diagnostic { at: Some(entry.at.clone()), ..problem });
                    continue;
                }
                // Nothing is started, so nobody knows.
                _ => continue,
            };
            tools.extend(server::tools(&provider, &listed, Some(&entry.at), problems));
        }
        Ok(tools)
    }

    /// What runs outside of this process. On a phone there is no outside.
    fn opened(&self, entries: &[&ServerEntry], driver: Driver) -> Result<Vec<Opened>, Problem> {
        let mut all: Vec<Opened> = entries.iter().map(|_| None).collect();
        let Some(starter) = self.starter.filter(|_| self.agent == AgentMode::Host) else { return Ok(all) };
        let is_there = |entry: &ServerEntry| match &entry.kind {
            ServerKind::Script(script) => self.root().join(script).is_file(),
            ServerKind::Command { .. } | ServerKind::Http { .. } => true,
        };
        // What is not there is said as everywhere else.
        let (at, found): (Vec<usize>, Vec<&ServerEntry>) =
            entries.iter().copied().enumerate().filter(|(_, entry)| is_there(entry)).unzip();
        for ((at, entry), opened) in at.into_iter().zip(&found).zip(starter.open(&found, self.root(), driver))
        {
            all[at] = opened.map_err(|failure| not_started(entry, &failure))?;
        }
        Ok(all)
    }

    /// A script's toolset, and what it lists. Problems without a place of their own stand at `at`.
    pub fn open(
        &self,
        name: &str,
        script: &str,
        at: Option<&FilePlace>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<(Scripted, Listed)> {
        let opened = self.bundle(script).and_then(|bundle| {
            let scripted = self.toolset(name, &bundle);
            let listed =
                scripted.listed().map_err(|failure| vec![self.problem(&failure, at, &|place| place)])?;
            Ok((scripted, listed))
        });
        opened.map_err(|found| problems.extend(found)).ok()
    }

    fn root(&self) -> &Path {
        self.workspace.root.as_deref().unwrap_or_else(|| Path::new("."))
    }

    fn bundle(&self, script: &str) -> Result<Bundle, Vec<Diagnostic>> {
        bundles::find(self.root(), script)
    }

    fn toolset(&self, name: &str, bundle: &Bundle) -> Scripted {
        let mut main = Module::new(bundles::module_name(&bundle.header.name), bundle.code.as_str());
        main.compiled = bundles::compiled(self.engine.as_ref(), self.root(), bundle, &main);
        self.scripted(name, vec![main], map_of(bundle))
    }

    fn scripted(&self, name: &str, modules: Vec<Module>, map: Option<(String, Arc<SourceMap>)>) -> Scripted {
        Scripted {
            map,
            agent: self.agent,
            granted: self.granted.clone(),
            ..Scripted::new(name, self.engine.clone(), modules)
        }
    }

    /// The script of one tool: a module whose default export is called, or the body of such a function.
    fn single(&self, file: &ToolFile, script: &Script) -> Result<Scripted, Vec<Diagnostic>> {
        let (body, map) = match script {
            Script::Inline(source, at) => (inline(file, source, *at), None),
            Script::File(path) => {
                let bundle = self.bundle(path)?;
                let map = map_of(&bundle);
                (Module::new(bundles::module_name(path), bundle.code), map)
            }
        };
        let main = format!(
            "import {{ tool, client }} from {package:?};\nimport * as script from {body:?};\n\
             const run = script.default;\n\
             if (typeof run !== 'function') throw new TypeError('its default export must be a function');\n\
             tool({{ name: {id:?}, description: {id:?}, input: {{ type: 'object' }}, handler: (params, context) =>\n\
             run({{ params, memory: context.memory, device: context.device }}, client) }});\n",
            package = sdk::PACKAGE,
            body = body.name,
            id = file.id,
        );
        let mut modules = sdk::modules();
        modules.extend([body, Module::new("trailblaze:tool", main)]);
        let scripted = self.scripted(&file.id, modules, map);
        // What does not load is said when documents are checked, not in the middle of a run.
        scripted.listed().map_err(|failure| {
            let in_file = |place: Place| match script {
                // A block lost its indentation, and the end of the function stands behind its last line.
                Script::Inline(source, begins) => Place {
                    line: place.line.min(begins.line + source.lines().count() as u32 - 1),
                    column: place.column + begins.column - 1,
                },
                Script::File(_) => place,
            };
            vec![self.problem(&failure, Some(&file.at), &in_file)]
        })?;
        Ok(scripted)
    }

    /// A script that does not load, at the place where it says so, else at `at`.
    fn problem(
        &self,
        failure: &Failure,
        at: Option<&FilePlace>,
        in_file: &dyn Fn(Place) -> Place,
    ) -> Diagnostic {
        let stack = failure.stack.as_deref().unwrap_or_default();
        let first = stack.lines().next().and_then(place_of).and_then(|(file, place)| {
            // A bundle names its sources from the workspace, a document is named as it is shown.
            let shown = files::shown(&self.root().join(file));
            let found = [shown.as_str(), file].into_iter().find(|file| Path::new(file).is_file())?;
            Some(FilePlace { file: found.into(), place: in_file(place) })
        });
        // One line says no more than the place.
        let message = match (stack.lines().count(), &first) {
            (0, _) | (1, Some(_)) => failure.message.clone(),
            _ => format!("{}\n{stack}", failure.message),
        };
        let mut problem = Diagnostic::error(Code::BadToolset, message).hint_opt(failure.hint.clone());
        problem.at = first.or_else(|| at.cloned());
        match problem.at.clone().and_then(|at| Some((at.place, files::read(Path::new(&*at.file)).ok()?))) {
            Some((place, source)) => problem.at(&source, place),
            None => problem,
        }
    }

    pub fn into_problems(self) -> Vec<Diagnostic> {
        self.problems.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that does not start ends a run before it begins.
fn not_started(entry: &ServerEntry, failure: &Failure) -> Problem {
    let place = entry.at.place;
    let mut message = format!("{}:{}:{}: {}", entry.at.file, place.line, place.column, failure.message);
    if let Some(stack) = &failure.stack {
        message.push_str(&format!("\n{stack}"));
    }
    let exit = match failure.kind {
        FailureKind::Interrupted => return Problem::new(Exit::Interrupted, "the run was interrupted"),
        _ => Exit::Toolset,
    };
    // Both bun and Node say it like that.
    let lacks_package = ["Cannot find package", "Cannot find module", "ERR_MODULE_NOT_FOUND"]
        .iter()
        .any(|said| failure.stack.as_deref().unwrap_or_default().contains(said));
    let install = "install the packages that it imports beside it: 'bun install' or 'npm install'";
    let hint = failure.hint.clone().or(lacks_package.then(|| install.to_owned()));
    Problem { hint, ..Problem::new(exit, message) }
}

/// Where the sources of a bundle are in it.
fn map_of(bundle: &Bundle) -> Option<(String, Arc<SourceMap>)> {
    let map = SourceMap::parse(bundle.map.as_deref()?).ok()?;
    Some((bundles::module_name(&bundle.header.name), Arc::new(map)))
}

/// Inline source as a module; its lines are counted as in the file where it stands.
fn inline(file: &ToolFile, source: &str, begins: Place) -> Module {
    let is_module = is_module(source);
    let above = |lines: u32| "\n".repeat(lines as usize);
    let text = match begins.line {
        line if is_module => format!("{}{source}", above(line.saturating_sub(1))),
        0 | 1 => format!("{FUNCTION}{source}\n}}"),
        line => format!("{}{FUNCTION}\n{source}\n}}", above(line - 2)),
    };
    Module::new(&*file.at.file, text)
}

/// Whether it is a whole module, not the body of a function. Where nothing can parse it, its lines have to tell.
fn is_module(source: &str) -> bool {
    #[cfg(not(target_os = "android"))]
    if let Some(is_module) = trailblaze_bundle::has_module_syntax(source) {
        return is_module;
    }
    source.lines().any(|line| line.starts_with("import ") || line.starts_with("export "))
}

const FUNCTION: &str = "export default async function (input, client) {";

/// The place that a line of a stack names: `    at f (tools/login.ts:3:5)`.
fn place_of(line: &str) -> Option<(&str, Place)> {
    let place = line.trim_end_matches(')').rsplit([' ', '(']).next()?;
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((parts.next()?, Place { line, column }))
}

impl Scripts for Toolsets<'_> {
    fn body(&self, file: &ToolFile, script: &Script) -> Result<Arc<dyn Execute>, String> {
        match self.single(file, script) {
            Ok(scripted) => Ok(server::body(Arc::new(scripted))),
            Err(found) => {
                let reason = found.first().map(|problem| problem.message.clone()).unwrap_or_default();
                self.problems.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
                Err(reason)
            }
        }
    }
}
