//! What a run changes on the phone, and puts back.

use std::collections::BTreeMap;

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

fn cancelled(lab: Lab) -> Lab {
    lab.cancel.cancel();
    lab
}

/// However the run ends.
#[test]
fn everything_is_put_back() {
    type Row = (&'static str, fn(Lab) -> Lab, &'static [(&'static str, &'static str)]);
    let table: [Row; 9] = [
        ("passed", |lab| lab, &[]),
        ("failed", |lab| lab.asset("trails/b.trail.yaml", &crate::lab::trail("", &[NINE])), &[]),
        ("cancelled", cancelled, &[INSTRUMENTATION]),
        ("cancelled while the service is awaited", cancelled, &[]),
        ("no such target", |lab| lab, &[("target", "nobody")]),
        ("broken documents", |lab| lab.asset("trails/b.trail.yaml", "trail: 7"), &[]),
        ("no display", |lab| lab.broken("display"), &[]),
        ("no service", |lab| lab.set(|state| state.connects_after = None), &[]),
        ("a bug", |lab| lab.broken("panic in describeDevice"), &[]),
    ];
    for (name, change, arguments) in table {
        let lab = change(Lab::with(&[("a", &[ADD])]));
        let before = settings(&lab);
        let ran = lab.run(arguments);
        assert!(writes(&ran.done).contains(&"put global window_animation_scale 0"), "{name}");
        assert_eq!(settings(&lab), before, "{name}");
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
    check_service(None, &[&put(SERVICE), &on, &off, &delete], None);
    check_service(
        Some("com.example/.Reader"),
        &[&put(&format!("com.example/.Reader:{SERVICE}")), &on, &off, &put("com.example/.Reader")],
        Some("com.example/.Reader"),
    );
}

/// A run that was killed leaves the service in the list, where the system does not start it again.
#[test]
fn a_service_that_is_listed_but_not_connected_is_taken_out_first() {
    let put = |list: &str| format!("put {SERVICES} {list}");
    let delete = format!("delete {SERVICES}");
    let (on, off) = (format!("put {ENABLED} 1"), format!("put {ENABLED} 0"));
    check_service(Some(SERVICE), &[&delete, &put(SERVICE), &on, &off, &delete], None);
    let both = format!("{SERVICE}:com.example/.Reader");
    let other = put("com.example/.Reader");
    check_service(
        Some(&both),
        &[&other, &put(&format!("com.example/.Reader:{SERVICE}")), &on, &off, &other],
        Some("com.example/.Reader"),
    );
}

#[test]
fn a_service_that_does_not_come_is_an_error_with_a_way_out() {
    let lab = Lab::with(&[("a", &[])]).set(|state| state.connects_after = None);
    let told = lab.run(&[]).gives_up();
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
