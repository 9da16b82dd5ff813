//! Recording a step changes its lines and nothing else: comments, layout and line endings stay.

use serde_json::{Value, json};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::place::Source;
use trailblaze_model::{trail, yaml};

/// Sets the recording of a step for `android` and compares the whole text.
#[track_caller]
fn check(step: usize, text: &str, expected: &str) {
    check_calls(step, "android", &json!([{ "tap": { "text": "A" } }]), text, expected);
}

#[track_caller]
fn check_calls(step: usize, classifier: &str, calls: &Value, text: &str, expected: &str) {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    let edited = edit(step, classifier, calls, text);
    assert!(edited == expected, "expected:\n{expected}\n\nactual:\n{edited}\n{edited:?}");
    let again = edit(step, classifier, calls, &edited);
    assert!(edited == again, "the same edit again gives:\n{again}");
}

#[track_caller]
fn edit(step: usize, classifier: &str, calls: &Value, text: &str) -> String {
    let source = Source::new("a.yaml", text);
    let document = yaml::read(&source, &mut Diagnostics::new()).expect("this is YAML");
    let edited = yaml::set_recording(&source, trail::step_nodes(&document)[step], classifier, calls);
    let mut wanted = document.to_json();
    let steps = trail::step_nodes(&document);
    let has_head = document.get("trailhead").is_some();
    let pointer = match (has_head, step) {
        (true, 0) => "/trailhead".to_owned(),
        (true, step) => format!("/trail/{}", step - 1),
        (false, step) => format!("/trail/{step}"),
    };
    assert_eq!(wanted.pointer(&pointer), Some(&steps[step].to_json()));
    let map = wanted.pointer_mut(&pointer).and_then(Value::as_object_mut).expect("a step is a mapping");
    let recording = map.entry("recording").or_insert(Value::Null);
    if recording.is_null() {
        *recording = json!({});
    }
    recording[classifier] = calls.clone();
    let again =
        yaml::read(&Source::new("b.yaml", edited.as_str()), &mut Diagnostics::new()).expect("this is YAML");
    assert_eq!(again.to_json(), wanted, "edited to:\n{edited}");
    edited
}

#[test]
fn a_step_without_a_recording() {
    check(
        0,
        "
# before
trail: # here
  # above
  - step: a # note
    maxRetries: 1 # often

  # below
  - step: b
# the end
",
        "
# before
trail: # here
  # above
  - step: a # note
    maxRetries: 1 # often
    recording:
      android:
        - tap:
            text: A

  # below
  - step: b
# the end
",
    );
    check(
        1,
        "trail:\n- step: a\n- step: b",
        "trail:\n- step: a\n- step: b\n  recording:\n    android:\n      - tap:\n          text: A",
    );
    check(
        0,
        "trailhead:\n  step: a\ntrail: [{ step: b }]\n",
        "trailhead:\n  step: a\n  recording:\n    android:\n      - tap:\n          text: A\ntrail: [{ step: b }]\n",
    );
}

#[test]
fn another_classifier() {
    check(
        0,
        "
trail:
  - recording: # first
      ios: [] # nothing
      # still the recording
    step: a
",
        "
trail:
  - recording: # first
      ios: [] # nothing
      android:
        - tap:
            text: A
      # still the recording
    step: a
",
    );
}

#[test]
fn the_classifier_is_replaced() {
    check(
        0,
        "
trail:
  - step: a
    recording:
      android: # for phones
        - old: {} # gone
        - older: {}
      ios: []
    # kept
    maxRetries: 1
",
        "
trail:
  - step: a
    recording:
      android: # for phones
        - tap:
            text: A
      ios: []
    # kept
    maxRetries: 1
",
    );
    check(
        0,
        "
trail:
  - step: a
    recording:
        android: [] # why
  - step: b
",
        "
trail:
  - step: a
    recording:
        android: # why
          - tap:
              text: A
  - step: b
",
    );
    check_calls(
        0,
        "android",
        &json!([]),
        "trail:\n  - step: a\n    recording:\n      android:\n      - tap: {}\n      ios: []\n",
        "trail:\n  - step: a\n    recording:\n      android: []\n      ios: []\n",
    );
}

