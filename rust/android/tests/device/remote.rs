//! A phone that is asked over a stream does and says what it would do and say when it is asked at once.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use trailblaze_android::platform::{Extra, Motion, Platform, Source, Stroke, UiEvent, Undo};
use trailblaze_android::remote::Wire;
use trailblaze_android::remote::client::{Dial, Patience, RemotePlatform};
use trailblaze_android::remote::server::{self, Door, Ended, serve};
use trailblaze_engine::host::Cancel;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::paper::Paper;

mod lost;

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
    fn next(&mut self) -> io::Result<Arc<dyn Wire>> {
        Ok(Arc::new(self.0.accept()?.0))
    }
}

/// A line that breaks after so many bytes were written to it, the first few times.
struct Frail {
    stream: UnixStream,
    left: AtomicUsize,
}

impl Wire for Frail {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        Wire::read(&self.stream, into)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let left = self.left.load(Ordering::Relaxed);
        let now = left.saturating_sub(bytes.len());
        self.left.store(now, Ordering::Relaxed);
        Wire::write(&self.stream, &bytes[..bytes.len().min(left)])?;
        if now == 0 {
            self.close();
        }
        Ok(())
    }

    fn close(&self) {
        self.stream.close();
    }
}

#[derive(Default)]
struct Cable {
    path: PathBuf,
    dialed: AtomicUsize,
    /// So many bytes go over the first streams.
    frail: usize,
    /// An agent that hangs or ended is started again by this.
    restart: Option<Box<dyn Fn() -> Result<(), Failure> + Send + Sync>>,
    /// The stream that is open now.
    open: Mutex<Option<UnixStream>>,
    is_out: AtomicBool,
    has_ended: AtomicBool,
}

impl Cable {
    fn pull(&self) {
        self.is_out.store(true, Ordering::Relaxed);
        self.break_off();
    }

    fn plug_in(&self) {
        self.is_out.store(false, Ordering::Relaxed);
    }

    /// Ends the stream that is open.
    fn break_off(&self) {
        self.open.lock().unwrap().take().unwrap().close();
    }
}

impl Dial for Cable {
    fn phone(&self) -> &str {
        "R5CT"
    }

    fn dial(&self) -> Result<Arc<dyn Wire>, Failure> {
        if self.is_out.load(Ordering::Relaxed) {
            return Err(Failure::new(FailureKind::Device, "no phone has the serial R5CT"));
        }
        let stream = UnixStream::connect(&self.path)
            .map_err(|error| Failure::new(FailureKind::Device, error.to_string()))?;
        *self.open.lock().unwrap() = Some(stream.try_clone().unwrap());
        let is_frail = self.dialed.fetch_add(1, Ordering::Relaxed) < 2 && self.frail > 0;
        let left = AtomicUsize::new(if is_frail { self.frail } else { usize::MAX });
        Ok(Arc::new(Frail { stream, left }))
    }

    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    fn restart(&self) -> Result<(), Failure> {
        self.restart.as_ref().expect("it does not hang")()?;
        self.plug_in();
        Ok(())
    }
}

struct Phone {
    paper: Arc<Paper>,
    socket: Socket,
    agent: JoinHandle<Ended>,
    cancel: Cancel,
}

impl Phone {
    fn new(alone: Duration) -> Self {
        Self::with(server::Patience { alone, silent: LONG })
    }

    fn with(patience: server::Patience) -> Self {
        let (paper, socket, cancel) = (Arc::new(Paper::default()), Socket::new(), Cancel::default());
        let door = Listening(UnixListener::bind(&socket.0).unwrap());
        let (platform, stop) = (paper.clone(), cancel.clone());
        let agent = thread::spawn(move || serve(platform, "0.1.0", None, door, patience, &stop));
        Self { paper, socket, agent, cancel }
    }

    /// A laptop with a cable that can be pulled.
    fn desk(&self, patience: Patience) -> (RemotePlatform, Arc<Cable>) {
        let cable = Arc::new(Cable { path: self.socket.0.clone(), ..Cable::default() });
        let laptop = RemotePlatform::connect(cable.clone(), "eve", "eve", patience, &Cancel::default());
        (laptop.unwrap(), cable)
    }

