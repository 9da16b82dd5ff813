//! Runs inline Maestro commands on the primitives.

mod permission;

use std::sync::Arc;

use serde_json::Value;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::{
    self, Command, Condition, Direction, Kind, LaunchApp, Point, PressedKey, Problem, ScrollUntilVisible,
    Swipe, Tap, Target,
};
use trailblaze_model::place::FilePlace;
use trailblaze_model::screen::{Bounds, Screen};
use trailblaze_model::selector::Selector;

use crate::commands::{
    Commands, Launch, MAESTRO_FIND_MS, MAESTRO_OPTIONAL_FIND_MS, ScrollTo, SwipePath, Touch, point_in,
};
use crate::dispatch::Context;

/// Where `copyTextFrom` keeps what it copied.
pub const COPIED_TEXT: &str = "maestro.copiedText";
const LONG_PRESS_MS: u64 = 3_000;

/// Runs the list under `commands`. All of it must be right before the first one runs; variables are filled
/// in command by command, because one may set what a later one uses.
pub fn run(context: &Context<'_>, list: &Value) -> Result<(), Failure> {
    if let Some(problem) = maestro::check_commands(list).into_iter().next() {
        let pointer = format!("/commands{}", problem.pointer);
        return Err(invalid(problem).or_at(place_of(context, &pointer)));
    }
    let commands = context.commands();
    for (index, written) in list.as_array().into_iter().flatten().enumerate() {
        let Some(filled) = context.fill_in(written)? else { continue };
        let place = || place_of(context, &format!("/commands/{index}"));
        let command = maestro::read_command(&filled).map_err(|problem| invalid(problem).or_at(place()))?;
        match run_one(&commands, &command) {
            Err(failure) if command.optional && is_test_failure(&failure) => {
                let name = command.label.as_deref().unwrap_or(command.name);
                let message = format!("the optional command '{name}' failed: {}", failure.message);
                context.session.warn(message, failure.hint);
            }
            result => result.map_err(|failure| saying(failure, index, &command, list).or_at(place()))?,
        }
    }
    Ok(())
}

/// Which one of several commands failed.
fn saying(failure: Failure, index: usize, command: &Command, list: &Value) -> Failure {
    if list.as_array().is_none_or(|list| list.len() < 2) {
        return failure;
    }
    let message = format!("command {}, '{}': {}", index + 1, command.name, failure.message);
    Failure { message, ..failure }
}

fn invalid(problem: Problem) -> Failure {
    let mut failure = Failure::new(FailureKind::MaestroValidation, problem.message);
    failure.hint = problem.hint;
    failure
}

/// Where a command stands, for a call that a document wrote.
fn place_of(context: &Context<'_>, pointer: &str) -> Option<FilePlace> {
    let (at, source) = (context.call.at.as_ref()?, context.call.source.as_ref()?);
    Some(FilePlace { file: at.file.clone(), place: source.place_at(pointer) })
}

/// Only what a test can fail by is forgiven; a broken device is not.
fn is_test_failure(failure: &Failure) -> bool {
    use FailureKind as Kind;
    matches!(
        failure.kind,
        Kind::NotFound
            | Kind::AssertionFailed
            | Kind::Timeout
            | Kind::InvalidArguments
            | Kind::MaestroValidation
    )
}

/// How long an element is looked for, counted from the last thing that was done to the device.
fn find_ms(commands: &Commands<'_>, optional: bool) -> u64 {
    let budget = if optional { MAESTRO_OPTIONAL_FIND_MS } else { MAESTRO_FIND_MS };
    budget.saturating_sub(commands.session.idle_ms())
}

fn run_one(commands: &Commands<'_>, command: &Command) -> Result<(), Failure> {
    let find_ms = find_ms(commands, command.optional);
    match &command.kind {
        Kind::Tap(tap) => run_tap(commands, tap, find_ms),
        Kind::LongPress { target } => {
            touch(commands, target, Touch::LongPress { duration_ms: LONG_PRESS_MS }, find_ms).map(drop)
        }
        Kind::AssertVisible(selector) => commands.assert_visible(selector, find_ms),
        Kind::AssertNotVisible(selector) => commands.assert_not_visible(selector, find_ms),
        Kind::ExtendedWaitUntil { condition: Condition::Visible(selector), timeout_ms } => {
            commands.assert_visible(selector, *timeout_ms)
        }
        Kind::ExtendedWaitUntil { condition: Condition::NotVisible(selector), timeout_ms } => {
            commands.assert_not_visible(selector, *timeout_ms)
        }
        Kind::WaitForAnimationToEnd { timeout_ms } => commands.settle_within(*timeout_ms).map(drop),
        Kind::Scroll => commands.scroll(Direction::Down, 1),
        Kind::ScrollUntilVisible(scroll) => scroll_until_visible(commands, scroll),
        Kind::Swipe { swipe, duration_ms } => run_swipe(commands, swipe, *duration_ms, find_ms),
        Kind::Back | Kind::PressKey(PressedKey::Back) => commands.press_back(),
        Kind::HideKeyboard => hide_keyboard(commands),
        Kind::PressKey(PressedKey::Home) => commands.press_home(),
        Kind::PressKey(PressedKey::Key(key)) => commands.press_key(*key),
        Kind::InputText(text) => commands.input_text(text).map(|_| ()),
        Kind::EraseText { count } => commands.erase_text(*count),
        Kind::CopyTextFrom(selector) => copy_text(commands, selector, find_ms),
        Kind::PasteText => paste_text(commands),
        Kind::LaunchApp(launch) => launch_app(commands, launch),
        Kind::StopApp { app_id } => commands.stop_app(&app(commands, app_id.as_ref())?),
        Kind::ClearState { app_id } => commands.clear_app_data(&app(commands, app_id.as_ref())?),
        Kind::OpenLink { link } => commands.open_link(link),
        Kind::SetOrientation(orientation) => commands.set_orientation(*orientation),
        Kind::SetLocation { latitude, longitude } => commands.set_location(*latitude, *longitude),
    }
}

