//! What `trailblaze apk pack` packs is what a phone runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use trailblaze::apk::{self, PackOptions};
use trailblaze_apk::Verified;
use trailblaze_apk::manifest::Changes;
use trailblaze_apk::zip::Archive;
use trailblaze_engine::host::Cancel;

use crate::lab::{ADD, LAUNCH, Lab, NINE, ONE, Ran, trail};
use crate::template;

const KEY: &str = "../apk/tests/apk/keys/ec.pem";

/// Packs a folder.
fn pack(workspace: &Path, out: &Path) -> Verified {
    let agent = out.with_extension("agent");
    fs::write(&agent, template::with(&[])).unwrap();
    let options = PackOptions {
        workspace: Some(workspace.to_owned()),
        template: Some(agent),
        out: out.to_owned(),
        changes: Changes::default(),
        key: Some(apk::KeyChoice { path: Path::new(env!("CARGO_MANIFEST_DIR")).join(KEY), password: None }),
        dex: Vec::new(),
        include: Vec::new(),
    };
    let ready = apk::prepare(&options).unwrap();
    assert!(!ready.has_errors(), "{:?}", ready.problems);
    apk::pack(&options, ready, &Cancel::default()).unwrap().apk
}

/// The verdicts that a host was told, by the names of the tests.
fn verdicts(ran: &Ran<'_>) -> BTreeMap<String, i32> {
    let ended = ran.statuses.iter().filter(|status| status.code != 1);
    ended.map(|status| (format!("{}#{}", status.get("class"), status.get("test")), status.code)).collect()
}

#[test]
fn its_assets_run_with_the_verdicts_of_the_workspace() {
    let files = [
        ("trailblaze.yaml", "target: lab\n".to_owned()),
        (
            "trailblaze-config/targets/lab.yaml",
            "id: lab\ndisplay_name: Lab\nplatforms:\n  android:\n    app_ids: [com.example.lab]\n\
             mcp_servers:\n  - script: ./tools/lab.ts\n"
                .to_owned(),
        ),
        (
            "tools/lab.ts",
            "import { trailblaze } from \"@trailblaze/scripting\";\n\
             trailblaze.tool({ name: \"lab_add\", description: \"Adds.\",\n  \
               handler: async (_, { client }) => { await client.tap({ text: \"Add one\" }); return {}; } });\n"
                .to_owned(),
        ),
        ("trails/counting/adds.trail.yaml", trail("", &[LAUNCH, ADD, ONE])),
        ("trails/counting/by-script.trail.yaml", trail("", &[LAUNCH, "lab_add: {}", ONE])),
        ("trails/counting/fails.trail.yaml", trail("", &[LAUNCH, NINE])),
        ("trails/Nine lives!.trail.yaml", trail("id: 9 lives", &[LAUNCH])),
    ];
    let pushed = Lab::bare();
    let root = pushed.root.join("shop");
    for (name, text) in &files {
        pushed.write(&format!("shop/{name}"), text);
    }
    let there = verdicts(&pushed.run(&[("workspace", root.to_str().unwrap())]));

    let mut packed = Lab::bare();
    let out = packed.root.join("shop.apk");
    let apk = pack(&root, &out);
    let mut archive = Archive::open(fs::File::open(&out).unwrap()).unwrap();
    for entry in archive.entries.clone() {
        let bytes = archive.read(&entry, 1 << 20).unwrap();
        if let Some(name) = entry.name.strip_prefix("assets/") {
            packed = packed.set(|state| state.assets.insert(name.to_owned(), bytes));
        }
    }
    let here = verdicts(&packed.run(&[]));

    assert_eq!(here, there);
    assert_eq!(here.values().copied().collect::<Vec<_>>(), [0, 0, -2, 0]);
    // What a farm finds in the dex is what the run tells it.
    assert_eq!(here.keys().cloned().collect::<Vec<_>>(), apk.tests);
}
