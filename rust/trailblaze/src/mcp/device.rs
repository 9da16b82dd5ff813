//! Tools about devices: what there are, what is on them, and one call after the other.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use trailblaze_engine::dispatch::{Frame, dispatch};
use trailblaze_engine::outline::outline;
use trailblaze_engine::runner;
use trailblaze_mcp::server::{Caller, answer};
use trailblaze_model::call::ToolCall;
use trailblaze_model::event::StepKind;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::Place;
use trailblaze_model::target::TargetFile;
use trailblaze_model::trail::{Config, Recording, Step, Trail};

use super::desk::{self, Ask, Desk, Seat};
use super::open::Opened;
use super::phone::OnCable;
use super::{Said, Shared, Trouble, flag, locked, pictures, text};
use crate::exit_code::{Exit, Problem};

/// What the id of a sim begins with; the target's follows.
const SIM: &str = "sim/";
/// The tool of sessions that read their tools again by themselves, which this one does not.
const RELOAD: &str = "reloadTools";

pub(super) fn devices(shared: &Shared) -> Said {
    if let Some(phone) = &shared.phone {
        return the_phone(shared, phone);
    }
    let targets = shared.playable()?;
    let mut lines = Vec::new();
    let mut list = Vec::new();
    for target in &targets {
        let id = format!("{SIM}{}", target.id);
        let app = app_of(shared, target);
        let is_open = locked(&shared.desks).get(&id).is_some_and(Desk::is_open);
        let state = if is_open { "open" } else { "not started" };
        let shown = app.as_ref().map(|app| format!(" app={app}")).unwrap_or_default();
        lines.push(format!("{id}{shown} driver={} {state}", shared.driver()));
        list.push(json!({
            "id": id, "target": target.id, "appId": app,
            "driver": shared.driver().key(), "open": is_open,
        }));
    }
    if lines.is_empty() {
        lines.push("no target of the workspace has an app for the sim: 'sim: { app: FILE }'".to_owned());
    }
    Ok(answer::structured(vec![answer::text(lines.join("\n"))], json!({ "devices": list })))
}

/// The phone that there is instead of sims, and whether it is there.
fn the_phone(shared: &Shared, phone: &OnCable) -> Said {
    let (id, target) = (phone.serial(), shared.base()?.target.clone());
    let app = target.as_ref().and_then(|target| app_of(shared, target));
    let problem = phone.problem();
    let is_open = problem.is_none() && locked(&shared.desks).get(id).is_some_and(Desk::is_open);
    let state = match &problem {
        Some(problem) => format!("not there\n{problem}"),
        None if is_open => "open".to_owned(),
        None => "not started".to_owned(),
    };
    let shown = app.as_ref().map(|app| format!(" app={app}")).unwrap_or_default();
    let line = format!("{id}{shown} driver={} {state}", shared.driver());
    let device = json!({
        "id": id, "target": target.map(|target| target.id.clone()), "appId": app,
        "driver": shared.driver().key(), "open": is_open,
        "problem": problem.map(|problem| problem.message),
    });
    Ok(answer::structured(vec![answer::text(line)], json!({ "devices": [device] })))
}

fn app_of(shared: &Shared, target: &TargetFile) -> Option<String> {
    target.block(shared.driver()).and_then(|block| block.app_ids.first().cloned())
}

impl Shared {
    /// The target of the device that a call names, or of the workspace's own.
    fn target_of(&self, args: &Map<String, Value>) -> Result<Option<String>, Problem> {
        let unknown = |device: &str| {
            let message = format!("there is no device '{device}'");
            Problem::new(Exit::Device, message).hint("'devices' lists what there is")
        };
        if let Some(phone) = &self.phone {
            return match text(args, "device") {
                Some(device) if device != phone.serial() => Err(unknown(device)),
                _ => self.target_on_phone(),
            };
        }
        let Some(device) = text(args, "device") else {
            let bench = self.base()?;
            let playable: Vec<&Arc<TargetFile>> =
                bench.workspace.targets.iter().filter(|target| target.sim_app.is_some()).collect();
            return match (&bench.target, playable.as_slice()) {
                (Some(target), _) => Ok(Some(target.id.clone())),
                (None, [only]) => Ok(Some(only.id.clone())),
                (None, []) => Ok(None),
                (None, several) => {
                    let known: Vec<String> =
                        several.iter().map(|target| format!("{SIM}{}", target.id)).collect();
                    let message = "the workspace has several targets and names none as its own";
                    Err(Problem::new(Exit::Usage, message)
                        .hint(format!("give a 'device': {}", known.join(", "))))
                }
            };
        };
        let known = self.playable()?;
        match known.iter().find(|target| device.strip_prefix(SIM) == Some(target.id.as_str())) {
            Some(target) => Ok(Some(target.id.clone())),
            None => Err(unknown(device)),
        }
    }