fn run_tap(commands: &Commands<'_>, tap: &Tap, find_ms: u64) -> Result<(), Failure> {
    let kind = if tap.double { Touch::DoubleTap } else { Touch::Tap };
    let mut began = commands.session.now_ms();
    let mut before = touch(commands, &tap.target, kind, find_ms)?;
    for _ in 1..tap.repeat {
        // The delay counts from tap to tap.
        let passed = commands.session.now_ms().saturating_sub(began);
        commands.wait_for(tap.delay_ms.saturating_sub(passed), || Ok(None::<()>))?;
        began = commands.session.now_ms();
        before = touch(commands, &tap.target, kind, find_ms)?;
    }
    if tap.retry_if_no_change && before.looks_like(commands.session.capture()?.as_ref()) {
        touch(commands, &tap.target, kind, find_ms)?;
    }
    Ok(())
}

/// Touches, and returns the screen as it was.
fn touch(
    commands: &Commands<'_>,
    target: &Target,
    touch: Touch,
    find_ms: u64,
) -> Result<Arc<Screen>, Failure> {
    if target.selector.is_empty() {
        let screen = commands.session.capture()?;
        commands.touch_point(screen_point(commands, target.point)?, touch)?;
        return Ok(screen);
    }
    Ok(commands.touch_at(&target.selector, target.point, touch, find_ms)?.found.screen)
}

fn screen_point(commands: &Commands<'_>, point: Option<Point>) -> Result<(i32, i32), Failure> {
    let (width, height) = commands.session.screen_size();
    point_in(Bounds::new(0, 0, width, height), point)
}

fn run_swipe(commands: &Commands<'_>, swipe: &Swipe, duration_ms: u64, find_ms: u64) -> Result<(), Failure> {
    let path = match swipe {
        Swipe::Direction(finger) => SwipePath::maestro(*finger),
        Swipe::Points(from, to) => SwipePath::between(*from, *to),
        Swipe::Element { from, direction } => {
            let start = if from.selector.is_empty() {
                screen_point(commands, from.point)?
            } else {
                point_in(commands.find(&from.selector, find_ms)?.bounds(), from.point)?
            };
            SwipePath::from_point(start, *direction, commands.session.screen_size())
        }
    };
    commands.swipe(path, duration_ms)
}

fn hide_keyboard(commands: &Commands<'_>) -> Result<(), Failure> {
    commands.hide_keyboard()?;
    if commands.session.capture()?.keyboard().is_some() {
        return Err(Failure::new(FailureKind::AssertionFailed, "the keyboard is still shown"));
    }
    Ok(())
}

fn copy_text(commands: &Commands<'_>, selector: &Selector, find_ms: u64) -> Result<(), Failure> {
    let found = commands.find(selector, find_ms)?;
    let text = found.node().resolved_text().ok_or_else(|| {
        Failure::new(FailureKind::NotFound, format!("the element with {selector} has no text to copy"))
    })?;
    commands.session.memory.set(COPIED_TEXT, text);
    Ok(())
}

fn paste_text(commands: &Commands<'_>) -> Result<(), Failure> {
    let Some(text) = commands.session.memory.get(COPIED_TEXT) else {
        let failure = Failure::new(FailureKind::NotFound, "nothing was copied");
        return Err(failure.hint("run 'copyTextFrom' first"));
    };
    commands.input_text(&text).map(|_| ())
}

fn launch_app(commands: &Commands<'_>, launch: &LaunchApp) -> Result<(), Failure> {
    let app_id = app(commands, launch.app_id.as_ref())?;
    let permissions = launch.permissions.iter().flat_map(|(name, value)| {
        permission::names(name).into_iter().map(move |name| (name, value == "allow"))
    });
    let options = Launch {
        stop_first: launch.stop_app || launch.clear_state,
        clear_first: launch.clear_state,
        permissions: permissions.collect(),
        arguments: launch.arguments.clone(),
    };
    commands.launch_app(&app_id, options)
}

fn app(commands: &Commands<'_>, named: Option<&String>) -> Result<String, Failure> {
    named.or(commands.session.options.app_id.as_ref()).cloned().ok_or_else(|| {
        Failure::new(FailureKind::MaestroValidation, "which app is meant is not known")
            .hint("write 'appId', or give the target an app id")
    })
}

fn scroll_until_visible(commands: &Commands<'_>, scroll: &ScrollUntilVisible) -> Result<(), Failure> {
    let scroll = ScrollTo {
        element: scroll.element.clone(),
        direction: scroll.direction,
        timeout_ms: scroll.timeout_ms,
        duration_ms: 1000 * 100_u64.saturating_sub(scroll.speed) / 100 + 1,
        // Maestro divides whole numbers, so anything below 100 counts as 0.
        share: f64::from(scroll.visibility_percentage / 100),
        centre: scroll.center_element,
        start_percent: 50,
    };
    commands.scroll_to(&scroll).map(drop)
}
