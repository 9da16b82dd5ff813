//! A device that was watched, and its world again without it.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

use std::sync::Arc;

use trailblaze_devices::recorded::{BadWorld, RecordedDevice, Seen, Watched, World};
use trailblaze_devices::sim::{SimDevice, SimOptions};
use trailblaze_engine::clock::{Clock, VirtualClock};
use trailblaze_engine::device::{Device, DeviceInfo};
use trailblaze_engine::script::{Module, ScriptLimits};
use trailblaze_model::action::{Action, Answer};
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::{NodeSpec, Prop, Screen, ScreenBuilder};
use trailblaze_script::QuickJs;

/// Counts taps, 800 ms after each; writes a line for each; throws when it is tapped at 13.
const APP: &str = "
export const app = {
  id: 'a', initialState: { n: 0 },
  render: (s) => ({ text: 'n=' + s.n, bounds: [0, 0, 100, 100] }),
  on: {
    tap(s, e, api) {
      if (e.x === 13) throw new Error('unlucky')
      console.log('tapped at ' + api.now())
      api.after(800, (s) => { console.warn('counted'); return { n: s.n + 1 } })
    },
    shell: (s, e) => ({ output: 'did ' + e.command }),
  },
}";

fn sim(clock: &Arc<VirtualClock>) -> Arc<SimDevice> {
    let app = Module::new("app.js", APP);
    let mut options = SimOptions::new(app, clock.clone(), Arc::new(QuickJs));
    options.limits = ScriptLimits { call_ms: 1_000, heap_bytes: 16 << 20, ..ScriptLimits::default() };
    Arc::new(SimDevice::new(options).unwrap())
}

fn watch(start_ms: u64, limit: Option<usize>) -> (Watched, Arc<VirtualClock>) {
    let clock = Arc::new(VirtualClock::starting_at(start_ms));
    (Watched::new(sim(&clock), clock.clone(), limit), clock)
}

fn replay(world: World, start_ms: u64) -> (RecordedDevice, Arc<VirtualClock>) {
    let clock = Arc::new(VirtualClock::starting_at(start_ms));
    (RecordedDevice::new(world, clock.clone()), clock)
}

fn tap(x: i32) -> Action {
    Action::Tap { x, y: 1 }
}

fn launch() -> Action {
    Action::LaunchApp { app_id: "a".into(), arguments: Default::default() }
}

/// Everything that can be asked, with times from the start.
fn look(device: &dyn Device, clock: &VirtualClock, start_ms: u64) -> String {
    let screen = device.capture().map(|screen| {
        let texts: Vec<String> = screen.nodes().filter_map(|node| node.text()).map(str::to_owned).collect();
        texts.join(",")
    });
    let logs: Vec<String> =
        device.take_logs().into_iter().map(|line| format!("{:?} {}", line.level, line.message)).collect();
    format!(
        "{} {:?} changed {:?} front {:?} {logs:?}",
        clock.now_ms() - start_ms,
        screen.map_err(|failure| failure.message),
        device.last_change_ms().map(|t| t.saturating_sub(start_ms)),
        device.foreground_app().unwrap(),
    )
}

/// A little life: what was seen and answered, line by line.
fn live(device: &dyn Device, clock: &VirtualClock) -> Vec<String> {
    let start = clock.now_ms();
    let mut seen = vec![look(device, clock, start)];
    for (action, waits) in [
        (launch(), &[0, 100][..]),
        (tap(1), &[0, 100, 699, 1, 500]),
        (Action::Shell { command: "ls".into() }, &[0]),
        (tap(13), &[0, 50]),
        (tap(2), &[300, 600]),
        (Action::Home, &[0, 10]),
    ] {
        let answer = device.act(&action);
        seen.push(format!("{:?}", answer.map(|answer| answer.text).map_err(|failure| failure.message)));
        for wait in waits {
            clock.sleep(*wait);
            seen.push(look(device, clock, start));
        }
    }
    seen
}