    /// A phone has all apps, so it is the workspace that says which is meant.
    fn target_on_phone(&self) -> Result<Option<String>, Problem> {
        let bench = self.base()?;
        match (&bench.target, bench.workspace.targets.is_empty()) {
            (Some(target), _) => Ok(Some(target.id.clone())),
            (None, true) => Ok(None),
            (None, false) => {
                let known: Vec<&str> =
                    bench.workspace.targets.iter().map(|target| target.id.as_str()).collect();
                let message = "the workspace has several targets and names none as its own";
                let hint = format!("start the server with '--target ID': {}", known.join(", "));
                Err(Problem::new(Exit::Usage, message).hint(hint))
            }
        }
    }

    /// What the workspace offers on the device that a call names.
    pub(super) fn opened_for(
        &self,
        args: &Map<String, Value>,
        caller: &Caller,
    ) -> Result<Arc<Opened>, Trouble> {
        let target = self.target_of(args)?;
        self.opened(target.as_deref(), caller)
    }

    /// The desk of the device that a call names.
    pub(super) fn desk(&self, args: &Map<String, Value>, caller: &Caller) -> Result<Ask, Trouble> {
        let opened = self.opened_for(args, caller)?;
        let id = self.device_id(&opened);
        let mut desks = locked(&self.desks);
        if let Some(desk) = desks.get_mut(&id) {
            // Another target may have been reloaded, and this one was read again with it.
            desk.renew(&opened, desk::Device::Kept);
            return Ok(desk.handle());
        }
        let desk = Desk::new(&id, opened, self.phone.clone())?;
        let handle = desk.handle();
        desks.insert(id, desk);
        Ok(handle)
    }

    fn device_id(&self, opened: &Opened) -> String {
        if let Some(phone) = &self.phone {
            return phone.serial().to_owned();
        }
        format!("{SIM}{}", opened.bench.target.as_ref().map(|target| target.id.as_str()).unwrap_or_default())
    }
}

/// What is on the screen, for models.
pub(super) fn screen_text(seat: &Seat) -> Result<String, Failure> {
    let text = outline(seat.live.session.capture()?.as_ref());
    Ok(seat.live.session.memory.redact(&text).unwrap_or(text))
}

pub(super) fn screen(shared: &Shared, args: &Map<String, Value>, caller: &Caller) -> Said {
    let format = text(args, "format").unwrap_or("text").to_owned();
    shared.desk(args, caller)?.ask(caller, move |seat| {
        let mut content = Vec::new();
        if format != "image" {
            content.push(answer::text(screen_text(seat)?));
        }
        if format != "text" {
            content.push(answer::image("image/png", &seat.live.session.device().screenshot()?));
        }
        Ok(answer::result(content))
    })
}

pub(super) fn tools(shared: &Shared, args: &Map<String, Value>, caller: &Caller) -> Said {
    let opened = shared.opened_for(args, caller)?;
    let registry = &opened.registry;
    if let Some(name) = text(args, "name") {
        let tool = registry.find(name).map_err(with_way_out)?;
        let mut shown = tool.descriptor();
        shown["source"] = tool.source.to_string().into();
        return Ok(answer::structured(vec![answer::text(shown.to_string())], shown));
    }
    let all = flag(args, "all");
    let lines: Vec<String> = registry
        .tools()
        .filter(|tool| all || registry.is_offered(tool))
        .map(|tool| {
            let first = tool.description.split_inclusive(". ").next().unwrap_or_default().trim();
            format!("{}: {}", tool.name, first.trim_end_matches('.'))
        })
        .collect();
    Ok(answer::result(vec![answer::text(lines.join("\n"))]))
}

