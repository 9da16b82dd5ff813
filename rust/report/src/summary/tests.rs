use insta::assert_snapshot;

use super::*;
use crate::testing::{Folder, Script, endless, every_ending, hostile, killed};

fn written(test: &str, script: &Script) -> String {
    let folder = Folder::new(test);
    let summary = Summary::new(&folder.path("summary.md")).unwrap();
    script.play(&summary);
    summary.finish().unwrap();
    folder.read("summary.md")
}

#[test]
fn every_way_to_end() {
    assert_snapshot!(written("summary-endings", &every_ending()), @r#"
    # ✗ 2 of 6 trails failed

    2 passed (1 after a retry), 2 failed, 1 skipped, 1 not run in 2.5 s on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    | – skipped | form/date |  | sim |
    | ✗ failed | list | 1.2 s | sim |
    | ✗ failed | login/invalid<br>Sign in with a wrong password | 1.2 s | sim |
    | ✓ passed | login/valid<br>Sign in with a valid user | 1.2 s | sim |
    | ✓ passed (attempt 2) | slow/late | 1.2 s | sim |
    | – not run | zoo |  | sim |

    ## ✗ list

    trails/list.trail.yaml

    ```text
    the device is gone
    at trails/list.trail.yaml:4:3
    hint: start it and run again

    ✗ Open the list  5.0 s
    ```

    ## ✗ login/invalid

    trails/login/invalid.trail.yaml

    ```text
    no element with text 'Sign in'
    at trails/login/invalid.trail.yaml:14:9
    hint: the screen has 'Sign on'; is that what is meant?

    ✓ Open the sign-in page
    ✗ Tap Sign in  5.0 s
      in signIn {"user":"ana"}
         tapOnElement {"text":"Sign in","index":0}
      screenshot: screens/login invalid.png
    – 2 steps not run
    ```

    ![screenshot](screens/login%20invalid.png)

    ## ✗ slow/late, attempt 1 of 2 (passed in the end)

    trails/slow/late.trail.yaml

    ```text
    not settled within 5 s
    at trails/slow/late.trail.yaml:4:3

    ✗ Wait for the list  5.0 s

    at render (app.js:3:7)
    at app.js:9:1
    ```

    ## Skipped

    - form/date: no date picker on this device

    ## Not run

    - zoo: the run was ended by --fail-fast
    "#);
}

#[test]
fn all_passed() {
    let mut script = Script::new(1);
    script.start("login/valid", "Sign in", 1).passed_step("Tap").passes().finish();
    assert_snapshot!(written("summary-passed", &script), @"
    # ✓ 1 trail passed

    1 passed in 2.5 s on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    | ✓ passed | login/valid<br>Sign in | 1.2 s | sim |
    ");
}

#[test]
fn nothing_to_run() {
    assert_snapshot!(written("summary-empty", Script::new(0).finish()), @"
    # – No trail was run

    0 passed in 2.5 s on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    ");
}

#[test]
fn an_interrupted_run_says_so() {
    let mut script = Script::new(2);
    script.start("a", "a", 1).passed_step("Tap").passes();
    script.left_out("b", Verdict::NotRun, "interrupted").finish_run(true);
    assert_snapshot!(written("summary-interrupted", &script), @"
    # ✗ Interrupted: 1 of 2 trails ran

    interrupted: 1 passed, 1 not run in 2.5 s on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    | ✓ passed | a | 1.2 s | sim |
    | – not run | b |  | sim |

    ## Not run

    - b: interrupted
    ");
}

#[test]
fn a_trail_that_did_not_end_is_listed() {
    let mut script = killed();
    assert_snapshot!(written("summary-unended", script.finish()), @"
    # ✓ 1 trail passed

    1 passed in 2.5 s on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    | ✓ passed | a/first | 1.2 s | sim |
    | ? did not end | a/second |  | sim |

    ## ? a/second

    trails/a/second.trail.yaml

    ```text
    ✓ Look
    ? Tap
    ```
    ");
}

#[test]
fn a_killed_run_has_no_summary() {
    let folder = Folder::new("summary-killed");
    let summary = Summary::new(&folder.path("summary.md")).unwrap();
    killed().play(&summary);
    assert!(folder.names().is_empty());
}

#[test]
fn hostile_text_is_no_markup() {
    assert_snapshot!(written("summary-hostile", &hostile()), @r#"
    # ✗ 1 of 1 trail failed

    0 passed, 1 failed in 2.5 s on sim, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    | ✗ failed | wild/日本\|\`x\`<br>rot \<b\>\&"'\|\`x\` \]\]\> Ä日本🎉 second | 1.2 s | sim |

    ## ✗ wild/日本\|\`x\`

    trails/wild/日本\|\`x\`.trail.yaml

    ```text
    rot <b>&"'|`x` ]]>    Ä日本🎉
    second
    at trails/wild/日本|`x`.trail.yaml:4:3
    hint: rot <b>&"'|`x` ]]>    Ä日本🎉
      second

    ✗ rot <b>&"'|`x` ]]> Ä日本🎉 second
      in wild {"text":"\u001b[31mrot\u001b[0m <b>&\"'|`x` ]]>\u0000\b\tÄ日本🎉\r\nsecond"}
      a [shot]: screens/a (1)|x.png
      warning: rot <b>&"'|`x` ]]>    Ä日本🎉
        second
      hint: rot <b>&"'|`x` ]]>    Ä日本🎉
        second

    rot <b>&"'|`x` ]]>    Ä日本🎉
    second
    ```

    ![a \[shot\]](screens/a%20%281%29%7Cx.png)
    "#);
}

#[test]
fn an_endless_message_is_cut() {
    assert!(written("summary-endless", &endless()).len() < 50_000);
}

#[test]
fn an_error_of_writing_is_told() {
    let folder = Folder::new("summary-nowhere");
    let summary = Summary::new(&folder.path("no/summary.md")).unwrap();
    every_ending().play(&summary);
    assert!(summary.finish().is_err());
}
