//! A phone that is asked over a stream does and says what it would do and say when it is asked at once.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trailblaze_android::platform::{Extra, Motion, Platform, Source, Stroke, UiEvent};
use trailblaze_android::remote::client::{Dial, RemotePlatform};
use trailblaze_android::remote::server::{Door, Ended, Stream, serve};
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::paper::Paper;

/// A socket in a folder, as a phone has one in its own world.
struct Socket(PathBuf);

impl Socket {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("trailblaze-phone-{}-{number}", std::process::id())))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Listening(UnixListener);

impl Door for Listening {
    fn next(&mut self) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.0.accept()?.0))
    }
}

/// A line that breaks after so many bytes were written to it, the first few times.
struct Frail {
    stream: UnixStream,
    left: usize,
}

impl io::Read for Frail {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.left {
            0 => Err(io::ErrorKind::ConnectionReset.into()),
            _ => self.stream.read(into),
        }
    }
}

impl io::Write for Frail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.left = self.left.saturating_sub(bytes.len());
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Cable {
    path: PathBuf,
    dialed: AtomicUsize,
    /// So many bytes go over the first streams.
    frail: usize,
}

impl Dial for Cable {
    fn dial(&self) -> Result<Box<dyn Stream>, Failure> {
        let stream = UnixStream::connect(&self.path)
            .map_err(|error| Failure::new(FailureKind::Device, error.to_string()))?;
        let is_frail = self.dialed.fetch_add(1, Ordering::Relaxed) < 2 && self.frail > 0;
        Ok(Box::new(Frail { stream, left: if is_frail { self.frail } else { usize::MAX } }))
    }
}

struct Phone {
    paper: Arc<Paper>,
    socket: Socket,
    agent: JoinHandle<Ended>,
    cancel: Cancel,
}

impl Phone {
    fn new(patience: Duration) -> Self {
        let (paper, socket, cancel) = (Arc::new(Paper::default()), Socket::new(), Cancel::default());
        let door = Listening(UnixListener::bind(&socket.0).unwrap());
        let (platform, stop) = (paper.clone(), cancel.clone());
        let agent = thread::spawn(move || serve(platform, "0.1.0", door, patience, &stop));
        Self { paper, socket, agent, cancel }
    }

    fn laptop(&self, session: &str, frail: usize) -> Result<RemotePlatform, Failure> {
        let cable = Cable { path: self.socket.0.clone(), dialed: AtomicUsize::new(0), frail };
        RemotePlatform::connect(Arc::new(cable), session, &format!("{session}@laptop"), &Cancel::default())
    }

    fn asked(&self) -> Vec<String> {
        self.paper.set(|answers| std::mem::take(&mut answers.asked))
    }
}

const LONG: Duration = Duration::from_secs(60);

/// Asks for one of everything; what it is told, in one line each.
fn ask_everything(platform: &dyn Platform) -> Vec<String> {
    let motion = |at_ms, x| Motion { at_ms, action: 2, pointers: vec![(0, x, 7.5), (1, x + 9.0, 8.25)] };
    let strokes = [Stroke { points: vec![(1.5, 2.0), (3.0, 4.0)], start_ms: 5, duration_ms: 600 }];
    let extra = |kind, value: &str| Extra { key: "k".to_owned(), kind, value: value.to_owned() };
    vec![
        format!("{:?}", platform.capture(Source::Service)),
        format!("{:?}", platform.screenshot(Source::UiAutomation)),
        format!("{:?}", platform.take_events()),
        format!("{:?}", platform.take_notices()),
        format!("{:?}", platform.uptime_ms()),
        format!("{:?}", platform.display()),
        format!("{:?}", platform.perform(7, 0x10, None)),
        format!("{:?}", platform.perform(u32::MAX, -1, Some("ä"))),
        format!("{:?}", platform.inject(&[motion(0, 1.0), motion(90, 5.0)])),
        format!("{:?}", platform.dispatch(&strokes)),
        format!("{:?}", platform.key(66)),
        format!("{:?}", platform.keys("abc")),
        format!("{:?}", platform.commit("déjà 🦊")),
        format!("{:?}", platform.global(Source::Service, 1)),
        format!("{:?}", platform.set_clipboard("x")),
        format!("{:?}", platform.set_rotation(-2)),
        format!("{:?}", platform.add_test_provider("gps")),
        format!("{:?}", platform.set_test_location("gps", 52.5, -13.25)),
        format!("{:?}", platform.remove_test_provider("gps")),
        format!("{:?}", platform.shell("ls")),
        format!("{:?}", platform.launch("com.example", &[extra("s", "v"), extra("b", "true")])),
        format!("{:?}", platform.open("app://x")),
        format!("{:?}", platform.installed()),
        format!("{:?}", platform.is_service_connected()),
        format!("{:?}", platform.service_component()),
        format!("{:?}", platform.files_dir()),
        format!("{:?}", platform.describe_device()),
    ]
}

