//! The one door: every tool call, whoever makes it, goes through [`dispatch`].
//!
//! Variables, validation, the deadline, delegation, recording and events happen here and nowhere else.

use serde_json::{Map, Value};
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::{EventKind, Via};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::names;
use trailblaze_model::place::FilePlace;

use crate::commands::Commands;
use crate::interpolate::{self, Lookup, Spelling, Unresolved};
use crate::registry::{Source, Tool};
use crate::schema::{self, Problem, ProblemKind, Tokens};
use crate::session::Session;

/// How deep calls may nest.
pub const MAX_DEPTH: usize = 16;

/// Something that can run a call. Arguments have been checked against the tool's schema.
pub trait Execute: Send + Sync {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure>;

    /// Arguments that arrive as they were written, because what the tool does changes the values of their
    /// variables. It fills them in with [`Context::fill_in`].
    fn fills_in(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What a call gave back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pub message: String,
    pub structured: Option<Value>,
    /// Calls to run and record instead of this one.
    pub delegates: Vec<ToolCall>,
}

impl Output {
    pub fn message(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

/// Who calls, and under which conditions.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    pub via: Via,
    /// The number of the call that made this one.
    pub parent: Option<u64>,
    /// The names of the calls above this one, the outermost first.
    pub above: Vec<String>,
    /// Parameters of the YAML tool in whose body the call stands; one that was left out is null.
    pub params: Option<&'a Map<String, Value>>,
    /// Whether the call belongs into a recording.
    pub records: bool,
    /// Whether it may do more than look: what a delegating tool calls may not.
    pub may_act: bool,
    /// Milliseconds on the run's clock.
    pub deadline_ms: u64,
}

impl Frame<'static> {
    /// A call that a trail or a person makes.
    pub fn top(session: &Session) -> Self {
        Self {
            via: Via::Trail,
            parent: None,
            above: Vec::new(),
            params: None,
            records: true,
            may_act: true,
            deadline_ms: session
                .now_ms()
                .saturating_add(session.options.call_timeout_ms)
                .min(session.options.deadline_ms.unwrap_or(u64::MAX)),
        }
    }
}

/// What a running tool can reach.
#[derive(Debug)]
pub struct Context<'a> {
    pub session: &'a Session,
    pub call: &'a ToolCall,
    number: u64,
    frame: &'a Frame<'a>,
    /// Whether the tool itself may do more than look.
    may_act: bool,
}

impl<'a> Context<'a> {
    /// The primitives, bound to this call's deadline.
    pub fn commands(&self) -> Commands<'a> {
        let commands = Commands::new(self.session, self.frame.deadline_ms);
        if self.may_act { commands } else { commands.only_looking() }
    }

    /// The number of this call in its session.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// When this call must be over.
    pub(crate) fn deadline_ms(&self) -> u64 {
        self.frame.deadline_ms
    }

    /// A value with its variables as they are now; none when `{{?name}}` drops it.
    pub fn fill_in(&self, value: &Value) -> Result<Option<Value>, Failure> {
        let mut unresolved = Unresolved::default();
        let names = Names { session: self.session, params: self.frame.params };
        let filled = interpolate::interpolate(value, &names, &mut unresolved);
        report_unresolved(self.session, self.call, unresolved)?;
        Ok(filled)
    }

    /// Runs another call below this one.
    pub fn dispatch(
        &self,
        call: &ToolCall,
        via: Via,
        params: Option<&Map<String, Value>>,
    ) -> Result<Output, Failure> {
        self.dispatch_until(call, via, params, self.frame.deadline_ms)
    }

    /// Runs another call below this one, within a time of its own.
    pub(crate) fn dispatch_until(
        &self,
        call: &ToolCall,
        via: Via,
        params: Option<&Map<String, Value>>,
        deadline_ms: u64,
    ) -> Result<Output, Failure> {
        let mut above = self.frame.above.clone();
        above.push(self.call.name.clone());
        let frame = Frame {
            via,
            parent: Some(self.number),
            above,
            params,
            records: via == Via::Delegate && self.frame.records,
            // Delegates are what a delegating tool is for.
            may_act: if via == Via::Delegate { self.frame.may_act } else { self.may_act },
            deadline_ms: deadline_ms.min(self.frame.deadline_ms),
        };
        dispatch(self.session, call, &frame)
    }
}

