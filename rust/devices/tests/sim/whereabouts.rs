//! How the phone is held, and where it is.

use trailblaze_model::action::Orientation;

use super::*;

fn turn(orientation: Orientation) -> Action {
    Action::SetOrientation { orientation }
}

fn size(sim: &Sim) -> (i32, i32, u8) {
    let screen = sim.screen();
    (screen.width, screen.height, screen.rotation)
}

#[test]
fn the_screen_turns_with_the_phone() {
    let sim = Sim::app("initialState: '', render: () => ({ windows: [{ text: 'A' }], keyboard: true })");
    let bounds = || -> Vec<[i32; 4]> {
        let screen = sim.screen();
        let all = screen.nodes().filter_map(|node| node.bounds());
        all.map(|bounds| [bounds.left, bounds.top, bounds.right, bounds.bottom]).collect()
    };
    let upright = vec![[0, 0, 1080, 2400], [0, 1600, 1080, 2400]];
    let turned = vec![[0, 0, 2400, 1080], [0, 720, 2400, 1080]];
    assert_eq!((size(&sim), bounds()), ((1080, 2400, 0), upright.clone()));
    for (orientation, expected, places) in [
        (Orientation::LandscapeLeft, (2400, 1080, 1), &turned),
        (Orientation::LandscapeRight, (2400, 1080, 3), &turned),
        (Orientation::UpsideDown, (1080, 2400, 2), &upright),
        (Orientation::Portrait, (1080, 2400, 0), &upright),
    ] {
        sim.clock.sleep(10);
        sim.act(turn(orientation));
        assert_eq!((size(&sim), &bounds()), (expected, places));
        assert_eq!(sim.device.last_change_ms().unwrap(), sim.clock.now_ms(), "{orientation:?}");
    }
}

#[test]
fn the_launcher_and_toasts_turn_too() {
    let sim = Sim::app("initialState: '', render: () => ({}), on: { tap: (s, e, api) => api.toast('Hi') }");
    sim.act(tap(5, 5));
    sim.act(turn(Orientation::LandscapeLeft));
    let bounds = sim.screen().nodes().find(|node| node.text() == Some("Hi")).unwrap().bounds().unwrap();
    assert_eq!((bounds.left, bounds.right, bounds.bottom), (240, 2160, 930));
    sim.act(Action::Home);
    assert!(sim.is_home());
    let bounds = sim.screen().nodes().find(|node| node.text() == Some("a")).unwrap().bounds().unwrap();
    assert_eq!(bounds.right, 2400 - 133);
}

#[test]
fn a_running_app_hears_of_it_once() {
    let sim = Sim::logging("[['rotate', (e) => [e.orientation, e.width, e.height]]]");
    sim.act(turn(Orientation::LandscapeRight));
    sim.act(turn(Orientation::LandscapeRight));
    assert_eq!(sim.text(), "rotate:landscapeRight,2400,1080");
    let sim = Sim::logging("[['location', (e) => [e.latitude, e.longitude]]]");
    let place = |latitude, longitude| Action::SetLocation { latitude, longitude };
    sim.act(place(52.52, -13.405));
    sim.act(place(52.52, -13.405));
    assert_eq!(sim.text(), "location:52.52,-13.405 location:52.52,-13.405");
}

#[test]
fn an_app_that_starts_later_is_told_at_its_start() {
    let show = "(e) => [e.orientation, e.width, e.height, JSON.stringify(e.location)]";
    let sim = Sim::logging(&format!(
        "[['launch', {show}], ['location', () => 'heard'], ['rotate', () => 'heard']]"
    ));
    assert_eq!(sim.text(), "launch:portrait,1080,2400,null");
    sim.act(Action::StopApp { app_id: "a".into() });
    sim.act(turn(Orientation::LandscapeLeft));
    sim.act(Action::SetLocation { latitude: -1.5, longitude: 180.0 });
    sim.act(launch("a"));
    let told = r#"launch:landscapeLeft,2400,1080,{"latitude":-1.5,"longitude":180}"#;
    assert_eq!(sim.text(), format!("launch:portrait,1080,2400,null {told}"));
}

#[test]
fn an_app_that_throws_is_not_turned() {
    let sim = Sim::app(
        "initialState: 'A', render: (text) => ({ text }), on: { rotate() { throw new Error('no') } }",
    );
    assert_eq!(sim.fail(turn(Orientation::LandscapeLeft)).kind, FailureKind::App);
    assert_eq!(size(&sim), (1080, 2400, 0));
    let bounds = sim.screen().nodes().next().unwrap().bounds().unwrap();
    assert_eq!((bounds.right, bounds.bottom), (1080, 2400));
}

#[test]
fn pinches_without_a_place_are_in_the_middle_of_the_turned_screen() {
    let sim = Sim::logging("[['pinch', (e) => [e.x, e.y]]]");
    sim.act(turn(Orientation::LandscapeLeft));
    sim.act(Action::Pinch { scale: 2.0, at: None });
    assert_eq!(sim.text(), "pinch:1200,540");
}
