//! Reports that cannot be written.

use insta::assert_snapshot;

use crate::space::Space;

fn one() -> Space {
    let space = Space::lab();
    space.trail("one", &["tap: { text: Add one }"]);
    space.write("file", "a regular file");
    space
}

#[test]
fn a_place_below_a_regular_file_is_known_before_anything_runs() {
    let space = one();
    assert_snapshot!(space.run(&["run", "--out", "file/out"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the folder file/out cannot be made: a part of the path is a file, not a folder
    hint: '--out DIR' chooses another folder
    ");
    assert_snapshot!(space.run(&["run", "--events", "file/events.jsonl"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: file/events.jsonl cannot be written: there is no folder file
    ");
    assert_snapshot!(space.run(&["run", "--junit", "file/junit.xml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: file/junit.xml cannot be written: there is no folder file
    ");
    assert_snapshot!(space.run(&["run", "--record", "file/r.trail.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: file/r.trail.yaml cannot be written: there is no folder file
    ");
    assert_eq!(space.read("file"), "a regular file");
    assert!(space.files(".trailblaze").is_empty(), "{:?}", space.files(".trailblaze"));
}

#[test]
fn a_folder_in_place_of_a_report() {
    let space = one();
    std::fs::create_dir(space.path("folder")).unwrap();
    assert_snapshot!(space.run(&["run", "--out", "file"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the folder file cannot be made: something else is there
    hint: '--out DIR' chooses another folder
    ");
    assert_snapshot!(space.run(&["run", "--events", "folder"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: folder cannot be written: it is a folder
    ");
    assert_snapshot!(space.run(&["run", "--junit", "folder"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: folder cannot be written: it is a folder
    ");
    assert_snapshot!(space.run(&["run", "--record", "folder"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: folder cannot be written: it is a folder
    ");
    assert!(space.files("folder").is_empty());
    assert!(space.files(".trailblaze").is_empty(), "{:?}", space.files(".trailblaze"));
}

#[test]
fn a_workspace_whose_run_folder_cannot_be_made() {
    let space = one();
    space.write(".trailblaze", "a regular file");
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: the folder .trailblaze/runs cannot be made: a part of the path is a file, not a folder
    hint: '--out DIR' chooses another folder
    ");
    space.run(&["run", "--out", "elsewhere"]).exits(0);
}

#[test]
fn folders_on_the_way_to_a_report() {
    let space = one();
    assert_snapshot!(space.run(&["run", "-q", "--events", "new/events.jsonl"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: new/events.jsonl cannot be written: there is no folder new
    ");
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let space = one();
    assert_snapshot!(space.run(&["run", "--events", "/dev/full", "--out", "out"]).to_string(), @"
    exit: 3
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ one  300 ms
      ✓ Start
      ✓ Step 1

    1 passed in 300 ms of virtual time
    report: out/summary.md
    ----- stderr
    error: /dev/full could not be written: the disk is full
    ");
    assert!(space.read("out/events.jsonl").contains("runFinished"));
    assert_snapshot!(space.run(&["run", "--junit", "/dev/full", "--out", "out2"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: /dev/full cannot be written: /dev/full: not a regular file
    ");
}

#[test]
fn init_where_nothing_can_be_made() {
    let space = one();
    assert_snapshot!(space.run(&["init", "file/new"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: file/new/trailblaze.yaml could not be written: a part of the path is a file, not a folder
    ");
}
