//! Where values begin and end, and whether they stand between brackets.

use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::place::Source;
use trailblaze_model::yaml::{self, Node, NodeValue};

/// Every value as `kind "its text"`, in the order of the document; `{}` and `[]` are between brackets.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let source = Source::new("a.yaml", text);
    let node = yaml::read(&source, &mut Diagnostics::new()).expect("this is YAML");
    let mut found = Vec::new();
    describe(&source, &node, &mut found);
    assert_eq!(found, expected);
}

fn describe(source: &Source, node: &Node, found: &mut Vec<String>) {
    let kind = match (&node.value, node.flow) {
        (NodeValue::Scalar(_), _) => "text",
        (NodeValue::List(_), false) => "list",
        (NodeValue::List(_), true) => "[]",
        (NodeValue::Map(_), false) => "map",
        (NodeValue::Map(_), true) => "{}",
    };
    found.push(format!("{kind} {:?}", &source.text[source.offset(node.place)..source.offset(node.end)]));
    for item in node.as_list().unwrap_or_default() {
        describe(source, item, found);
    }
    for entry in node.as_map().unwrap_or_default() {
        describe(source, &entry.value, found);
    }
}

#[test]
fn block_collections() {
    check("a: x\nb: y\n", &["map \"a: x\\nb: y\"", "text \"x\"", "text \"y\""]);
    check("- a\n- b # c\n", &["list \"- a\\n- b\"", "text \"a\"", "text \"b\""]);
    // A list at the indent of its key is marked at its first item.
    check("a:\n- x\n- y\n", &["map \"a:\\n- x\\n- y\"", "list \"x\\n- y\"", "text \"x\"", "text \"y\""]);
    check("a:\nb: x\n", &["map \"a:\\nb: x\"", "text \":\"", "text \"x\""]);
    check("a: &n\n  b: x\n", &["map \"a: &n\\n  b: x\"", "map \"&n\\n  b: x\"", "text \"x\""]);
    check("a: !!seq\n- x\n", &["map \"a: !!seq\\n- x\"", "list \"!!seq\\n- x\"", "text \"x\""]);
}

#[test]
fn collections_between_brackets() {
    check("a: [x]  # c\n", &["map \"a: [x]\"", "[] \"[x]\"", "text \"x\""]);
    check("a: &n {b: x }  \n", &["map \"a: &n {b: x }\"", "{} \"&n {b: x }\"", "text \"x\""]);
    check("{b: x, # c }\n}  \n", &["{} \"{b: x, # c }\\n}\"", "text \"x\""]);
    check("[a: x, y]", &["[] \"[a: x, y]\"", "{} \"a: x\"", "text \"x\"", "text \"y\""]);
    check("[x,\n]\n", &["[] \"[x,\\n]\"", "text \"x\""]);
    check("{}", &["{} \"{}\""]);
    check(
        "é: [ü, {ä: ö}]",
        &["map \"é: [ü, {ä: ö}]\"", "[] \"[ü, {ä: ö}]\"", "text \"ü\"", "{} \"{ä: ö}\"", "text \"ö\""],
    );
}

#[test]
fn texts() {
    check("\"a\n  b\" # c\n", &["text \"\\\"a\\n  b\\\"\""]);
    check("'a''b'  \n", &["text \"'a''b'\""]);
    check("- &n \"a\\\"b\" # \"\n", &["list \"- &n \\\"a\\\\\\\"b\\\"\"", "text \"&n \\\"a\\\\\\\"b\\\"\""]);
    check("- 'a\r\n  b' # c\r\n", &["list \"- 'a\\r\\n  b'\"", "text \"'a\\r\\n  b'\""]);
    check("a\n  b # c\n", &["text \"a\\n  b\""]);
    // A text below a `|` is marked without its indicator, and ends where the next line begins.
    check(
        "a: |\n  x\n  y\nb: z\n",
        &["map \"a: |\\n  x\\n  y\\nb: z\"", "text \"x\\n  y\\n\"", "text \"z\""],
    );
    check("a: >-\n  x", &["map \"a: >-\\n  x\"", "text \"x\""]);
}

#[test]
fn aliases_stand_where_they_are_written() {
    check(
        "a: &n {b: x}\nc: *n\n",
        &["map \"a: &n {b: x}\\nc: *n\"", "{} \"&n {b: x}\"", "text \"x\"", "{} \"*n\"", "text \"x\""],
    );
}

#[test]
fn pointers_lead_to_places() {
    let source = Source::new("a.yaml", "a:\n  - b/c: x\n    ~d: y\n");
    let node = yaml::read(&source, &mut Diagnostics::new()).expect("this is YAML");
    for (pointer, place) in [
        ("", "1:1"),
        ("/a/0", "2:5"),
        ("/a/0/b~1c", "2:10"),
        ("/a/0/~0d", "3:9"),
        ("/a/7", "2:3"),
        ("/z", "1:1"),
    ] {
        assert_eq!(node.place_at(pointer).to_string(), place, "{pointer}");
    }
}