fn prepare(paper: &Paper) {
    paper.set(|answers| {
        answers.events = vec![UiEvent { uptime_ms: 5, kind: -1, changes: 3 }];
        answers.uptime_ms = 123_456;
        answers.shell = "two\nlines".to_owned();
        answers.picture = Some(vec![1, 2, 3]);
    });
}

#[test]
fn over_a_stream_everything_is_as_at_once() {
    let at_once = Paper::default();
    prepare(&at_once);
    let expected = ask_everything(&at_once);
    let phone = Phone::new(LONG);
    prepare(&phone.paper);
    let laptop = phone.laptop("eve", 0).unwrap();
    assert_eq!(laptop.agent(), "0.1.0");
    assert_eq!(ask_everything(&laptop), expected);
    assert_eq!(phone.asked(), at_once.set(|answers| std::mem::take(&mut answers.asked)));
}

#[test]
fn failures_of_the_phone_arrive_as_they_are() {
    let phone = Phone::new(LONG);
    let laptop = phone.laptop("eve", 0).unwrap();
    phone.paper.set(|answers| answers.throws = true);
    let failure = laptop.key(4).unwrap_err();
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Device, "DeadObjectException"));
    assert_eq!(failure.stack.as_deref(), Some("at android.os"));
}

#[test]
fn a_stream_that_breaks_is_opened_again_and_nothing_is_done_twice() {
    for frail in 1..60 {
        let phone = Phone::new(LONG);
        // Too frail even for a greeting.
        let Ok(laptop) = phone.laptop("eve", frail) else { continue };
        assert_eq!(laptop.commit("a"), Ok(true));
        assert_eq!(laptop.commit("b"), Ok(true));
        assert_eq!(phone.asked(), ["commit 'a'", "commit 'b'"], "after {frail} bytes");
    }
}

#[test]
fn a_second_laptop_is_told_who_has_the_phone() {
    let phone = Phone::new(LONG);
    let eve = phone.laptop("eve", 0).unwrap();
    let refused = phone.laptop("bob", 0).unwrap_err();
    assert_eq!(refused.message, "the phone is in use by eve@laptop");
    assert_eq!(eve.key(3), Ok(true));
}

#[test]
fn the_agent_ends_when_it_is_told_to_and_when_its_laptop_stays_away() {
    let phone = Phone::new(LONG);
    phone.laptop("eve", 0).unwrap().goodbye();
    assert_eq!(phone.agent.join().unwrap(), Ended::Goodbye);

    let phone = Phone::new(Duration::from_millis(400));
    let laptop = phone.laptop("eve", 0).unwrap();
    assert_eq!(laptop.key(3), Ok(true));
    drop(laptop);
    assert_eq!(phone.agent.join().unwrap(), Ended::Alone);

    let phone = Phone::new(LONG);
    phone.cancel.cancel();
    assert_eq!(phone.agent.join().unwrap(), Ended::Interrupted);
}
