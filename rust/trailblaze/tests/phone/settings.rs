//! What a run changes on the phone, and puts back.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};

use crate::lab::{ADD, Lab, NINE};
use crate::paper::{ENABLED, SERVICE, SERVICES};

const INSTRUMENTATION: (&str, &str) = ("driver", "android-ondevice-instrumentation");

fn settings(lab: &Lab) -> BTreeMap<String, String> {
    lab.phone.state().settings.clone()
}

fn writes(done: &[String]) -> Vec<&str> {
    done.iter().filter_map(|line| line.strip_prefix("$ settings ")).collect()
}

#[test]
fn animations_stand_still_during_a_run() {
    let lab = Lab::with(&[("a", &[])]);
    let before = settings(&lab);
    let ran = lab.run(&[INSTRUMENTATION]).finishes();
    let expected = [
        "put global window_animation_scale 0",
        "put global transition_animation_scale 0",
        "put global animator_duration_scale 0",
        "delete global animator_duration_scale",
        "put global transition_animation_scale 0.5",
        "put global window_animation_scale 1.0",
    ];
    assert_eq!(writes(&ran.done), expected);
    assert_eq!(settings(&lab), before);
}

#[test]
fn what_a_killed_agent_left_is_put_back_by_the_next() {
    let lab = Lab::with(&[("a", &[])]);
    let before = settings(&lab);
    // As it is while a run goes on: what was there before is in a file, and the phone is changed.
    let kept = Arc::new(Mutex::new(String::new()));
    let (seen, file) = (kept.clone(), lab.root.join("files/settings-before"));
    let lab = lab.set(|state| {
        let look = move || *seen.lock().unwrap() = fs::read_to_string(&file).unwrap();
        state.on_services = Some(Box::new(look));
    });
    lab.run(&[]).finishes();
    let kept = kept.lock().unwrap().clone();
    assert!(kept.contains("global window_animation_scale 1.0\n"), "{kept}");
    assert!(!lab.root.join("files/settings-before").exists());

    lab.write("files/settings-before", &kept);
    let lab = lab.set(|state| {
        for name in ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"] {
            state.settings.insert(format!("global {name}"), "0".to_owned());
        }
        state.settings.insert(SERVICES.to_owned(), SERVICE.to_owned());
        state.settings.insert(ENABLED.to_owned(), "1".to_owned());
    });
    lab.run(&[]).finishes();
    assert_eq!(settings(&lab), before);
    assert!(!lab.root.join("files/settings-before").exists());
}

/// As a killed agent leaves the phone.
fn killed(lab: Lab) -> Lab {
    lab.write(
        "files/settings-before",
        "global window_animation_scale 1.0\nglobal transition_animation_scale 0.5\n\
         global animator_duration_scale null\nsecure accessibility_enabled 0\n\
         secure enabled_accessibility_services \n",
    );
    lab.set(|state| {
        for name in ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"] {
            state.settings.insert(format!("global {name}"), "0".to_owned());
        }
        state.settings.insert(SERVICES.to_owned(), SERVICE.to_owned());
        state.settings.insert(ENABLED.to_owned(), "1".to_owned());
    })
}