/// As it is when it comes back from a file.
fn through_lines(world: &World) -> World {
    let mut screen = |number: usize| -> Result<Screen, String> {
        Screen::from_bytes(&world.screens[number].to_bytes()).map_err(|error| error.to_string())
    };
    World::from_lines(&world.to_lines(), &mut screen).unwrap()
}

fn recorded(start_ms: u64) -> (World, Vec<String>) {
    let (watched, clock) = watch(start_ms, None);
    let seen = live(&watched, &clock);
    (watched.world().unwrap(), seen)
}

#[test]
fn a_watched_device_is_the_device() {
    let clock = Arc::new(VirtualClock::starting_at(0));
    let plain = live(sim(&clock).as_ref(), &clock);
    let (world, seen) = recorded(0);
    assert_eq!(seen, plain);
    assert!(seen.iter().any(|line| line.contains("unlucky")), "{seen:#?}");
    assert!(seen.iter().any(|line| line.contains("Warn counted")), "{seen:#?}");
    assert!(world.screens.len() >= 4, "{}", world.screens.len());
}

#[test]
fn the_world_is_the_same_again() {
    let (world, seen) = recorded(0);
    let (device, clock) = replay(world.clone(), 0);
    assert_eq!(live(&device, &clock), seen);
    assert_eq!(device.info(), &world.info);
    assert_eq!(device.installed_apps().unwrap(), ["a"]);
    assert_eq!(device.screenshot().unwrap()[1..4], *b"PNG");
}

#[test]
fn it_does_not_matter_when_it_was_and_when_it_is_again() {
    for (then, now) in [(0, 70_000), (70_000, 0), (5_000, 5_000)] {
        let (world, seen) = recorded(then);
        assert_eq!(world.start_ms, then);
        let (device, clock) = replay(world, now);
        let again: Vec<String> = live(&device, &clock);
        // The app itself tells its own time.
        let own = |lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| line.replace(&format!("at {}", then + 100), "at …")).collect()
        };
        assert_eq!(own(&again), own(&seen), "{then} {now}");
    }
}

#[test]
fn a_slower_or_faster_replay_sees_what_had_come_by_then() {
    let (world, _) = recorded(0);
    let (device, clock) = replay(world, 1_000);
    let text = || device.capture().unwrap().nodes().find_map(|node| node.text().map(str::to_owned));
    device.act(&launch()).unwrap();
    clock.sleep(9_000);
    assert_eq!(text().as_deref(), Some("n=0"), "nothing more came before the next action");
    device.act(&tap(1)).unwrap();
    assert_eq!(text().as_deref(), Some("n=0"));
    clock.sleep(790);
    assert_eq!(text().as_deref(), Some("n=0"));
    clock.sleep(10);
    assert_eq!(text().as_deref(), Some("n=1"));
    assert_eq!(device.last_change_ms().unwrap(), 10_800, "800 ms after the tap");
}

#[test]
fn the_lines_bring_the_same_world_back() {
    let (world, seen) = recorded(3_000);
    let back = through_lines(&world);
    assert_eq!(back, world);
    assert_eq!(back.to_lines(), world.to_lines());
    let (device, clock) = replay(back, 3_000);
    assert_eq!(live(&device, &clock), seen);
    let kinds: Vec<&str> = world.to_lines().lines().skip(1).filter_map(kind).collect();
    for kind in ["screen", "changed", "front", "act", "log"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
}

/// The key of a line that says what it is.
fn kind(line: &str) -> Option<&'static str> {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    ["screen", "changed", "front", "act", "log"].into_iter().find(|key| value.get(key).is_some())
}

#[test]
fn another_action_has_no_answer() {
    let (world, _) = recorded(0);
    let (device, _) = replay(world, 0);
    device.act(&launch()).unwrap();
    let failure = device.act(&tap(2)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotRecorded);
    assert_eq!(
        failure.message,
        r#"the recorded world has no answer to {"action":"tap","x":2,"y":1}; it saw {"action":"tap","x":1,"y":1} here"#
    );
    device.act(&tap(1)).unwrap();
}

