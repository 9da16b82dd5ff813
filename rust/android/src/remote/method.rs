//! The methods of a platform by their numbers on the wire, and how a platform answers each of them.
//!
//! Numbers stay: an agent of another version is known by its greeting, and one of the same has the same.

use std::panic::{self, AssertUnwindSafe};

use trailblaze_model::failure::{Failure, FailureKind};

use super::message::{Request, Response};
use crate::platform::{Extra, Motion, Platform, Source, Stroke, UiEvent, Undo};

pub(super) const CAPTURE: u32 = 1;
pub(super) const SCREENSHOT: u32 = 2;
/// Pushed to the laptop: what happened on the screen.
pub(super) const TAKE_EVENTS: u32 = 3;
pub(super) const TAKE_NOTICES: u32 = 4;
pub(super) const UPTIME: u32 = 5;
pub(super) const DISPLAY: u32 = 6;
pub(super) const PERFORM: u32 = 7;
pub(super) const INJECT: u32 = 8;
pub(super) const DISPATCH: u32 = 9;
pub(super) const KEY: u32 = 10;
pub(super) const KEYS: u32 = 11;
pub(super) const COMMIT: u32 = 12;
pub(super) const GLOBAL: u32 = 13;
pub(super) const SET_CLIPBOARD: u32 = 14;
pub(super) const SET_ROTATION: u32 = 15;
pub(super) const ADD_TEST_PROVIDER: u32 = 16;
pub(super) const SET_TEST_LOCATION: u32 = 17;
pub(super) const REMOVE_TEST_PROVIDER: u32 = 18;
pub(super) const SHELL: u32 = 19;
pub(super) const FETCH: u32 = 20;
pub(super) const LAUNCH: u32 = 21;
pub(super) const OPEN: u32 = 22;
pub(super) const INSTALLED: u32 = 23;
pub(super) const IS_SERVICE_CONNECTED: u32 = 24;
pub(super) const SERVICE_COMPONENT: u32 = 25;
pub(super) const FILES_DIR: u32 = 26;
pub(super) const DESCRIBE_DEVICE: u32 = 27;
pub(super) const LOG: u32 = 28;
/// The laptop has what it wanted, and the agent may end.
pub(super) const GOODBYE: u32 = 29;
/// The laptop is still there. It has no response.
pub(super) const ALIVE: u32 = 34;
/// What the phone is to undo when its laptop is gone: words and what they are about, by turns.
pub(super) const UNDO_WHEN_ALONE: u32 = 35;
/// What a class says of itself.
pub(super) const CLASS_DESCRIBE: u32 = 30;
/// Runs a class. It may take long, and other requests are done meanwhile.
pub(super) const CLASS_EXECUTE: u32 = 31;
/// Pushed to the laptop: a class that runs asks for something.
pub(super) const CLASS_COMMAND: u32 = 32;
/// What came of that, as a response in `data`. It has no response itself.
pub(super) const CLASS_ANSWER: u32 = 33;

/// The kinds of values that an app is started with.
const KINDS: [&str; 5] = ["s", "b", "i", "l", "d"];

/// The arguments of a request, taken one after the other.
struct Arguments<'a> {
    numbers: std::slice::Iter<'a, i64>,
    points: std::slice::Iter<'a, f64>,
    texts: std::slice::Iter<'a, String>,
}

fn lacking() -> Failure {
    Failure::new(FailureKind::Device, "the laptop sent a request that lacks an argument")
}

impl<'a> Arguments<'a> {
    fn number<T: TryFrom<i64>>(&mut self) -> Result<T, Failure> {
        self.numbers.next().and_then(|number| T::try_from(*number).ok()).ok_or_else(lacking)
    }

    fn point(&mut self) -> Result<f64, Failure> {
        self.points.next().copied().ok_or_else(lacking)
    }

    fn place(&mut self) -> Result<(f32, f32), Failure> {
        Ok((self.point()? as f32, self.point()? as f32))
    }

