//! Who may call what: one flat registry from all sources, filtered for one session.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::driver::{AgentMode, Driver, Platform};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::names;
use trailblaze_model::order;
use trailblaze_model::place::FilePlace;
use trailblaze_model::target::TargetFile;
use trailblaze_model::toolset::ToolsetFile;

use crate::dispatch::Execute;

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    BuiltIn,
    /// A file of tool YAML.
    File(FilePlace),
    /// A toolset server or a script bundle, with the place that declares it.
    Server {
        name: String,
        at: Option<FilePlace>,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(at) => write!(f, "{}", at.file),
            Self::Server { name, .. } => write!(f, "the server '{name}'"),
        }
    }
}

impl Source {
    /// Where problems with what it offers are shown.
    fn at(&self) -> Option<&FilePlace> {
        match self {
            Self::BuiltIn => None,
            Self::File(at) => Some(at),
            Self::Server { at, .. } => at.as_ref(),
        }
    }
}

/// A tool as a source offers it.
#[derive(Clone)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Value,
    pub flags: ToolFlags,
    pub source: Source,
    pub body: Arc<dyn Execute>,
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool({}, {})", self.name, self.source)
    }
}

impl Tool {
    /// What a model or a person needs to call it.
    pub fn descriptor(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "inputSchema": self.schema })
    }
}

/// What a registry is made for.
#[derive(Clone, Debug)]
pub struct Scope {
    pub driver: Driver,
    pub agent: AgentMode,
    pub target: Option<Arc<TargetFile>>,
    /// Toolsets that are not known here may provide more tools: servers that a session starts, scripts that do not load.
    pub has_servers: bool,
}

impl Scope {
    /// Why a tool is left out here; the filters stand in the documented order.
    fn leaves_out(&self, flags: &ToolFlags) -> Option<String> {
        if !flags.supported_drivers.is_empty() && !flags.supported_drivers.contains(&self.driver) {
            return Some(format!("it does not support the driver '{}'", self.driver));
        }
        let platform = self.driver.platform();
        if !flags.supported_platforms.is_empty() && !flags.supported_platforms.contains(&platform) {
            return Some(format!("it does not support the platform '{platform}'"));
        }
        (flags.requires_host && self.agent == AgentMode::OnDevice)
            .then(|| "it needs the agent on the host, and the agent runs on the device".to_owned())
    }

    /// A name that nothing here provides: wrong, unless a server may still bring it.
    fn unknown(&self, code: Code, message: String, at: &FilePlace) -> Diagnostic {
        let mut problem = if self.has_servers {
            Diagnostic::warning(code, message).hint("a toolset that is not known here may provide it")
        } else {
            Diagnostic::error(code, message)
        };
        problem.at = Some(at.clone());
        problem
    }

    fn takes(&self, toolset: &ToolsetFile) -> bool {
        let platform = self.driver.platform();
        (toolset.drivers.is_empty() || toolset.drivers.contains(&self.driver))
            && (toolset.platforms.is_empty() || toolset.platforms.contains(&platform))
    }
}

/// Tools that are switched on together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolset {
    pub description: String,
    pub tools: BTreeSet<String>,
    /// On in this session.
    pub enabled: bool,
}

/// All tools of one session.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    tools: BTreeMap<String, Arc<Tool>>,
    /// Names that exist but not in this session, with the reason.
    left_out: BTreeMap<String, String>,
    toolsets: BTreeMap<String, Toolset>,
    /// There may be more tools than these.
    has_servers: bool,
    /// Single tools that the target adds and removes.
    added: BTreeSet<String>,
    excluded: BTreeSet<String>,
}

/// Which tools came and went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub total: usize,
}

impl Changes {
    pub fn to_json(&self) -> Value {
        json!({ "added": self.added, "removed": self.removed, "total": self.total })
    }
}

impl std::fmt::Display for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { added, removed, total } = self;
        let tools = if *total == 1 { "tool" } else { "tools" };
        write!(f, "{total} {tools}: {} added, {} removed", added.len(), removed.len())?;
        added.iter().try_for_each(|name| write!(f, "\n+ {name}"))?;
        removed.iter().try_for_each(|name| write!(f, "\n- {name}"))
    }
}

impl Registry {
    pub fn changes_since(&self, before: &Self) -> Changes {
        let missing = |from: &Self, of: &Self| -> Vec<String> {
            let names = of.tools().map(|tool| &tool.name);
            names.filter(|name| from.get(name).is_none()).cloned().collect()
        };
        Changes { added: missing(before, self), removed: missing(self, before), total: self.tools().count() }
    }