#[test]
fn after_the_end_nothing_has_an_answer_but_the_last_screen_stays() {
    let (world, _) = recorded(0);
    let (device, clock) = replay(world, 0);
    live(&device, &clock);
    clock.sleep(100_000);
    let failure = device.act(&Action::Back).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotRecorded);
    assert_eq!(failure.message, r#"the recorded world ends here; it has no answer to {"action":"back"}"#);
    device.capture().unwrap();
    assert!(device.take_logs().is_empty());
}

#[test]
fn a_world_without_screens_says_so() {
    let (watched, _) = watch(0, None);
    let (device, _) = replay(watched.world().unwrap(), 0);
    assert_eq!(device.capture().unwrap_err().kind, FailureKind::NotRecorded);
    assert_eq!(device.foreground_app().unwrap(), None);
    assert_eq!(device.last_change_ms().unwrap(), 0);
}

#[test]
fn a_world_that_grows_too_large_is_given_up() {
    let (watched, clock) = watch(0, Some(1 << 20));
    live(&watched, &clock);
    assert!(watched.world().is_some());
    let (watched, clock) = watch(0, Some(600));
    let seen = live(&watched, &clock);
    assert_eq!(seen, recorded(0).1, "the device itself is not disturbed");
    assert_eq!(watched.world(), None);
}

#[test]
fn what_is_typed_and_answered_counts() {
    let (watched, _) = watch(0, Some(100_000));
    watched.act(&launch()).unwrap();
    for number in 0..2 {
        assert!(watched.world().is_some(), "{number}");
        watched.act(&Action::Shell { command: "x".repeat(30_000) }).unwrap();
    }
    assert_eq!(watched.world(), None);
}

#[test]
fn what_is_seen_twice_is_noted_once() {
    let (watched, clock) = watch(0, None);
    watched.act(&launch()).unwrap();
    for _ in 0..50 {
        clock.sleep(10);
        look(&watched, &clock, 0);
    }
    let world = watched.world().unwrap();
    assert_eq!(world.screens.len(), 1);
    assert_eq!(world.notes.len(), 4, "the action, a screen, its time, the app: {:?}", world.notes);
}

/// Shows one of two screens, each time anew, as a phone does.
struct Turning {
    sim: Arc<SimDevice>,
    clock: Arc<VirtualClock>,
}

impl Device for Turning {
    fn info(&self) -> &DeviceInfo {
        self.sim.info()
    }

    fn capture(&self) -> Result<Arc<Screen>, Failure> {
        let now = self.clock.now_ms();
        let mut builder = ScreenBuilder::new(100, 100, now);
        let text = if (now / 10).is_multiple_of(2) { "tick" } else { "tock" };
        builder.open(NodeSpec::default().with(Prop::Text, text)).unwrap();
        builder.close();
        Ok(Arc::new(builder.finish()))
    }

    fn act(&self, action: &Action) -> Result<Answer, Failure> {
        self.sim.act(action)
    }

    fn last_change_ms(&self) -> Result<u64, Failure> {
        self.sim.last_change_ms()
    }

    fn screenshot(&self) -> Result<Vec<u8>, Failure> {
        self.sim.screenshot()
    }

    fn foreground_app(&self) -> Result<Option<String>, Failure> {
        self.sim.foreground_app()
    }

    fn installed_apps(&self) -> Result<Vec<String>, Failure> {
        self.sim.installed_apps()
    }
}

#[test]
fn screens_that_come_again_are_kept_once() {
    let clock = Arc::new(VirtualClock::starting_at(0));
    let device = Arc::new(Turning { sim: sim(&clock), clock: clock.clone() });
    let watched = Watched::new(device, clock.clone(), None);
    let mut seen = Vec::new();
    for _ in 0..100 {
        seen.push(watched.capture().unwrap().nodes().next().unwrap().text().unwrap().to_owned());
        clock.sleep(10);
    }
    let world = watched.world().unwrap();
    assert_eq!((world.screens.len(), world.notes.len()), (2, 100));
    let (device, clock) = replay(world, 0);
    for text in seen {
        assert_eq!(device.capture().unwrap().nodes().next().unwrap().text(), Some(text.as_str()));
        clock.sleep(10);
    }
}

