//! Esbuild as the program sees it: a stand-in that is called with the same flags and leaves the same files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;
use trailblaze_bundle::{Disk, Request, With, bundle, is_fresh, is_outdated};
use trailblaze_model::bundle::{Bundle, Bundler};
use trailblaze_model::diagnostic::Diagnostic;
use trailblaze_model::source_map::SourceMap;

use crate::{SDK, call};

/// A workspace on disk with a stand-in for esbuild that runs these commands; `$out` is the folder for its output.
fn workspace(name: &str, source: &str, commands: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    let bin = root.join("node_modules").join(".bin");
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(root.join("tools")).unwrap();
    fs::create_dir_all(root.join("node_modules").join("zod")).unwrap();
    fs::write(root.join("node_modules").join("zod").join("package.json"), "{\"version\":\"1.0.0\"}").unwrap();
    fs::write(root.join("tools").join("a.ts"), source).unwrap();
    let script = format!(
        "#!/bin/sh\nfor flag; do case $flag in --outfile=*) out=${{flag#--outfile=}};; --metafile=*) meta=${{flag#--metafile=}};; esac; done\n\
         out=$(dirname \"$out\"); mkdir -p \"$out\"; echo \"$@\" > flags\n{commands}\n"
    );
    let program = bin.join("esbuild");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    root
}

fn run(root: &PathBuf, with: With, allow_host_only: bool) -> Result<Bundle, Vec<Diagnostic>> {
    let files = Disk::new(root);
    bundle(&Request { root, entry: "tools/a.ts", files: &files, with, allow_host_only, sdk: SDK })
}

const OUTPUT: &str = r#"
cat > "$out/bundle.js" <<'END'
import { readFileSync } from "node:fs";
export const f = () => 1, g = () => readFileSync("x");
END
echo '{"version":3,"sources":["../../../w/tools/a.ts","../sdk/index.js"],"names":["x"],"mappings":";AAEA,SAAAA"}' > "$out/bundle.js.map"
"#;

#[test]
fn a_package_is_left_to_esbuild() {
    let source = "import { z } from 'zod';\nexport const f = () => z;\n";
    let output = "echo 'export const f = () => 1;' > \"$out/bundle.js\"\n\
                  echo \"{\\\"version\\\":3,\\\"sources\\\":[\\\"../sdk/index.js\\\"],\\\"names\\\":[],\\\"mappings\\\":\\\"AACA\\\"}\" > \"$out/bundle.js.map\"\n\
                  echo '{\"inputs\":{\"tools/a.ts\":{\"imports\":[{\"path\":\"node_modules/zod/i.js\"}]},\"node_modules/zod/i.js\":{\"imports\":[]}}}' > \"$meta\"";
    let root = workspace("package", source, output);
    let bundle = run(&root, With::Auto, false).unwrap();
    assert_eq!(bundle.header.bundler, Bundler::Esbuild);
    assert_eq!(bundle.header.inputs, ["node_modules/zod/package.json", "tools/a.ts"]);
    assert_eq!(call(&bundle.print(), "f"), Ok(json!(1)));
    let map = SourceMap::parse(bundle.map.as_ref().unwrap()).unwrap();
    assert_eq!(map.lookup(1, 1).unwrap().0, "@trailblaze/scripting/src/index.js");
    let flags = fs::read_to_string(root.join("flags")).unwrap();
    for flag in [
        "--format=esm",
        "--conditions=browser",
        "--external:node:*",
        "--external:fs/*",
        "--alias:@trailblaze/scripting/result=",
    ] {
        assert!(flags.contains(flag), "{flag}: {flags}");
    }

    assert!(is_fresh(&bundle, &Disk::new(&root), &SDK));
    fs::write(root.join("node_modules").join("zod").join("package.json"), "{\"version\":\"1.0.1\"}").unwrap();
    assert!(!is_fresh(&bundle, &Disk::new(&root), &SDK));
    assert!(is_outdated(&bundle, &Disk::new(&root), &SDK));
    // As where nobody has run `npm install`.
    fs::remove_dir_all(root.join("node_modules")).unwrap();
    assert!(!is_outdated(&bundle, &Disk::new(&root), &SDK));
}

#[test]
fn a_hosts_module_in_a_package_is_found() {
    let meta = "echo '{\"inputs\":{\"tools/a.ts\":{\"imports\":[{\"path\":\"node_modules/zod/i.js\"}]},\
                \"node_modules/zod/i.js\":{\"imports\":[{\"path\":\"node:fs\",\"external\":true}]}}}' > \"$meta\"";
    let root = workspace("host", "import 'zod';\nenum A { B }\n", &format!("{OUTPUT}{meta}"));
    fs::write(root.join("node_modules").join("zod").join("i.js"), "// zod\nimport fs from \"node:fs\";\n")
        .unwrap();
    let problems = run(&root, With::Auto, false).unwrap_err();
    assert_eq!(
        problems[0].to_string(),
        "error: node_modules/zod/i.js:2:16: 'node:fs' exists on a host only (tools/a.ts -> node_modules/zod/i.js -> node:fs)\n\
         2 | import fs from \"node:fs\";\n  |                ^\n\
         hint: do without it, or set requiresHost on every tool of this file: then they run on a host only"
    );
    let bundle = run(&root, With::Esbuild, true).unwrap();
    assert!(bundle.header.requires_host);
    assert_eq!(call(&bundle.code, "f"), Ok(json!(1)));
    assert!(call(&bundle.code, "g").is_err());
}

#[test]
fn problems_of_the_sources_come_before_those_of_packages() {
    let root = workspace("problems", "import 'zod';\nimport './missing';\n", "exit 1");
    let problems = run(&root, With::Auto, false).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.starts_with("'./missing' is not there"), "{}", problems[0]);
    let root = workspace("failed", "import 'zod';\n", "echo 'error: out of cheese' >&2; exit 1");
    let problems = run(&root, With::Auto, false).unwrap_err();
    assert_eq!(problems[0].to_string(), "error: esbuild failed: error: out of cheese");
}

#[test]
fn programs_above_the_workspace_are_not_run() {
    let above = workspace("above", "", "exit 1");
    let root = above.join("inner");
    fs::create_dir_all(root.join("tools")).unwrap();
    fs::write(root.join("tools").join("a.ts"), "").unwrap();
    // Whatever the PATH has is fine, but not the one above.
    let _ = run(&root, With::Esbuild, false);
    assert!(!root.join("flags").exists());
    let _ = run(&above, With::Esbuild, false);
    assert!(above.join("flags").exists());
}
