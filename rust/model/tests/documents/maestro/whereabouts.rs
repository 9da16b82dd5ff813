//! How the device is held, and where it is.

use trailblaze_model::action::Orientation;

use super::*;

#[test]
fn orientations() {
    for (name, orientation) in [
        ("PORTRAIT", Orientation::Portrait),
        ("LANDSCAPE_LEFT", Orientation::LandscapeLeft),
        ("LANDSCAPE_RIGHT", Orientation::LandscapeRight),
        ("UPSIDE_DOWN", Orientation::UpsideDown),
        ("landscapeLeft", Orientation::LandscapeLeft),
        ("upside_down", Orientation::UpsideDown),
    ] {
        reads(&format!("setOrientation: {name}"), Kind::SetOrientation(orientation));
        reads(&format!("setOrientation: {{ orientation: {name} }}"), Kind::SetOrientation(orientation));
    }
    open("setOrientation: '${way}'");
    let hint = Some("use PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT or UPSIDE_DOWN");
    fails("setOrientation: sideways", "/setOrientation", "unknown orientation 'sideways'", hint);
    let at = "/setOrientation/orientation";
    fails("setOrientation: { orientation: 90 }", at, "unknown orientation '90'", hint);
    fails("setOrientation: {}", "/setOrientation", "'setOrientation' needs 'orientation'", None);
    fails(
        "setOrientation: { to: PORTRAIT }",
        "/setOrientation/to",
        "'setOrientation' has no option 'to'",
        Some("options: orientation, label, optional"),
    );
}

#[test]
fn locations() {
    let berlin = Kind::SetLocation { latitude: 52.52, longitude: -13.405 };
    reads("setLocation: { latitude: 52.52, longitude: -13.405 }", berlin.clone());
    reads("setLocation: { latitude: '52.52', longitude: ' -13.405 ' }", berlin);
    let edge = Kind::SetLocation { latitude: -90.0, longitude: 180.0 };
    reads("setLocation: { latitude: -90, longitude: 180 }", edge);
    open("setLocation: { latitude: '${lat}', longitude: '{{long}}' }");
    let hint = Some("a place is degrees: { latitude: 52.52, longitude: 13.405 }");
    for (value, said) in
        [("90.01", "90.01"), ("north", "north"), (".nan", ".nan"), ("NaN", "NaN"), ("inf", "inf")]
    {
        fails(
            &format!("setLocation: {{ latitude: {value}, longitude: 0 }}"),
            "/setLocation/latitude",
            &format!("'latitude' must be a number from -90 to 90, not '{said}'"),
            hint,
        );
    }
    fails(
        "setLocation: { latitude: 0, longitude: -180.5 }",
        "/setLocation/longitude",
        "'longitude' must be a number from -180 to 180, not '-180.5'",
        hint,
    );
    fails("setLocation: { latitude: 0 }", "/setLocation", "'setLocation' needs 'longitude'", None);
    let scalar = "'setLocation' takes no single value, not '52.52,13.405'";
    fails("setLocation: 52.52,13.405", "/setLocation", scalar, None);
}

#[test]
fn on_the_wire() {
    use trailblaze_model::action::Action;

    let wire = |action: &Action| serde_json::to_string(action).expect("actions are JSON");
    for (orientation, name) in [
        (Orientation::Portrait, "portrait"),
        (Orientation::LandscapeLeft, "landscapeLeft"),
        (Orientation::LandscapeRight, "landscapeRight"),
        (Orientation::UpsideDown, "upsideDown"),
    ] {
        let action = Action::SetOrientation { orientation };
        let text = format!(r#"{{"action":"setOrientation","orientation":"{name}"}}"#);
        assert_eq!(wire(&action), text);
        assert_eq!(serde_json::from_str::<Action>(&text).expect("it was just written"), action);
    }
    let action = Action::SetLocation { latitude: 52.52, longitude: -13.0 };
    let text = r#"{"action":"setLocation","latitude":52.52,"longitude":-13.0}"#;
    assert_eq!(wire(&action), text);
    assert_eq!(serde_json::from_str::<Action>(text).expect("it was just written"), action);
}
