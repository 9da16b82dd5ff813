//! What can be seen of a trail without a device: unknown tools, wrong arguments, bad tokens and patterns.

mod cycles;

use serde_json::Value;
use trailblaze_model::call::ToolCall;
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::driver::Platform;
use trailblaze_model::maestro::{self, Point};
use trailblaze_model::names;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::place::{Place, Source};
use trailblaze_model::selector::NodeSelector;
use trailblaze_model::tool::{Mode, ToolFile};
use trailblaze_model::trail::{self, PerDevice, Recording, Trail};
use trailblaze_model::waypoint::Waypoint;
use trailblaze_model::yaml::{self, Node};

pub use cycles::cycles;

use crate::builtin::SELECTOR_ARGS;
use crate::dispatch::drop_ignored;
use crate::interpolate::{Spelling, Token, tokens};
use crate::registry::{Registry, Source as ToolSource, Tool};
use crate::schema::{self, ProblemKind, Tokens};
use crate::waypoint;

/// What documents are checked against.
#[derive(Debug)]
pub struct Checker<'a> {
    pub registry: &'a Registry,
    /// Those that trails can name.
    pub waypoints: &'a [Waypoint],
}

impl Checker<'_> {
    /// Checks all calls of a trail.
    pub fn trail(&self, source: &Source, trail: &Trail, problems: &mut Vec<Diagnostic>) {
        let names: Vec<&str> = trail.config.args.iter().map(|arg| arg.name.as_str()).collect();
        let declared = Declared::Args(&names);
        for step in &trail.steps {
            match &step.recording {
                Recording::None => {}
                Recording::Always(calls) => {
                    calls.iter().for_each(|call| self.call(source, call, declared, problems));
                }
                Recording::PerClassifier(per) => {
                    for (_, calls) in per.iter().filter(|(name, _)| is_android(name)) {
                        calls.iter().for_each(|call| self.call(source, call, declared, problems));
                    }
                }
            }
        }
        unreachable(source, trail, problems);
        coverage(source, trail, problems);
    }

    /// Checks the calls in the body of a tool file.
    pub fn tool_file(&self, source: &Source, file: &ToolFile, problems: &mut Vec<Diagnostic>) {
        if let Mode::Tools { calls, parameters, .. } = &file.mode {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            let declared = Declared::Params(&names);
            calls.iter().for_each(|call| self.call(source, call, declared, problems));
        }
    }

    fn call(&self, source: &Source, call: &ToolCall, declared: Declared<'_>, problems: &mut Vec<Diagnostic>) {
        let at = call.at.as_ref().map_or(Place::START, |at| at.place);
        let Some(tool) = self.registry.get(&call.name) else {
            problems.push(self.no_tool(&call.name).at(source, at));
            return;
        };
        let place = |pointer: &str| match &call.source {
            Some(node) if !pointer.is_empty() => node.place_at(pointer),
            _ => at,
        };
        let before = problems.len();
        arguments(source, call, tool, at, problems);
        let is_misspelt = problems.len() > before;
        for (pointer, text) in texts(&call.args) {
            let bad = tokens(text).into_iter().filter_map(|token| declared.refuses(&token));
            problems.extend(bad.map(|problem| problem.at(source, place(&pointer))));
        }
        if matches!(call.name.as_str(), "maestro" | "mobile_maestro") {
            maestro_commands(source, call, &place, problems);
        }
        if tool.source == ToolSource::BuiltIn {
            // What is missing is most likely what was misspelt.
            if !is_misspelt {
                alternatives(source, call, at, problems);
            }
            points(source, call, &place, problems);
            patterns(source, call, &place, problems);
            selectors(source, call, &place, problems);
            self.waypoint(source, call, &place, problems);
        }
    }

    fn waypoint(
        &self,
        source: &Source,
        call: &ToolCall,
        place: &dyn Fn(&str) -> Place,
        problems: &mut Vec<Diagnostic>,
    ) {
        let Some(Value::String(id)) = call.args.get("waypoint").filter(|_| call.name == "assertWaypoint")
        else {
            return;
        };
        if !tokens(id).is_empty() || self.waypoints.iter().any(|known| known.id == *id) {
            return;
        }
        let failure = waypoint::unknown(id, self.waypoints);
        let problem = Diagnostic::error(Code::UnknownName, failure.message).at(source, place("/waypoint"));
        problems.push(problem.hint_opt(failure.hint));
    }

    fn no_tool(&self, name: &str) -> Diagnostic {
        if let Some(reason) = self.registry.left_out(name) {
            return Diagnostic::error(Code::NotYet, format!("the tool '{name}' cannot be used: {reason}"));
        }
        let message = format!("unknown tool '{name}'");
        let near = names::nearest_hint(name, self.registry.tools().map(|tool| tool.name.as_str()));
        if self.registry.has_servers() && near.is_none() {
            return Diagnostic::warning(Code::UnknownTool, message)
                .hint("a toolset that is not known here may provide it");
        }
        let hint = near.unwrap_or_else(|| "'trailblaze tools' lists what there is".to_owned());
        Diagnostic::error(Code::UnknownTool, message).hint(hint)
    }
}

