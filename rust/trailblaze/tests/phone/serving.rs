//! A laptop runs trails on phones that do what they are asked.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trailblaze::phone;
use trailblaze::run::{self, Attached, DriverChoice, Outcome, RunOptions};
use trailblaze_android::class_tool::ApkClasses;
use trailblaze_android::platform::Platform;
use trailblaze_android::remote::Wire;
use trailblaze_android::remote::client::{Dial, Patience, RemotePlatform};
use trailblaze_engine::host::Cancel;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_report::results::TrailResult;

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};

const DRIVER: Driver = Driver::AndroidOndeviceAccessibility;

/// The way to a socket of this machine that stands for one of a phone. It can be cut.
struct Cable {
    phone: &'static str,
    socket: String,
    is_cut: AtomicBool,
    wires: Mutex<Vec<Arc<dyn Wire>>>,
}

impl Cable {
    fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        self.wires.lock().unwrap().iter().for_each(|wire| wire.close());
    }
}

impl Dial for Cable {
    fn phone(&self) -> &str {
        self.phone
    }

    fn dial(&self) -> Result<Arc<dyn Wire>, Failure> {
        if self.is_cut.load(Ordering::Acquire) {
            return Err(Failure::new(FailureKind::Device, "the cable is cut"));
        }
        let at = SocketAddr::from_abstract_name(&self.socket).and_then(|at| UnixStream::connect_addr(&at));
        let wire: Arc<dyn Wire> =
            Arc::new(at.map_err(|error| Failure::new(FailureKind::Device, error.to_string()))?);
        self.wires.lock().unwrap().push(wire.clone());
        Ok(wire)
    }

    fn restart(&self) -> Result<(), Failure> {
        Err(Failure::new(FailureKind::NotSupported, "this one is not started again"))
    }
}

/// A phone whose agent serves, and the laptop's end of it.
struct Served {
    lab: Lab,
    agent: JoinHandle<()>,
    cable: Arc<Cable>,
    remote: RemotePlatform,
}

impl Served {
    fn new(phone: &'static str, test: &str) -> Self {
        let lab = Lab::bare();
        let session = format!("{test}-{phone}-{}", std::process::id());
        let (paper, cancel) = (lab.phone.clone(), lab.cancel.clone());
        let arguments = [("mode", "serve"), ("session", &session)];
        let arguments = arguments.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let agent =
            thread::spawn(move || phone::run_by(paper.clock.clone(), paper.clone(), arguments, &cancel));
        let socket = format!("trailblaze-{session}");
        let cable = Cable { phone, socket, is_cut: AtomicBool::new(false), wires: Mutex::default() };
        let cable = Arc::new(cable);
        let patience = Patience { away: Duration::from_millis(300), ..Patience::default() };
        let until = Instant::now() + Duration::from_secs(20);
        let remote = loop {
            match RemotePlatform::connect(cable.clone(), &session, "eve@laptop", patience, &Cancel::default())
            {
                Ok(remote) => break remote,
                Err(failure) => assert!(Instant::now() < until, "{failure}"),
            }
            thread::yield_now();
        };
        Self { lab, agent, cable, remote }
    }

    fn platform(&self) -> Arc<dyn Platform> {
        Arc::new(self.remote.clone())
    }

    fn attached(&self) -> Arc<dyn Attached> {
        let clock = self.lab.phone.clock.clone();
        phone::attached(&self.platform(), DRIVER, clock, Some(self.cable.phone)).unwrap()
    }

    fn goodbye(self) -> Lab {
        self.remote.goodbye();
        self.agent.join().unwrap();
        self.lab
    }
}

/// A workspace on the laptop.
fn workspace(trails: &[(&str, &[&str])]) -> Lab {
    let lab = Lab::bare();
    lab.write("trailblaze.yaml", "target: lab\n");
    lab.write(
        "trailblaze-config/targets/lab.yaml",
        "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n",
    );
    for (id, calls) in trails {
        lab.write(&format!("trails/{id}.trail.yaml"), &trail("", &[&[LAUNCH], *calls].concat()));
    }
    lab
}

fn run_on(phones: &[&Served], here: &Lab, change: impl FnOnce(&mut RunOptions)) -> Outcome {
    let mut options = RunOptions {
        paths: vec![here.root.clone()],
        driver: DriverChoice { stands_in_for: Some(DRIVER) },
        jobs: 1,
        attached: phones.iter().map(|phone| phone.attached()).collect(),
        classes: Some(Arc::new(ApkClasses::new(phones.iter().map(|phone| phone.platform()).collect()))),
        ..RunOptions::default()
    };
    change(&mut options);
    let prepared = run::prepare(&options).unwrap();
    let plan = run::plan(&options, &prepared).unwrap();
    let folder = run::folder(&options, &prepared).unwrap();
    run::run(&options, &prepared, &plan, &folder, &[], &Cancel::default()).unwrap()
}