/// Weeks may lie between an agent that is killed and the next one.
#[test]
fn what_the_user_changed_since_an_agent_was_killed_is_theirs() {
    let reader = "com.example/.Reader";
    let both = format!("{SERVICE}:{reader}");
    type Row<'a> = (&'static str, &'a [(&'static str, &'a str)], &'a [(&'static str, Option<&'a str>)]);
    let table: [Row<'_>; 4] = [
        (
            "nothing",
            &[],
            &[
                ("global window_animation_scale", Some("1.0")),
                ("global transition_animation_scale", Some("0.5")),
                ("global animator_duration_scale", None),
                (SERVICES, None),
                (ENABLED, Some("0")),
            ],
        ),
        (
            "an animation",
            &[("global window_animation_scale", "0.5")],
            &[
                ("global window_animation_scale", Some("0.5")),
                ("global transition_animation_scale", Some("0.5")),
                (ENABLED, Some("0")),
            ],
        ),
        (
            "a service was switched on",
            &[(SERVICES, &both)],
            &[(SERVICES, Some(reader)), (ENABLED, Some("1")), ("global window_animation_scale", Some("1.0"))],
        ),
        (
            "ours was switched off, and another on",
            &[(SERVICES, reader)],
            &[(SERVICES, Some(reader)), (ENABLED, Some("1")), ("global window_animation_scale", Some("1.0"))],
        ),
    ];
    for (name, changes, expected) in table {
        let lab = killed(Lab::with(&[("a", &[])])).set(|state| {
            changes.iter().for_each(|(key, value)| {
                state.settings.insert((*key).to_owned(), (*value).to_owned());
            });
        });
        lab.run(&[]).finishes();
        let settings = settings(&lab);
        for (key, value) in expected {
            assert_eq!(settings.get(*key).map(String::as_str), *value, "{name}: {key}");
        }
        assert!(!lab.root.join("files/settings-before").exists(), "{name}");
    }
}

/// Who is killed while it is written leaves the one before whole: another file takes its place.
#[test]
fn what_was_before_is_never_half_written() {
    let lab = Lab::with(&[("a", &[ADD])]);
    let (file, link) = (lab.root.join("files/settings-before"), lab.root.join("first"));
    let first = Arc::new(Mutex::new(String::new()));
    let (seen, phone) = (first.clone(), lab.phone.clone());
    let (kept, linked) = (file.clone(), link.clone());
    // The second setting that is changed finds the file with the first.
    lab.phone.state().on_setting = Some(Box::new(move || {
        *seen.lock().unwrap() = fs::read_to_string(&kept).unwrap();
        fs::hard_link(&kept, &linked).unwrap();
    }));
    let kept = file.clone();
    phone.state().on_tap =
        Some(Box::new(move || assert!(fs::read_to_string(&kept).unwrap().lines().count() > 3)));
    assert_eq!(lab.run(&[]).finishes().ends(), ["0 a"]);
    let first = first.lock().unwrap().clone();
    assert_eq!(first, "global window_animation_scale 1.0\n");
    assert_eq!(fs::read_to_string(&link).unwrap(), first);
    assert!(!file.exists() && !file.with_extension("new").exists());
}

fn cancelled(lab: Lab) -> Lab {
    lab.cancel.cancel();
    lab
}

/// However the run ends.
#[test]
fn everything_is_put_back() {
    type Row = (&'static str, fn(Lab) -> Lab, &'static [(&'static str, &'static str)]);
    let table: [Row; 6] = [
        ("passed", |lab| lab, &[]),
        ("failed", |lab| lab.asset("trails/b.trail.yaml", &crate::lab::trail("", &[NINE])), &[]),
        ("cancelled", cancelled, &[INSTRUMENTATION]),
        ("cancelled while the service is awaited", cancelled, &[]),
        ("no service", |lab| lab.set(|state| state.connects_after = None), &[]),
        ("a bug", |lab| lab.broken("panic in isServiceConnected"), &[]),
    ];
    for (name, change, arguments) in table {
        let lab = change(Lab::with(&[("a", &[ADD])]));
        let before = settings(&lab);
        let ran = lab.run(arguments);
        assert!(writes(&ran.done).contains(&"put global window_animation_scale 0"), "{name}");
        assert_eq!(settings(&lab), before, "{name}");
    }
}

