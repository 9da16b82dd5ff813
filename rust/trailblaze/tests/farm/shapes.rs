//! The same run in every shape that farms give back: each says what it can.

use insta::assert_snapshot;

use crate::lab::{DONE, IDS, all_passed, case, collect, junit, lab, outcomes, plan, test, troubles, zip};

const STACK: &str = "no element has the text 'Pay'\nat trails/cart/pay.trail.yaml:7:9\nhint: did you mean 'Paid'?\n\n\
                     ✓ Start\n✗ Step 1";

/// All but one pass, and one is skipped.
const VERDICTS: [&str; 5] =
    ["cart/add passed", "cart/pay failed", "sign-in/bad skipped", "sign-in/good passed", "tour passed"];

fn instrumentation() -> String {
    let [add, pay, bad, good, tour] = IDS;
    [
        test(add, 0, ""),
        test(pay, -2, STACK),
        test(bad, -3, "not today"),
        test(good, 0, ""),
        // A status without a verdict, and one of somebody else.
        "INSTRUMENTATION_STATUS: metric=4\nINSTRUMENTATION_STATUS_CODE: 2\n".to_owned(),
        test(tour, 0, ""),
        DONE.to_owned(),
    ]
    .concat()
}

fn farm_junit() -> String {
    let [add, pay, bad, good, tour] = IDS;
    let stack = STACK.replace('\'', "&apos;");
    let cases = [
        case(add, ""),
        case(pay, &format!("<failure>{stack}</failure>")),
        case(bad, "<skipped message=\"not today\" />"),
        case(good, "<system-out>&lt;failure&gt;</system-out>"),
        case(tour, ""),
        // Farms add cases of their own.
        "<testcase name=\"Setup Test\" classname=\"Setup Suite\" time=\"2\"/>".to_owned(),
    ];
    junit(&cases.join("\n"))
}

fn own_junit() -> String {
    let case = |suite: &str, name: &str, inside: &str| {
        format!("<testcase name=\"{name}\" classname=\"{suite}\" time=\"0.5\">{inside}</testcase>")
    };
    let cases = [
        case("cart", "add", "<flakyFailure message=\"x\" type=\"Timeout\" time=\"1\">x</flakyFailure>"),
        case(
            "cart",
            "pay",
            &format!("<failure message=\"m\" type=\"NotFound\"><![CDATA[{STACK}]]></failure>"),
        ),
        case("sign-in", "bad", "<skipped message=\"not today\"/>"),
        case("sign-in", "good", "<properties><property name=\"device\" value=\"x\"/></properties>"),
        case("trails", "tour", ""),
    ];
    format!("<testsuites><testsuite name=\"all\">{}</testsuite></testsuites>", cases.concat())
}

