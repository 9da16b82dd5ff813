use insta::assert_snapshot;
use serde_json::json;
use trailblaze_model::event::LogLevel;

use super::*;
use crate::testing::{
    FullDisk, Paper, Script, device_gone, endless, every_ending, hostile, killed, not_found, timeout,
};

fn written(script: &Script, options: Options) -> String {
    let (out, progress) = (Paper::default(), Paper::default());
    let terminal = Terminal::new(out.boxed(), progress.boxed(), options);
    script.play(&terminal);
    terminal.finish().unwrap();
    assert_eq!(progress.text(), "");
    out.text()
}

fn normal(script: &Script) -> String {
    written(script, Options::default())
}

fn with(verbosity: Verbosity) -> Options {
    Options { verbosity, ..Options::default() }
}

#[test]
fn every_way_to_end() {
    assert_snapshot!(normal(&every_ending()), @r#"
    Running 6 trails on sim (android-ondevice-accessibility)
    ✓ login/valid  Sign in with a valid user  1.2 s
      ✓ Open the sign-in page
      ✓ Tap Sign in
    ✗ login/invalid  Sign in with a wrong password  1.2 s
      ✓ Open the sign-in page
      ✗ Tap Sign in  5.0 s
        error: trails/login/invalid.trail.yaml:14:9: no element with text 'Sign in'
          in signIn {"user":"ana"}
             tapOnElement {"text":"Sign in","index":0}
        hint: the screen has 'Sign on'; is that what is meant?
        screenshot: screens/login invalid.png
      – 2 steps not run
    ✗ list  1.2 s
      ✗ Open the list  5.0 s
        error: trails/list.trail.yaml:4:3: the device is gone
        hint: start it and run again
    – form/date  skipped: no date picker on this device
    ✗ slow/late  1.2 s, attempt 1, trying again
      ✗ Wait for the list  5.0 s
        error: trails/slow/late.trail.yaml:4:3: not settled within 5 s
          at render (app.js:3:7)
          at app.js:9:1
    ✓ slow/late  1.2 s, attempt 2
      ✓ Wait for the list
    – zoo  not run: the run was ended by --fail-fast

    ✗ login/invalid  trails/login/invalid.trail.yaml:14:9
    ✗ list  trails/list.trail.yaml:4:3
    2 passed (1 after a retry), 2 failed, 1 skipped, 1 not run in 2.5 s
    "#);
}

#[test]
fn quiet_tells_only_what_is_wrong() {
    assert_snapshot!(written(&every_ending(), with(Verbosity::Quiet)), @r#"
    ✗ login/invalid  Sign in with a wrong password  1.2 s
      ✓ Open the sign-in page
      ✗ Tap Sign in  5.0 s
        error: trails/login/invalid.trail.yaml:14:9: no element with text 'Sign in'
          in signIn {"user":"ana"}
             tapOnElement {"text":"Sign in","index":0}
        hint: the screen has 'Sign on'; is that what is meant?
        screenshot: screens/login invalid.png
      – 2 steps not run
    ✗ list  1.2 s
      ✗ Open the list  5.0 s
        error: trails/list.trail.yaml:4:3: the device is gone
        hint: start it and run again
    ✗ slow/late  1.2 s, attempt 1, trying again
      ✗ Wait for the list  5.0 s
        error: trails/slow/late.trail.yaml:4:3: not settled within 5 s
          at render (app.js:3:7)
          at app.js:9:1

    ✗ login/invalid  trails/login/invalid.trail.yaml:14:9
    ✗ list  trails/list.trail.yaml:4:3
    2 passed (1 after a retry), 2 failed, 1 skipped, 1 not run in 2.5 s
    "#);
}

#[test]
fn colours_stand_on_marks_and_words() {
    let mut script = Script::new(2);
    script.start("a", "A title", 2).passed_step("Look").warning("slow", Some("wait"));
    script.failed_step("Tap", not_found("a")).fails(not_found("a"));
    script.left_out("b", Verdict::Skipped, "why").finish();
    let text = written(&script, Options { color: true, ..Options::default() });
    assert_snapshot!(text.replace('\u{1b}', "␛"), @"
    Running 2 trails on sim (android-ondevice-accessibility)
    ␛[1;31m✗␛[0m a  A title  ␛[2m1.2 s␛[0m
      ␛[32m✓␛[0m Look
        ␛[33mwarning:␛[0m slow
        ␛[36mhint:␛[0m wait
      ␛[1;31m✗␛[0m Tap  ␛[2m5.0 s␛[0m
        ␛[1;31merror:␛[0m trails/a.trail.yaml:14:9: no element with text 'Sign in'
        ␛[36mhint:␛[0m the screen has 'Sign on'; is that what is meant?
    ␛[33m–␛[0m b  ␛[2mskipped: why␛[0m

    ␛[1;31m✗␛[0m a  ␛[2mtrails/a.trail.yaml:14:9␛[0m
    ␛[1;31m0 passed, 1 failed, 1 skipped in 2.5 s␛[0m
    ");
}

#[test]
fn saved_files_stand_below_the_folder_of_the_run() {
    let mut script = Script::new(1);
    script.start("a", "a", 1).step("Tap").saved("screenshot", "screens/1.png");
    script.end_step(Verdict::Failed, Some(timeout()), 10).saved("screen", "screens/1.json");
    script.fails(timeout()).finish();
    let folder = Some(".trailblaze/runs/7".into());
    assert_snapshot!(written(&script, Options { folder, ..Options::default() }), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ a  1.2 s
      ✗ Tap
        error: trails/a.trail.yaml:4:3: not settled within 5 s
          at render (app.js:3:7)
          at app.js:9:1
        screenshot: .trailblaze/runs/7/screens/1.png
        screen: .trailblaze/runs/7/screens/1.json

    0 passed, 1 failed in 2.5 s
    ");
}

#[test]
fn a_failure_before_the_first_step_is_told_once() {
    let mut script = Script::new(1);
    script.start("a", "a", 3).warning("no battery", None).fails(device_gone()).finish();
    assert_snapshot!(normal(&script), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ a  1.2 s
      warning: no battery
      – 3 steps not run
      error: the device is gone
      hint: start it and run again

    0 passed, 1 failed in 2.5 s
    ");
}

#[test]
fn a_failure_that_a_script_survived_is_not_blamed() {
    let mut script = Script::new(1);
    script.start("a", "a", 1).step("Tap");
    script.tool(None, "outer", json!({})).tool(Some(1), "caught", json!({})).end_tool(2, Some(timeout()));
    script.tool(Some(1), "around", json!({ "n": 1 })).tool(Some(3), "culprit", json!({ "n": 2 }));
    script.end_tool(4, Some(device_gone())).end_tool(3, Some(device_gone())).end_tool(1, Some(device_gone()));
    script.end_step(Verdict::Failed, Some(device_gone()), 10).fails(device_gone()).finish();
    assert_snapshot!(normal(&script), @r#"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ a  1.2 s
      ✗ Tap
        error: trails/a.trail.yaml:4:3: the device is gone
          in outer
             around {"n":1}
               culprit {"n":2}
        hint: start it and run again

    0 passed, 1 failed in 2.5 s
    "#);
}

#[test]
fn a_call_that_recovered_leaves_no_blame() {
    let mut script = Script::new(1);
    script.start("a", "a", 1).step("Tap");
    script.tool(None, "retry", json!({})).tool(Some(1), "caught", json!({})).end_tool(2, Some(timeout()));
    script.end_tool(1, None).tool(None, "next", json!({})).end_tool(3, None);
    script.end_step(Verdict::Failed, Some(device_gone()), 10).fails(device_gone()).finish();
    assert_snapshot!(normal(&script), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ a  1.2 s
      ✗ Tap
        error: trails/a.trail.yaml:4:3: the device is gone
        hint: start it and run again

    0 passed, 1 failed in 2.5 s
    ");
}

#[test]
fn an_interrupted_run_says_so() {
    let mut script = Script::new(3);
    script.start("a", "a", 1).passed_step("Look").passes();
    script.left_out("b", Verdict::NotRun, "interrupted").finish_run(true);
    assert_snapshot!(normal(&script), @"
    Running 3 trails on sim (android-ondevice-accessibility)
    ✓ a  1.2 s
      ✓ Look
    – b  not run: interrupted

    interrupted: 1 passed, 1 not run in 2.5 s
    ");
}

#[test]
fn a_trail_that_did_not_end_is_told_with_the_run() {
    assert_snapshot!(normal(killed().finish()), @"
    Running 2 trails on sim (android-ondevice-accessibility)
    ✓ a/first  1.2 s
      ✓ Look
    ? a/second  did not end
      ✓ Look
      ? Tap

    1 passed in 2.5 s
    ");
}

#[test]
fn a_killed_run_has_told_what_had_ended() {
    assert_snapshot!(normal(&killed()), @"
    Running 2 trails on sim (android-ondevice-accessibility)
    ✓ a/first  1.2 s
      ✓ Look
    ");
}

#[test]
fn trails_that_run_at_once_are_told_one_after_the_other() {
    let mut script = Script::new(2);
    script.start("a", "a", 2).step("A1").start("b", "b", 1).step("B1");
    script.switch("a").warning("of a", None).end_step(Verdict::Passed, None, 1).step("A2");
    script.switch("b").end_step(Verdict::Failed, Some(device_gone()), 1).fails(device_gone());
    script.switch("a").end_step(Verdict::Passed, None, 1).passes().finish();
    assert_snapshot!(normal(&script), @"
    Running 2 trails on sim (android-ondevice-accessibility)
    ✗ b  1.2 s
      ✗ B1
        error: trails/b.trail.yaml:4:3: the device is gone
        hint: start it and run again
    ✓ a  1.2 s
      ✓ A1
        warning: of a
      ✓ A2

    ✗ b  trails/b.trail.yaml:4:3
    1 passed, 1 failed in 2.5 s
    ");
}

#[test]
fn a_healed_trail_and_another_device_are_told() {
    let mut script = Script::new(1);
    script.run_event(EventKind::TrailFinished {
        id: "a".into(),
        file: "a.trail.yaml".into(),
        title: String::new(),
        device: "sim-2".into(),
        verdict: Verdict::Healed,
        reason: None,
        failure: None,
        attempt: 1,
        will_retry: false,
        duration_ms: 61_000,
        timing: None,
    });
    assert_snapshot!(normal(&script), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ a  1 min 1 s, healed, on sim-2
    ");
}

#[test]
fn hostile_text_cannot_move_the_cursor() {
    let text = normal(&hostile());
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert_snapshot!(text, @r#"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ wild/日本|`x`  rot <b>&"'|`x` ]]> Ä日本🎉 second  1.2 s
      ✗ rot <b>&"'|`x` ]]> Ä日本🎉 second
        error: trails/wild/日本|`x`.trail.yaml:4:3: rot <b>&"'|`x` ]]>    Ä日本🎉
          second
          in wild {"text":"\u001b[31mrot\u001b[0m <b>&\"'|`x` ]]>\u0000\b\tÄ日本🎉\r\nsecond"}
          rot <b>&"'|`x` ]]>    Ä日本🎉
          second
        hint: rot <b>&"'|`x` ]]>    Ä日本🎉
          second
        a [shot]: screens/a (1)|x.png
        warning: rot <b>&"'|`x` ]]>    Ä日本🎉
          second
        hint: rot <b>&"'|`x` ]]>    Ä日本🎉
          second

    0 passed, 1 failed in 2.5 s
    "#);
    for verbosity in [Verbosity::Quiet, Verbosity::Verbose] {
        let text = written(&hostile(), with(verbosity));
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn an_endless_message_is_cut() {
    let text = normal(&endless());
    assert!(text.contains("… (98000 more characters)"));
    assert!(text.chars().count() < 3_000);
}

#[test]
fn a_trail_of_many_steps_is_told_in_short() {
    let mut script = Script::new(1);
    script.start("a", "a", 3_000);
    for n in 0..2_500 {
        script.passed_step(&format!("Step {n}"));
    }
    script.failed_step("The last", timeout()).fails(timeout()).finish();
    let text = normal(&script);
    let lines: Vec<_> = text.lines().take(4).chain(text.lines().skip(1_001)).collect();
    assert_snapshot!(lines.join("\n"), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    ✗ a  1.2 s
      ✓ 1501 steps before
      ✓ Step 1501
      ✓ Step 2499
      ✗ The last  5.0 s
        error: trails/a.trail.yaml:5004:3: not settled within 5 s
          at render (app.js:3:7)
          at app.js:9:1
      – 499 steps not run

    0 passed, 1 failed in 2.5 s
    ");
}

#[test]
fn verbose_tells_calls_actions_and_logs_as_they_happen() {
    let mut script = Script::new(2);
    script.start("a", "First", 1).step("Sign in");
    script.tool(None, "signIn", json!({ "user": "ana" })).tool(Some(1), "tap", json!({ "text": "OK" })).tap();
    script.end_tool(2, None).warning("slow", Some("wait"));
    script.event(EventKind::Log {
        level: LogLevel::Info,
        source: "app".into(),
        message: "two\nlines".into(),
    });
    script.end_tool(1, None).end_step(Verdict::Passed, None, 1_500).passes();
    script.start("b", "b", 1).step("Tap");
    script.tool(None, "tap", json!({ "text": "No" })).end_tool(1, Some(not_found("b")));
    script.saved("screenshot", "1.png").end_step(Verdict::Failed, Some(not_found("b")), 10);
    script.fails(not_found("b")).finish();
    assert_snapshot!(written(&script, with(Verbosity::Verbose)), @r#"
    Running 2 trails on sim (android-ondevice-accessibility)
    ▸ a
      Sign in
        signIn {"user":"ana"}
          tap {"text":"OK"}
            → tap {"x":540,"y":1200}
        warning: slow
        hint: wait
        app info: two
        lines
      ✓ Sign in  1.5 s
    ✓ a  First  1.2 s
    ▸ b
      Tap
        tap {"text":"No"}
          ✗ no element with text 'Sign in'
      ✗ Tap
        error: trails/b.trail.yaml:14:9: no element with text 'Sign in'
          in tap {"text":"No"}
        hint: the screen has 'Sign on'; is that what is meant?
        screenshot: 1.png
    ✗ b  1.2 s

    ✗ b  trails/b.trail.yaml:14:9
    1 passed, 1 failed in 2.5 s
    "#);
}

#[test]
fn verbose_names_the_trail_when_another_one_speaks() {
    let mut script = Script::new(2);
    script.start("a", "a", 1).step("A").start("b", "b", 1).step("B");
    script.switch("a").tap().tap().switch("b").tap();
    script.switch("a").passes().switch("b").passes();
    assert_snapshot!(written(&script, with(Verbosity::Verbose)), @r#"
    Running 2 trails on sim (android-ondevice-accessibility)
    ▸ a
      A
    ▸ b
      B
    ▸ a
        → tap {"x":540,"y":1200}
        → tap {"x":540,"y":1200}
    ▸ b
        → tap {"x":540,"y":1200}
    ✓ a  1.2 s
    ✓ b  1.2 s
    "#);
}

/// A call that takes long, once inside of another one.
fn brewing() -> Script {
    let mut script = Script::new(1);
    script.start("a", "a", 2).step("Drink tea").tool(None, "drink", json!({}));
    script.tool(Some(1), "brew", json!({})).progress(2, "brew", "heating\u{1b}[2J\nwater", 1.0, 2.0);
    script.progress(2, "brew", "", 2.0, 2.0).end_tool(2, None).progress(1, "drink", "sipping", 0.5, 1.0);
    script.end_tool(1, None).end_step(Verdict::Passed, None, 1).passed_step("Wash up").passes().finish();
    script
}

#[test]
fn how_far_a_call_is_takes_a_line_where_none_is_redrawn() {
    assert_snapshot!(normal(&brewing()), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    … a: brew: heating water (1/2)
    … a: brew: 2/2
    … a: drink: sipping (0.5/1)
    ✓ a  1.2 s
      ✓ Drink tea
      ✓ Wash up

    1 passed in 2.5 s
    ");
    assert_snapshot!(written(&brewing(), with(Verbosity::Quiet)), @"

    1 passed in 2.5 s
    ");
    assert_snapshot!(written(&brewing(), with(Verbosity::Verbose)), @"
    Running 1 trail on sim (android-ondevice-accessibility)
    ▸ a
      Drink tea
        drink
          brew
            … heating water (1/2)
            … 2/2
          … sipping (0.5/1)
      ✓ Drink tea
      Wash up
      ✓ Wash up
    ✓ a  1.2 s

    1 passed in 2.5 s
    ");
}

#[test]
fn how_far_a_call_is_stands_in_the_line_that_is_redrawn() {
    let (out, progress) = (Paper::default(), Paper::default());
    let options = Options { progress: true, ..Options::default() };
    brewing().play(&Terminal::new(out.boxed(), progress.boxed(), options));
    let drawn = progress.text().replace('\r', "\n").replace('\u{1b}', "␛");
    assert_snapshot!(drawn.trim(), @"
    [----------------] 0/1␛[K
    [----------------] 0/1 a␛[K
    [----------------] 0/1 a: Drink tea␛[K
    [----------------] 0/1 a: Drink tea: heating water (1/2)␛[K
    [----------------] 0/1 a: Drink tea: 2/2␛[K
    [----------------] 0/1 a: Drink tea␛[K
    [----------------] 0/1 a: Drink tea: sipping (0.5/1)␛[K
    [----------------] 0/1 a: Drink tea␛[K
    [########--------] 0/1 a: Wash up␛[K
    ␛[K
    [################] 1/1␛[K
    ␛[K
    ");
    assert!(!out.text().contains("sipping"));
}

#[test]
fn a_call_that_says_without_end_how_far_it_is_is_cut_short() {
    let mut script = Script::new(1);
    script.start("a", "a", 1).step("Wait").tool(None, "brew", json!({}));
    for n in 1..=1_000 {
        script.progress(1, "brew", "", f64::from(n), 1_000.0);
    }
    script.end_tool(1, None).end_step(Verdict::Passed, None, 1).passes().finish();
    let text = normal(&script);
    assert_eq!(text.lines().filter(|line| line.starts_with('…')).count(), MOST_PROGRESS);
    assert!(text.contains("… a: brew: 100/1000  --verbose shows what follows\n✓ a"), "{text}");
}

#[test]
fn progress_is_redrawn_and_cleared() {
    let (out, progress) = (Paper::default(), Paper::default());
    let options = Options { progress: true, columns: 50, ..Options::default() };
    let terminal = Terminal::new(out.boxed(), progress.boxed(), options);
    let mut script = Script::new(3);
    script.start("a", "a", 2).passed_step("Look").start("b", "b", 4).step("日本語 ".repeat(20).as_str());
    script.switch("a").step("Tap").end_step(Verdict::Passed, None, 1).passes();
    script.switch("b").fails_and_will_be_retried(timeout());
    script.start_attempt("b", "b", 4, 2).passes().left_out("c", Verdict::Skipped, "why").finish();
    script.play(&terminal);
    let drawn = progress.text().replace('\r', "\n").replace('\u{1b}', "␛");
    assert_snapshot!(drawn.trim(), @"
    [----------------] 0/3␛[K
    [----------------] 0/3 a␛[K
    [----------------] 0/3 a: Look␛[K
    [----------------] 0/3 b (and 1 more)␛[K
    [----------------] 0/3 b (and 1 more): 日本語 日␛[K
    [##--------------] 0/3 a (and 1 more): Tap␛[K
    ␛[K
    [#####-----------] 1/3 b: 日本語 日本語 日本語 日␛[K
    ␛[K
    [#####-----------] 1/3␛[K
    [#####-----------] 1/3 b␛[K
    ␛[K
    [##########------] 2/3␛[K
    ␛[K
    [################] 3/3␛[K
    ␛[K
    ");
    assert!(!out.text().contains('\r'));
}

#[test]
fn a_run_that_stops_leaves_no_progress_line() {
    let progress = Paper::default();
    let options = Options { progress: true, ..Options::default() };
    let terminal = Terminal::new(Paper::default().boxed(), progress.boxed(), options);
    killed().play(&terminal);
    terminal.finish().unwrap();
    assert!(progress.text().ends_with("a/second: Tap\u{1b}[K\r\u{1b}[K"), "{:?}", progress.text());
}

#[test]
fn an_error_of_writing_is_told_at_the_end() {
    let out = Box::new(FullDisk(1, Paper::default()));
    let terminal = Terminal::new(out, Paper::default().boxed(), Options::default());
    every_ending().play(&terminal);
    assert_eq!(terminal.finish().unwrap_err().to_string(), "no space left");
}