#[test]
fn texts_are_replaced_everywhere() {
    let (mut world, _) = recorded(0);
    world.map_texts(&|text| {
        let found = ["n=1", "unlucky", "did ls", "ls", "tapped", "counted"];
        let mut new = text.to_owned();
        found.iter().for_each(|word| new = new.replace(word, "***"));
        (new != text).then_some(new)
    });
    let mut all = world.to_lines();
    for screen in &world.screens {
        all += &String::from_utf8_lossy(&screen.to_bytes());
    }
    for word in ["n=1", "unlucky", "did", "\"ls", "tapped", "counted"] {
        assert!(!all.contains(word), "{word}");
    }
    assert!(all.contains("***"));
}

#[test]
fn bad_lines_are_refused_with_their_number() {
    let (world, _) = recorded(0);
    let lines = world.to_lines();
    let head = lines.lines().next().unwrap().to_owned();
    let read = |text: &str| {
        let mut screen = |number: usize| {
            world.screens.get(number).map(|screen| screen.as_ref().clone()).ok_or("it is missing".to_owned())
        };
        World::from_lines(text, &mut screen).unwrap_err()
    };
    let bad = |line: usize, message: &str| BadWorld { line: Some(line), message: message.to_owned() };
    assert_eq!(read(""), bad(1, "the session is empty"));
    assert_eq!(read("{}"), bad(1, "the session has another version than 1"));
    assert_eq!(read(r#"{"version":1}"#), bad(1, "the first line does not describe a device"));
    assert_eq!(read("{").line, Some(1));
    let more = head.replace(&format!("\"screens\":{}", world.screens.len()), "\"screens\":999");
    assert_ne!(more, head);
    assert_eq!(read(&more), BadWorld { line: None, message: "it is missing".to_owned() });
    for note in [
        "[]",
        "{}",
        r#"{"t":1}"#,
        r#"{"t":-1,"screen":0}"#,
        r#"{"t":1,"screen":999}"#,
        r#"{"t":1,"noScreen":{"kind":"NoSuch","message":"m"}}"#,
        r#"{"t":1,"act":{"action":"fly"}}"#,
        r#"{"t":1,"log":"x","level":"loud"}"#,
    ] {
        assert_eq!(read(&format!("{head}\n{note}\n")), bad(2, "this is no note of a session"), "{note}");
    }
    let cut = &lines[..lines.len() - 3];
    assert_eq!(read(cut).line, Some(lines.lines().count()));
}

#[test]
fn notes_that_are_missing_at_the_end_are_noticed() {
    let (world, _) = recorded(0);
    let (lines, count) = (world.to_lines(), world.notes.len());
    let read =
        |text: &str| World::from_lines(text, &mut |number: usize| Ok(world.screens[number].as_ref().clone()));
    for kept in [0, 4, count - 1] {
        let cut: String = lines.split_inclusive('\n').take(kept + 1).collect();
        let refused = read(&cut).unwrap_err();
        assert_eq!(refused.line, Some(kept + 1));
        assert_eq!(refused.message, format!("the session is cut off after {kept} of {count} notes"));
        // A session of an older version does not know how many there were.
        let older = cut.replace(&format!(",\"notes\":{count}"), "");
        assert_ne!(older, cut);
        assert_eq!(read(&older).unwrap().notes.len(), kept);
    }
}

#[test]
fn failures_of_any_question_come_again() {
    let (mut world, _) = recorded(0);
    let failure = || Failure::new(FailureKind::Device, "gone").hint("plug it in");
    for note in &mut world.notes {
        match &mut note.what {
            Seen::Screen(seen) => *seen = Err(failure()),
            Seen::Changed(seen) => *seen = Err(failure()),
            Seen::Front(seen) => *seen = Err(failure()),
            Seen::Log(_) | Seen::Acted { .. } => {}
        }
    }
    let world = through_lines(&world);
    let (device, _) = replay(world, 0);
    assert_eq!(device.capture().unwrap_err(), failure());
    assert_eq!(device.last_change_ms().unwrap_err(), failure());
    assert_eq!(device.foreground_app().unwrap_err(), failure());
}