/// What cannot be run changes nothing.
#[test]
fn bad_input_touches_nothing() {
    type Row = (fn(Lab) -> Lab, &'static [(&'static str, &'static str)]);
    let table: [Row; 4] = [
        (|lab| lab, &[("target", "nobody")]),
        (|lab| lab, &[("class", "nobody")]),
        (|lab| lab.asset("trails/b.trail.yaml", "trail: 7"), &[]),
        (|lab| lab.broken("display"), &[]),
    ];
    for (change, arguments) in table {
        let lab = change(Lab::with(&[("a", &[ADD])]));
        let ran = lab.run(arguments);
        assert_eq!((ran.finish.code, ran.done.len()), (0, 0), "{arguments:?}: {:?}", ran.done);
    }
}

#[test]
fn what_is_as_it_should_be_is_left_alone() {
    let lab = Lab::with(&[("a", &[])]).set(|state| {
        for name in ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"] {
            state.settings.insert(format!("global {name}"), "0".to_owned());
        }
    });
    let ran = lab.run(&[INSTRUMENTATION]).finishes();
    assert!(writes(&ran.done).is_empty(), "{:?}", ran.done);
}

#[test]
fn a_setting_that_cannot_be_put_back_is_logged() {
    let lab = Lab::with(&[("a", &[])]).broken("settings put global window_animation_scale 1.0");
    lab.run(&[]).finishes();
    let logged = lab.phone.state().logged.join("\n");
    assert!(logged.contains("the setting 'window_animation_scale' could not be put back"), "{logged}");
}

/// The service is switched on by its list first, and by the switch for all of them then.
#[track_caller]
fn check_service(listed: Option<&str>, expected: &[&str], afterwards: Option<&str>) {
    let lab = Lab::with(&[("a", &[ADD])]);
    if let Some(listed) = listed {
        lab.phone.state().settings.insert(SERVICES.to_owned(), listed.to_owned());
    }
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["0 a"]);
    let services: Vec<&str> =
        writes(&ran.done).into_iter().filter(|line| line.contains("accessibility")).collect();
    assert_eq!(services, expected);
    let settings = settings(&lab);
    assert_eq!(settings.get(SERVICES).map(String::as_str), afterwards);
    assert_eq!(settings[ENABLED], "0");
}

#[test]
fn the_service_is_enabled_and_taken_out_again() {
    let put = |list: &str| format!("put {SERVICES} {list}");
    let delete = format!("delete {SERVICES}");
    let (on, off) = (format!("put {ENABLED} 1"), format!("put {ENABLED} 0"));
    check_service(None, &[&put(SERVICE), &on, &delete, &off], None);
    check_service(
        Some("com.example/.Reader"),
        &[&put(&format!("com.example/.Reader:{SERVICE}")), &on, &put("com.example/.Reader"), &off],
        Some("com.example/.Reader"),
    );
}

/// A run that was killed leaves the service in the list, where the system does not start it again. Somebody may as well
/// have put it there to stay.
#[test]
fn a_service_that_is_listed_but_not_connected_is_taken_out_first_and_stays_listed() {
    let put = |list: &str| format!("put {SERVICES} {list}");
    let delete = format!("delete {SERVICES}");
    let (on, off) = (format!("put {ENABLED} 1"), format!("put {ENABLED} 0"));
    check_service(Some(SERVICE), &[&delete, &put(SERVICE), &on, &off], Some(SERVICE));
    let both = format!("{SERVICE}:com.example/.Reader");
    let turned = format!("com.example/.Reader:{SERVICE}");
    check_service(Some(&both), &[&put("com.example/.Reader"), &put(&turned), &on, &off], Some(&turned));
}

/// Also when the run ends while it is taken out.
#[test]
fn a_service_that_was_listed_is_listed_again() {
    let lab = Lab::with(&[("a", &[])]);
    let phone = lab.phone.clone();
    lab.phone.state().settings.insert(SERVICES.to_owned(), format!("com.example/.Reader:{SERVICE}"));
    lab.phone.state().on_services = Some(Box::new(move || {
        phone.state().settings.insert(SERVICES.to_owned(), "com.example/.Reader".to_owned());
    }));
    lab.run(&[]).finishes();
    assert_eq!(settings(&lab)[SERVICES], format!("com.example/.Reader:{SERVICE}"));
}

