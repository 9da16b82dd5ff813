//! Changes in the binary manifest.

use trailblaze_apk::manifest::{Changes, Facts, Manifest, check_package};

use crate::template::MANIFEST;

fn changed(changes: &Changes) -> Result<Facts, String> {
    let mut manifest = Manifest::read(MANIFEST).unwrap();
    manifest.change(changes).map_err(|error| error.message)?;
    Manifest::read(&manifest.print()).and_then(|manifest| manifest.facts()).map_err(|error| error.message)
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// An app has no tests, and may ask for a newer phone than the agent.
#[test]
fn an_app_is_told_from_a_test() {
    let app = Manifest::read(include_bytes!("app.axml")).unwrap();
    assert_eq!((app.min_sdk(), app.instruments()), (28, None));
    let agent = Manifest::read(MANIFEST).unwrap();
    assert_eq!((agent.min_sdk(), agent.instruments()), (26, text("dev.trailblaze.agent")));
}

#[test]
fn nothing_asked_changes_nothing() {
    let manifest = Manifest::read(MANIFEST).unwrap();
    let mut same = manifest.clone();
    same.change(&Changes::default()).unwrap();
    assert_eq!(same.print(), manifest.print());
    assert_eq!(
        manifest.facts().unwrap(),
        Facts {
            package: "dev.trailblaze.agent".to_owned(),
            label: None,
            version_code: 1,
            version_name: "0.1.0".to_owned(),
            min_sdk: 26,
            target_sdk: 35,
            runner: "dev.trailblaze.agent.TrailblazeInstrumentation".to_owned(),
            instruments: "dev.trailblaze.agent".to_owned(),
        }
    );
}

#[test]
fn everything_can_be_changed() {
    let changes = Changes {
        package: text("com.example.trails"),
        label: text("Läden 🛒"),
        version_code: Some(2_000_000_000),
        version_name: text("2026.11"),
        target_sdk: Some(36),
    };
    assert_eq!(
        changed(&changes).unwrap(),
        Facts {
            package: "com.example.trails".to_owned(),
            label: text("Läden 🛒"),
            version_code: 2_000_000_000,
            version_name: "2026.11".to_owned(),
            min_sdk: 26,
            target_sdk: 36,
            // The class stays where it is.
            runner: "dev.trailblaze.agent.TrailblazeInstrumentation".to_owned(),
            instruments: "com.example.trails".to_owned(),
        }
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |changes: Changes, expected: &str| assert_eq!(changed(&changes).unwrap_err(), expected);
    let none = Changes::default;
    refused(Changes { label: text(""), ..none() }, "the label is not one line of 1 to 1000 characters");
    refused(Changes { label: text("a\nb"), ..none() }, "the label is not one line of 1 to 1000 characters");
    refused(
        Changes { version_name: text(&"9".repeat(1001)), ..none() },
        "the version name is not one line of 1 to 1000 characters",
    );
    refused(Changes { version_code: Some(0), ..none() }, "the version code 0 is not from 1 to 2147483647");
    refused(
        Changes { target_sdk: Some(25), ..none() },
        "the target API level 25 is below the lowest one, 26",
    );
    refused(Changes { package: text("trails"), ..none() }, "'trails' is no name of a package");
}

#[test]
fn packages_are_java_names() {
    for good in ["a.b", "com.example.my_trails2"] {
        assert!(check_package(good).is_ok(), "{good}");
    }
    for bad in ["", "a", "a.", ".a", "a..b", "a.2b", "a._b", "a.b-c", "a.b c", "ä.b", "a/b.c"] {
        assert!(check_package(bad).is_err(), "{bad}");
    }
}

#[test]
fn broken_manifests_are_errors_and_nothing_worse() {
    for at in 0..MANIFEST.len() {
        for flip in [0xff, 0x80, 0x01] {
            let mut bad = MANIFEST.to_vec();
            bad[at] ^= flip;
            let _ = Manifest::read(&bad).and_then(|manifest| manifest.facts());
        }
        assert!(Manifest::read(&MANIFEST[..at]).is_err());
    }
}