pub(super) fn tool(shared: &Shared, mut args: Map<String, Value>, caller: &Caller) -> Said {
    let desk = shared.desk(&args, caller)?;
    let name = text(&args, "name").unwrap_or_default().to_owned();
    let (step, with_screen) = (text(&args, "step").map(str::to_owned), flag(&args, "screen"));
    let call_args = match args.remove("arguments") {
        Some(Value::Object(args)) => args,
        _ => Map::new(),
    };
    let listener = caller.clone();
    desk.ask(caller, move |seat| {
        seat.notes.begin(&listener, step);
        let session = &seat.live.session;
        let result = dispatch(session, &ToolCall::new(&name, call_args), &Frame::top(session));
        let besides = seat.notes.end();
        let mut said = match result {
            Ok(output) => {
                let message = if output.message.is_empty() { "done".to_owned() } else { output.message };
                let mut said = answer::result(vec![answer::text(message)]);
                if let Some(structured) = output.structured.filter(Value::is_object) {
                    said["structuredContent"] = structured;
                }
                said
            }
            Err(failure) if name == RELOAD && failure.kind == FailureKind::NotSupported => {
                answer::failure(&failure.hint("call 'reload' instead"))
            }
            Err(failure) => answer::failure(&with_way_out(failure)),
        };
        if let Some(content) = said["content"].as_array_mut() {
            content.extend(pictures::shown(seat.live.folder(), &besides.saved));
            content.extend((!besides.warnings.is_empty()).then(|| answer::text(besides.warnings.join("\n"))));
            if with_screen {
                content.push(answer::text(screen_text(seat)?));
            }
        }
        Ok(said)
    })
}

/// A step of a trail that nobody recorded: it is for the model, where one is set.
pub(super) fn step(shared: &Shared, args: &Map<String, Value>, caller: &Caller) -> Said {
    let step = Step {
        kind: if flag(args, "verify") { StepKind::Verify } else { StepKind::Step },
        text: text(args, "text").unwrap_or_default().to_owned(),
        recordable: true,
        max_retries: None,
        recording: Recording::None,
        at: Place::NOWHERE,
    };
    let listener = caller.clone();
    shared.desk(args, caller)?.ask(caller, move |seat| {
        seat.notes.begin(&listener, Some(step.text.clone()));
        let trail = Trail { config: Config::default(), steps: vec![step] };
        let result = runner::run_trail(&seat.live.session, &trail, &"step".into());
        seat.notes.end();
        result.map_err(|failure| match failure.kind {
            FailureKind::NeedsModel => failure.hint("use 'screen' and 'tool' to do it yourself"),
            _ => with_way_out(failure),
        })?;
        Ok(answer::result(vec![answer::text("done")]))
    })
}

/// What to do next, in the words of this list of tools.
fn with_way_out(failure: Failure) -> Failure {
    let hint = failure.hint.as_deref();
    match failure.kind {
        // A server that is gone stays gone, whatever is called, until somebody wants it back.
        FailureKind::Toolset => {
            let known = hint.map(|hint| format!("{hint}; ")).unwrap_or_default();
            failure.hint(format!("{known}call 'reload' to start it again"))
        }
        FailureKind::UnknownTool if hint.is_some_and(|hint| hint.contains("trailblaze tools")) => {
            failure.hint("'tools' lists what there is")
        }
        _ => failure,
    }
}

pub(super) fn reload(shared: &Shared, args: &Map<String, Value>, caller: &Caller) -> Said {
    *locked(&shared.base) = None;
    let target = shared.target_of(args)?;
    let before = shared.known(target.as_deref());
    let fresh = Arc::new(shared.read(target.as_deref(), caller)?);
    let changes = fresh.registry.changes_since(&before.as_ref().unwrap_or(&fresh).registry);
    drop(before);
    let device = if flag(args, "restart") { desk::Device::Fresh } else { desk::Device::Kept };
    let id = shared.device_id(&fresh);
    let known = locked(&shared.desks).get(&id).filter(|desk| desk.is_open()).map(Desk::handle);
    if let Some(desk) = known.filter(|_| device == desk::Device::Fresh) {
        desk.ask(caller, |seat| seat.live.make_ready().map(|()| Value::Null).map_err(Trouble::from))?;
    }
    if let Some(desk) = locked(&shared.desks).get_mut(&id) {
        desk.renew(&fresh, device);
    }
    shared.replace(target.as_deref(), fresh);
    Ok(answer::structured(vec![answer::text(changes.to_string())], changes.to_json()))
}