pub(crate) fn events() -> String {
    let end = |id: &str, more: &str| {
        format!(
            "{{\"event\":\"trailFinished\",\"t\":9,\"trail\":\"{id}\",\"id\":\"{id}\",\"file\":\"f\",\"title\":\"t\",\
             \"device\":\"android\",{more},\"attempt\":1,\"willRetry\":false,\"durationMs\":2500}}\n"
        )
    };
    let start = |id: &str, steps: usize| {
        format!(
            "{{\"event\":\"trailStarted\",\"t\":1,\"trail\":\"{id}\",\"id\":\"{id}\",\"file\":\"f\",\"title\":\"t\",\"device\":\"android\",\"steps\":{steps},\"attempt\":1}}\n"
        )
    };
    let step = |id: &str| {
        format!(
            "{{\"event\":\"stepStarted\",\"t\":2,\"trail\":\"{id}\",\"index\":0,\"kind\":\"step\",\"text\":\"Pay by card\",\"at\":\"trails/cart/pay.trail.yaml:7:3\"}}\n\
             {{\"event\":\"toolStarted\",\"t\":2,\"trail\":\"{id}\",\"call\":1,\"tool\":\"tap\",\"args\":{{}},\"via\":\"trail\"}}\n\
             {{\"event\":\"warning\",\"t\":2,\"trail\":\"{id}\",\"message\":\"slow\"}}\n\
             {{\"event\":\"stepFinished\",\"t\":3,\"trail\":\"{id}\",\"index\":0,\"verdict\":\"failed\",\"durationMs\":1000,\"failure\":{{\"kind\":\"NotFound\",\"message\":\"no element has the text 'Pay'\"}}}}\n"
        )
    };
    let failure = "\"verdict\":\"failed\",\"failure\":{\"kind\":\"NotFound\",\"message\":\"no element has the text 'Pay'\",\
                   \"at\":\"trails/cart/pay.trail.yaml:7:9\",\"hint\":\"did you mean 'Paid'?\"}";
    let [add, pay, bad, good, tour] = IDS;
    [
        "{\"event\":\"runStarted\",\"t\":0,\"version\":\"0.1.0\",\"trails\":5,\"driver\":\"d\",\"device\":\"android\"}\n".to_owned(),
        start(add, 0) + &end(add, "\"verdict\":\"passed\""),
        start(pay, 1) + &step(pay) + &end(pay, failure),
        end(bad, "\"verdict\":\"skipped\",\"reason\":\"not today\""),
        start(good, 0) + &end(good, "\"verdict\":\"passed\""),
        start(tour, 0) + &end(tour, "\"verdict\":\"passed\""),
        "{\"event\":\"runFinished\",\"t\":10,\"verdict\":\"failed\",\"passed\":3,\"failed\":1,\"skipped\":1,\"notRun\":0,\"healed\":0,\"interrupted\":false,\"durationMs\":10}\n".to_owned(),
    ]
    .concat()
}

pub(crate) fn logcat() -> String {
    let line = |text: &str| format!("11-15 03:44:30.123  4711  4720 I trailblaze: [0193ab2f] {text}\n");
    let noise =
        "--------- beginning of main\n11-15 03:44:30.123  99 99 E AndroidRuntime: trailblaze: passed\n";
    [
        noise.to_owned(),
        line("Trailblaze 0.1.0, trails: 5"),
        line("cart/add: started, attempt 1"),
        line("cart/add: Step 1"),
        line("cart/add: passed"),
        line("cart/pay: started, attempt 1"),
        line("cart/pay: failed: no element has the text 'Pay'"),
        line("sign-in/bad: skipped: not today"),
        "11-15 03:44 I/trailblaze( 4711): [0193ab2f] sign-in/good: started, attempt 1\n".to_owned(),
        "11-15 03:44 I/trailblaze( 4711): [0193ab2f] sign-in/good: passed\n".to_owned(),
        line("tour: started, attempt 1"),
        line("tour: passed"),
        line("3 passed, 1 failed"),
    ]
    .concat()
}

/// The name that a farm gives the file, and its text.
pub(crate) fn shapes() -> Vec<(&'static str, String)> {
    vec![
        ("instrumentation.results", instrumentation()),
        ("test_result_1.xml", farm_junit()),
        ("artifacts/sdcard/Android/data/dev.trailblaze.agent/files/reports/junit.xml", own_junit()),
        ("artifacts/sdcard/Android/data/dev.trailblaze.agent/files/reports/events.jsonl", events()),
        ("logcat", logcat()),
    ]
}

#[test]
fn every_shape_says_the_same() {
    for (name, text) in shapes() {
        let space = lab();
        space.write(&format!("results/shiba-34-en-portrait/{name}"), &text);
        let ran = collect(&space, &["--json"]).exits(1);
        assert_eq!(outcomes(&ran), VERDICTS, "{name}");
        assert_eq!(troubles(&ran), Vec::<String>::new(), "{name}");
        let result = ran.json();
        assert_eq!(result["trails"][1]["failure"]["message"], "no element has the text 'Pay'", "{name}");
        assert_eq!(result["trails"][1]["device"], "shiba-34-en-portrait");
    }
}