/// Somebody may switch on another service while a run goes on, and the system may write ours in another way.
#[test]
fn a_service_that_came_meanwhile_stays() {
    let long = "dev.trailblaze.agent/dev.trailblaze.agent.TrailblazeAccessibilityService";
    for own in [SERVICE, long] {
        let lab = Lab::with(&[("a", &[ADD])]);
        let phone = lab.phone.clone();
        lab.phone.state().on_tap = Some(Box::new(move || {
            phone.state().settings.insert(SERVICES.to_owned(), format!("{own}:com.example/.Reader"));
        }));
        lab.run(&[]).finishes();
        let settings = settings(&lab);
        assert_eq!(settings[SERVICES], "com.example/.Reader");
        assert_eq!(settings[ENABLED], "1");
    }
}

#[test]
fn a_service_that_does_not_come_is_an_error_with_a_way_out() {
    let lab = Lab::with(&[("a", &[])]).set(|state| state.connects_after = None);
    let told = lab.run(&[]).refuses(&["a"]);
    assert_eq!(
        told,
        format!(
            "the accessibility service {SERVICE} was not connected within 15 s\nhint: use '-e driver \
             android-ondevice-instrumentation', which needs no service"
        )
    );
    assert!((15_000..16_000).contains(&lab.phone.clock.now_ms()));
    let ran = lab.run(&[INSTRUMENTATION]).finishes();
    assert_eq!(ran.ends(), ["0 a"]);
    assert!(!ran.done.iter().any(|line| line.contains("accessibility")), "{:?}", ran.done);
}

/// A trail finds the phone as the one before found it, and so does whoever uses the phone after the run.
#[test]
fn what_a_trail_changes_ends_with_the_trail() {
    let turn = "setOrientation: { orientation: LANDSCAPE_LEFT }";
    let go = "setLocation: { latitude: 52.5, longitude: 13.25 }";
    let cut_off = "networkConnection: { connected: false }";
    let lab = Lab::with(&[("a", &[turn, cut_off]), ("b", &[go, cut_off])]);
    let ran = lab.run(&[INSTRUMENTATION]).finishes();
    assert_eq!(ran.ends(), ["0 a", "0 b"]);
    let ours = |line: &&String| !line.contains("settings") && !line.contains("broadcast");
    let done: Vec<&str> = ran.done.iter().filter(ours).map(String::as_str).collect();
    let start = ["$ am force-stop com.example.lab", "$ pm clear com.example.lab", "launch com.example.lab"];
    let (cut_off, connect) =
        ("$ cmd connectivity airplane-mode enable", "$ cmd connectivity airplane-mode disable");
    let first = [&["$ am force-stop com.example.lab"], &start[..], &["rotate 1", cut_off]].concat();
    let between = ["$ am force-stop com.example.lab", "rotate 0", "rotate -2", connect];
    let moved = [
        "$ appops set dev.trailblaze.agent android:mock_location allow",
        "add gps",
        "add network",
        "gps 52.5,13.25",
        "network 52.5,13.25",
        cut_off,
        "remove gps",
        "remove network",
        "$ appops set dev.trailblaze.agent android:mock_location default",
        connect,
    ];
    assert_eq!(done, [&first[..], &between[..], &start[..], &moved[..]].concat());
}

#[test]
fn a_phone_that_takes_no_location_fails_the_step_with_a_hint() {
    let lab = Lab::with(&[("a", &["setLocation: { latitude: 1, longitude: 2 }"])]).broken("addTestProvider");
    let ran = lab.run(&[INSTRUMENTATION]).finishes();
    let stack = ran.stack("a");
    assert!(stack.contains("the phone does not take another location: SecurityException"), "{stack}");
    assert!(stack.contains("Select mock location app"), "{stack}");
}
