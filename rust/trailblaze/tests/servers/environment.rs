//! What a server finds around it.

use std::collections::BTreeMap;

use crate::lab::{call, command, lab, lab_with, registered, serve};
use crate::space::{Space, json};

/// What the environment of a server has that begins with TRAILBLAZE_.
const VARIABLES: &str = r#"handler: () => JSON.stringify(
    Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("TRAILBLAZE_"))))"#;

fn script(space: &Space, tools: &str) {
    let text = format!("import {{ trailblaze }} from \"@trailblaze/scripting\";\n\n{tools}\n");
    space.write("tools/deep/env.mjs", text);
}

#[test]
fn the_environment_is_inherited_and_the_variables_of_trailblaze_join_it() {
    let space = lab_with(
        r#"{ name: "lab_env", handler: () => text(`${process.env.SENTINEL} ${process.env.TRAILBLAZE_DEVICE_PLATFORM}`) }"#,
    );
    let output = command(&space, &["tool", "run", "lab_env"]).env("SENTINEL", "7-42").output().unwrap();
    assert_eq!(space.ran(output).exits(0).stdout, "7-42 ANDROID\n");
}

#[test]
fn every_variable_of_the_contract_is_there() {
    let space = lab(&["script: ./tools/deep/env.mjs"]);
    script(
        &space,
        &format!(r#"trailblaze.tool({{ name: "lab_env", description: "For a test.", {VARIABLES} }});"#),
    );
    for driver in ["android-ondevice-accessibility", "android-ondevice-instrumentation"] {
        let said = json(&call(&space, "lab_env", &["--as", driver]));
        let mut found: BTreeMap<String, String> = serde_json::from_value(said).unwrap();
        let session = found.remove("TRAILBLAZE_SESSION_ID").unwrap();
        assert!(session.len() >= 16, "{session}");
        let callback = found.remove("TRAILBLAZE_CALLBACK_URL").unwrap();
        assert!(
            callback.starts_with("http://127.0.0.1:") && callback.ends_with("/scripting/callback"),
            "{callback}"
        );
        let wanted = [
            ("TRAILBLAZE_DEVICE_DRIVER", driver),
            ("TRAILBLAZE_DEVICE_HEIGHT_PX", "2400"),
            ("TRAILBLAZE_DEVICE_PLATFORM", "ANDROID"),
            ("TRAILBLAZE_DEVICE_WIDTH_PX", "1080"),
            ("TRAILBLAZE_SCRIPT_RUNTIME", "node"),
            ("TRAILBLAZE_TOOLSET_FILE", "[space]/tools/deep/env.mjs"),
        ];
        assert_eq!(found, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    }
}

#[test]
fn the_platform_is_that_of_the_driver() {
    let space =
        lab_with(r#"{ name: `lab_on${process.env.TRAILBLAZE_DEVICE_PLATFORM}`, handler: () => text(1) }"#);
    for (driver, name) in [("ios-host", "lab_onIOS"), ("playwright-native", "lab_onWEB")] {
        assert_eq!(registered(&space, &["--as", driver]), [name]);
    }
}

#[test]
fn a_script_works_in_its_own_folder() {
    let space = lab(&["script: ./tools/deep/env.mjs"]);
    script(
        &space,
        r#"trailblaze.tool({ name: "lab_cwd", description: "For a test.", handler: () => process.cwd() });"#,
    );
    space.write("elsewhere/note.txt", "");
    let mut from = command(&space, &["tool", "run", "lab_cwd", "--workspace", ".."]);
    let output = from.current_dir(space.path("elsewhere")).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap().trim_end(),
        space.path("tools/deep").to_str().unwrap()
    );
}

#[test]
fn a_program_works_in_the_workspace_or_where_its_entry_says() {
    let space = lab(&[
        "{ name: root, command: node, args: [tools/root.mjs] }",
        "{ name: inner, command: node, args: [inner.mjs, --flag], workingDir: tools, env: { KEY: own value } }",
    ]);
    for name in ["root", "inner"] {
        let handler = "() => text(`${process.cwd()} ${process.env.KEY} ${process.argv.slice(2)}`)";
        serve(&space, name, &format!(r#"{{ name: "lab_{name}", handler: {handler} }}"#));
    }
    assert_eq!(call(&space, "lab_root", &[]), "[space] undefined");
    assert_eq!(call(&space, "lab_inner", &[]), "[space]/tools own value --flag");
}

#[test]
fn servers_of_the_workspace_serve_every_target() {
    let space = lab(&[]);
    space.write(
        "trailblaze.yaml",
        "target: lab\nmcpServers:\n  words: { command: [node, server.mjs], workingDir: ./tools }\n",
    );
    assert_eq!(call(&space, "lab_tierOne", &["--arg", "query=tea"]), "found tea");
}