/// Selectors that cannot be read, and patterns in them that are no regular expressions.
fn selectors(
    source: &Source,
    call: &ToolCall,
    place: &dyn Fn(&str) -> Place,
    problems: &mut Vec<Diagnostic>,
) {
    let args = SELECTOR_ARGS.iter().filter(|(tool, _)| *tool == call.name);
    for (arg, value) in args.filter_map(|(_, arg)| Some((*arg, call.args.get(*arg)?))) {
        check_selector(source, call, (arg, value), place, problems);
    }
}

fn check_selector(
    source: &Source,
    call: &ToolCall,
    (arg, value): (&str, &Value),
    place: &dyn Fn(&str) -> Place,
    problems: &mut Vec<Diagnostic>,
) {
    match NodeSelector::read(value) {
        Ok(selector) => {
            for problem in selector.warnings() {
                let at = place(&format!("/{arg}{}", problem.pointer));
                let warning = Diagnostic::warning(Code::BadPattern, problem.message).at(source, at);
                problems.push(warning.hint_opt(problem.hint));
            }
        }
        Err(found) => {
            for problem in found {
                let at = place(&format!("/{arg}{}", problem.pointer));
                let message = format!("'{}': {}", call.name, problem.message);
                problems.push(
                    Diagnostic::error(Code::BadArgument, message).at(source, at).hint_opt(problem.hint),
                );
            }
        }
    }
}

/// Names that tokens may use where a call stands.
#[derive(Clone, Copy, Debug)]
enum Declared<'a> {
    /// Arguments of the trail: `{{args.name}}`
    Args(&'a [&'a str]),
    /// Parameters of the tool: `{{params.name}}`; the short form may mean memory as well.
    Params(&'a [&'a str]),
}

impl Declared<'_> {
    fn refuses(self, token: &Token<'_>) -> Option<Diagnostic> {
        let (prefix, known) = match self {
            Self::Args(known) => ("args.", known),
            Self::Params(known) => ("params.", known),
        };
        let path = token.name.strip_prefix(prefix).filter(|_| token.spelling == Spelling::Braces)?;
        let name = path.split('.').next().unwrap_or_default();
        let simple = path.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if simple && known.contains(&name) {
            return None;
        }
        let (message, hint) = match self {
            _ if !simple => (
                format!("'{}' is an expression; only names with dots are allowed", token.name),
                "use its name",
            ),
            Self::Args(_) => {
                (format!("the trail declares no argument '{name}'"), "declare it under 'config.args'")
            }
            Self::Params(_) => {
                (format!("the tool declares no parameter '{name}'"), "declare it under 'parameters'")
            }
        };
        let near = names::nearest_hint(name, known.iter().copied());
        Some(Diagnostic::error(Code::BadToken, message).hint(hint).hint_opt(near))
    }
}

/// Recordings for other platforms are not ours to check.
fn is_android(classifier: &str) -> bool {
    let first = classifier.split('-').next().unwrap_or_default();
    Platform::parse(first).is_none_or(|platform| platform == Platform::Android)
}

fn arguments(source: &Source, call: &ToolCall, tool: &Tool, at: Place, problems: &mut Vec<Diagnostic>) {
    let mut args = call.args.clone();
    drop_ignored(tool, &mut args);
    for problem in schema::validate(&tool.schema, &mut args, Tokens::Skip) {
        let (code, message) = match problem.kind {
            ProblemKind::Missing => (Code::MissingArgument, format!("'{}': {}", call.name, problem.message)),
            ProblemKind::Unknown => (Code::UnknownArgument, format!("'{}': {}", call.name, problem.message)),
            ProblemKind::Wrong => (Code::BadArgument, format!("'{}': {}", call.name, problem.message)),
        };
        // An argument that is missing belongs to the call, one that is wrong to itself.
        let place = call.source.as_ref().filter(|_| !problem.pointer.is_empty());
        let place = place.map_or(at, |node| problem.place(node));
        let diagnostic = Diagnostic::error(code, message).at(source, place);
        problems.push(diagnostic.hint_opt(problem.hint));
    }
}