#[test]
fn recordings_between_braces() {
    check(
        0,
        "trail:\n  - step: a\n    recording: {} # none yet\n",
        "trail:\n  - step: a\n    recording: # none yet\n      android:\n        - tap:\n            text: A\n",
    );
    check(
        0,
        "trail:\n  - recording: { ios: [] }\n    step: a\n",
        "trail:\n  - recording:\n      ios: []\n      android:\n        - tap:\n            text: A\n    step: a\n",
    );
    check(
        0,
        "trail:\n  - step: a\n    recording: {\n      ios: [] # none\n    }\n",
        "trail:\n  - step: a\n    recording: {\n      ios: [], android: [{ tap: { text: A } }] # none\n    }\n",
    );
    check(
        0,
        "trail:\n  - step: a\n    recording:\n",
        "trail:\n  - step: a\n    recording:\n      android:\n        - tap:\n            text: A\n",
    );
}

#[test]
fn steps_between_braces() {
    check(
        1,
        "trail: [{ step: a }, { step: b }] # all\n",
        "trail: [{ step: a }, { step: b, recording: { android: [{ tap: { text: A } }] } }] # all\n",
    );
    check(
        0,
        "trail: [{ step: a, recording: { android: [], ios: [] } }]\n",
        "trail: [{ step: a, recording: { android: [{ tap: { text: A } }], ios: [] } }]\n",
    );
    check(
        0,
        "trail: [{ step: a, recording: {} }]\n",
        "trail: [{ step: a, recording: { android: [{ tap: { text: A } }] } }]\n",
    );
    check(
        0,
        "trail: [{ step: a, recording: }]\n",
        "trail: [{ step: a, recording: { android: [{ tap: { text: A } }] } }]\n",
    );
    check(
        0,
        "trail:\n  - {\n    step: a, # why\n  }\n",
        "trail:\n  - {\n    step: a, recording: { android: [{ tap: { text: A } }] }, # why\n  }\n",
    );
}

#[test]
fn texts_that_end_a_step() {
    check(
        0,
        "
trail:
  - step: |
      two
      lines

  # next
  - step: b
",
        "
trail:
  - step: |
      two
      lines
    recording:
      android:
        - tap:
            text: A

  # next
  - step: b
",
    );
    check(
        0,
        "trail:\n  - step: |\n      two\n      lines",
        "trail:\n  - step: |\n      two\n      lines\n    recording:\n      android:\n        - tap:\n            text: A",
    );
    check(
        0,
        "trail:\n  - step: |+\n      kept\n\n\n  - step: b\n",
        "trail:\n  - step: |+\n      kept\n\n\n    recording:\n      android:\n        - tap:\n            text: A\n  - step: b\n",
    );
    check(
        0,
        "trail:\n  - step: \"two\n      lines\" # quoted\n  - step: plain\n      text\n",
        "trail:\n  - step: \"two\n      lines\" # quoted\n    recording:\n      android:\n        - tap:\n            text: A\n  - step: plain\n      text\n",
    );
    check(
        1,
        "trail:\n  - step: a\n  - step: plain\n      text\n",
        "trail:\n  - step: a\n  - step: plain\n      text\n    recording:\n      android:\n        - tap:\n            text: A\n",
    );
}

#[test]
fn line_endings_and_byte_order_marks_stay() {
    check(
        0,
        "trail:\r\n  - step: a # c\r\n  - step: b\r\n",
        "trail:\r\n  - step: a # c\r\n    recording:\r\n      android:\r\n        - tap:\r\n            text: A\r\n  - step: b\r\n",
    );
    check(
        0,
        "trail:\r\n  - step: a\r\n    recording:\r\n      android: [] # c\r\n",
        "trail:\r\n  - step: a\r\n    recording:\r\n      android: # c\r\n        - tap:\r\n            text: A\r\n",
    );
    check(
        0,
        "\u{feff}{ trail: [{ step: ä }] }",
        "\u{feff}{ trail: [{ step: ä, recording: { android: [{ tap: { text: A } }] } }] }",
    );
}

/// What one step shares with another cannot change for one of them only, unless it is written out.
#[test]
fn aliases() {
    check(
        1,
        "trail:\n  - step: a # c\n    recording: &r\n      ios: []\n  - step: b\n    recording: *r # same\n",
        "trail:\n  - step: a # c\n    recording: &r\n      ios: []\n  - step: b\n    recording: # same\n      ios: []\n      android:\n        - tap:\n            text: A\n",
    );
    let shared =
        "trail:\n  - step: a # c\n    recording: &r\n      ios: []\n  - step: b\n    recording: *r\n";
    let edited = edit(0, "android", &json!([]), shared);
    assert!(!edited.contains('*'), "{edited}");
    let same = "trail:\n  - &s\n    step: a\n  - *s\n";
    edit(0, "android", &json!([]), same);
    edit(1, "android", &json!([]), same);
}

