//! Runs a trail: step by step, recordings through dispatch, the first failure ends it.

use trailblaze_model::call::ToolCall;
use trailblaze_model::event::{EventKind, StepKind, Verdict, Via};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::place::{FilePlace, Place};
use trailblaze_model::trail::{Recording, Step, Trail};

use crate::dispatch::{Context, Frame, dispatch};
use crate::session::Session;

/// Runs all steps; says everything through the session's events.
pub fn run_trail(session: &Session, trail: &Trail, file: &std::sync::Arc<str>) -> Result<(), Failure> {
    for (index, step) in trail.steps.iter().enumerate() {
        let at = (step.at != Place::NOWHERE).then(|| FilePlace { file: file.clone(), place: step.at });
        session.emit(EventKind::StepStarted {
            index,
            kind: step.kind,
            text: step_text(step),
            at: at.as_ref().map(ToString::to_string),
        });
        let started = session.now_ms();
        let result = run_step(session, step).map_err(|failure| failure.or_at(at));
        if let Err(failure) = &result {
            save_picture(session, index, failure);
        }
        session.servers.pass_on_logs(session);
        session.emit(EventKind::StepFinished {
            index,
            verdict: if result.is_ok() { Verdict::Passed } else { Verdict::Failed },
            failure: result.as_ref().err().cloned(),
            duration_ms: session.now_ms().saturating_sub(started),
            timing: session.end_step(),
        });
        result?;
    }
    Ok(())
}

/// What a person reads for a step that has no text of its own.
pub fn step_text(step: &Step) -> String {
    if !step.text.is_empty() {
        return step.text.clone();
    }
    let names: Vec<&str> = step.recording.all_calls().map(|call| call.name.as_str()).collect();
    match names.as_slice() {
        [] => "(no tools)".to_owned(),
        [first @ .., last] if first.len() < 4 => {
            first.iter().map(|name| format!("{name}, ")).collect::<String>() + last
        }
        many => format!("{}, {}, {} and {} more", many[0], many[1], many[2], many.len() - 3),
    }
}

fn run_step(session: &Session, step: &Step) -> Result<(), Failure> {
    for call in calls_of(session, step)? {
        dispatch(session, call, &Frame::top(session))?;
    }
    Ok(())
}

/// The recorded calls for this device; a step without any needs a model.
fn calls_of<'a>(session: &Session, step: &'a Step) -> Result<&'a [ToolCall], Failure> {
    let device = &session.device().info().classifiers;
    let calls = step.recording.for_device(device);
    if let Some(calls) = calls.filter(|_| step.recordable) {
        return Ok(calls);
    }
    let name = device.joined();
    let what = if step.kind == StepKind::Verify { "verification" } else { "step" };
    let message = match &step.recording {
        _ if !step.recordable => format!("this {what} is always solved by a model, and none is set"),
        Recording::PerClassifier(per) if !per.is_empty() => {
            let known: Vec<&str> = per.iter().map(|(name, _)| name.as_str()).collect();
            format!(
                "this {what} is recorded for {} but not for '{name}'",
                trailblaze_model::names::list(&known)
            )
        }
        _ => format!("this {what} has no recording, and no model is set that could solve it"),
    };
    let broad = device.segments().first().map_or("android", String::as_str);
    let hint = if step.recordable {
        format!("write the calls under 'recording: {broad}:'")
    } else {
        "remove 'recordable: false' and record it".to_owned()
    };
    Err(Failure::new(FailureKind::NeedsModel, message).hint(hint))
}

/// A picture of what the screen looked like when a step failed; a device that cannot give one is no
/// second failure.
fn save_picture(session: &Session, index: usize, failure: &Failure) {
    if matches!(failure.kind, FailureKind::Interrupted | FailureKind::NeedsModel) {
        return;
    }
    let name = format!("step-{}-failed", index + 1);
    let saved = session.device().screenshot().and_then(|png| session.host.save(&name, "png", &png));
    match saved {
        Ok(file) => session.emit(EventKind::Saved { name, file }),
        Err(problem) if problem.kind == FailureKind::NotSupported => {}
        Err(problem) => session.warn(format!("no picture of the failure: {}", problem.message), problem.hint),
    }
}

/// Runs the steps of another trail inside of a call; only the call itself is recorded. What the trail
/// brings into memory does not replace what is remembered already.
pub(crate) fn run_inside(path: &str, trail: &Trail, context: &Context<'_>) -> Result<(), Failure> {
    let memory = &context.session.memory;
    for (name, value) in trail.config.memory.iter().filter(|(name, _)| memory.get(name).is_none()) {
        memory.set(name, value.clone());
    }
    for step in &trail.steps {
        let calls = calls_of(context.session, step).map_err(|failure| {
            let message = format!("'{path}', step '{}': {}", step_text(step), failure.message);
            Failure { message, ..failure }
        })?;
        for call in calls {
            context.dispatch(call, Via::Expansion, None)?;
        }
    }
    Ok(())
}
