//! The one door: every tool call, whoever makes it, goes through [`dispatch`].
//!
//! Variables, validation, the deadline, delegation, recording and events happen here and nowhere else.

use serde_json::{Map, Value};
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::{EventKind, Via};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::names;

use crate::commands::Commands;
use crate::interpolate::{self, Lookup, Spelling, Unresolved};
use crate::registry::Tool;
use crate::schema::{self, ProblemKind, Tokens};
use crate::session::Session;

/// How deep calls may nest.
pub const MAX_DEPTH: usize = 16;

/// Something that can run a call. Arguments have been checked against the tool's schema.
pub trait Execute: Send + Sync {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure>;
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
            deadline_ms: session.now_ms().saturating_add(session.options.call_timeout_ms),
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
}

impl<'a> Context<'a> {
    /// The primitives, bound to this call's deadline.
    pub fn commands(&self) -> Commands<'a> {
        Commands::new(self.session, self.frame.deadline_ms)
    }

    /// Runs another call below this one.
    pub fn dispatch(
        &self,
        call: &ToolCall,
        via: Via,
        params: Option<&Map<String, Value>>,
    ) -> Result<Output, Failure> {
        let mut above = self.frame.above.clone();
        above.push(self.call.name.clone());
        let frame = Frame {
            via,
            parent: Some(self.number),
            above,
            params,
            records: via == Via::Delegate && self.frame.records,
            deadline_ms: self.frame.deadline_ms,
        };
        dispatch(self.session, call, &frame)
    }
}

/// Runs one tool call.
pub fn dispatch(session: &Session, call: &ToolCall, frame: &Frame<'_>) -> Result<Output, Failure> {
    let number = session.next_call();
    let started = session.now_ms();
    let mut unresolved = Unresolved::default();
    let names = Names { session, params: frame.params };
    let args = interpolate::interpolate_map(&call.args, &names, &mut unresolved);
    session.emit(EventKind::ToolStarted {
        call: number,
        parent: frame.parent,
        tool: call.name.clone(),
        args: args.clone(),
        via: frame.via,
    });
    let result =
        run(session, call, frame, number, args, unresolved).map_err(|failure| failure.or_at(call.at.clone()));
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
        duration_ms: session.now_ms() - started,
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
    check_depth(call, frame)?;
    report_unresolved(session, call, unresolved)?;
    let tool = session.registry.find(&call.name)?;
    check_args(tool, &mut args)?;
    let context = Context { session, call, number, frame };
    let output = tool.body.execute(args, &context)?;
    if frame.records {
        record(session, call, tool, &output);
    }
    for delegate in &output.delegates {
        context.dispatch(delegate, Via::Delegate, None)?;
    }
    Ok(output)
}

fn check_depth(call: &ToolCall, frame: &Frame<'_>) -> Result<(), Failure> {
    if frame.above.len() < MAX_DEPTH {
        return Ok(());
    }
    let circle = frame.above.iter().position(|name| *name == call.name);
    let message = match circle {
        Some(first) => {
            let mut names: Vec<&str> = frame.above[first..].iter().map(String::as_str).collect();
            let length =
                names[1..].iter().position(|name| *name == call.name).map_or(names.len(), |at| at + 1);
            names.truncate(length);
            names.push(&call.name);
            format!("tools call each other in a circle: {}", names.join(" → "))
        }
        None => format!("tools nest deeper than {MAX_DEPTH} levels"),
    };
    Err(Failure::new(FailureKind::TooDeep, message))
}

fn report_unresolved(session: &Session, call: &ToolCall, unresolved: Unresolved) -> Result<(), Failure> {
    if let Some(reason) = unresolved.bad.into_iter().next() {
        return Err(Failure::new(FailureKind::InvalidArguments, reason));
    }
    for token in unresolved.unknown {
        let message = format!("'{}': nothing is called {token}; it stays as it is", call.name);
        let hint = "set it with --memory, under 'config.memory' or by an earlier step".to_owned();
        if session.options.strict {
            let message = format!("nothing is called {token}");
            return Err(Failure::new(FailureKind::InvalidArguments, message).hint(hint));
        }
        session.warn(message, Some(hint));
    }
    Ok(())
}

/// Reasons that models give are accepted everywhere and have no effect.
pub(crate) const IGNORED_ARGS: &[&str] = &["reason", "reasoning"];

fn check_args(tool: &Tool, args: &mut Map<String, Value>) -> Result<(), Failure> {
    drop_ignored(tool, args);
    let problems = schema::validate(&tool.schema, args, Tokens::None);
    let missing: Vec<&str> = problems
        .iter()
        .filter(|problem| problem.kind == ProblemKind::Missing)
        .map(|problem| problem.message.trim_end_matches(" is missing"))
        .collect();
    if !missing.is_empty() {
        let message = format!("'{}' needs {}", tool.name, names::list(&missing));
        return Err(Failure::new(FailureKind::MissingRequiredArgs, message));
    }
    let Some(first) = problems.first() else { return Ok(()) };
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let mut failure =
        Failure::new(FailureKind::InvalidArguments, format!("'{}': {}", tool.name, messages.join("; ")));
    failure.hint.clone_from(&first.hint);
    Err(failure)
}

pub(crate) fn drop_ignored(tool: &Tool, args: &mut Map<String, Value>) {
    let declared = tool.schema.get("properties");
    for key in IGNORED_ARGS {
        if declared.is_none_or(|declared| declared.get(key).is_none()) {
            args.remove(*key);
        }
    }
}

/// What was invoked is recorded as it was written; a delegating tool is not, its delegates are.
fn record(session: &Session, call: &ToolCall, tool: &Tool, output: &Output) {
    let delegating = tool.flags.is_delegating || !output.delegates.is_empty();
    if delegating {
        return;
    }
    let tool_name = call.name.clone();
    session.emit(if tool.flags.is_recordable {
        EventKind::Recorded { tool: tool_name, args: call.args.clone() }
    } else {
        EventKind::NotRecordable { tool: tool_name }
    });
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
                return trail_arg(&self.session.args, path).map(Some);
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

/// `{{args.name}}` or `{{args.name.field}}`
pub fn trail_arg(args: &Map<String, Value>, path: &str) -> Result<Value, String> {
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
    match value {
        Value::Array(_) | Value::Object(_) => Ok(Value::String(format!("{{{{args.{path}}}}}"))),
        scalar => Ok(scalar.clone()),
    }
}