/// Tools that need one of several arguments, and what they say without any.
const ALTERNATIVES: &[(&str, &[&str], &str)] = &[
    ("tap", &["text", "id", "x", "y", "ref"], "needs 'text', 'id' or 'ref', or 'x' and 'y'"),
    ("assertVisible", &["text", "id", "ref"], "needs 'text' or 'id'"),
    ("swipeBetweenElements", &["from", "fromText"], "needs 'from' or 'fromText'"),
    ("swipeBetweenElements", &["to", "toText"], "needs 'to' or 'toText'"),
    ("dragTo", &["toRef", "toX", "toY"], "needs 'toRef', or 'toX' and 'toY'"),
    ("isVisible", &["text", "id"], "needs 'text' or 'id'"),
    ("getElementCount", &["text", "id"], "needs 'text' or 'id'"),
    ("scrollUntilTextIsVisible", &["text", "textRegex", "id"], "needs 'text', 'textRegex' or 'id'"),
    (
        "tapOnAccessibilityNode",
        &["contentDescriptionRegex", "textRegex", "classNameRegex", "resourceIdRegex"],
        "needs at least one of its expressions",
    ),
];

/// Calls that give none of the arguments that they need one of. What tokens will be is not known yet, so an
/// argument with them counts as given.
fn alternatives(source: &Source, call: &ToolCall, at: Place, problems: &mut Vec<Diagnostic>) {
    let has = |key: &str| call.args.get(key).is_some_and(|value| !value.is_null());
    let is_empty = |key: &str| {
        call.name == "scrollUntilTextIsVisible" && key == "text" && call.args.get(key) == Some(&"".into())
    };
    for (_, keys, needs) in ALTERNATIVES.iter().filter(|(tool, ..)| *tool == call.name) {
        let given: Vec<&str> = keys.iter().copied().filter(|key| has(key) && !is_empty(key)).collect();
        let needs = match given.as_slice() {
            [] => *needs,
            ["x"] => "needs 'y' as well as 'x'",
            ["y"] => "needs 'x' as well as 'y'",
            ["toX"] => "needs 'toY' as well as 'toX'",
            ["toY"] => "needs 'toX' as well as 'toY'",
            _ => continue,
        };
        let message = format!("'{}' {needs}", call.name);
        problems.push(Diagnostic::error(Code::MissingArgument, message).at(source, at));
    }
}

/// Arguments that are a point in percent.
const POINT_ARGS: &[(&str, &[&str])] =
    &[("swipeWithRelativeCoordinates", &["startRelative", "endRelative"]), ("tapOn", &["relativePoint"])];

fn points(source: &Source, call: &ToolCall, place: &dyn Fn(&str) -> Place, problems: &mut Vec<Diagnostic>) {
    let Some((_, keys)) = POINT_ARGS.iter().find(|(tool, _)| *tool == call.name) else { return };
    for key in *keys {
        let Some(Value::String(text)) = call.args.get(*key) else { continue };
        if tokens(text).is_empty() && !matches!(Point::parse(text), Some(Point::Percent(..))) {
            let message = format!("'{}': '{key}': '{text}' is no point like \"50%,20%\"", call.name);
            let at = place(&format!("/{key}"));
            problems.push(Diagnostic::error(Code::BadArgument, message).at(source, at));
        }
    }
}

