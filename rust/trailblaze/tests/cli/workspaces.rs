//! Where things are: layouts of workspaces, which file is a folder's trail, globs.

use insta::assert_snapshot;

use crate::space::{APP, Space, trail_text};

#[track_caller]
fn ids(space: &Space, args: &[&str]) -> Vec<String> {
    let result = space.run(&[&["run", "--json"], args].concat()).exits(0).json();
    result["trails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trail| trail["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The files that a run reads, for the picking of files.
#[track_caller]
fn files(space: &Space, args: &[&str]) -> Vec<String> {
    let result = space.run(&[&["run", "--json"], args].concat()).exits(0).json();
    result["trails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trail| trail["file"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_layout_with_trailmaps_runs() {
    let space = Space::empty();
    space.write("trails/config/trailblaze.yaml", "defaults: { target: lab }\n");
    space.write(
        "trails/config/trailmaps/lab/trailmap.yaml",
        concat!(
            "id: lab\ntarget:\n  display_name: Lab\n  sim: { app: app.js }\n",
            "  platforms:\n    android:\n      app_ids: [com.example.lab]\n      tool_sets: [lab_set]\n",
        ),
    );
    space.write("trails/config/trailmaps/lab/tools/lab_start.tool.yaml", "id: lab_start\ndescription: Starts.\nparameters: []\ntools:\n  - launchApp: { appId: com.example.lab }\n");
    space.write("trails/config/trailmaps/lab/toolsets/lab_set.yaml", "id: lab_set\ntools: [lab_start]\n");
    space.write("app.js", APP);
    space.write("trails/login/trail.yaml", "trailhead:\n  step: Start\n  recording: { android: { lab_start: {} } }\ntrail:\n  - step: Nothing\n    recording: { android: [] }\n");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 0
    ----- stdout
    5 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
    assert_eq!(ids(&space, &[]), ["login"]);
    assert_eq!(ids(&space, &["trails"]), ["login"]);
    assert_eq!(ids(&space, &["trails/login"]), ["login"]);
    let tool = space.run(&["tools", "lab_start", "--json"]).exits(0).json();
    assert_eq!(tool["offered"], true);
}

#[test]
fn the_trails_folder_can_be_chosen() {
    let space = Space::lab();
    space.write("trailblaze.yaml", "target: lab\ntrailsDir: ./flows\n");
    space.write("flows/one.trail.yaml", trail_text("", &[]));
    space.trail("two", &[]);
    assert_eq!(files(&space, &[]), ["flows/one.trail.yaml"]);
}

#[test]
fn a_workspace_is_found_from_inside() {
    let space = Space::lab();
    space.trail("deep/er/one", &[]);
    let run = |folder: &str, args: &[&str]| {
        space.ran(space.command(args).current_dir(space.path(folder)).output().unwrap())
    };
    assert_snapshot!(run("trails/deep", &["run"]).to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ deep/er/one  150 ms
      ✓ Start
      ✓ Nothing

    1 passed in 150 ms of virtual time
    report: ../../.trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    run("trails/deep", &["run", "er/one.trail.yaml"]).exits(0);
    run("trails/deep", &["run", "../../."]).exits(0);
    assert_eq!(space.files("trails"), ["trails/deep/er/one.trail.yaml"]);
}

#[test]
fn the_closest_file_is_the_trail_of_a_folder() {
    let space = Space::lab();
    let names =
        ["android-phone.trail.yaml", "android.trail.yaml", "trail.yaml", "blaze.yaml", "trailblaze.yaml"];
    for name in names {
        let text = if name.starts_with("trailblaze") {
            "- tools:\n    - pressHome: {}\n".to_owned()
        } else {
            trail_text("", &[])
        };
        space.write(&format!("trails/case/{name}"), text);
    }
    space.write("trails/case.trail.yaml", trail_text("id: sibling", &[]));
    for other in ["ios.trail.yaml", "android-tablet.trail.yaml", "web.trail.yaml"] {
        space.write(&format!("trails/case/{other}"), "- tools:\n    - nothing: {}\n");
    }
    for name in names {
        assert_eq!(files(&space, &["trails/case"]), [format!("trails/case/{name}")]);
        assert!(files(&space, &[]).contains(&format!("trails/case/{name}")));
        std::fs::remove_file(space.path(&format!("trails/case/{name}"))).unwrap();
    }
    assert_eq!(files(&space, &["trails/case"]), ["trails/case.trail.yaml"]);
}

#[test]
fn a_folder_has_all_its_named_trails() {
    let space = Space::lab();
    for name in ["b", "a", "sub/c", "sub/deep/d"] {
        space.trail(name, &[]);
    }
    space.write("trails/whole/trail.yaml", trail_text("", &[]));
    space.write("trails/.hidden/x.trail.yaml", "broken");
    space.write("trails/node_modules/y.trail.yaml", "broken");
    space.write("trails/notes.yaml", "broken");
    assert_eq!(ids(&space, &[]), ["a", "b", "sub/c", "sub/deep/d", "whole"]);
    assert_eq!(ids(&space, &["trails/sub"]), ["sub/c", "sub/deep/d"]);
    assert_eq!(
        ids(&space, &["trails/a.trail.yaml", "trails/sub", "trails/a.trail.yaml"]),
        ["a", "sub/c", "sub/deep/d"]
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_find_every_trail_once() {
    let space = Space::lab();
    space.trail("sub/one", &[]);
    std::os::unix::fs::symlink(".", space.path("trails/self")).unwrap();
    std::os::unix::fs::symlink("../../trails", space.path("trails/sub/up")).unwrap();
    assert_eq!(files(&space, &[]), ["trails/sub/one.trail.yaml"]);
    assert_eq!(files(&space, &["trails/**/*.trail.yaml"]), ["trails/sub/one.trail.yaml"]);
}

#[test]
fn globs_match_files_and_folders() {
    let space = Space::lab();
    for name in ["one", "two", "sub/one", "sub/deep/one", "sub/deep/three"] {
        space.trail(name, &[]);
    }
    assert_eq!(ids(&space, &["trails/t*.trail.yaml"]), ["two"]);
    assert_eq!(ids(&space, &["trails/**/one.trail.yaml"]), ["one", "sub/deep/one", "sub/one"]);
    assert_eq!(ids(&space, &["trails/sub/d??p"]), ["sub/deep/one", "sub/deep/three"]);
    assert_eq!(ids(&space, &["*/sub/*.yaml", "trails/one*"]), ["one", "sub/one"]);
    assert_snapshot!(space.run(&["run", "trails/x*.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: nothing matches trails/x*.yaml
    ");
}

#[test]
fn paths_that_mean_nothing() {
    let space = Space::lab();
    space.trail("one", &[]);
    std::fs::create_dir(space.path("trails/empty")).unwrap();
    assert_snapshot!(space.run(&["run", "trails/on.trail.yaml"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/on.trail.yaml does not exist
    hint: give a workspace, a folder, a trail file or a glob
    ");
    assert_snapshot!(space.run(&["run", "trails/empty"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: no trails in trails/empty
    hint: trails are files called 'trail.yaml' or '<name>.trail.yaml', in a workspace below 'trails/'
    ");
    assert_snapshot!(space.run(&["run", "app.js"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: app.js:4:1: not valid YAML: simple key expect ':'
    4 | const button = (text, name, top) => ({
      | ^

    error: nothing was run because of the error above
    ");
}

#[test]
fn one_workspace_at_a_time() {
    let space = Space::empty();
    for name in ["one", "two"] {
        space.run(&["init", name]).exits(0);
    }
    assert_snapshot!(space.run(&["run", "one", "two"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: the paths belong to several workspaces: one, two
    hint: run one workspace at a time
    ");
    space.run(&["run", "one"]).exits(0);
}

#[test]
fn there_is_no_workspace_here() {
    let space = Space::empty();
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there is no workspace here
    hint: 'trailblaze init' makes one; or give a path to one
    ");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: there is no workspace here
    hint: 'trailblaze init' makes one; or give a path to one
    ");
    assert_snapshot!(space.run(&["run", "missing/folder"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: missing/folder does not exist
    hint: give a workspace, a folder, a trail file or a glob
    ");
    assert!(space.files("").is_empty());
}

#[test]
fn the_folder_of_a_run_has_its_reports_and_latest_points_to_it() {
    let space = Space::lab();
    space.trail("one", &["takeSnapshot: { screenName: \"The first / screen\" }"]);
    space.run(&["run"]).exits(0);
    let files = space.files(".trailblaze/runs/latest");
    let names: Vec<&str> =
        files.iter().map(|file| file.trim_start_matches(".trailblaze/runs/latest/")).collect();
    assert_eq!(names, ["events.jsonl", "junit.xml", "one/The-first---screen.png", "summary.md"]);
    space.run(&["run"]).exits(0);
    assert_eq!(std::fs::read_dir(space.path(".trailblaze/runs")).unwrap().count(), 3);
}