    fn laptop(&self, session: &str, frail: usize) -> Result<RemotePlatform, Failure> {
        let path = self.socket.0.clone();
        let cable = Cable { path, frail, ..Cable::default() };
        let who = format!("{session}@laptop");
        RemotePlatform::connect(Arc::new(cable), session, &who, Patience::default(), &Cancel::default())
    }

    fn asked(&self) -> Vec<String> {
        asked(&self.paper)
    }
}

/// All but what is looked for again and again, so that it can be pushed.
fn asked(paper: &Paper) -> Vec<String> {
    let asked = paper.set(|answers| std::mem::take(&mut answers.asked));
    asked.into_iter().filter(|line| line != "events").collect()
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
    assert_eq!(phone.asked(), asked(&at_once));
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
    assert_eq!(refused.message, "the phone R5CT is in use by eve@laptop");
    assert_eq!(eve.key(3), Ok(true));
}

#[test]
fn nobody_comes_before_the_laptop_that_started_the_agent() {
    let (paper, socket) = (Arc::new(Paper::default()), Socket::new());
    let door = Listening(UnixListener::bind(&socket.0).unwrap());
    let patience = server::Patience::default();
    thread::spawn(move || serve(paper, "0.1.0", Some("eve"), door, patience, &Cancel::default()));
    let connect = |session: &str| {
        let cable = Arc::new(Cable { path: socket.0.clone(), ..Cable::default() });
        RemotePlatform::connect(cable, session, session, Patience::default(), &Cancel::default())
    };
    let in_use = |by: &str| format!("the phone R5CT is in use by {by}");
    assert_eq!(connect("bob").unwrap_err().message, in_use("somebody who has just started its agent"));
    let eve = connect("eve").unwrap();
    assert_eq!(connect("bob").unwrap_err().message, in_use("eve"));
    assert_eq!(eve.key(3), Ok(true));
}

#[test]
fn what_a_laptop_left_is_put_back_by_the_phone() {
    let undo = [
        Undo::Rotation(1),
        Undo::Rotation(-2),
        Undo::Provider("gps".to_owned()),
        Undo::Shell("cmd connectivity airplane-mode disable".to_owned()),
    ];
    let phone = Phone::new(Duration::from_millis(400));
    let laptop = phone.laptop("eve", 0).unwrap();
    laptop.undo_when_alone(&undo).unwrap();
    drop(laptop);
    let paper = phone.paper.clone();
    assert_eq!(phone.agent.join().unwrap(), Ended::Alone);
    assert_eq!(
        asked(&paper),
        ["rotate 1", "rotate -2", "remove gps", "$ cmd connectivity airplane-mode disable"]
    );

    // One that put it back itself says so.
    let phone = Phone::new(LONG);
    let laptop = phone.laptop("eve", 0).unwrap();
    laptop.undo_when_alone(&undo).unwrap();
    laptop.undo_when_alone(&[]).unwrap();
    laptop.goodbye();
    let paper = phone.paper.clone();
    assert_eq!(phone.agent.join().unwrap(), Ended::Goodbye);
    assert_eq!(asked(&paper), <[String; 0]>::default());
}

#[test]
fn who_lost_the_phone_for_a_moment_may_come_back_to_it() {
    let phone = Phone::new(LONG);
    let eve = phone.laptop("eve", 0).unwrap();
    drop(eve);
    // Whether the phone has seen that yet does not matter.
    let refused = phone.laptop("bob", 0).unwrap_err();
    assert_eq!(refused.message, "the phone R5CT is in use by eve@laptop");
    assert_eq!(phone.laptop("eve", 0).unwrap().key(3), Ok(true));
}

#[test]
fn an_answer_that_is_too_long_is_a_failure() {
    let phone = Phone::new(LONG);
    let laptop = phone.laptop("eve", 0).unwrap();
    phone.paper.set(|answers| answers.shell = "x".repeat(64 << 20));
    let failure = laptop.shell("cat everything").unwrap_err();
    assert_eq!(failure.message, "the phone's answer has 67108864 bytes, which is too much for one");
    assert_eq!(laptop.key(3), Ok(true));
}