#[test]
fn odd_calls_are_quoted() {
    let calls =
        json!([{ "tap: x": { "text": "a, b} # c", "n": 1.0, "lines": "a\nb\n", "none": null, "map": {} } }]);
    for text in ["trail: [{ step: a }]\n", "trail:\n  - step: a\n"] {
        edit(0, "android-phone: 37", &calls, text);
    }
}

/// Whatever the layout and whichever step and classifier, every comment stays and every other line too.
#[test]
fn comments_survive_in_every_layout() {
    let bodies = [
        "\n    step: S # c1\n    # c2\n    recording: # c3\n      # c4\n      android: [] # c5\n    # c6",
        "\n    step: S # c1\n    # c2\n    recording: { android: [] } # c3",
        "\n    step: S # c1\n    recording: {android: []} # c2\n    maxRetries: 1 # c3",
        "\n    recording: {  # c1\n      android: [], # c2\n      # c3\n    } # c4\n    step: S",
        "\n    recording: # c1\n      { android: [] } # c2\n    step: S",
        "\n    step: S # c1\n    recording: &r { android: [] } # c2",
        "\n    step: S # c1\n    recording: !!map { android: [] } # c2",
        "\n    step: S # c1\n    recording: # c2",
        " { step: S, recording: { android: [] } } # c1",
        " {step: S, recording: {android: []}} # c1",
        " { step: S, recording: {} } # c1",
        " { step: S } # c1",
        " { # c1\n    step: S, # c2\n    # c3\n    recording: { # c4\n      android: [] # c5\n    } # c6\n  } # c7",
        " &s { step: S, recording: { android: [] } } # c1",
        " &s # c1\n    { step: S, recording: { android: [] } } # c2",
        " !!map { step: S, recording: { android: [] } } # c1",
    ];
    for body in bodies {
        let block = body.trim_start();
        let steps =
            |list: String| format!("# top\n\ntrail: # steps\n{list}\n  # next\n  - step: z # last\n# end\n");
        for (step, text) in [
            (0, steps(format!("  - {block}"))),
            (
                1,
                steps(format!(
                    "  - {{ step: y, recording: {{ android: [] }} }} # y\n  # between\n  - {block}"
                )),
            ),
            (0, format!("# top\ntrailhead:{body}\n# between\ntrail: # steps\n  - step: z # last\n# end\n")),
        ] {
            for classifier in ["android", "android-phone"] {
                for calls in [json!([]), json!([{ "tap": { "text": "A, b: {c}" } }])] {
                    check_comments(step, classifier, &calls, &text);
                }
            }
        }
    }
    for list in
        ["[ { step: a, recording: { android: [] } } ]", "[{step: a, recording: {android: []}}, {step: b}]"]
    {
        let text = format!("# top\ntrail: {list} # steps\n# end\n");
        check_comments(0, "android", &json!([{ "tap": {} }]), &text);
        check_comments(0, "android-phone", &json!([{ "tap": {} }]), &text);
    }
}

#[track_caller]
fn check_comments(step: usize, classifier: &str, calls: &Value, text: &str) {
    let comments = |text: &str| -> Vec<String> {
        text.lines().filter_map(|line| Some(line.split_once('#')?.1.trim().to_owned())).collect()
    };
    let mut wanted = comments(text);
    let edited = edit(step, classifier, calls, text);
    let mut kept = comments(&edited);
    wanted.sort();
    kept.sort();
    assert!(wanted == kept, "{classifier} of step {step} in:\n{text}\nbecame:\n{edited}");
}

/// A step that repeats another one is written out, and the rest of the file stays.
#[test]
fn a_repeated_step_is_written_out() {
    check_calls(
        1,
        "android-phone",
        &json!([]),
        "# top\ntrail:\n  - &s { step: a } # first\n  - *s # same\n",
        "# top\ntrail:\n  - &s { step: a } # first\n  - { step: a, recording: { android-phone: [] } } # same\n",
    );
    check_calls(
        1,
        "android-phone",
        &json!([]),
        "# top\ntrail:\n  - { step: a, recording: &r { ios: [] } }\n  - { step: b, recording: *r } # same\n",
        "# top\ntrail:\n  - { step: a, recording: &r { ios: [] } }\n  - { step: b, recording: { ios: [], android-phone: [] } } # same\n",
    );
}
