//! What can be seen of a trail without a device: unknown tools, wrong arguments, bad tokens and patterns.

use serde_json::Value;
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::driver::Platform;
use trailblaze_model::maestro;
use trailblaze_model::names;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::place::{FilePlace, Place, Source};
use trailblaze_model::tool::{Mode, ToolFile};
use trailblaze_model::trail::{Recording, Trail};

use crate::dispatch::drop_ignored;
use crate::interpolate::{Spelling, tokens};
use crate::registry::{Registry, Tool};
use crate::schema::{self, ProblemKind, Tokens};

/// What documents are checked against.
#[derive(Debug)]
pub struct Checker<'a> {
    pub registry: &'a Registry,
    /// Toolset servers may provide tools that are known only in a session.
    pub has_servers: bool,
}

impl Checker<'_> {
    /// Checks all calls of a trail.
    pub fn trail(&self, source: &Source, trail: &Trail, problems: &mut Vec<Diagnostic>) {
        let declared: Vec<&str> = trail.config.args.iter().map(|arg| arg.name.as_str()).collect();
        for step in &trail.steps {
            match &step.recording {
                Recording::None => {}
                Recording::Always(calls) => {
                    calls.iter().for_each(|call| self.call(source, call, Some(&declared), problems));
                }
                Recording::PerClassifier(per) => {
                    for (_, calls) in per.iter().filter(|(name, _)| is_android(name)) {
                        calls.iter().for_each(|call| self.call(source, call, Some(&declared), problems));
                    }
                }
            }
        }
        coverage(source, trail, problems);
    }

    /// Checks the calls in the body of a tool file.
    pub fn tool_file(&self, source: &Source, file: &ToolFile, problems: &mut Vec<Diagnostic>) {
        if let Mode::Tools { calls, .. } = &file.mode {
            calls.iter().for_each(|call| self.call(source, call, None, problems));
        }
    }

    fn call(
        &self,
        source: &Source,
        call: &ToolCall,
        declared: Option<&[&str]>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let at = call.at.as_ref().map_or(Place::START, |at| at.place);
        let Some(tool) = self.registry.get(&call.name) else {
            problems.push(self.no_tool(&call.name).at(source, at));
            return;
        };
        let place = |pointer: &str| match &call.source {
            // An argument that is missing belongs to the call, one that is wrong to itself.
            Some(node) if !pointer.is_empty() => node.place_at(pointer),
            _ => at,
        };
        arguments(source, call, tool, &place, problems);
        for (pointer, text) in texts(&call.args) {
            for token in tokens(text) {
                let Some(path) =
                    token.name.strip_prefix("args.").filter(|_| token.spelling == Spelling::Braces)
                else {
                    continue;
                };
                let Some(declared) = declared else { continue };
                let name = path.split('.').next().unwrap_or_default();
                let simple = path.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                let message = if !simple {
                    format!("'{}' is an expression; only names with dots are allowed", token.name)
                } else if declared.contains(&name) {
                    continue;
                } else {
                    format!("the trail declares no argument '{name}'")
                };
                let hint = names::nearest_hint(name, declared.iter().copied())
                    .unwrap_or_else(|| "declare it under 'config.args'".to_owned());
                problems
                    .push(Diagnostic::error(Code::BadToken, message).at(source, place(&pointer)).hint(hint));
            }
        }
        if matches!(call.name.as_str(), "maestro" | "mobile_maestro") {
            maestro_commands(source, call, &place, problems);
        }
        patterns(source, call, &place, problems);
    }

    fn no_tool(&self, name: &str) -> Diagnostic {
        if let Some(reason) = self.registry.left_out(name) {
            return Diagnostic::error(Code::NotYet, format!("the tool '{name}' cannot be used: {reason}"));
        }
        let message = format!("unknown tool '{name}'");
        let near = names::nearest_hint(name, self.registry.tools().map(|tool| tool.name.as_str()));
        if self.has_servers && near.is_none() {
            return Diagnostic::warning(Code::UnknownTool, message)
                .hint("a toolset server may provide it; that is known only when a session starts");
        }
        let hint = near.unwrap_or_else(|| "'trailblaze tools' lists what there is".to_owned());
        Diagnostic::error(Code::UnknownTool, message).hint(hint)
    }
}

