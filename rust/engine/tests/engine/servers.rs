//! Tools of toolset servers: what a server is told, what it may answer, and what it may call meanwhile.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use trailblaze_engine::device::LogLine;
use trailblaze_engine::dispatch::Output;
use trailblaze_engine::memory::Secret;
use trailblaze_engine::script::{
    Message, Module, ScriptEngine, ScriptError, ScriptLimits, ScriptRuntime, World as Caller,
};
use trailblaze_engine::server::{self, Call, Listed, Provider, Scripted, Server};
use trailblaze_model::driver::{AgentMode, Driver, Platform};
use trailblaze_model::event::{EventKind, LogLevel, Progress};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;

use crate::support::{Setup, World};

type Answer = dyn Fn(&Value, &mut dyn Caller) -> Result<Value, Failure> + Send + Sync;

/// A server of paper: every call is noted and answered by the same function.
struct Paper {
    answer: Box<Answer>,
    seen: Mutex<Vec<Value>>,
    started: Mutex<usize>,
}

/// All of them have one name.
struct PaperProvider(Arc<Paper>);
struct PaperServer(Arc<Paper>);

impl Provider for PaperProvider {
    fn name(&self) -> &str {
        "paper"
    }

    fn start(&self) -> Result<Arc<dyn Server>, Failure> {
        *self.0.started.lock().unwrap() += 1;
        Ok(Arc::new(PaperServer(self.0.clone())))
    }
}

impl Server for PaperServer {
    fn list(&self) -> Result<Vec<Value>, Failure> {
        Ok(Vec::new())
    }

    fn registry(&self) -> Result<Option<Value>, Failure> {
        Ok(None)
    }

    fn call(&self, call: Call, world: &mut dyn Caller) -> Result<Value, Failure> {
        let params: Value = serde_json::from_str(&call.params("")).unwrap();
        self.0.seen.lock().unwrap().push(params.clone());
        (self.0.answer)(&params, world)
    }

    fn runtime(&self) -> AgentMode {
        AgentMode::OnDevice
    }

    fn take_logs(&self) -> Vec<LogLine> {
        vec![LogLine { level: LogLevel::Info, message: "heard".into() }]
    }
}

fn paper(
    answer: impl Fn(&Value, &mut dyn Caller) -> Result<Value, Failure> + Send + Sync + 'static,
) -> Arc<Paper> {
    Arc::new(Paper { answer: Box::new(answer), seen: Mutex::default(), started: Mutex::default() })
}

/// Adds the tools that the server lists.
#[track_caller]
fn serve(setup: &mut Setup, paper: &Arc<Paper>, tools: Value) {
    let provider: Arc<dyn Provider> = Arc::new(PaperProvider(paper.clone()));
    let listed = Listed { tools: tools.as_array().unwrap().clone(), registry: None };
    let mut problems = Vec::new();
    setup.tools.extend(server::tools(&provider, &listed, None, &mut problems));
    assert!(problems.is_empty(), "{problems:?}");
}

fn world_of(paper: &Arc<Paper>) -> World {
    let tools = json!([{ "name": "own_do", "inputSchema": {
        "type": "object", "properties": { "n": { "type": "integer" } }, "additionalProperties": false,
    } }]);
    World::with("Go @0,0,100,100 isClickable", |setup| {
        setup.memory.set("city", "Oslo");
        setup.memory.set_secret("pin", Secret::new("4711"));
        serve(setup, paper, tools);
    })
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": false })
}

#[test]
fn a_call_carries_the_whole_envelope() {
    let paper = paper(|_, _| Ok(text("done")));
    let world = world_of(&paper);
    let output = world.call("own_do", json!({ "n": "7" })).unwrap();
    assert_eq!(output.message, "done");
    let seen = paper.seen.lock().unwrap();
    let expected = json!({
        "name": "own_do",
        "arguments": {
            "n": 7,
            "_trailblazeContext": {
                "memory": { "city": "Oslo" },
                "device": {
                    "platform": "ANDROID",
                    "widthPixels": 400,
                    "heightPixels": 800,
                    "driverType": "android-ondevice-accessibility",
                },
            },
        },
        "_meta": {
            "trailblazeInvocationId": "session-1",
            "trailblaze": {
                "sessionId": "session",
                "invocationId": "session-1",
                "device": {
                    "id": "paper",
                    "platform": "android",
                    "widthPixels": 400,
                    "heightPixels": 800,
                    "width": 400,
                    "height": 800,
                    "driverType": "android-ondevice-accessibility",
                },
                "memory": { "city": "Oslo" },
                "capabilities": { "sampling": false },
                "runtime": "ondevice",
            },
        },
    });
    assert_eq!(seen[0].to_string(), expected.to_string());
}

