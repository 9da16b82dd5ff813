//! How the phone is held, where it is and whether it is connected, and that all of it is put back.

use trailblaze_model::action::Orientation;

use super::*;

const ASK: &str = "$ appops get dev.trailblaze.agent android:mock_location";
const ALLOW: &str = "$ appops set dev.trailblaze.agent android:mock_location allow";
const DEFAULT: &str = "$ appops set dev.trailblaze.agent android:mock_location default";

fn turn(orientation: Orientation) -> Action {
    Action::SetOrientation { orientation }
}

fn go(latitude: f64, longitude: f64) -> Action {
    Action::SetLocation { latitude, longitude }
}

#[test]
fn the_phone_turns_and_is_turned_back() {
    let asks = "$ settings get system accelerometer_rotation, $ settings get system user_rotation";
    for (by_itself, held, back) in [
        ("1\n", "0\n", "rotate 0, display, rotate -2"),
        ("null\n", "null\n", "rotate 0, display, rotate -2"),
        ("1\n", "3\n", "rotate 3, display, rotate -2"),
        // Somebody holds it fast, and so it stays.
        ("0\n", "1\n", "rotate 1, display"),
    ] {
        let bench = bench(Source::Service);
        // However an app has turned the display.
        bench.paper.set(|answers| answers.rotation = 2);
        let settings = [("settings get system accelerometer", by_itself), ("settings get system user", held)];
        bench.paper.set(|answers| answers.said.extend(settings));
        bench.device.act(&turn(Orientation::UpsideDown)).unwrap();
        assert_eq!(bench.asked(), format!("{asks}, rotate 2, display"));
        bench.device.act(&turn(Orientation::LandscapeRight)).unwrap();
        assert_eq!(bench.asked(), "rotate 3, display");
        bench.device.put_back().unwrap();
        assert_eq!(bench.asked(), back);
        bench.device.put_back().unwrap();
        assert_eq!(bench.asked(), "", "once is enough");
    }
}

#[test]
fn an_app_that_does_not_turn_is_waited_for_and_is_no_failure() {
    let bench = bench(Source::UiAutomation);
    bench.paper.set(|answers| answers.is_stubborn = true);
    bench.device.act(&turn(Orientation::LandscapeLeft)).unwrap();
    assert_eq!(bench.clock.now_ms(), 1_000);
}

#[test]
fn a_phone_that_cannot_be_turned_says_so() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.refuses = true);
    let failure = bench.fails(&turn(Orientation::LandscapeLeft));
    assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Refused, "the phone did not turn"));
    assert!(failure.hint.is_some());
}

#[test]
fn fingers_know_how_the_phone_is_held() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.screen = Some(ScreenBuilder::new(2000, 1000, 0).finish()));
    bench.device.capture().unwrap();
    bench.asked();
    bench.device.act(&Action::Pinch { scale: 2.0, at: None }).unwrap();
    let asked = bench.asked();
    assert!(asked.starts_with("dispatch 850,500 "), "{asked}");
}

#[test]
fn the_phone_is_somewhere_else_until_it_is_put_back() {
    let bench = bench(Source::Service);
    bench.device.act(&go(52.5, -13.25)).unwrap();
    let there = "gps 52.5,-13.25, network 52.5,-13.25";
    assert_eq!(bench.asked(), format!("{ASK}, {ALLOW}, add gps, add network, {there}"));
    bench.device.act(&go(0.0, 180.0)).unwrap();
    assert_eq!(bench.asked(), "gps 0,180, network 0,180");
    bench.device.put_back().unwrap();
    assert_eq!(bench.asked(), format!("remove gps, remove network, {DEFAULT}"));
    bench.device.act(&go(1.0, 2.0)).unwrap();
    assert_eq!(bench.asked(), format!("{ASK}, {ALLOW}, add gps, add network, gps 1,2, network 1,2"));
}

#[test]
fn who_could_set_the_location_before_still_can() {
    for (said, before) in [
        ("MOCK_LOCATION: allow\n", "allow"),
        ("MOCK_LOCATION: ignore; time=+1h2m ago; rejectTime=+3s ago\n", "ignore"),
        ("Uid mode: MOCK_LOCATION: deny\nMOCK_LOCATION: foreground\n", "foreground"),
        ("No operations.\nDefault mode: deny\n", "default"),
        ("", "default"),
    ] {
        let bench = bench(Source::Service);
        bench.paper.set(|answers| answers.said.push(("appops get", said)));
        bench.device.act(&go(1.0, 2.0)).unwrap();
        bench.device.put_back().unwrap();
        let asked = bench.asked();
        assert!(asked.ends_with(&format!("android:mock_location {before}")), "{said}: {asked}");
    }
}