#[test]
fn a_laptop_can_leave_while_the_phone_hangs() {
    let phone = Phone::new(LONG);
    let (sender, receiver) = mpsc::channel::<()>();
    phone.paper.set(|answers| answers.hangs = Some(Arc::new(Mutex::new(receiver))));
    let path = phone.socket.0.clone();
    let cable = Cable { path, ..Cable::default() };
    let patience = Patience { grace: Duration::from_millis(100), ..Patience::default() };
    let laptop = RemotePlatform::connect(Arc::new(cable), "eve", "eve", patience, &Cancel::default());
    let laptop = laptop.unwrap();
    let asking = laptop.clone();
    let asked = thread::spawn(move || asking.capture(Source::Service));
    while phone.paper.set(|answers| answers.hangs.as_ref().is_none_or(|hangs| hangs.try_lock().is_ok())) {
        thread::yield_now();
    }
    laptop.goodbye();
    drop(sender);
    let _ = asked.join().unwrap();
    assert_eq!(phone.agent.join().unwrap(), Ended::Goodbye);
}

#[test]
fn a_laptop_that_is_gone_is_missed_while_the_phone_hangs() {
    let phone = Phone::new(Duration::from_millis(400));
    let (sender, receiver) = mpsc::channel::<()>();
    phone.paper.set(|answers| answers.hangs = Some(Arc::new(Mutex::new(receiver))));
    let wire = UnixStream::connect(&phone.socket.0).unwrap();
    // A greeting, and a request for the screen.
    Wire::write(&wire, &[8, 8, 2, 18, 1, b's', 26, 1, b'w', 6, 8, 1, 16, 1, 24, 0]).unwrap();
    while phone.paper.set(|answers| answers.hangs.as_ref().is_none_or(|hangs| hangs.try_lock().is_ok())) {
        thread::yield_now();
    }
    drop(wire);
    assert_eq!(phone.agent.join().unwrap(), Ended::Alone);
    drop(sender);
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

    // A network that is gone closes nothing: only nothing is heard any more.
    let phone = Phone::with(server::Patience { alone: LONG, silent: Duration::from_millis(400) });
    let silent = UnixStream::connect(&phone.socket.0).unwrap();
    Wire::write(&silent, &[8, 8, 2, 18, 1, b's', 26, 1, b'w']).unwrap();
    let mut greeting = [0; 4];
    assert!(Wire::read(&silent, &mut greeting).unwrap() > 0);
    assert_eq!(phone.agent.join().unwrap(), Ended::Alone);

    let phone = Phone::new(LONG);
    phone.cancel.cancel();
    assert_eq!(phone.agent.join().unwrap(), Ended::Interrupted);
}

#[test]
fn what_happens_on_the_screen_is_pushed() {
    let phone = Phone::new(LONG);
    let laptop = phone.laptop("eve", 0).unwrap();
    let event = |uptime_ms| UiEvent { uptime_ms, kind: 2048, changes: 1 };
    phone.paper.set(|answers| answers.events = vec![event(1), event(2)]);
    // What was there before an answer has arrived with it.
    laptop.uptime_ms().unwrap();
    assert_eq!(laptop.take_events(), Ok(vec![event(1), event(2)]));
    assert_eq!(laptop.take_events(), Ok(Vec::new()));

    phone.paper.set(|answers| answers.events = vec![event(3)]);
    let pushed = (0..).find_map(|_| {
        thread::yield_now();
        laptop.take_events().ok().filter(|events| !events.is_empty())
    });
    assert_eq!(pushed, Some(vec![event(3)]));
}

#[test]
fn an_interrupt_is_heard_while_the_phone_hangs() {
    let phone = Phone::new(LONG);
    let (sender, receiver) = mpsc::channel::<()>();
    phone.paper.set(|answers| answers.hangs = Some(Arc::new(Mutex::new(receiver))));
    let path = phone.socket.0.clone();
    let cable = Cable { path, ..Cable::default() };
    let cancel = Cancel::default();
    let patience = Patience { grace: Duration::from_millis(100), ..Patience::default() };
    let laptop = RemotePlatform::connect(Arc::new(cable), "eve", "eve", patience, &cancel);
    cancel.cancel();
    let failure = laptop.unwrap().capture(Source::Service).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Interrupted);
    drop(sender);
}