#[test]
fn a_server_starts_once_with_the_first_call() {
    let paper = paper(|_, _| Ok(text("")));
    let world = world_of(&paper);
    assert_eq!(*paper.started.lock().unwrap(), 0);
    world.call("own_do", json!({})).unwrap();
    world.call("own_do", json!({})).unwrap();
    assert_eq!(*paper.started.lock().unwrap(), 1);
}

#[test]
fn two_servers_with_one_name_are_two_servers() {
    let (one, other) = (paper(|_, _| Ok(text("one"))), paper(|_, _| Ok(text("other"))));
    let world = World::with("Go @0,0,100,100", |setup| {
        serve(setup, &one, json!([{ "name": "own_first" }]));
        serve(setup, &other, json!([{ "name": "own_second" }]));
    });
    for _ in 0..2 {
        assert_eq!(world.call("own_first", json!({})).unwrap().message, "one");
        assert_eq!(world.call("own_second", json!({})).unwrap().message, "other");
    }
    assert_eq!((*one.started.lock().unwrap(), *other.started.lock().unwrap()), (1, 1));
}

#[track_caller]
fn check_failure(answer: Value, kind: FailureKind, message: &str) {
    let paper = paper(move |_, _| Ok(answer.clone()));
    let failure = world_of(&paper).failure("own_do", json!({}));
    assert_eq!((failure.kind, failure.message.as_str()), (kind, message));
}

