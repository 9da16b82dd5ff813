use insta::assert_snapshot;
use quick_junit::Report as Parsed;

use super::*;
use crate::testing::{Folder, Script, device_gone, endless, every_ending, hostile, killed, timeout};

#[track_caller]
fn written(test: &str, script: &Script) -> String {
    let folder = Folder::new(test);
    let junit = Junit::create(&folder.path("junit.xml")).unwrap();
    script.play(&junit);
    junit.finish().unwrap();
    let xml = folder.read("junit.xml");
    let parsed = Parsed::deserialize_from_str(&xml).unwrap();
    assert!(parsed.to_string().unwrap() == xml, "as the library would write it");
    xml
}

#[test]
fn every_way_to_end() {
    assert_snapshot!(written("junit-endings", &every_ending()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="6" skipped="2" failures="1" errors="1" time="2.500">
        <testsuite name="form" tests="1" skipped="1" errors="0" failures="0" time="1.234">
            <testcase name="date" classname="form" time="1.234" file="trails/form/date.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <skipped message="no date picker on this device"/>
            </testcase>
        </testsuite>
        <testsuite name="login" tests="2" skipped="0" errors="0" failures="1" time="2.468">
            <testcase name="invalid" classname="login" time="1.234" file="trails/login/invalid.trail.yaml">
                <properties>
                    <property name="title" value="Sign in with a wrong password"/>
                    <property name="device" value="sim"/>
                </properties>
                <failure message="no element with text &apos;Sign in&apos;" type="NotFound">no element with text &apos;Sign in&apos;
    at trails/login/invalid.trail.yaml:14:9
    hint: the screen has &apos;Sign on&apos;; is that what is meant?

    ✓ Open the sign-in page
    ✗ Tap Sign in  5.0 s
      in signIn {&quot;user&quot;:&quot;ana&quot;}
         tapOnElement {&quot;text&quot;:&quot;Sign in&quot;,&quot;index&quot;:0}
      screenshot: screens/login invalid.png
    – 2 steps not run</failure>
            </testcase>
            <testcase name="valid" classname="login" time="1.234" file="trails/login/valid.trail.yaml">
                <properties>
                    <property name="title" value="Sign in with a valid user"/>
                    <property name="device" value="sim"/>
                </properties>
            </testcase>
        </testsuite>
        <testsuite name="slow" tests="1" skipped="0" errors="0" failures="0" time="1.234">
            <testcase name="late" classname="slow" time="1.234" file="trails/slow/late.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <flakyFailure time="1.234" message="not settled within 5 s" type="Timeout">not settled within 5 s
    at trails/slow/late.trail.yaml:4:3

    ✗ Wait for the list  5.0 s

    at render (app.js:3:7)
    at app.js:9:1</flakyFailure>
            </testcase>
        </testsuite>
        <testsuite name="trails" tests="2" skipped="1" errors="1" failures="0" time="2.468">
            <testcase name="list" classname="trails" time="1.234" file="trails/list.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <error message="the device is gone" type="Device">the device is gone
    at trails/list.trail.yaml:4:3
    hint: start it and run again

    ✗ Open the list  5.0 s</error>
            </testcase>
            <testcase name="zoo" classname="trails" time="1.234" file="trails/zoo.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <skipped message="not run: the run was ended by --fail-fast"/>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_killed_run_names_what_was_running() {
    assert_snapshot!(written("junit-killed", &killed()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="2" skipped="0" failures="0" errors="1">
        <testsuite name="a" tests="2" skipped="0" errors="1" failures="0" time="1.234">
            <testcase name="first" classname="a" time="1.234" file="trails/a/first.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
            </testcase>
            <testcase name="second" classname="a" time="0.000" file="trails/a/second.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <error message="was running when the report was written" type="running"/>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_trail_that_fails_every_time_keeps_every_failure() {
    let mut script = Script::new(1);
    script.start("a", "a", 2).failed_step("Wait", timeout()).fails_and_will_be_retried(timeout());
    script.start_attempt("a", "a", 2, 2).failed_step("Wait", device_gone()).fails(device_gone()).finish();
    assert_snapshot!(written("junit-rerun", &script), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="1" skipped="0" failures="1" errors="0" time="2.500">
        <testsuite name="trails" tests="1" skipped="0" errors="0" failures="1" time="1.234">
            <testcase name="a" classname="trails" time="1.234" file="trails/a.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <failure message="not settled within 5 s" type="Timeout">not settled within 5 s
    at trails/a.trail.yaml:4:3

    ✗ Wait  5.0 s
    – 1 step not run

    at render (app.js:3:7)
    at app.js:9:1</failure>
                <rerunError time="1.234" message="the device is gone" type="Device">the device is gone
    at trails/a.trail.yaml:4:3
    hint: start it and run again

    ✗ Wait  5.0 s
    – 1 step not run</rerunError>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_retry_that_is_running_shows_the_failure_before() {
    let mut script = Script::new(1);
    script.start("a", "a", 1).failed_step("Wait", timeout()).fails_and_will_be_retried(timeout());
    assert_snapshot!(written("junit-between", &script), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="1" skipped="0" failures="0" errors="1">
        <testsuite name="trails" tests="1" skipped="0" errors="1" failures="0" time="0.000">
            <testcase name="a" classname="trails" time="0.000" file="trails/a.trail.yaml">
                <properties>
                    <property name="device" value="sim"/>
                </properties>
                <error message="was running when the report was written" type="running"/>
                <rerunFailure time="1.234" message="not settled within 5 s" type="Timeout">not settled within 5 s
    at trails/a.trail.yaml:4:3

    ✗ Wait  5.0 s

    at render (app.js:3:7)
    at app.js:9:1</rerunFailure>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn hostile_text_stays_text() {
    assert_snapshot!(written("junit-hostile", &hostile()), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="1" skipped="0" failures="1" errors="0" time="2.500">
        <testsuite name="wild" tests="1" skipped="0" errors="0" failures="1" time="1.234">
            <testcase name="日本|`x`" classname="wild" time="1.234" file="trails/wild/日本|`x`.trail.yaml">
                <properties>
                    <property name="title" value="rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt; Ä日本🎉 second"/>
                    <property name="device" value="sim"/>
                </properties>
                <failure message="rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt; Ä日本🎉 second" type="Exception">rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt;    Ä日本🎉
    second
    at trails/wild/日本|`x`.trail.yaml:4:3
    hint: rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt;    Ä日本🎉
      second

    ✗ rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt; Ä日本🎉 second
      in wild {&quot;text&quot;:&quot;\u001b[31mrot\u001b[0m &lt;b&gt;&amp;\&quot;&apos;|`x` ]]&gt;\u0000\b\tÄ日本🎉\r\nsecond&quot;}
      a [shot]: screens/a (1)|x.png
      warning: rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt;    Ä日本🎉
        second
      hint: rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt;    Ä日本🎉
        second

    rot &lt;b&gt;&amp;&quot;&apos;|`x` ]]&gt;    Ä日本🎉
    second</failure>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn an_endless_message_is_cut() {
    let xml = written("junit-endless", &endless());
    assert!(xml.contains("… (80000 more characters)"));
    assert!(xml.len() < 50_000, "{}", xml.len());
}

#[test]
fn a_report_is_there_before_the_first_trail() {
    assert_snapshot!(written("junit-empty", &Script::new(3)), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="0" skipped="0" failures="0" errors="0">
    </testsuites>
    "#);
}

#[test]
fn a_place_that_cannot_be_written_is_known_at_once() {
    let folder = Folder::new("junit-nowhere");
    let error = Junit::create(&folder.path("no/junit.xml")).unwrap_err();
    assert!(error.to_string().contains("no/junit.xml"), "{error}");
}

#[test]
fn ids_give_suites_and_cases() {
    #[track_caller]
    fn check(id: &str, device: Option<&str>, suite: &str, case: &str) {
        let run = TrailRun { trail: id.into(), device: device.map(Into::into) };
        assert_eq!(names(&run), (suite.to_owned(), case));
    }
    check("login/valid", None, "login", "valid");
    check("shop/cart/add", None, "shop/cart", "add");
    check("list", None, "trails", "list");
    check("/list", None, "trails", "list");
    check("login/", None, "login", "run");
    check("login/valid", Some("sim-2"), "sim-2/login", "valid");
}

/// `x` and `trails/x` share suite and name, but neither may hide the other.
#[test]
fn two_ids_with_one_name_are_two_cases() {
    let mut script = Script::new(2);
    script.start("x", "x", 0).passes().start("trails/x", "trails/x", 0).passes().finish();
    assert_eq!(written("junit-twice", &script).matches("<testcase").count(), 2);
}

#[test]
fn a_case_says_where_its_time_went() {
    let spent = |settle, verify| TrailTiming {
        settle: Spread { p50: settle, p95: 2 * settle },
        verify: Spread { p50: 0, p95: verify },
        ..TrailTiming::default()
    };
    let mut script = Script::new(2);
    script.start("a", "a", 0).passes().with_timing(spent(150, 20));
    script.start("b", "b", 0).fails_and_will_be_retried(timeout()).with_timing(spent(1, 1));
    script.start_attempt("b", "b", 0, 2).passes().with_timing(spent(75, 10));
    script.left_out("c", Verdict::NotRun, "the run was ended by --fail-fast").finish();
    let xml = written("junit-timing", &script);
    let shown: Vec<&str> = xml
        .lines()
        .filter(|line| line.contains("<testcase") || line.contains("name=\"timing."))
        .map(str::trim)
        .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    <testcase name="a" classname="trails" time="1.234" file="trails/a.trail.yaml">
    <property name="timing.see.p50" value="0"/>
    <property name="timing.see.p95" value="0"/>
    <property name="timing.match.p50" value="0"/>
    <property name="timing.match.p95" value="0"/>
    <property name="timing.act.p50" value="0"/>
    <property name="timing.act.p95" value="0"/>
    <property name="timing.settle.p50" value="150"/>
    <property name="timing.settle.p95" value="300"/>
    <property name="timing.verify.p50" value="0"/>
    <property name="timing.verify.p95" value="20"/>
    <testcase name="b" classname="trails" time="1.234" file="trails/b.trail.yaml">
    <property name="timing.see.p50" value="0"/>
    <property name="timing.see.p95" value="0"/>
    <property name="timing.match.p50" value="0"/>
    <property name="timing.match.p95" value="0"/>
    <property name="timing.act.p50" value="0"/>
    <property name="timing.act.p95" value="0"/>
    <property name="timing.settle.p50" value="75"/>
    <property name="timing.settle.p95" value="150"/>
    <property name="timing.verify.p50" value="0"/>
    <property name="timing.verify.p95" value="10"/>
    <testcase name="c" classname="trails" time="1.234" file="trails/c.trail.yaml">
    "#);
}

#[test]
fn a_large_suite_keeps_every_case() {
    let mut script = Script::new(500);
    for n in 0..500 {
        script.start(&format!("suite{}/trail{n}", n % 7), "A trail", 2);
        script.passed_step("Open the sign-in page").failed_step("Wait", timeout()).fails(timeout());
    }
    let xml = written("junit-large", &script);
    assert!(xml.contains(r#"tests="500" skipped="0" failures="500" errors="0""#));
    assert_eq!(xml.matches("<failure").count(), 500);
}
