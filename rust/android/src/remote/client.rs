//! The laptop's end: a platform that asks the phone.

use std::sync::Arc;
use std::time::Duration;

use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

use super::asked::{Asked, RemoteClass, call, odd, one_text, with_text};
pub use super::asked::{Dial, Patience};
use super::message::{Request, Response};
use super::method as by;
use crate::platform::{ClassCode, Display, Extra, Motion, Notice, Platform, Source, Stroke, UiEvent, Undo};

/// A phone that is asked over a stream.
#[derive(Clone)]
pub struct RemotePlatform(Arc<Asked>);

impl std::fmt::Debug for RemotePlatform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RemotePlatform({})", self.0.phone())
    }
}

impl RemotePlatform {
    /// Greets the agent. The session cannot be guessed, and `who` is what others are told that want the phone, too.
    pub fn connect(
        dial: Arc<dyn Dial>,
        session: &str,
        who: &str,
        patience: Patience,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        Asked::connect(dial, session, who, patience, cancel).map(|asked| Self(Arc::new(asked)))
    }

    /// The version of the agent.
    pub fn agent(&self) -> String {
        self.0.agent()
    }

    /// Looks for the agent where the stream to it is over, without waiting for it. For whoever has not asked for a while.
    pub fn greet_again(&self) -> Result<(), Failure> {
        self.0.greet_again()
    }

    /// Lets the agent end.
    pub fn goodbye(&self) {
        self.0.goodbye();
    }

    fn ask(&self, request: Request) -> Result<Response, Failure> {
        self.0.ask(request)
    }

    fn yes(&self, request: Request) -> Result<bool, Failure> {
        self.ask(request).map(|response| response.yes)
    }

    fn done(&self, request: Request) -> Result<(), Failure> {
        self.ask(request).map(drop)
    }

    fn one_text(&self, request: Request) -> Result<String, Failure> {
        one_text(self.ask(request)?)
    }
}

fn with_numbers(method: u32, numbers: &[i64]) -> Request {
    Request { numbers: numbers.to_vec(), ..call(method) }
}

fn of(source: Source) -> i64 {
    source as i64
}

impl Platform for RemotePlatform {
    fn capture(&self, source: Source) -> Result<Option<Screen>, Failure> {
        let response = self.ask(with_numbers(by::CAPTURE, &[of(source)]))?;
        if !response.yes {
            return Ok(None);
        }
        Screen::from_bytes(&response.data).map(Some).map_err(|_| odd())
    }

    fn screenshot(&self, source: Source) -> Result<Option<Vec<u8>>, Failure> {
        let response = self.ask(with_numbers(by::SCREENSHOT, &[of(source)]))?;
        Ok(response.yes.then_some(response.data))
    }

    /// They were pushed.
    fn take_events(&self) -> Result<Vec<UiEvent>, Failure> {
        Ok(self.0.take_events())
    }

    fn take_notices(&self) -> Result<Vec<Notice>, Failure> {
        let Response { numbers, texts, .. } = self.ask(call(by::TAKE_NOTICES))?;
        let notice = |(uptime_ms, words): (i64, &[String; 3])| {
            let [app_id, class, text] = words.clone();
            Notice { uptime_ms: uptime_ms as u64, app_id, class, text }
        };
        Ok(numbers.into_iter().zip(texts.as_chunks().0).map(notice).collect())
    }

    fn uptime_ms(&self) -> Result<u64, Failure> {
        let numbers = self.ask(call(by::UPTIME))?.numbers;
        numbers.first().map(|uptime| *uptime as u64).ok_or_else(odd)
    }

    fn display(&self) -> Result<Display, Failure> {
        let numbers: Vec<i32> =
            self.ask(call(by::DISPLAY))?.numbers.into_iter().map(|number| number as i32).collect();
        let [width, height, rotation, density] = *numbers.as_slice() else { return Err(odd()) };
        Ok(Display { width, height, rotation, density })
    }

    fn perform(&self, node: u32, action: i32, text: Option<&str>) -> Result<bool, Failure> {
        let texts = text.map(str::to_owned).into_iter().collect();
        let numbers = vec![i64::from(node), i64::from(action)];
        self.yes(Request { numbers, texts, ..call(by::PERFORM) })
    }

    fn inject(&self, motions: &[Motion]) -> Result<bool, Failure> {
        let (mut numbers, mut points) = (vec![motions.len() as i64], Vec::new());
        for Motion { at_ms, action, pointers } in motions {
            numbers.extend([*at_ms as i64, i64::from(*action), pointers.len() as i64]);
            for (finger, x, y) in pointers {
                numbers.push(i64::from(*finger));
                points.extend([f64::from(*x), f64::from(*y)]);
            }
        }
        self.yes(Request { numbers, points, ..call(by::INJECT) })
    }