/// Recordings for other platforms are not ours to check.
fn is_android(classifier: &str) -> bool {
    let first = classifier.split('-').next().unwrap_or_default();
    Platform::parse(first).is_none_or(|platform| platform == Platform::Android)
}

fn arguments(
    source: &Source,
    call: &ToolCall,
    tool: &Tool,
    place: &dyn Fn(&str) -> Place,
    problems: &mut Vec<Diagnostic>,
) {
    let mut args = call.args.clone();
    drop_ignored(tool, &mut args);
    for problem in schema::validate(&tool.schema, &mut args, Tokens::Skip) {
        let (code, message) = match problem.kind {
            ProblemKind::Missing => (Code::MissingArgument, format!("'{}': {}", call.name, problem.message)),
            ProblemKind::Unknown => (Code::UnknownArgument, format!("'{}': {}", call.name, problem.message)),
            ProblemKind::Wrong => (Code::BadArgument, format!("'{}': {}", call.name, problem.message)),
        };
        let diagnostic = Diagnostic::error(code, message).at(source, place(&problem.pointer));
        problems.push(diagnostic.hint_opt(problem.hint));
    }
    if args.contains_key("ref") && matches!(call.name.as_str(), "tap" | "assertVisible") {
        let message = format!(
            "'{}': 'ref' needs snapshots of the screen, which this version does not have yet",
            call.name
        );
        problems.push(
            Diagnostic::error(Code::NotYet, message).at(source, place("/ref")).hint("use 'text' or 'id'"),
        );
    }
}

fn maestro_commands(
    source: &Source,
    call: &ToolCall,
    place: &dyn Fn(&str) -> Place,
    problems: &mut Vec<Diagnostic>,
) {
    let Some(commands) = call.args.get("commands") else { return };
    // What a token stands for is known only when it runs.
    let Err(found) = maestro::read_commands(&without_tokens(commands)) else { return };
    for problem in found {
        let code = if problem.later { Code::NotYet } else { Code::MaestroCommand };
        let at = place(&format!("/commands{}", problem.pointer));
        problems.push(Diagnostic::error(code, problem.message).at(source, at).hint_opt(problem.hint));
    }
}

