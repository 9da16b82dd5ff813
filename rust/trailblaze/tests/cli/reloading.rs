//! Tools that are read again while a trail runs.

use crate::space::Space;

#[test]
fn tools_are_read_again_in_the_middle_of_a_trail() {
    let space = Space::lab();
    space.tool("lab_old", "parameters: []\ntools:\n  - tap: { text: Add one }");
    space.write(
        "later.yaml",
        "id: lab_new\ndescription: New.\nparameters: []\ntools:\n  - tap: { text: Add one }\n",
    );
    let replace = "exec: { argv: [sh, -c, \"rm trailblaze-config/tools/lab_old.yaml; \
                   cp later.yaml trailblaze-config/tools/lab_new.yaml\"] }";
    space.trail("renew", &["lab_old: {}", replace, "reloadTools: {}", "lab_new: {}"]);
    space.run(&["run", "--events", "events.jsonl", "--quiet"]).exits(0);
    let finished = space
        .events("events.jsonl")
        .into_iter()
        .find(|event| event["event"] == "toolFinished" && event["tool"] == "reloadTools");
    let message = finished.unwrap()["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with(" tools: 1 added, 1 removed\n+ lab_new\n- lab_old"), "{message}");
}

#[test]
fn a_workspace_with_errors_is_not_read_again() {
    let space = Space::lab();
    space.trail(
        "renew",
        &["exec: { argv: [sh, -c, \"mkdir trailblaze-config/tools; echo 'id: [' > trailblaze-config/tools/bad.yaml\"] }", "reloadTools: {}"],
    );
    let ran = space.run(&["run"]).exits(1);
    assert!(ran.stdout.contains("the workspace has errors"), "{}", ran.stdout);
}