fn maestro_commands(
    source: &Source,
    call: &ToolCall,
    place: &dyn Fn(&str) -> Place,
    problems: &mut Vec<Diagnostic>,
) {
    let Some(commands) = call.args.get("commands") else { return };
    for problem in maestro::check_commands(commands) {
        let code = if problem.later { Code::NotYet } else { Code::MaestroCommand };
        let at = place(&format!("/commands{}", problem.pointer));
        problems.push(Diagnostic::error(code, problem.message).at(source, at).hint_opt(problem.hint));
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

/// Maestro's keys whose plain value is the text of an element.
const ELEMENT_KEYS: &[&str] = &[
    "tapOn",
    "longPressOn",
    "doubleTapOn",
    "assertVisible",
    "assertNotVisible",
    "copyTextFrom",
    "visible",
    "notVisible",
    "element",
    "from",
];

fn patterns(source: &Source, call: &ToolCall, place: &dyn Fn(&str) -> Place, problems: &mut Vec<Diagnostic>) {
    for (pointer, text) in texts(&call.args) {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        let literal = SUBSTRING_TOOLS.contains(&call.name.as_str()) && key != "id"
            || call.name == "scrollUntilTextIsVisible" && key == "text"
            || pointer.contains("/inputText");
        let is_pattern =
            PATTERN_KEYS.contains(&key) || (pointer.contains("/commands/") && ELEMENT_KEYS.contains(&key));
        // Selectors know their patterns themselves.
        let in_selector = SELECTOR_ARGS
            .iter()
            .any(|(tool, arg)| *tool == call.name && pointer.starts_with(&format!("/{arg}/")));
        if literal || in_selector || !is_pattern || !tokens(text).is_empty() {
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

/// What devices are besides their platform.
const DEVICE_CLASSES: &[&str] = &["phone", "tablet", "iphone", "ipad"];

/// Whether there can be a device that a classifier fits: the name of a platform or a class of devices comes first,
/// or a number such as the API level alone.
fn is_reachable(classifier: &str) -> bool {
    let first = classifier.split('-').next().unwrap_or_default();
    Platform::ALL.iter().any(|platform| platform.key() == first)
        || DEVICE_CLASSES.contains(&first)
        || first.starts_with(|c: char| c.is_ascii_digit())
}

/// Classifiers that fit no device, so that what stands under them is never used.
fn unreachable(source: &Source, trail: &Trail, problems: &mut Vec<Diagnostic>) {
    let mut found: Vec<(Option<usize>, &str, &str)> = Vec::new();
    if let PerDevice::PerClassifier(per) = &trail.config.devices {
        found.extend(per.iter().map(|(name, _)| (None, "devices", name.as_str())));
    }
    if let PerDevice::PerClassifier(per) = &trail.config.skip {
        found.extend(per.iter().map(|(name, _)| (None, "skip", name.as_str())));
    }
    for (index, step) in trail.steps.iter().enumerate() {
        if let Recording::PerClassifier(per) = &step.recording {
            found.extend(per.iter().map(|(name, _)| (Some(index), "recording", name.as_str())));
        }
    }
    found.retain(|(_, _, name)| !is_reachable(name));
    if found.is_empty() {
        return;
    }
    // The trail does not keep where its keys stand.
    let document = yaml::read(source, &mut Diagnostics::new());
    let steps = document.as_ref().map(trail::step_nodes).unwrap_or_default();
    let steps = if steps.len() == trail.steps.len() { steps } else { Vec::new() };
    for (step, key, name) in found {
        let (holder, at) = match step {
            Some(index) => (steps.get(index).copied(), trail.steps[index].at),
            None => (document.as_ref().and_then(|document| document.get("config")), Place::START),
        };
        let entries = holder.and_then(|holder| holder.get(key)).and_then(Node::as_map).unwrap_or_default();
        let at = entries.iter().find(|entry| entry.key == name).map_or(at, |entry| entry.key_place);
        let message = format!("no device is '{name}', so this is never used");
        let first = name.split('-').next().unwrap_or_default();
        let known =
            || Platform::ALL.iter().map(|platform| platform.key()).chain(DEVICE_CLASSES.iter().copied());
        let hint = names::nearest_hint(first, known()).unwrap_or_else(|| {
            let known: Vec<&str> = Platform::ALL.iter().map(|platform| platform.key()).collect();
            format!("a classifier begins with a platform: {}", known.join(", "))
        });
        problems.push(Diagnostic::warning(Code::UnknownName, message).at(source, at).hint(hint));
    }
}

/// A step without a recording for a classifier that other steps record.
fn coverage(source: &Source, trail: &Trail, problems: &mut Vec<Diagnostic>) {
    let mut recorded: Vec<&str> = Vec::new();
    for step in &trail.steps {
        if let Recording::PerClassifier(per) = &step.recording {
            for (name, _) in per {
                if is_reachable(name) && !recorded.contains(&name.as_str()) {
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
