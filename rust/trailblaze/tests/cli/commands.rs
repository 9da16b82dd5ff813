//! Every command's own output, and mistakes on the command line.

use insta::assert_snapshot;

use crate::space::Space;

#[test]
fn help_names_every_command() {
    let ran = Space::empty().run(&["--help"]);
    assert_snapshot!(ran.to_string(), @"
    exit: 0
    ----- stdout
    UI tests that run on the phone itself

    Usage: trailblaze <COMMAND>

    Commands:
      run          Run trails
      check        Check trails, tools and configuration without a device
      tools        List the tools, or show one of them
      tool         Run one tool, or the tests of toolsets
      bundle       Make bundles of the workspace's scripts
      typegen      Write types of all tools, for editors
      registry     Print the registry as JSON
      devices      List the devices that trails can be run on
      doctor       Say what is missing to drive phones, and how to mend it
      select       Try a selector on a captured screen
      replay       Run a saved session again, without a device
      waypoint     Say which waypoints captured screens are
      serve        Drive devices for programs that call over RPC, without a run
      mcp          Be an MCP server, for Claude, Goose, Cursor and others
      farm         Plan a run on a device farm, and collect what came back
      apk          Make a test APK for phones and device farms
      init         Make a new workspace that runs at once
      completions  Print completions for a shell

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Start with 'trailblaze init' in an empty folder, then 'trailblaze run'.
    ----- stderr
    ");
}

#[test]
fn help_of_run_is_grouped() {
    let ran = Space::empty().run(&["run", "--help"]);
    assert_snapshot!(ran.to_string());
}

#[test]
fn help_of_the_other_commands() {
    let space = Space::empty();
    let names =
        ["check", "tools", "tool run", "tool test", "bundle", "typegen", "registry", "init", "completions"];
    let help = |name: &str| {
        let words: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        space.run(&words).to_string()
    };
    let all: String = names.map(help).join("\n");
    assert_snapshot!(all);
}

#[test]
fn version_is_one_line() {
    let ran = Space::empty().run(&["--version"]).exits(0);
    assert_eq!(ran.stdout, format!("trailblaze {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(ran.stderr, "");
}

#[test]
fn no_command_shows_the_help_and_is_a_mistake() {
    let space = Space::empty();
    let ran = space.run(&[]).exits(2);
    assert_eq!(ran.stderr, space.run(&["--help"]).stdout);
}

#[test]
fn mistakes_on_the_command_line_exit_with_2() {
    let space = Space::empty();
    assert_snapshot!(space.run(&["runn"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unrecognized subcommand 'runn'

      tip: a similar subcommand exists: 'run'

    Usage: trailblaze <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(space.run(&["run", "--tagg", "x"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unexpected argument '--tagg' found

      tip: a similar argument exists: '--tag'

    Usage: trailblaze run --tag <TAG> [PATHS]...

    For more information, try '--help'.
    ");
    assert_snapshot!(space.run(&["run", "--shard", "3/2"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value '3/2' for '--shard <I/N>': write i/n with 1 ≤ i ≤ n, such as 2/5

    For more information, try '--help'.
    ");
    assert_snapshot!(space.run(&["run", "--memory", "novalue"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value 'novalue' for '--memory <NAME=VALUE>': write NAME=VALUE

    For more information, try '--help'.
    ");
    assert_snapshot!(space.run(&["run", "--jobs", "0"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value '0' for '--jobs <N>': 0 is not in 1..=256

    For more information, try '--help'.
    ");
    for (time, what) in [
        ("0s", "it must be more than 0"),
        ("1.5s", "write a whole number: '1500ms' is one second and a half"),
        ("soon", "write a time such as '90s', '30m' or '1h'"),
    ] {
        let said = space.run(&["run", "--deadline", time]).exits(2).stderr;
        let expected = format!("error: invalid value '{time}' for '--deadline <TIME>': {what}\n");
        assert!(said.starts_with(&expected), "{said}");
    }
    assert_snapshot!(space.run(&["run", "--retries", "-1"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unexpected argument '-1' found

      tip: to pass '-1' as a value, use '-- -1'

    Usage: trailblaze run [OPTIONS] [PATHS]...

    For more information, try '--help'.
    ");
    assert_snapshot!(space.run(&["run", "-q", "-v"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: the argument '--quiet' cannot be used with '--verbose'

    Usage: trailblaze run --quiet [PATHS]...

    For more information, try '--help'.
    ");
}

#[test]
fn a_secret_that_is_written_wrongly_is_not_repeated() {
    assert_snapshot!(Space::empty().run(&["run", "--secret", "hunter2"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value for '--secret': write NAME=VALUE
    ");
}

#[test]
fn init_makes_a_workspace_that_runs_and_checks_at_once() {
    let space = Space::empty();
    assert_snapshot!(space.run(&["init"]).to_string(), @"
    exit: 0
    ----- stdout
    wrote trailblaze.yaml
    wrote app.js
    wrote trailblaze-config/targets/counter.yaml
    wrote trailblaze-config/tools/counter_addTwo.yaml
    wrote trails/counting.trail.yaml
    ----- stderr

    now type: trailblaze run
    ");
    assert_snapshot!(space.run(&["run"]).to_string(), @"
    exit: 0
    ----- stdout
    Running 1 trail on sim (android-ondevice-accessibility)
    ✓ counting  Counting up and starting again  600 ms
      ✓ Open the app on a clean install
      ✓ Count to two
      ✓ Start again
      ✓ The counter is at zero

    1 passed in 600 ms of virtual time
    report: .trailblaze/runs/[run]/summary.md
    ----- stderr
    ");
    assert_snapshot!(space.run(&["check"]).to_string(), @"
    exit: 0
    ----- stdout
    4 files checked: 0 errors, 0 warnings
    ----- stderr
    ");
}

#[test]
fn init_makes_the_folder_it_is_given() {
    let space = Space::empty();
    let ran = space.run(&["init", "new/place"]).exits(0);
    assert_snapshot!(ran.stderr, @"now type: trailblaze run new/place");
    space.run(&["run", "new/place"]).exits(0);
}

#[test]
fn init_touches_nothing_that_is_there() {
    let space = Space::empty();
    space.write("app.js", "mine");
    assert_snapshot!(space.run(&["init"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: there is already something here: app.js
    hint: choose an empty folder: 'trailblaze init DIR'
    ");
    assert_eq!(space.read("app.js"), "mine");
    assert_eq!(space.files(""), ["app.js"]);
}

#[test]
fn completions_are_a_script_for_the_shell() {
    let space = Space::empty();
    let first = |shell: &str| {
        let ran = space.run(&["completions", shell]).exits(0);
        ran.stdout.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first("bash"), "_trailblaze() {");
    assert_eq!(first("zsh"), "#compdef trailblaze");
    assert!(space.run(&["completions", "fish"]).exits(0).stdout.contains("fail-fast"));
    assert_snapshot!(space.run(&["completions", "tcsh"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}

#[test]
fn tools_without_a_workspace_are_the_built_in_ones() {
    let ran = Space::empty().run(&["tools"]);
    assert_snapshot!(ran.to_string());
}

#[test]
fn tools_shows_one_tool_with_its_arguments() {
    let space = Space::lab();
    space.tool(
        "lab_sayTwice",
        "parameters:\n  - { name: what, type: string, required: true, description: The text }\n  - { name: times, type: integer, default: 2 }\ntools:\n  - inputText: { text: \"{{what}}\" }",
    );
    assert_snapshot!(space.run(&["tools", "lab_sayTwice"]).to_string(), @"
    exit: 0
    ----- stdout
    lab_sayTwice
      For a test.
      source: trailblaze-config/tools/lab_sayTwice.yaml
      flags: for models, recorded

    arguments:
      what   text, required, The text
      times  whole number, default 2
    ----- stderr
    ");
    assert_snapshot!(space.run(&["tools", "swipe"]).to_string(), @r#"
    exit: 0
    ----- stdout
    swipe
      Swipe over the screen, or over an element.
      source: built in
      toolsets: core_interaction
      flags: for models, recorded

    arguments:
      direction           UP | DOWN | LEFT | RIGHT, default "DOWN", The way of the finger
      swipeOnElementText  text, Begin on the element that contains this text
      durationMs          whole number, default 400, How long the finger takes
    ----- stderr
    "#);
    assert_snapshot!(space.run(&["tools", "swipe", "--json"]).to_string());
    assert_snapshot!(space.run(&["tools", "swpe"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: unknown tool 'swpe'
    hint: did you mean 'swipe'?
    ");
    assert_snapshot!(space.run(&["tools", "tapOnElementBySelector"]).to_string(), @"
    exit: 0
    ----- stdout
    tapOnElementBySelector
      Tap the element that a selector means.
      source: built in
      flags: recorded

    arguments:
      nodeSelector  mapping, required, The element
      longPress     true or false, default false, Press long instead of tapping
    ----- stderr
    ");
}

#[test]
fn every_tool_in_json_has_the_same_keys() {
    let ran = Space::empty().run(&["tools", "--json"]).exits(0);
    let tools = ran.json();
    let tools = tools.as_array().expect("a list of tools");
    assert!(tools.len() > 50, "{}", tools.len());
    for tool in tools {
        let keys: Vec<&str> = tool.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["name", "description", "inputSchema", "source", "toolsets", "offered", "flags"]);
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert!(!tool["description"].as_str().unwrap().is_empty(), "{tool}");
    }
}

#[test]
fn registry_is_the_resource_of_the_same_name() {
    let ran = Space::empty().run(&["registry"]);
    assert_snapshot!(ran.to_string());
}

#[test]
fn listings_of_a_broken_workspace_say_what_is_broken() {
    let space = Space::lab();
    space.write("trailblaze-config/tools/bad.yaml", "id: bad\n");
    assert_snapshot!(space.run(&["tools"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/tools/bad.yaml:1:1: a tool needs one of 'class', 'tools' and 'script'
    1 | id: bad
      | ^
    hint: 'tools' for a fixed list of calls, 'script' for logic, 'class' for code in the APK
    error: the workspace has errors
    hint: see above
    ");
    assert_snapshot!(space.run(&["registry", "--target", "labb"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: unknown target 'labb'
    hint: did you mean 'lab'?
    ");
    assert_snapshot!(space.run(&["tools", "--workspace", "nowhere"]).to_string(), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: nowhere does not exist
    hint: give a workspace, a folder, a trail file or a glob
    ");
    assert_snapshot!(space.run(&["tools", "--as", "android"]).to_string(), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: unknown driver 'android'
    hint: did you mean 'android-ondevice-accessibility'?
    ");
}