/// Runs one tool call.
pub fn dispatch(session: &Session, call: &ToolCall, frame: &Frame<'_>) -> Result<Output, Failure> {
    let number = session.next_call();
    let started = session.now_ms();
    let own = session.registry().get(&call.name).map_or(&[][..], |tool| tool.body.fills_in());
    let (late, early): (Map<_, _>, Map<_, _>) =
        call.args.clone().into_iter().partition(|(key, _)| own.contains(&key.as_str()));
    let mut unresolved = Unresolved::default();
    let names = Names { session, params: frame.params };
    let mut args = interpolate::interpolate_map(&early, &names, &mut unresolved);
    let mut shown = args.clone();
    shown.extend(interpolate::interpolate_map(&late, &names, &mut Unresolved::default()));
    args.extend(late);
    session.emit(EventKind::ToolStarted {
        call: number,
        parent: frame.parent,
        tool: call.name.clone(),
        args: shown,
        via: frame.via,
    });
    if frame.parent.is_none() {
        session.take_end();
    }
    let result = run(session, call, frame, number, args, unresolved)
        .map_err(|failure| session.redacted(failure).or_at(call.at.clone()))
        .inspect_err(|failure| session.note_end(failure));
    // A tool may have kept to itself what ended the trail.
    let kept = if frame.parent.is_none() { session.take_end() } else { None };
    let result = match kept {
        Some(end) if result.is_ok() => Err(end),
        _ => result,
    };
    let (variant, message, failure) = match &result {
        Ok(output) => ("Success", output.message.clone(), None),
        Err(failure) => (failure.kind.variant(), String::new(), Some(failure.clone())),
    };
    session.emit(EventKind::ToolFinished {
        call: number,
        tool: call.name.clone(),
        result: variant,
        message,
        failure,
        duration_ms: session.now_ms().saturating_sub(started),
    });
    result
}

fn run(
    session: &Session,
    call: &ToolCall,
    frame: &Frame<'_>,
    number: u64,
    mut args: Map<String, Value>,
    unresolved: Unresolved,
) -> Result<Output, Failure> {
    session.check_cancelled()?;
    Commands::new(session, frame.deadline_ms).check_deadline()?;
    check_depth(session, call, frame)?;
    let registry = session.registry();
    let tool = registry.find(&call.name)?;
    report_unresolved(session, call, unresolved)?;
    check_args(tool, call, &mut args)?;
    let may_act = frame.may_act && !tool.flags.is_delegating;
    let context = Context { session, call, number, frame, may_act };
    let actions = session.actions();
    let _time = session.until(frame.deadline_ms);
    let output = tool.body.execute(args, &context)?;
    if !output.delegates.is_empty() && session.actions() != actions {
        let message =
            format!("'{}' returned calls to run instead of it, after it had acted itself", call.name);
        let hint = "a tool that delegates may only look at the screen";
        return Err(Failure::new(FailureKind::Exception, message).hint(hint));
    }
    if frame.records {
        record(session, call, tool, &output);
    }
    for delegate in &output.delegates {
        context.dispatch(delegate, Via::Delegate, None)?;
    }
    Ok(output)
}

fn check_depth(session: &Session, call: &ToolCall, frame: &Frame<'_>) -> Result<(), Failure> {
    if frame.above.len() < MAX_DEPTH {
        return Ok(());
    }
    let names: Vec<&str> = frame.above.iter().chain([&call.name]).map(String::as_str).collect();
    // A trail in a trail in a trail is no circle by its name.
    let registry = session.registry();
    let is_own = |name: &str| registry.get(name).is_some_and(|tool| tool.source != Source::BuiltIn);
    let again = |first: usize| names[first + 1..].iter().position(|name| *name == names[first]);
    let circle = (0..names.len())
        .filter(|first| is_own(names[*first]))
        .find_map(|first| Some(&names[first..=first + 1 + again(first)?]));
    let message = match circle {
        Some(circle) => format!("tools call each other in a circle: {}", circle.join(" → ")),
        None => format!("tools nest deeper than {MAX_DEPTH} levels"),
    };
    Err(Failure::new(FailureKind::TooDeep, message))
}