    /// Registers everything that the scope lets in. `known` are names that exist but cannot run, with the
    /// reason. Collisions are errors, bad names are warnings.
    pub fn build(
        scope: &Scope,
        tools: impl IntoIterator<Item = Tool>,
        known: impl IntoIterator<Item = (String, String)>,
        toolsets: &[(Source, ToolsetFile)],
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut registry = Self { has_servers: scope.has_servers, ..Self::default() };
        for tool in tools {
            registry.add(scope, tool, problems);
        }
        for (name, reason) in known {
            if !registry.tools.contains_key(&name) {
                registry.left_out.entry(name).or_insert(reason);
            }
        }
        registry.add_toolsets(scope, toolsets, problems);
        registry.add_target(scope, problems);
        registry
    }

    /// The same with one more tool, which nothing else is asked about.
    pub fn with(&self, tool: Tool) -> Self {
        let mut registry = self.clone();
        registry.tools.insert(tool.name.clone(), Arc::new(tool));
        registry
    }

    fn add(&mut self, scope: &Scope, tool: Tool, problems: &mut Vec<Diagnostic>) {
        if tool.source != Source::BuiltIn
            && let Some(problem) = names::tool_name_problem(&tool.name)
        {
            let mut warning =
                Diagnostic::warning(Code::Naming, format!("the tool name '{}': {problem}", tool.name))
                    .hint("use verbNoun, app_verbNoun or app_platform_verbNoun");
            warning.at = tool.source.at().cloned();
            problems.push(warning);
        }
        if let Some(reason) = scope.leaves_out(&tool.flags) {
            if !self.tools.contains_key(&tool.name) {
                self.left_out.insert(tool.name, reason);
            }
            return;
        }
        if let Some(first) = self.tools.get(&tool.name) {
            let message =
                format!("two tools are called '{}': {} and {}", tool.name, first.source, tool.source);
            let mut error = Diagnostic::error(Code::Collision, message)
                .hint("names are unique over all sources; rename one of them");
            error.at = tool.source.at().or(first.source.at()).cloned();
            problems.push(error);
            return;
        }
        if let Some(toolset) = &tool.flags.toolset {
            self.toolsets.entry(toolset.clone()).or_default().tools.insert(tool.name.clone());
        }
        self.left_out.remove(&tool.name);
        self.tools.insert(tool.name.clone(), Arc::new(tool));
    }

    fn add_toolsets(
        &mut self,
        scope: &Scope,
        files: &[(Source, ToolsetFile)],
        problems: &mut Vec<Diagnostic>,
    ) {
        let block = scope.target.as_ref().and_then(|target| target.block(scope.driver));
        let pulled = |id: &str| block.is_some_and(|block| block.tool_sets.iter().any(|(name, _)| name == id));
        // A toolset that only pushed tools made has no file that could restrict it.
        for (id, toolset) in &mut self.toolsets {
            toolset.enabled = pulled(id);
        }
        let mut seen: BTreeMap<&str, &Source> = BTreeMap::new();
        for (source, file) in files {
            if let Some(first) = seen.get(file.id.as_str()) {
                let message = format!("two toolsets are called '{}': {first} and {source}", file.id);
                let mut error = Diagnostic::error(Code::Collision, message).hint("rename one of them");
                error.at = Some(file.at.clone());
                problems.push(error);
                continue;
            }
            seen.insert(&file.id, source);
            for (name, at) in &file.tools {
                if !self.knows(name) && *source != Source::BuiltIn {
                    let message = format!("the toolset '{}' names the unknown tool '{name}'", file.id);
                    problems.push(self.unknown_tool(scope, name, message, at));
                }
            }
            let toolset = self.toolsets.entry(file.id.clone()).or_default();
            toolset.description.clone_from(&file.description);
            toolset.enabled = scope.takes(file) && (file.always_enabled || pulled(&file.id));
            let there = file.tools.iter().map(|(name, _)| name).filter(|name| self.tools.contains_key(*name));
            toolset.tools.extend(there.cloned());
        }
    }

    /// What the target names must exist; single tools are switched on and off.
    fn add_target(&mut self, scope: &Scope, problems: &mut Vec<Diagnostic>) {
        let Some(block) = scope.target.as_ref().and_then(|target| target.block(scope.driver)) else { return };
        for (id, at) in &block.tool_sets {
            if !self.toolsets.contains_key(id) {
                let problem = scope.unknown(Code::UnknownName, format!("unknown toolset '{id}'"), at);
                let near = names::nearest_hint(id, self.toolsets.keys().map(String::as_str));
                problems.push(problem.hint_opt(near));
            }
        }
        for (name, at) in block.tools.iter().chain(&block.excluded_tools) {
            if !self.knows(name) {
                problems.push(self.unknown_tool(scope, name, format!("unknown tool '{name}'"), at));
            }
        }
        let names = |list: &[(String, FilePlace)]| order::set(list.iter().map(|(name, _)| name.clone()));
        self.added = names(&block.tools);
        self.excluded = names(&block.excluded_tools);
    }