    fn dispatch(&self, strokes: &[Stroke]) -> Result<bool, Failure> {
        let (mut numbers, mut points) = (vec![strokes.len() as i64], Vec::new());
        for Stroke { points: way, start_ms, duration_ms } in strokes {
            numbers.extend([*start_ms as i64, *duration_ms as i64, way.len() as i64]);
            points.extend(way.iter().flat_map(|(x, y)| [f64::from(*x), f64::from(*y)]));
        }
        self.yes(Request { numbers, points, ..call(by::DISPATCH) })
    }

    fn key(&self, code: i32) -> Result<bool, Failure> {
        self.yes(with_numbers(by::KEY, &[i64::from(code)]))
    }

    fn keys(&self, text: &str) -> Result<bool, Failure> {
        self.yes(with_text(by::KEYS, text))
    }

    fn commit(&self, text: &str) -> Result<bool, Failure> {
        self.yes(with_text(by::COMMIT, text))
    }

    fn global(&self, source: Source, action: i32) -> Result<bool, Failure> {
        self.yes(with_numbers(by::GLOBAL, &[of(source), i64::from(action)]))
    }

    fn set_clipboard(&self, text: &str) -> Result<(), Failure> {
        self.done(with_text(by::SET_CLIPBOARD, text))
    }

    fn set_rotation(&self, quarter_turns: i32) -> Result<bool, Failure> {
        self.yes(with_numbers(by::SET_ROTATION, &[i64::from(quarter_turns)]))
    }

    fn add_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.done(with_text(by::ADD_TEST_PROVIDER, name))
    }

    fn set_test_location(&self, provider: &str, latitude: f64, longitude: f64) -> Result<(), Failure> {
        let points = vec![latitude, longitude];
        self.done(Request { points, ..with_text(by::SET_TEST_LOCATION, provider) })
    }

    fn remove_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.done(with_text(by::REMOVE_TEST_PROVIDER, name))
    }

    fn shell(&self, command: &str) -> Result<String, Failure> {
        self.one_text(with_text(by::SHELL, command))
    }

    fn fetch(&self, request: &[u8]) -> Result<Vec<u8>, Failure> {
        self.ask(Request { data: request.to_vec(), ..call(by::FETCH) }).map(|response| response.data)
    }

    fn launch(&self, app_id: &str, extras: &[Extra]) -> Result<bool, Failure> {
        let mut request = with_text(by::LAUNCH, app_id);
        request.numbers.push(extras.len() as i64);
        for Extra { key, kind, value } in extras {
            request.numbers.push(by::kind_number(kind));
            request.texts.extend([key.clone(), value.clone()]);
        }
        self.yes(request)
    }

    fn open(&self, link: &str) -> Result<bool, Failure> {
        self.yes(with_text(by::OPEN, link))
    }

    fn installed(&self) -> Result<Vec<String>, Failure> {
        self.ask(call(by::INSTALLED)).map(|response| response.texts)
    }

    fn is_service_connected(&self) -> Result<bool, Failure> {
        self.yes(call(by::IS_SERVICE_CONNECTED))
    }

    fn service_component(&self) -> Result<String, Failure> {
        self.one_text(call(by::SERVICE_COMPONENT))
    }

    /// A laptop says how a run goes itself.
    fn status(&self, _code: i32, _values: &[(&str, String)]) -> Result<(), Failure> {
        Ok(())
    }

    fn finish(&self, _code: i32, _values: &[(&str, String)]) -> Result<(), Failure> {
        Ok(())
    }

    /// A laptop has its own workspace.
    fn assets(&self, _folder: &str) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    fn asset(&self, path: &str) -> Result<Vec<u8>, Failure> {
        Err(Failure::new(FailureKind::NotSupported, format!("the phone is not asked for its own '{path}'")))
    }

    fn files_dir(&self) -> Result<String, Failure> {
        self.one_text(call(by::FILES_DIR))
    }

    fn describe_device(&self) -> Result<Vec<(String, String)>, Failure> {
        let texts = self.ask(call(by::DESCRIBE_DEVICE))?.texts;
        Ok(texts.as_chunks().0.iter().map(|[key, value]| (key.clone(), value.clone())).collect())
    }

    /// What cannot be written there is lost.
    fn log(&self, priority: i32, tag: &str, message: &str) {
        let texts = vec![tag.to_owned(), message.to_owned()];
        let _ = self.ask(Request { numbers: vec![i64::from(priority)], texts, ..call(by::LOG) });
    }

    fn undo_when_alone(&self, undo: &[Undo]) -> Result<(), Failure> {
        let texts = undo.iter().flat_map(by::undo_words).collect();
        self.done(Request { texts, ..call(by::UNDO_WHEN_ALONE) })
    }

    fn set_time_left(&self, left: Option<Duration>) {
        self.0.set_time_left(left);
    }

    fn is_reached(&self) -> bool {
        self.0.is_reached()
    }

    fn class_code(&self, class: &str) -> Result<Arc<dyn ClassCode>, Failure> {
        Ok(Arc::new(RemoteClass::new(self.0.clone(), class)))
    }
}
