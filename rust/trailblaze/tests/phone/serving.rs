//! A laptop runs trails on a phone that does what it is asked.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use trailblaze::phone;
use trailblaze::run::{self, DriverChoice, RunOptions};
use trailblaze_android::platform::Platform;
use trailblaze_android::remote::client::{Dial, RemotePlatform};
use trailblaze_android::remote::server::Stream;
use trailblaze_engine::host::Cancel;
use trailblaze_model::driver::Driver;
use trailblaze_model::failure::{Failure, FailureKind};

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, trail};

/// The way to a socket of this machine that stands for one of the phone.
struct Cable(String);

impl Dial for Cable {
    fn dial(&self) -> Result<Box<dyn Stream>, Failure> {
        let connect = SocketAddr::from_abstract_name(&self.0).and_then(|at| UnixStream::connect_addr(&at));
        connect
            .map(|stream| Box::new(stream) as Box<dyn Stream>)
            .map_err(|error| Failure::new(FailureKind::Device, error.to_string()))
    }
}

fn connect(session: &str) -> RemotePlatform {
    let cable = Arc::new(Cable(format!("trailblaze-{session}")));
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        match RemotePlatform::connect(cable.clone(), session, "eve@laptop", &Cancel::default()) {
            Ok(platform) => return platform,
            Err(failure) => assert!(Instant::now() < until, "{failure}"),
        }
        thread::yield_now();
    }
}

#[test]
fn a_laptop_runs_trails_on_a_phone_that_serves() {
    let lab = Lab::bare();
    let before = lab.phone.state().settings.clone();
    let session = format!("test-{}", std::process::id());
    let (paper, cancel) = (lab.phone.clone(), lab.cancel.clone());
    let arguments = [("mode", "serve"), ("session", &session)];
    let arguments = arguments.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let agent = thread::spawn(move || phone::run_by(paper.clock.clone(), paper.clone(), arguments, &cancel));
    let remote = Arc::new(connect(&session));

    lab.write("trailblaze.yaml", "target: lab\n");
    lab.write(
        "trailblaze-config/targets/lab.yaml",
        "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n",
    );
    lab.write("trails/good.trail.yaml", &trail("", &[LAUNCH, ADD, ONE]));
    lab.write("trails/wrong.trail.yaml", &trail("", &[LAUNCH, NINE]));
    let platform: Arc<dyn Platform> = remote.clone();
    let driver = Driver::AndroidOndeviceAccessibility;
    let attached = phone::attached(&platform, driver, lab.phone.clock.clone(), Some("R5CT")).unwrap();
    let options = RunOptions {
        paths: vec![lab.root.clone()],
        driver: DriverChoice { stands_in_for: Some(driver) },
        jobs: 1,
        attached: Some(attached),
        ..RunOptions::default()
    };
    let prepared = run::prepare(&options).unwrap();
    let plan = run::plan(&options, &prepared).unwrap();
    let folder = run::folder(&options, &prepared).unwrap();
    let outcome = run::run(&options, &prepared, &plan, &folder, &[], &Cancel::default()).unwrap();
    let verdicts: Vec<String> = outcome
        .result
        .trails
        .iter()
        .map(|trail| format!("{} on {}: {}", trail.id, trail.device, trail.verdict.as_str()))
        .collect();
    assert_eq!(verdicts, ["good on R5CT: passed", "wrong on R5CT: failed"]);

    remote.goodbye();
    agent.join().unwrap();
    let state = lab.phone.state();
    assert_eq!(state.finished.len(), 1);
    assert_eq!(state.settings, before);
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
