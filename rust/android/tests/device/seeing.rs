//! Screens and pictures, and when there are none.

use super::*;

#[test]
fn a_capture_has_the_time_of_the_run() {
    for source in [Source::Service, Source::UiAutomation] {
        let bench = bench(source);
        bench.clock.sleep_until(1_234);
        bench.paper.set(|answers| answers.screen = Some(screen(&[(WindowKind::Application, APP, &[])])));
        assert_eq!(bench.device.capture().unwrap().time_ms, 1_234);
        assert_eq!(bench.asked(), format!("capture {source:?}"));
    }
}

#[test]
fn a_screen_that_cannot_be_seen_is_a_failure_with_a_hint() {
    let bench = bench(Source::Service);
    let failure = bench.device.capture().unwrap_err();
    assert_eq!(bench.clock.now_ms(), 1_000);
    assert_eq!(failure.kind, FailureKind::Device);
    assert_eq!(
        failure.to_string(),
        "the phone shows no window that may be seen\nhint: the screen may be off or locked, or its window is secure"
    );
    assert_eq!(bench.device.foreground_app().unwrap(), None);
    let failure = bench.device.screenshot().unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotSupported);
    assert_eq!(
        failure.to_string(),
        "the phone gives no picture of this screen\nhint: windows that are marked as secure cannot be pictured"
    );
    bench.paper.set(|answers| answers.picture = Some(vec![1, 2]));
    assert_eq!(bench.device.screenshot().unwrap(), [1, 2]);
}

/// While windows come and go there may be none for a moment.
#[test]
fn a_moment_without_windows_is_waited_for() {
    let bench = bench(Source::Service);
    bench.paper.set(|answers| (answers.screen, answers.blinks) = (Some(screen(&[])), 2));
    assert_eq!(bench.device.capture().unwrap().time_ms, 100);
    assert_eq!(bench.asked(), "capture Service, capture Service, capture Service");
}

#[test]
fn a_service_takes_pictures_where_it_can() {
    for (source, sdk, expected) in [
        (Source::Service, 29, "screenshot UiAutomation"),
        (Source::Service, 30, "screenshot Service"),
        (Source::UiAutomation, 29, "screenshot UiAutomation"),
        (Source::UiAutomation, 30, "screenshot UiAutomation"),
    ] {
        let bench = bench_of(source, sdk);
        bench.paper.set(|answers| answers.picture = Some(vec![1]));
        bench.device.screenshot().unwrap();
        assert_eq!(bench.asked(), expected, "{source:?} {sdk}");
    }
}