    fn text(&mut self) -> Result<&'a str, Failure> {
        self.texts.next().map(String::as_str).ok_or_else(lacking)
    }

    fn source(&mut self) -> Result<Source, Failure> {
        match self.number::<i32>()? {
            0 => Ok(Source::Service),
            _ => Ok(Source::UiAutomation),
        }
    }

    /// As many as a number says.
    fn several<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
        let count: u32 = self.number()?;
        (0..count).map(|_| one(self)).collect()
    }

    fn motion(&mut self) -> Result<Motion, Failure> {
        let (at_ms, action) = (self.number()?, self.number()?);
        let pointers = self.several(|arguments| {
            let finger = arguments.number()?;
            let (x, y) = arguments.place()?;
            Ok((finger, x, y))
        })?;
        Ok(Motion { at_ms, action, pointers })
    }

    fn stroke(&mut self) -> Result<Stroke, Failure> {
        let (start_ms, duration_ms) = (self.number()?, self.number()?);
        Ok(Stroke { points: self.several(Self::place)?, start_ms, duration_ms })
    }

    fn extra(&mut self) -> Result<Extra, Failure> {
        let kind: usize = self.number()?;
        let (key, value) = (self.text()?.to_owned(), self.text()?.to_owned());
        Ok(Extra { key, kind: KINDS.get(kind).copied().ok_or_else(lacking)?, value })
    }
}

/// The number of a kind of value.
pub(super) fn kind_number(kind: &str) -> i64 {
    KINDS.iter().position(|known| *known == kind).unwrap_or_default() as i64
}

/// Events as they are pushed: three numbers each.
pub(super) fn events(events: &[UiEvent]) -> Response {
    let of = |event: &UiEvent| [event.uptime_ms as i64, i64::from(event.kind), i64::from(event.changes)];
    Response { method: TAKE_EVENTS, ..numbers(events.iter().flat_map(of).collect()) }
}

pub(super) fn read_events(numbers: &[i64]) -> impl Iterator<Item = UiEvent> {
    let event = |three: &[i64; 3]| {
        let [uptime_ms, kind, changes] = *three;
        UiEvent { uptime_ms: uptime_ms as u64, kind: kind as i32, changes: changes as i32 }
    };
    numbers.as_chunks().0.iter().map(event)
}

pub(super) fn undo_words(undo: &Undo) -> [String; 2] {
    match undo {
        Undo::Rotation(turns) => ["rotation".to_owned(), turns.to_string()],
        Undo::Provider(name) => ["provider".to_owned(), name.clone()],
        Undo::Shell(command) => ["shell".to_owned(), command.clone()],
    }
}

/// What is not known is of a newer laptop, which is not served.
pub(super) fn read_undo(words: &[String]) -> Vec<Undo> {
    let undo = |[kind, about]: &[String; 2]| match kind.as_str() {
        "rotation" => about.parse().ok().map(Undo::Rotation),
        "provider" => Some(Undo::Provider(about.clone())),
        _ => Some(Undo::Shell(about.clone())),
    };
    words.as_chunks().0.iter().filter_map(undo).collect()
}

/// Whether a request only looks, so that it may be asked again when nobody knows what became of it.
pub(super) const fn only_looks(method: u32) -> bool {
    matches!(
        method,
        CAPTURE
            | SCREENSHOT
            | UPTIME
            | DISPLAY
            | INSTALLED
            | IS_SERVICE_CONNECTED
            | SERVICE_COMPONENT
            | FILES_DIR
            | DESCRIBE_DEVICE
            | CLASS_DESCRIBE
    )
}

/// Does what a request asks for.
pub(super) fn answer(platform: &dyn Platform, request: &Request) -> Response {
    // A bug in one request is that request's end.
    let bug = |_| Err(Failure::new(FailureKind::Device, "the agent on the phone failed; this is a bug"));
    let result = panic::catch_unwind(AssertUnwindSafe(|| run(platform, request))).unwrap_or_else(bug);
    let response =
        result.unwrap_or_else(|failure| Response { failure: Some(failure), ..Response::default() });
    Response { id: request.id, ..response }
}

