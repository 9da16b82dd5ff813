//! Runs inline Maestro commands on the primitives.

use serde_json::Value;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::maestro::{
    self, Command, Condition, Kind, LaunchApp, Point, PressedKey, ScrollUntilVisible, Swipe, Tap, Target,
};
use trailblaze_model::selector::Selector;

use crate::commands::{
    Commands, Found, Launch, MAESTRO_FIND_MS, MAESTRO_OPTIONAL_FIND_MS, SwipePath, Touch, point_in,
};
use crate::matching;

/// Where `copyTextFrom` keeps what it copied.
pub const COPIED_TEXT: &str = "maestro.copiedText";
const LONG_PRESS_MS: u64 = 3_000;
const SCROLL_LOOK_MS: u64 = 500;

/// Runs the list under `commands`.
pub fn run(commands: &Commands<'_>, list: &Value) -> Result<(), Failure> {
    let list = maestro::read_commands(list).map_err(|problems| {
        let first = problems.into_iter().next();
        let (message, hint) = first.map(|problem| (problem.message, problem.hint)).unwrap_or_default();
        let mut failure = Failure::new(FailureKind::MaestroValidation, message);
        failure.hint = hint;
        failure
    })?;
    for command in &list {
        let result = run_one(commands, command);
        match result {
            Err(failure) if command.optional && is_test_failure(&failure) => {
                let name = command.label.as_deref().unwrap_or(command.name);
                commands
                    .session
                    .warn(format!("the optional command '{name}' failed: {}", failure.message), None);
            }
            result => result?,
        }
    }
    Ok(())
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

fn run_one(commands: &Commands<'_>, command: &Command) -> Result<(), Failure> {
    let find_ms = if command.optional { MAESTRO_OPTIONAL_FIND_MS } else { MAESTRO_FIND_MS };
    match &command.kind {
        Kind::Tap(tap) => run_tap(commands, tap, find_ms),
        Kind::LongPress { target } => {
            touch(commands, target, Touch::LongPress { duration_ms: LONG_PRESS_MS }, find_ms)
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
        Kind::Scroll => commands.scroll(trailblaze_model::maestro::Direction::Down, 1),
        Kind::ScrollUntilVisible(scroll) => scroll_until_visible(commands, scroll, 50).map(drop),
        Kind::Swipe { swipe, duration_ms } => run_swipe(commands, swipe, *duration_ms, find_ms),
        Kind::Back => commands.press_back(),
        Kind::HideKeyboard => hide_keyboard(commands),
        Kind::PressKey(PressedKey::Back) => commands.press_back(),
        Kind::PressKey(PressedKey::Home) => commands.press_home(),
        Kind::PressKey(PressedKey::Key(key)) => commands.press_key(*key),
        Kind::InputText(text) => commands.input_text(text),
        Kind::EraseText { count } => commands.erase_text(*count),
        Kind::CopyTextFrom(selector) => copy_text(commands, selector, find_ms),
        Kind::PasteText => paste_text(commands),
        Kind::LaunchApp(launch) => launch_app(commands, launch),
        Kind::StopApp { app_id } => commands.stop_app(&app(commands, app_id.as_ref())?),
        Kind::ClearState { app_id } => commands.clear_app_data(&app(commands, app_id.as_ref())?),
        Kind::OpenLink { link } => commands.open_link(link),
    }
}

fn run_tap(commands: &Commands<'_>, tap: &Tap, find_ms: u64) -> Result<(), Failure> {
    let kind = if tap.double { Touch::DoubleTap } else { Touch::Tap };
    let before = tap.retry_if_no_change.then(|| commands.session.capture()).transpose()?;
    for round in 0..tap.repeat {
        if round > 0 {
            commands.session.clock.sleep(tap.delay_ms);
        }
        touch(commands, &tap.target, kind, find_ms)?;
    }
    if let Some(before) = before
        && *commands.session.capture()? == *before
    {
        touch(commands, &tap.target, kind, find_ms)?;
    }
    Ok(())
}

fn touch(commands: &Commands<'_>, target: &Target, touch: Touch, find_ms: u64) -> Result<(), Failure> {
    if target.selector.is_empty() {
        let at = screen_point(commands, target.point)?;
        return commands.touch_point(at, touch);
    }
    commands.touch_at(&target.selector, target.point, touch, find_ms).map(drop)
}

fn screen_point(commands: &Commands<'_>, point: Option<Point>) -> Result<(i32, i32), Failure> {
    let info = commands.session.device().info();
    point_in(trailblaze_model::screen::Bounds::new(0, 0, info.width, info.height), point)
}

fn run_swipe(commands: &Commands<'_>, swipe: &Swipe, duration_ms: u64, find_ms: u64) -> Result<(), Failure> {
    let path = match swipe {
        Swipe::Direction(finger) => SwipePath::maestro(*finger),
        Swipe::Points(from, to) => SwipePath::between(*from, *to),
        Swipe::Element { from, direction } => {
            let info = commands.session.device().info();
            let found = commands.find(&from.selector, find_ms)?;
            let (x, y) = point_in(found.bounds(), from.point)?;
            let spot = trailblaze_model::screen::Bounds::new(x, y, x, y);
            SwipePath::from_element(spot, *direction, (info.width, info.height))
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
    commands.input_text(&text)
}

fn launch_app(commands: &Commands<'_>, launch: &LaunchApp) -> Result<(), Failure> {
    let app_id = app(commands, launch.app_id.as_ref())?;
    let options = Launch {
        stop_first: launch.stop_app || launch.clear_state,
        clear_first: launch.clear_state,
        arguments: launch.arguments.clone(),
    };
    for (permission, value) in &launch.permissions {
        commands.set_permission(&app_id, permission, value == "allow")?;
    }
    commands.launch_app(&app_id, options)
}

fn app(commands: &Commands<'_>, named: Option<&String>) -> Result<String, Failure> {
    named.or(commands.session.options.app_id.as_ref()).cloned().ok_or_else(|| {
        Failure::new(FailureKind::MaestroValidation, "which app is meant is not known")
            .hint("write 'appId', or give the target an app id")
    })
}

/// Scrolls until enough of an element is shown. The finger begins in the middle, at a share of the height.
pub fn scroll_until_visible(
    commands: &Commands<'_>,
    scroll: &ScrollUntilVisible,
    start_percent: i32,
) -> Result<Found, Failure> {
    let session = commands.session;
    let until = session.now_ms().saturating_add(scroll.timeout_ms);
    let duration_ms = 1000 * (100 - scroll.speed) / 100 + 1;
    let mut centred_tries = 0;
    loop {
        if commands.is_visible(&scroll.element, SCROLL_LOOK_MS)? {
            let found = commands.find(&scroll.element, 0)?;
            let wanted = if scroll.visibility_percentage >= 100 { 1.0 } else { 0.0 };
            let shown = found.node().bounds().map_or(0.0, |b| matching::share(b, found.screen.bounds()));
            let centre_first = scroll.center_element && shown > 0.1 && centred_tries < 5;
            if (!centre_first && shown >= wanted) || (centre_first && is_centred(&found)) {
                return Ok(found);
            }
            centred_tries += u32::from(centre_first);
        }
        if session.now_ms() >= until {
            // One more look says what is there instead.
            return commands.find(&scroll.element, 0).and_then(|_| {
                let message = format!("{} is not wholly visible", scroll.element);
                Err(Failure::new(FailureKind::NotFound, message))
            });
        }
        commands.swipe(SwipePath::from_height(start_percent, scroll.direction.opposite()), duration_ms)?;
    }
}

fn is_centred(found: &Found) -> bool {
    let middle = found.screen.height / 2;
    let margin = found.screen.height / 5;
    (found.bounds().center().1 - middle).abs() <= margin
}