/// Nothing runs here, and what nobody measured has no time: on the terminal and in the summary.
#[test]
fn what_has_no_time_is_told_without_one() {
    let space = lab();
    plan(&space, "firebase", &["--devices", "shiba-34,tokay-35", "--filter", "cart"]).exits(0);
    space
        .write("results/shiba-34-en-portrait/instrumentation.results", all_passed(&["cart/add", "cart/pay"]));
    let ran = collect(&space, &["--plan", "plan"]).exits(4);
    assert_snapshot!(ran, @"
    exit: 4
    ----- stdout
    Results of shiba-34, tokay-35
    ✓ [shiba-34] cart/add
    ✓ [shiba-34] cart/pay
    – [tokay-35] cart/add  not run: shard 1: it never reported
    – [tokay-35] cart/pay  not run: shard 1: it never reported

    incomplete: 2 passed, 2 not run
    infrastructure:
      tokay-35, shard 1: it never reported
    report: report/summary.md
    ----- stderr
    ");
    let summary = space.read("report/summary.md");
    assert!(summary.contains("\nincomplete: 2 passed, 2 not run on shiba-34, tokay-35"), "{summary}");
    assert!(summary.contains("\n| ✓ passed | cart/add |  | shiba-34 |\n"), "{summary}");
    assert!(!summary.contains(" ms"), "{summary}");
}

#[test]
fn the_shapes_of_one_run_are_one_run() {
    let space = lab();
    for (name, text) in shapes() {
        space.write(&format!("results/shiba-34-en-portrait/{name}"), &text);
    }
    space.write("results/shiba-34-en-portrait/video.mp4", [0, 1, 2]);
    let ran = collect(&space, &[]).exits(1);
    assert_snapshot!(ran, @"
    exit: 1
    ----- stdout
    Results of shiba-34-en-portrait
    ✓ cart/add  2.5 s
    ✗ cart/pay  2.5 s
      ✗ Pay by card  1.0 s
        error: trails/cart/pay.trail.yaml:7:3: no element has the text 'Pay'
        warning: slow
    – sign-in/bad  skipped: not today
    ✓ sign-in/good  2.5 s
    ✓ tour  2.5 s

    ✗ cart/pay  trails/cart/pay.trail.yaml:7:9
    3 passed, 1 failed, 1 skipped in 12.5 s
    report: report/summary.md
    ----- stderr
    ");
    assert_snapshot!(space.shown("report/summary.md"), @"
    # ✗ 1 of 5 trails failed

    3 passed, 1 failed, 1 skipped in 12.5 s on shiba-34-en-portrait, android-ondevice-accessibility

    | verdict | trail | time | device |
    |---|---|---:|---|
    | ✓ passed | cart/add | 2.5 s | shiba-34-en-portrait |
    | ✗ failed | cart/pay | 2.5 s | shiba-34-en-portrait |
    | – skipped | sign-in/bad |  | shiba-34-en-portrait |
    | ✓ passed | sign-in/good | 2.5 s | shiba-34-en-portrait |
    | ✓ passed | tour | 2.5 s | shiba-34-en-portrait |

    ## ✗ cart/pay

    trails/cart/pay.trail.yaml

    ```text
    no element has the text 'Pay'
    at trails/cart/pay.trail.yaml:7:9
    hint: did you mean 'Paid'?

    ✗ Pay by card  1.0 s
      warning: slow
    ```

    ## Skipped

    - sign-in/bad: not today
    ");
    assert_snapshot!(space.shown("report/junit.xml"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="trailblaze" tests="5" skipped="1" failures="1" errors="0" time="12.500">
        <testsuite name="cart" tests="2" skipped="0" errors="0" failures="1" time="5.000">
            <testcase name="add" classname="cart" time="2.500" file="trails/cart/add.trail.yaml">
                <properties>
                    <property name="device" value="shiba-34-en-portrait"/>
                </properties>
            </testcase>
            <testcase name="pay" classname="cart" time="2.500" file="trails/cart/pay.trail.yaml">
                <properties>
                    <property name="device" value="shiba-34-en-portrait"/>
                </properties>
                <failure message="no element has the text &apos;Pay&apos;" type="NotFound">no element has the text &apos;Pay&apos;
    at trails/cart/pay.trail.yaml:7:9
    hint: did you mean &apos;Paid&apos;?

    ✗ Pay by card  1.0 s
      warning: slow</failure>
            </testcase>
        </testsuite>
        <testsuite name="sign-in" tests="2" skipped="1" errors="0" failures="0" time="5.000">
            <testcase name="bad" classname="sign-in" time="2.500" file="trails/sign-in/bad.trail.yaml">
                <properties>
                    <property name="device" value="shiba-34-en-portrait"/>
                </properties>
                <skipped message="not today"/>
            </testcase>
            <testcase name="good" classname="sign-in" time="2.500" file="trails/sign-in/good.trail.yaml">
                <properties>
                    <property name="device" value="shiba-34-en-portrait"/>
                </properties>
            </testcase>
        </testsuite>
        <testsuite name="trails" tests="1" skipped="0" errors="0" failures="0" time="2.500">
            <testcase name="tour" classname="trails" time="2.500" file="trails/tour.trail.yaml">
                <properties>
                    <property name="device" value="shiba-34-en-portrait"/>
                </properties>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

/// In a folder, alone, and called after the device.
#[test]
fn zips_are_folders() {
    let of_device = zip(&shapes());
    let named: Vec<(String, String)> =
        shapes().into_iter().map(|(name, text)| (format!("shiba-34-en-portrait/{name}"), text)).collect();
    let whole = zip(&named.iter().map(|(name, text)| (name.as_str(), text.clone())).collect::<Vec<_>>());
    for (place, collected, bytes) in [
        ("results/results.zip", "results", &whole),
        ("all.zip", "all.zip", &whole),
        ("results/shiba-34.zip", "results", &of_device),
    ] {
        let space = lab();
        space.write(place, bytes);
        let ran = space.run(&["farm", "collect", collected, "--out", "report", "--json"]).exits(1);
        assert_eq!(outcomes(&ran), VERDICTS, "{place}");
    }
}

/// The status protocol with the line ends of old versions of adb, and bytes that are no text.
#[test]
fn odd_bytes_do_no_harm() {
    let space = lab();
    let mut bytes = instrumentation().replace('\n', "\r\n").into_bytes();
    bytes.splice(0..0, *b"\xff\xfe garbage\r\n");
    space.write("results/shiba-34/instrumentation.results", bytes);
    assert_eq!(outcomes(&collect(&space, &["--json"]).exits(1)), VERDICTS);
}

/// The picture of a failure comes along; a path that leads elsewhere does not.
#[test]
fn files_of_a_run_are_in_the_report() {
    let space = lab();
    let saved = |file: &str| {
        format!(
            "{{\"event\":\"saved\",\"t\":2,\"trail\":\"cart/pay\",\"name\":\"screen\",\"file\":\"{file}\"}}\n"
        )
    };
    let at = "{\"event\":\"stepFinished\"";
    let all = saved("cart/pay/failure.png") + &saved("../secret.png") + &saved("cart/pay/lost.png");
    let reports = "results/shiba-34/artifacts/sdcard/reports";
    space.write(&format!("{reports}/events.jsonl"), events().replace(at, &format!("{all}{at}")));
    space.write(&format!("{reports}/cart/pay/failure.png"), "picture");
    space.write("results/shiba-34/artifacts/sdcard/secret.png", "secret");
    collect(&space, &[]).exits(1);
    assert_eq!(space.read("report/shiba-34/1/cart/pay/failure.png"), "picture");
    let summary = space.read("report/summary.md");
    assert!(summary.contains("![screen](shiba-34/1/cart/pay/failure.png)"), "{summary}");
    assert!(!summary.contains("secret") && !summary.contains("lost"), "{summary}");
}
