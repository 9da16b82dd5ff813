//! Toolsets in TypeScript on a phone: the APK brings bundles, and neither sources nor a bundler.

use std::collections::BTreeMap;

use trailblaze::bundles;
use trailblaze_bundle::{Request, Sdk, With};
use trailblaze_script::sdk;

use crate::lab::{Lab, trail};

const TARGET: &str = "id: lab\ndisplay_name: Lab\nplatforms: { android: { app_ids: [com.example.lab] } }\n\
                      mcp_servers:\n  - script: ./tools/lab.ts\n";

const TOOLS: &str = r#"import { client, trailblaze } from "@trailblaze/scripting";

trailblaze.tool({
  name: "lab_count",
  description: "Counts to a number, however far it is.",
  input: { type: "object", properties: { to: { type: "integer" } }, required: ["to"] } as const,
  handler: async ({ to }, { runtime }) => {
    for (let n = 0; n < to; n++) await client.tap("Add one");
    if (!(await client.isVisible(`Count: ${to}`))) throw new Error(`not at ${to}`);
    return `${to} on ${runtime}`;
  },
});

trailblaze.tool({
  name: "lab_onLaptop",
  description: "Needs a laptop.",
  input: { type: "object" },
  meta: { requiresHost: true },
  handler: () => "never here",
});
"#;

/// What `trailblaze bundle` writes for the script.
fn bundle() -> (String, String) {
    let files = BTreeMap::from([("tools/lab.ts".to_owned(), TOOLS.to_owned())]);
    let request = Request {
        root: std::path::Path::new("."),
        entry: "tools/lab.ts",
        files: &files,
        with: With::Own,
        allow_host_only: false,
        sdk: Sdk { files: sdk::FILES, exports: sdk::EXPORTS },
    };
    let bundle = trailblaze_bundle::bundle(&request).unwrap();
    (bundle.print(), bundle.print_map().unwrap())
}

fn lab(calls: &[&str]) -> Lab {
    let (code, map) = bundle();
    let name = format!("bundles/{}", bundles::module_name("./tools/lab.ts"));
    Lab::new()
        .asset("trailblaze-config/targets/lab.yaml", TARGET)
        .asset(&name, &code)
        .asset(&format!("{name}.map"), &map)
        .asset("trails/counting.trail.yaml", &trail("", &[&[crate::lab::LAUNCH], calls].concat()))
}

#[test]
fn a_bundle_runs_on_the_phone() {
    let lab = lab(&["lab_count: { to: 3 }", "assertVisibleWithText: { text: 'Count: 3' }"]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["0 counting"]);
    let said =
        ran.events().into_iter().find(|event| event["tool"] == "lab_count" && event["result"] == "Success");
    assert_eq!(said.unwrap()["message"], "3 on ondevice");
}

#[test]
fn a_stack_on_the_phone_points_into_the_typescript_source() {
    let lab = lab(&["lab_count: { to: 1 }", "lab_count: { to: 1 }"]);
    let ran = lab.run(&[]).finishes();
    assert_eq!(ran.ends(), ["-2 counting"]);
    let stack = ran.stack("counting");
    assert!(stack.contains("not at 1") && stack.contains("tools/lab.ts:9:"), "{stack}");
}

#[test]
fn a_tool_that_needs_a_laptop_says_so() {
    let lab = lab(&["lab_onLaptop: {}"]);
    let told = lab.run(&[]).refuses(&["counting"]);
    let expected = "the tool 'lab_onLaptop' cannot be used: it needs the agent on the host";
    assert!(told.contains(expected), "{told}");
}