/// One that is there and cannot be switched on would hide the phone's own.
#[test]
fn a_provider_that_is_not_taken_is_removed() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.broken = "add gps");
    bench.fails(&go(1.0, 2.0));
    assert_eq!(bench.asked(), format!("{ASK}, {ALLOW}, add gps, remove gps"));
}

#[test]
fn airplane_mode_is_as_it_was() {
    for (before, back) in [("0\n", "disable"), ("null\n", "disable"), ("1\n", "enable")] {
        let bench = bench(Source::Service);
        bench.paper.set(|answers| answers.said.push(("settings get global airplane_mode_on", before)));
        bench.device.act(&Action::SetConnected { connected: false }).unwrap();
        let asks = "$ settings get global airplane_mode_on";
        assert_eq!(bench.asked(), format!("{asks}, $ cmd connectivity airplane-mode enable"));
        bench.device.act(&Action::SetConnected { connected: true }).unwrap();
        assert_eq!(bench.asked(), "$ cmd connectivity airplane-mode disable");
        bench.device.put_back().unwrap();
        assert_eq!(bench.asked(), format!("$ cmd connectivity airplane-mode {back}"));
        bench.device.put_back().unwrap();
        assert_eq!(bench.asked(), "", "once is enough");
    }
}

/// An app that begins to listen later hears it as well.
#[test]
fn where_the_phone_is_is_said_again_every_second() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.screen = Some(screen(&[])));
    let look = || {
        bench.device.capture().unwrap();
        bench.asked()
    };
    assert_eq!(look(), "capture Service");
    bench.device.act(&go(1.0, 2.0)).unwrap();
    bench.asked();
    bench.clock.sleep(999);
    assert_eq!(look(), "capture Service");
    bench.clock.sleep(1);
    assert_eq!(look(), "gps 1,2, network 1,2, capture Service");
    assert_eq!(look(), "capture Service");
}

#[test]
fn a_phone_that_takes_no_location_says_so() {
    for (broken, message) in [
        ("add gps", "the phone does not take another location: DeadObjectException"),
        ("network", "the phone does not take another location: DeadObjectException"),
    ] {
        let bench = bench(Source::Service);
        bench.paper.set(|answers| answers.broken = broken);
        let failure = bench.fails(&go(1.0, 2.0));
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Device, message));
        assert!(failure.hint.unwrap().contains("mock location app"));
        assert_eq!(failure.stack.as_deref(), Some("at android.os"));
    }
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.shell = "Error: Unknown operation\n".to_owned());
    let failure = bench.fails(&go(1.0, 2.0));
    let said =
        "'appops set dev.trailblaze.agent android:mock_location allow' failed: Error: Unknown operation";
    assert_eq!(failure.message, format!("the phone does not take another location: {said}"));
}

/// What was not done is not undone, and what fails does not keep the rest.
#[test]
fn as_much_as_can_be_is_put_back() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| answers.broken = "add network");
    bench.fails(&go(1.0, 2.0));
    bench.device.act(&turn(Orientation::LandscapeLeft)).unwrap();
    bench.asked();
    bench.paper.set(|answers| answers.broken = "rotate 0");
    assert_eq!(bench.device.put_back().unwrap_err().message, "DeadObjectException");
    assert_eq!(bench.asked(), format!("rotate 0, rotate -2, remove gps, {DEFAULT}"));
}

#[test]
fn the_end_of_a_device_puts_everything_back() {
    let Bench { paper, device, .. } = bench(Source::Service);
    device.act(&turn(Orientation::LandscapeLeft)).unwrap();
    device.act(&go(1.0, 2.0)).unwrap();
    device.act(&Action::SetConnected { connected: false }).unwrap();
    paper.set(|answers| {
        answers.asked.clear();
        answers.broken = "remove gps";
    });
    drop(device);
    let asked = paper.set(|answers| answers.asked.join(", "));
    let log = "log 5 trailblaze what a trail changed on the phone is not put back: DeadObjectException";
    let connect = "$ cmd connectivity airplane-mode disable";
    assert_eq!(
        asked,
        format!("rotate 0, display, rotate -2, remove gps, remove network, {DEFAULT}, {connect}, {log}")
    );
}