/// `trail on phone: verdict`, sorted.
fn verdicts(outcome: &Outcome) -> Vec<String> {
    let line = |trail: &TrailResult| format!("{} on {}: {}", trail.id, trail.device, trail.verdict.as_str());
    let mut lines: Vec<String> = outcome.result.trails.iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn a_laptop_runs_trails_on_a_phone_that_serves() {
    let phone = Served::new("R5CT", "one");
    let here = workspace(&[("good", &[ADD, ONE]), ("wrong", &[NINE])]);
    let outcome = run_on(&[&phone], &here, |_| {});
    assert_eq!(verdicts(&outcome), ["good on R5CT: passed", "wrong on R5CT: failed"]);
    let lab = phone.goodbye();
    let state = lab.phone.state();
    assert_eq!(state.finished.len(), 1);
    let before = Lab::bare().phone.state().settings.clone();
    assert_eq!(state.settings, before);
}

#[test]
fn every_trail_runs_on_each_phone_and_one_that_dies_takes_only_its_own_with_it() {
    let (eve, bob) = (Served::new("eve", "several"), Served::new("bob", "several"));
    let here = workspace(&[("a", &[ADD, ONE]), ("b", &[ADD, ONE]), ("c", &[ADD, ONE])]);
    let cable = bob.cable.clone();
    bob.lab.phone.state().on_tap = Some(Box::new(move || cable.cut()));
    let outcome = run_on(&[&eve, &bob], &here, |_| {});
    let expected = [
        "a on bob: failed",
        "a on eve: passed",
        "b on bob: notRun",
        "b on eve: passed",
        "c on bob: notRun",
        "c on eve: passed",
    ];
    assert_eq!(verdicts(&outcome), expected);
    let of = |id: &str, device: &str| {
        outcome.result.trails.iter().find(|trail| *trail.id == *id && trail.device == *device).unwrap()
    };
    let failure = of("a", "bob").failure.as_ref().unwrap();
    assert_eq!(failure.kind, FailureKind::Device);
    assert_eq!(failure.message, "the phone bob is no longer reached: the cable is cut");
    assert_eq!(of("b", "bob").reason.as_deref(), Some("the device is gone"));
    // Both phones did it, each for itself.
    assert!(eve.lab.phone.state().done.iter().filter(|line| line.starts_with("launch")).count() >= 3);
    eve.goodbye();
    bob.lab.cancel.cancel();
    bob.agent.join().unwrap();
}

#[test]
fn trails_that_are_spread_go_on_where_a_phone_is_left() {
    let (eve, bob) = (Served::new("eve", "spread"), Served::new("bob", "spread"));
    let here = workspace(&[("a", &[ADD]), ("b", &[ADD]), ("c", &[ADD]), ("d", &[ADD])]);
    let cable = bob.cable.clone();
    bob.lab.phone.state().on_tap = Some(Box::new(move || cable.cut()));
    let outcome = run_on(&[&eve, &bob], &here, |options| options.shard_across = true);
    let said = verdicts(&outcome);
    assert_eq!(said.len(), 4, "{said:?}");
    // It may have got none, when the other was quick.
    let failed = said.iter().filter(|line| line.ends_with("failed")).count();
    assert!(
        failed <= 1 && said.iter().all(|line| line.ends_with("failed") == line.contains("bob")),
        "{said:?}"
    );
    assert_eq!(said.iter().filter(|line| line.ends_with("on eve: passed")).count(), 4 - failed, "{said:?}");
    eve.goodbye();
    bob.lab.cancel.cancel();
    bob.agent.join().unwrap();
}

#[test]
fn a_class_on_the_phone_is_a_tool_of_the_laptop() {
    let phone = Served::new("R5CT", "class");
    let about =
        r#"{"description":"Asks","inputSchema":{"type":"object","properties":{"ask":{"type":"string"}}}}"#;
    phone.lab.phone.state().classes.insert("com.example.Asks", Ok(about));
    let ask = r#"asks: { ask: '{"tap":{"text":"Add one"}}' }"#;
    let wrong = r#"asks: { ask: '{"assertVisibleWithText":{"text":"Count: 9"}}' }"#;
    let here = workspace(&[("good", &[ask, ONE]), ("wrong", &[wrong])]);
    here.write("trailblaze-config/tools/asks.yaml", "id: asks\nclass: com.example.Asks\n");
    let outcome = run_on(&[&phone], &here, |_| {});
    assert_eq!(verdicts(&outcome), ["good on R5CT: passed", "wrong on R5CT: failed"]);
    let failure = outcome.result.trails.iter().find_map(|trail| trail.failure.as_ref()).unwrap();
    assert!(failure.message.contains("Count: 9"), "{}", failure.message);
    phone.goodbye();
}

#[test]
fn a_phone_that_serves_needs_to_be_found() {
    let lab = Lab::bare();
    let ran = lab.run(&[("mode", "serve")]);
    let said = "'-e mode serve' needs '-e session NAME', by which the laptop finds the phone";
    assert_eq!(ran.finish.get("shortMsg"), said);
    let ran = lab.run(&[("mode", "dance")]);
    assert_eq!(ran.finish.get("shortMsg"), "the argument 'mode' must be 'run' or 'serve', not 'dance'");
}