#[test]
fn errors_keep_their_variant() {
    let error = |meta: Value| json!({ "content": [{ "type": "text", "text": "no" }], "isError": true, "_meta": { "trailblaze": meta } });
    check_failure(error(json!({})), FailureKind::Exception, "no");
    check_failure(error(json!({ "variant": "FatalError" })), FailureKind::Fatal, "no");
    check_failure(error(json!({ "variant": "MissingRequiredArgs" })), FailureKind::MissingRequiredArgs, "no");
    check_failure(
        error(json!({ "variant": "MaestroValidationError" })),
        FailureKind::MaestroValidation,
        "no",
    );
    check_failure(error(json!({ "variant": "SomethingNew" })), FailureKind::Exception, "no");
    check_failure(json!({ "isError": true }), FailureKind::Exception, "the tool says that it failed");
    check_failure(json!({ "isError": "yes" }), FailureKind::Exception, "the tool says that it failed");
    check_failure(text(r#"{"success": false, "error": "not today"}"#), FailureKind::Exception, "not today");
    check_failure(
        json!({ "content": [], "structuredContent": { "success": false, "error": "never" } }),
        FailureKind::Exception,
        "never",
    );
}

#[test]
fn what_passed_through_a_script_keeps_its_kind_and_hint() {
    let check = |meta: Value, kind: FailureKind, hint: Option<&str>| {
        let answer =
            json!({ "content": [{ "text": "no" }], "isError": true, "_meta": { "trailblaze": meta } });
        let failure = server::answer::output(&answer).unwrap_err();
        assert_eq!((failure.kind, failure.hint.as_deref()), (kind, hint));
    };
    let thrown = json!({ "variant": "ExceptionThrown", "kind": "NotFound", "hint": "look again" });
    check(thrown, FailureKind::NotFound, Some("look again"));
    check(json!({ "kind": "AssertionFailed" }), FailureKind::AssertionFailed, None);
    check(json!({ "variant": "FatalError", "kind": "Interrupted" }), FailureKind::Interrupted, None);
    check(json!({ "variant": "FatalError", "kind": "NotFound" }), FailureKind::Fatal, None);
    check(
        json!({ "variant": "MissingRequiredArgs", "kind": "ENOENT" }),
        FailureKind::MissingRequiredArgs,
        None,
    );
    check(json!({ "kind": "ENOENT", "hint": 7 }), FailureKind::Exception, None);
}

#[test]
fn delegates_are_run_and_recorded_instead() {
    for answer in [
        json!({ "content": [], "structuredContent": { "_trailblaze_delegates": [{ "tool": "tap", "args": { "text": "Go" } }] } }),
        text(r#"{"success": true, "_trailblaze_delegates": [{"tool": "tap", "args": {"text": "Go"}}]}"#),
    ] {
        let paper = paper(move |_, _| Ok(answer.clone()));
        let world = world_of(&paper);
        world.call("own_do", json!({})).unwrap();
        assert_eq!(world.recorded(), [r#"tap {"text":"Go"}"#]);
    }
    let wrong = json!({ "structuredContent": { "_trailblaze_delegates": [{ "args": {} }] } });
    check_failure(wrong, FailureKind::Exception, "'_trailblaze_delegates' must be a list of calls");
}

#[test]
fn a_tool_calls_others_through_dispatch_and_only_itself_is_recorded() {
    let paper = paper(|_, world| {
        let tapped = world.call("tap", json!({ "text": "Go" }).as_object().unwrap().clone());
        let missing = world.call("tap", json!({ "text": "Stop", "index": 3 }).as_object().unwrap().clone());
        let seen = world.call("isVisible", json!({ "text": "Go" }).as_object().unwrap().clone());
        Ok(text(&format!(
            "{} {} {} {}",
            tapped["success"], missing["success"], missing["kind"], seen["structuredContent"]["value"]
        )))
    });
    let world = world_of(&paper);
    assert_eq!(world.call("own_do", json!({})).unwrap().message, r#"true false "NotFound" true"#);
    assert_eq!(world.recorded(), ["own_do {}"]);
    let calls = world.pick(|kind| match kind {
        EventKind::ToolStarted { call, parent, tool, via, .. } => {
            Some(format!("{call} {parent:?} {tool} {via:?}"))
        }
        _ => None,
    });
    assert_eq!(
        calls,
        [
            "1 None own_do Trail",
            "2 Some(1) tap Callback",
            "3 Some(1) tap Callback",
            "4 Some(1) isVisible Callback"
        ]
    );
}

#[test]
fn what_a_server_says_stands_before_what_it_does_next() {
    let paper = paper(|_, world| {
        world.call("isVisible", json!({ "text": "Go" }).as_object().unwrap().clone());
        Ok(text(""))
    });
    let world = world_of(&paper);
    world.call("own_do", json!({})).unwrap();
    let order = world.pick(|kind| match kind {
        EventKind::ToolStarted { tool, .. } => Some(tool.clone()),
        EventKind::Log { source, message, .. } => Some(format!("{source}: {message}")),
        _ => None,
    });
    assert_eq!(order, ["own_do", "paper: heard", "isVisible", "paper: heard"]);
}

#[test]
fn what_a_call_says_meanwhile_are_events_without_secrets() {
    let paper = paper(|_, world| {
        world.progress(Progress { message: "dialling 4711".into(), done: Some(1.0), total: Some(2.0) });
        world.warn("4711 is busy".into(), "redial 4711");
        Ok(text(""))
    });
    let world = world_of(&paper);
    world.call("own_do", json!({})).unwrap();
    let said = world.pick(|kind| match kind {
        EventKind::Progress { call, tool, progress } => Some(format!("{call} {tool}: {progress}")),
        EventKind::Warning { message, hint } => Some(format!("{message}: {hint:?}")),
        _ => None,
    });
    assert_eq!(said, ["1 own_do: dialling *** (1/2)", r#"*** is busy: Some("redial ***")"#]);
}

#[test]
fn a_tool_that_calls_itself_ends_at_the_depth_limit() {
    let paper = paper(|_, world| {
        let inner = world.call("own_do", serde_json::Map::new());
        match inner["success"].as_bool() {
            Some(true) => Ok(text("")),
            _ => Err(Failure::new(FailureKind::Script, inner["errorMessage"].as_str().unwrap())),
        }
    });
    let failure = world_of(&paper).failure("own_do", json!({}));
    assert_eq!(failure.message, "tools call each other in a circle: own_do → own_do");
}

#[test]
fn waiting_ends_with_the_time_of_the_call() {
    let paper = paper(|_, world| {
        world.sleep_until(60_000).unwrap();
        let late = world.sleep_until(1_000_000).unwrap_err();
        Ok(text(&format!("{late} at {}", world.now_ms())))
    });
    let world = world_of(&paper);
    let output = world.call("own_do", json!({})).unwrap();
    assert_eq!(output.message, "the time of the call was over before it was done at 121000");
}

#[test]
fn a_wait_ends_when_the_run_is_interrupted() {
    let paper = paper(|_, world| {
        world.sleep_until(2_000).unwrap();
        world.cancel().cancel();
        let message = world.sleep_until(60_000).unwrap_err();
        assert_eq!((message.as_str(), world.now_ms()), ("the run was interrupted", 2_000));
        Err(Failure::new(FailureKind::Timeout, message))
    });
    let failure = world_of(&paper).failure("own_do", json!({}));
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::Interrupted, "the run was interrupted")
    );
}

#[track_caller]
fn flags_of(tool: Value, registry: Option<Value>) -> Result<ToolFlags, Vec<String>> {
    let provider: Arc<dyn Provider> = Arc::new(PaperProvider(paper(|_, _| Ok(text("")))));
    let mut problems = Vec::new();
    let tools = server::tools(&provider, &Listed { tools: vec![tool], registry }, None, &mut problems);
    match tools.into_iter().next() {
        Some(tool) if problems.is_empty() => Ok(tool.flags),
        _ => Err(problems.iter().map(|problem| problem.message.clone()).collect()),
    }
}

#[test]
fn flags_are_read_from_the_tool_then_from_the_registry() {
    let meta = json!({ "name": "own_x", "_meta": {
        "trailblaze/isForLlm": false, "trailblaze/isRecordable": false, "trailblaze/requiresHost": true,
        "trailblaze/supportedDrivers": ["android-ondevice-accessibility"], "trailblaze/supportedPlatforms": ["ANDROID"],
        "trailblaze/toolset": "auth", "trailblaze/requiresContext": true, "other/key": 7,
    } });
    let expected = ToolFlags {
        is_for_llm: false,
        is_recordable: false,
        requires_host: true,
        supported_drivers: vec![Driver::AndroidOndeviceAccessibility],
        supported_platforms: vec![Platform::Android],
        toolset: Some("auth".into()),
        requires_context: true,
        ..ToolFlags::default()
    };
    assert_eq!(flags_of(meta, None), Ok(expected));
    assert_eq!(flags_of(json!({ "name": "own_x" }), None), Ok(ToolFlags::default()));
    let registry = json!({ "tools": { "own_x": { "exposedToLlm": false, "isRecordable": false, "platforms": ["android"] } } });
    let both = json!({ "name": "own_x", "_meta": { "trailblaze/isRecordable": true } });
    let expected =
        ToolFlags { is_for_llm: false, supported_platforms: vec![Platform::Android], ..ToolFlags::default() };
    assert_eq!(flags_of(both, Some(registry)), Ok(expected));
}

#[test]
fn a_listing_that_is_wrong_names_the_tool() {
    let wrong = |tool: Value| flags_of(tool, None).unwrap_err().join("; ");
    assert_eq!(
        wrong(json!({ "name": "own_x", "_meta": { "trailblaze/isForLlm": "yes" } })),
        "'paper': the tool 'own_x': 'trailblaze/isForLlm' must be true or false, not \"yes\""
    );
    assert_eq!(
        wrong(json!({ "name": "own_x", "_meta": { "trailblaze/supportedPlatforms": ["AMIGA"] } })),
        "'paper': the tool 'own_x': 'trailblaze/supportedPlatforms' must be a list of ANDROID, IOS, WEB and DESKTOP, not [\"AMIGA\"]"
    );
    assert_eq!(
        wrong(json!({ "name": "own_x", "_meta": { "trailblaze/isForLLM": true } })),
        "'paper': the tool 'own_x' has the unknown flag 'trailblaze/isForLLM'"
    );
    assert_eq!(
        wrong(json!({ "name": "own_x", "inputSchema": { "type": "string" } })),
        "'paper': the tool 'own_x' has a schema that is no object"
    );
    assert_eq!(wrong(json!({ "description": "?" })), "'paper': it lists a tool without a name");
}

#[test]
fn a_schema_that_is_broken_is_named_with_its_tool() {
    let check = |rest: Value, expected: &[&str]| {
        let mut schema = json!({ "type": "object" });
        schema.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let found =
            flags_of(json!({ "name": "own_x", "inputSchema": schema }), None).err().unwrap_or_default();
        let expected: Vec<String> = expected
            .iter()
            .map(|wrong| format!("'paper': the schema of the tool 'own_x': {wrong}"))
            .collect();
        assert_eq!(found, expected);
    };
    let types = "string, integer, number, boolean, array, object and null";
    check(json!({ "required": "a" }), &["'required' must be a list of texts"]);
    check(json!({ "required": [1] }), &["'required' must be a list of texts"]);
    check(json!({ "properties": ["a"] }), &["'properties' must be a mapping"]);
    check(
        json!({ "properties": { "a": { "type": "strin" }, "b": { "type": ["null", 7] }, "c": "string" } }),
        &[
            &format!("'type' of 'a' must be one of {types}, not 'strin'"),
            &format!("'type' of 'b' must be one of {types}, not '7'"),
            "'c' must be a schema, for example {\"type\": \"string\"}, not \"string\"",
        ],
    );
    check(
        json!({ "properties": { "a": { "anyOf": [{ "items": { "enum": "x" } }] } } }),
        &["'enum' of 'a.items' must be a list"],
    );
    check(
        json!({ "properties": { "a": { "pattern": "(" }, "b": { "pattern": 7 } } }),
        &["'pattern' of 'a' is no regular expression: unclosed group", "'pattern' of 'b' must be a text"],
    );
    check(
        json!({ "properties": { "_trailblazeContext": {} } }),
        &["the parameter '_trailblazeContext' is reserved"],
    );
    check(
        json!({
            "properties": { "type": { "type": "string", "pattern": "^(?!a)b" }, "any": true },
            "additionalProperties": { "$ref": "#/$defs/x" }, "$defs": { "x": { "type": ["string", "null"] } },
        }),
        &[],
    );
}

#[test]
fn two_tools_with_one_name_in_one_server_are_an_error() {
    let provider: Arc<dyn Provider> = Arc::new(PaperProvider(paper(|_, _| Ok(text("")))));
    let mut problems = Vec::new();
    let listed =
        Listed { tools: vec![json!({ "name": "own_x" }), json!({ "name": "own_x" })], registry: None };
    server::tools(&provider, &listed, None, &mut problems);
    assert_eq!(problems[0].message, "'paper': it lists two tools called 'own_x'");
}

#[test]
fn the_answer_to_a_call_says_what_came_of_it() {
    let failure = Err(Failure::new(FailureKind::NotFound, "no element").hint("look again"));
    let answer = server::answer::of_call(&failure);
    assert_eq!(
        answer.to_string(),
        r#"{"success":false,"errorMessage":"no element","kind":"NotFound","hint":"look again"}"#
    );
    assert_eq!(
        server::answer::on_the_wire(answer).to_string(),
        concat!(
            r#"{"type":"call_tool_result","success":false,"textContent":"","errorMessage":"no element","#,
            r#""kind":"NotFound","hint":"look again","text_content":"","error_message":"no element"}"#,
        )
    );
    let output = Output { message: "ok".into(), structured: Some(json!({ "value": 1 })), delegates: vec![] };
    let answer = server::answer::of_call(&Ok(output));
    assert_eq!(answer.to_string(), r#"{"success":true,"textContent":"ok","structuredContent":{"value":1}}"#);
    assert_eq!(
        server::answer::on_the_wire(answer).to_string(),
        concat!(
            r#"{"type":"call_tool_result","success":true,"textContent":"ok","errorMessage":"","#,
            r#""structuredContent":{"value":1},"text_content":"ok","error_message":"","structured_content":{"value":1}}"#,
        )
    );
}

/// A script that lists no tools, and does this when it is asked for its registry.
#[derive(Clone)]
struct Script(Result<Value, ScriptError>);

impl ScriptEngine for Script {
    fn start(
        &self,
        _modules: Vec<Module>,
        _limits: ScriptLimits,
    ) -> Result<Box<dyn ScriptRuntime>, ScriptError> {
        Ok(Box::new(self.clone()))
    }

    fn compile(&self, _module: &Module) -> Result<Vec<u8>, ScriptError> {
        unreachable!("nothing is compiled")
    }

    fn accepts(&self, _module: &Module, _compiled: &[u8]) -> bool {
        false
    }
}

impl ScriptRuntime for Script {
    fn call_in(&self, _: &str, _: Vec<Value>, _: &mut dyn Caller) -> Result<Value, ScriptError> {
        unreachable!("it has no functions")
    }

    fn exchange(&self, message: Message<'_>, _world: &mut dyn Caller) -> Result<Option<Value>, ScriptError> {
        match message {
            Message::Request { method: "resources/read", .. } => self.0.clone().map(Some),
            _ => Ok(Some(json!({ "result": { "tools": [] } }))),
        }
    }
}

#[test]
fn only_a_server_that_refuses_has_no_registry() {
    let listed = |answer: Result<Value, ScriptError>| {
        let scripted = Scripted {
            name: "own".to_owned(),
            engine: Arc::new(Script(answer)),
            modules: Vec::new(),
            map: None,
            limits: ScriptLimits::default(),
            agent: AgentMode::Host,
            granted: Vec::new(),
        };
        scripted.listed().map(|listed| listed.registry).map_err(|failure| failure.message)
    };
    let registry = json!({ "result": { "contents": [{ "text": "{\"tools\":{}}" }] } });
    assert_eq!(listed(Ok(registry)), Ok(Some(json!({ "tools": {} }))));
    assert_eq!(listed(Ok(json!({ "error": { "code": -32601 } }))), Ok(None));
    let timeout = ScriptError::Timeout { limit_ms: 30_000, stack: None };
    assert_eq!(listed(Err(timeout)), Err("'own' was stopped after 30 s of its own time".to_owned()));
}