    fn knows(&self, name: &str) -> bool {
        self.tools.contains_key(name) || self.left_out.contains_key(name)
    }

    fn unknown_tool(&self, scope: &Scope, name: &str, message: String, at: &FilePlace) -> Diagnostic {
        let known = self.tools.keys().chain(self.left_out.keys()).map(String::as_str);
        scope.unknown(Code::UnknownTool, message, at).hint_opt(names::nearest_hint(name, known))
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// The tool, or why there is none.
    pub fn find(&self, name: &str) -> Result<&Arc<Tool>, Failure> {
        if let Some(tool) = self.tools.get(name) {
            return Ok(tool);
        }
        if let Some(reason) = self.left_out.get(name) {
            let message = format!("the tool '{name}' cannot be used here: {reason}");
            return Err(Failure::new(FailureKind::NotSupported, message));
        }
        let failure = Failure::new(FailureKind::UnknownTool, format!("unknown tool '{name}'"));
        let hint = names::nearest_hint(name, self.tools.keys().map(String::as_str))
            .unwrap_or_else(|| "'trailblaze tools' lists what there is".to_owned());
        Err(failure.hint(hint))
    }

    /// Whether toolsets that are not known here may provide more tools.
    pub fn has_servers(&self) -> bool {
        self.has_servers
    }

    /// Why a name that exists cannot be used in this session.
    pub fn left_out(&self, name: &str) -> Option<&str> {
        self.left_out.get(name).map(String::as_str)
    }

    pub fn tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    pub fn toolsets(&self) -> &BTreeMap<String, Toolset> {
        &self.toolsets
    }

    /// The toolsets and groups that a tool belongs to.
    pub fn groups_of(&self, tool: &Tool) -> BTreeSet<String> {
        let mut groups = tool.flags.groups.clone();
        let member = |(_, toolset): &(&String, &Toolset)| toolset.tools.contains(&tool.name);
        groups.extend(self.toolsets.iter().filter(member).map(|(id, _)| id.clone()));
        groups
    }

    /// Every group that a tool names, with its description and whether it is on.
    fn groups(&self) -> BTreeMap<&str, (&str, bool)> {
        let mut groups: BTreeMap<&str, (&str, bool)> = BTreeMap::new();
        for tool in self.tools.values() {
            for id in &tool.flags.groups {
                groups.entry(id).or_default().1 |= self.is_offered(tool);
            }
        }
        let sets = self.toolsets.iter();
        groups.extend(sets.map(|(id, set)| (id.as_str(), (set.description.as_str(), set.enabled))));
        groups
    }

    /// Whether a model is offered the tool: it may see it, and the target or a toolset switches it on.
    pub fn is_offered(&self, tool: &Tool) -> bool {
        let enabled = self.toolsets.values().any(|set| set.enabled && set.tools.contains(&tool.name));
        tool.flags.is_for_llm
            && !self.excluded.contains(&tool.name)
            && (enabled || self.added.contains(&tool.name))
    }

    /// The JSON of `trailblaze://registry`.
    pub fn to_json(&self, server_name: &str, version: &str) -> Value {
        let tools: Map<String, Value> = self
            .tools
            .values()
            .map(|tool| {
                let entry = json!({
                    "platforms": platforms_of(&tool.flags),
                    "groups": self.groups_of(tool),
                    "exposedToLlm": tool.flags.is_for_llm,
                    "isRecordable": tool.flags.is_recordable,
                    "isDelegating": tool.flags.is_delegating,
                });
                (tool.name.clone(), entry)
            })
            .collect();
        let groups: Map<String, Value> = self
            .groups()
            .into_iter()
            .map(|(id, (description, enabled))| {
                (id.to_owned(), json!({ "description": description, "defaultEnabled": enabled }))
            })
            .collect();
        json!({
            "tools": tools,
            "groups": groups,
            "serverInfo": { "name": server_name, "version": version },
        })
    }
}

fn platforms_of(flags: &ToolFlags) -> Vec<Platform> {
    let fits = |platform: &Platform| {
        let (platforms, drivers) = (&flags.supported_platforms, &flags.supported_drivers);
        (platforms.is_empty() || platforms.contains(platform))
            && (drivers.is_empty() || drivers.iter().any(|driver| driver.platform() == *platform))
    };
    Platform::ALL.iter().copied().filter(fits).collect()
}