fn yes(yes: bool) -> Response {
    Response { yes, ..Response::default() }
}

fn done(_: ()) -> Response {
    yes(true)
}

fn data(data: Option<Vec<u8>>) -> Response {
    Response { yes: data.is_some(), data: data.unwrap_or_default(), ..Response::default() }
}

fn texts(texts: Vec<String>) -> Response {
    Response { yes: true, texts, ..Response::default() }
}

fn numbers(numbers: Vec<i64>) -> Response {
    Response { yes: true, numbers, ..Response::default() }
}

fn run(platform: &dyn Platform, request: &Request) -> Result<Response, Failure> {
    let mut given = Arguments {
        numbers: request.numbers.iter(),
        points: request.points.iter(),
        texts: request.texts.iter(),
    };
    let given = &mut given;
    Ok(match request.method {
        CAPTURE => data(platform.capture(given.source()?)?.map(|screen| screen.to_bytes())),
        SCREENSHOT => data(platform.screenshot(given.source()?)?),
        TAKE_NOTICES => {
            let notices = platform.take_notices()?;
            let times = notices.iter().map(|notice| notice.uptime_ms as i64).collect();
            let words = notices.into_iter().flat_map(|notice| [notice.app_id, notice.class, notice.text]);
            Response { texts: words.collect(), ..numbers(times) }
        }
        UPTIME => numbers(vec![platform.uptime_ms()? as i64]),
        DISPLAY => {
            let display = platform.display()?;
            numbers(
                [display.width, display.height, display.rotation, display.density].map(i64::from).to_vec(),
            )
        }
        PERFORM => yes(platform.perform(given.number()?, given.number()?, given.text().ok())?),
        INJECT => yes(platform.inject(&given.several(Arguments::motion)?)?),
        DISPATCH => yes(platform.dispatch(&given.several(Arguments::stroke)?)?),
        KEY => yes(platform.key(given.number()?)?),
        KEYS => yes(platform.keys(given.text()?)?),
        COMMIT => yes(platform.commit(given.text()?)?),
        GLOBAL => yes(platform.global(given.source()?, given.number()?)?),
        SET_CLIPBOARD => done(platform.set_clipboard(given.text()?)?),
        SET_ROTATION => yes(platform.set_rotation(given.number()?)?),
        ADD_TEST_PROVIDER => done(platform.add_test_provider(given.text()?)?),
        SET_TEST_LOCATION => {
            done(platform.set_test_location(given.text()?, given.point()?, given.point()?)?)
        }
        REMOVE_TEST_PROVIDER => done(platform.remove_test_provider(given.text()?)?),
        SHELL => texts(vec![platform.shell(given.text()?)?]),
        FETCH => data(Some(platform.fetch(&request.data)?)),
        LAUNCH => {
            let app_id = given.text()?;
            yes(platform.launch(app_id, &given.several(Arguments::extra)?)?)
        }
        OPEN => yes(platform.open(given.text()?)?),
        INSTALLED => texts(platform.installed()?),
        IS_SERVICE_CONNECTED => yes(platform.is_service_connected()?),
        SERVICE_COMPONENT => texts(vec![platform.service_component()?]),
        FILES_DIR => texts(vec![platform.files_dir()?]),
        DESCRIBE_DEVICE => {
            texts(platform.describe_device()?.into_iter().flat_map(|(key, value)| [key, value]).collect())
        }
        LOG => {
            platform.log(given.number()?, given.text()?, given.text()?);
            yes(true)
        }
        GOODBYE | UNDO_WHEN_ALONE => yes(true),
        CLASS_DESCRIBE => texts(vec![platform.class_code(given.text()?)?.describe()?]),
        _ => return Err(Failure::new(FailureKind::NotSupported, "the agent knows no such request")),
    })
}