fn report_unresolved(session: &Session, call: &ToolCall, unresolved: Unresolved) -> Result<(), Failure> {
    if let Some(reason) = unresolved.bad.into_iter().next() {
        return Err(Failure::new(FailureKind::InvalidArguments, format!("'{}': {reason}", call.name)));
    }
    for token in unresolved.unknown {
        // An argument that nobody declared is an error; what is left are those without a text.
        let (problem, hint) = if token.starts_with("{{") && token[2..].trim_start().starts_with("args.") {
            (format!("{token} is a list or a mapping, which has no text"), "name one of its fields")
        } else {
            let hint = "set it with --memory, under 'config.memory' or by an earlier step";
            (format!("nothing is called {token}"), hint)
        };
        if session.options.strict {
            let message = format!("'{}': {problem}", call.name);
            return Err(Failure::new(FailureKind::InvalidArguments, message).hint(hint));
        }
        session.warn(format!("'{}': {problem}; it stays as it is", call.name), Some(hint.to_owned()));
    }
    Ok(())
}

/// Reasons that models give are accepted everywhere and have no effect.
const IGNORED_ARGS: &[&str] = &["reason", "reasoning"];

fn check_args(tool: &Tool, call: &ToolCall, args: &mut Map<String, Value>) -> Result<(), Failure> {
    drop_ignored(tool, args);
    let problems = schema::validate(&tool.schema, args, Tokens::None);
    let missing: Vec<String> = problems
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Missing)
        .map(|problem| format!("'{}'", problem.name))
        .collect();
    if !missing.is_empty() {
        let message = format!("'{}' needs {}", call.name, names::list(&missing));
        return Err(Failure::new(FailureKind::MissingRequiredArgs, message));
    }
    let Some(first) = problems.first() else { return Ok(()) };
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let mut failure =
        Failure::new(FailureKind::InvalidArguments, format!("'{}': {}", call.name, messages.join("; ")));
    failure.hint.clone_from(&first.hint);
    Err(failure.or_at(place_of(call, first)))
}

/// Where the value stands, for a call that a document wrote.
fn place_of(call: &ToolCall, problem: &Problem) -> Option<FilePlace> {
    let (at, source) = (call.at.as_ref()?, call.source.as_ref()?);
    Some(FilePlace { file: at.file.clone(), place: problem.place(source) })
}

pub(crate) fn drop_ignored(tool: &Tool, args: &mut Map<String, Value>) {
    let declared = tool.schema.get("properties");
    for key in IGNORED_ARGS {
        if declared.is_none_or(|declared| declared.get(key).is_none()) {
            args.remove(*key);
        }
    }
}

/// What was invoked is recorded as it was written; a tool that delegated is not, its delegates are.
fn record(session: &Session, call: &ToolCall, tool: &Tool, output: &Output) {
    let tool_name = call.name.clone();
    if !output.delegates.is_empty() {
        return;
    }
    if tool.flags.is_recordable {
        session.emit(EventKind::Recorded { tool: tool_name, args: call.args.clone() });
    } else if !tool.flags.is_delegating {
        session.emit(EventKind::NotRecordable { tool: tool_name });
    }
}

/// Parameters first, then memory.
struct Names<'a> {
    session: &'a Session,
    params: Option<&'a Map<String, Value>>,
}

impl Lookup for Names<'_> {
    fn find(&self, name: &str, spelling: Spelling) -> Result<Option<Value>, String> {
        if spelling == Spelling::Braces {
            if let Some(path) = name.strip_prefix("args.") {
                return trail_arg(&self.session.args, path);
            }
            let param = name.strip_prefix("params.").unwrap_or(name);
            if let Some(value) = self.params.and_then(|params| params.get(param)) {
                return Ok(Some(value.clone()));
            }
            if name == "target.appId" {
                return Ok(self.session.options.app_id.clone().map(Value::from));
            }
        }
        let memory = &self.session.memory;
        let short = name.strip_prefix("memory.");
        let found = short.and_then(|short| memory.get(short)).or_else(|| memory.get(name));
        Ok(found.map(Value::from))
    }
}

/// `{{args.name}}` or `{{args.name.field}}`; none for a list or a mapping, which has no text.
fn trail_arg(args: &Map<String, Value>, path: &str) -> Result<Option<Value>, String> {
    let mut segments = path.split('.');
    let name = segments.next().unwrap_or_default();
    let valid = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !path.split('.').all(valid) {
        return Err(format!("{{{{args.{path}}}}} is an expression; only names with dots are allowed"));
    }
    let mut value = args.get(name).ok_or_else(|| format!("the trail declares no argument '{name}'"))?;
    for segment in segments {
        value = value.get(segment).ok_or_else(|| format!("the argument '{name}' has no '{segment}'"))?;
    }
    Ok((!value.is_array() && !value.is_object()).then(|| value.clone()))
}