/// Numbers, flags and points that a token stands for would not read; a `1` reads as any of them but points.
fn without_tokens(value: &Value) -> Value {
    match value {
        Value::String(text) if !tokens(text).is_empty() => match text.contains(',') {
            true => Value::String("1,1".to_owned()),
            false => Value::Null,
        },
        Value::Array(items) => items.iter().map(without_tokens).collect(),
        Value::Object(map) => {
            let text_key =
                |key: &str| !matches!(key, "text" | "id" | "link" | "appId" | "label" | "key" | "direction");
            map.iter()
                .map(|(key, value)| {
                    let only_scalar = value.is_string() && (map.len() == 1 || !text_key(key));
                    let value = if only_scalar { value.clone() } else { without_tokens(value) };
                    (key.clone(), value)
                })
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        other => other.clone(),
    }
}

/// Arguments that are regular expressions, in tools and in Maestro commands.
const PATTERN_KEYS: &[&str] = &["text", "textRegex", "id", "accessibilityText", "resourceId"];
const SUBSTRING_TOOLS: &[&str] = &[
    "tapOnElementWithText",
    "tapOnElementWithAccessibilityText",
    "longPressOnElementWithText",
    "longPressElementWithAccessibilityText",
    "inputText",
    "hasText",
    "mobile_setClipboard",
    "setClipboard",
];

fn patterns(source: &Source, call: &ToolCall, place: &dyn Fn(&str) -> Place, problems: &mut Vec<Diagnostic>) {
    for (pointer, text) in texts(&call.args) {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        let literal = SUBSTRING_TOOLS.contains(&call.name.as_str()) && key != "id"
            || call.name == "scrollUntilTextIsVisible" && key == "text"
            || pointer.contains("/inputText");
        let command =
            ["tapOn", "longPressOn", "doubleTapOn", "assertVisible", "assertNotVisible", "copyTextFrom"];
        let is_pattern =
            PATTERN_KEYS.contains(&key) || (pointer.contains("/commands/") && command.contains(&key));
        if literal || !is_pattern || !tokens(text).is_empty() {
            continue;
        }
        if let Some(error) = Pattern::new(text, Dialect::Maestro).error() {
            let message = format!("'{text}' is no regular expression ({error}) and is taken literally");
            let hint = "put '\\Q' before a text that is meant literally";
            problems
                .push(Diagnostic::warning(Code::BadPattern, message).at(source, place(&pointer)).hint(hint));
        }
    }
}

/// All texts of the arguments with their pointers.
fn texts(args: &serde_json::Map<String, Value>) -> Vec<(String, &str)> {
    fn walk<'a>(value: &'a Value, pointer: String, found: &mut Vec<(String, &'a str)>) {
        match value {
            Value::String(text) => found.push((pointer, text)),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, format!("{pointer}/{index}"), found);
                }
            }
            Value::Object(map) => {
                for (key, value) in map {
                    walk(value, format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (key, value) in args {
        walk(value, format!("/{}", key.replace('~', "~0").replace('/', "~1")), &mut found);
    }
    found
}

/// A step without a recording for a classifier that other steps record.
fn coverage(source: &Source, trail: &Trail, problems: &mut Vec<Diagnostic>) {
    let mut recorded: Vec<&str> = Vec::new();
    for step in &trail.steps {
        if let Recording::PerClassifier(per) = &step.recording {
            for (name, _) in per {
                if !recorded.contains(&name.as_str()) {
                    recorded.push(name);
                }
            }
        }
    }
    for step in trail.steps.iter().filter(|step| step.recordable) {
        let missing: Vec<&str> = recorded
            .iter()
            .copied()
            .filter(|name| {
                let device = trailblaze_model::classifier::Classifiers::new(name.split('-'));
                step.recording.for_device(&device).is_none()
            })
            .collect();
        if !missing.is_empty() {
            let message =
                format!("this step has no recording for {}, other steps have", names::list(&missing));
            let hint = format!("record it, or write '{}: []' if there is nothing to do", missing[0]);
            problems.push(Diagnostic::warning(Code::Coverage, message).at(source, step.at).hint(hint));
        }
    }
}

/// Tool files that call each other in a circle.
pub fn cycles(files: &[ToolFile]) -> Vec<Diagnostic> {
    let callees = |file: &ToolFile| -> Vec<(String, Option<FilePlace>)> {
        match &file.mode {
            Mode::Tools { calls, .. } => {
                calls.iter().map(|call| (call.name.clone(), call.at.clone())).collect()
            }
            _ => Vec::new(),
        }
    };
    let mut problems = Vec::new();
    let mut reported: Vec<Vec<String>> = Vec::new();
    for start in files {
        let mut path: Vec<String> = vec![start.id.clone()];
        let mut todo: Vec<Vec<(String, Option<FilePlace>)>> = vec![callees(start)];
        let mut seen: Vec<String> = Vec::new();
        while let Some(next) = todo.last_mut().map(Vec::pop) {
            let Some((name, at)) = next else {
                todo.pop();
                path.pop();
                continue;
            };
            if name == start.id {
                let mut members = path.clone();
                members.sort();
                if !reported.contains(&members) {
                    let chain: Vec<&str> = path.iter().map(String::as_str).chain([name.as_str()]).collect();
                    let message = format!("tools call each other in a circle: {}", chain.join(" → "));
                    let mut problem =
                        Diagnostic::error(Code::Cycle, message).hint("a tool cannot end by calling itself");
                    problem.at = at;
                    problems.push(problem);
                    reported.push(members);
                }
            } else if !seen.contains(&name)
                && let Some(file) = files.iter().find(|file| file.id == name)
            {
                seen.push(name.clone());
                path.push(name);
                todo.push(callees(file));
            }
        }
    }
    problems
}
