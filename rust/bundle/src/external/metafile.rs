//! What a bundler says about its work: the files it read and what they import.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;
use trailblaze_model::diagnostic::Diagnostic;
use trailblaze_model::place::Source;

use crate::files::{Files, join};
use crate::graph::host_only;
use crate::module::place;
use crate::resolve::{before, is_host_only};

pub(super) struct Metafile {
    entry: String,
    /// For each file the names of what it imports; files are named as in the workspace.
    imports: BTreeMap<String, Vec<String>>,
    /// Each relative import: the file, what it says, and the file that is meant.
    relative: Vec<(String, String, String)>,
}

/// An import of a module that exists on a host only.
pub(super) struct HostOnly {
    specifier: String,
    /// The files from the entry to the one that imports it.
    chain: Vec<String>,
}

impl Metafile {
    pub(super) fn read(text: &str, entry: &str) -> Self {
        let json: Value = serde_json::from_str(text).unwrap_or_default();
        let imports = |input: &Value| {
            let list = input.get("imports").and_then(Value::as_array);
            let paths = list.into_iter().flatten().filter_map(|import| import.get("path")?.as_str());
            paths.map(name).collect()
        };
        let inputs = json.get("inputs").and_then(Value::as_object).into_iter().flatten();
        let relative = inputs.clone().flat_map(|(file, input)| {
            let list = input.get("imports").and_then(Value::as_array).into_iter().flatten();
            list.filter_map(|import| {
                let said = import.get("original")?.as_str().filter(|said| said.starts_with('.'))?;
                Some((name(file), said.to_owned(), name(import.get("path")?.as_str()?)))
            })
        });
        let relative = relative.collect();
        let imports = inputs.map(|(file, input)| (name(file), imports(input))).collect();
        Self { entry: join("", entry), imports, relative }
    }

    /// Names that would win over a file that is imported; packages do not change without their version.
    pub(super) fn absent(&self, is_ours: impl Fn(&str) -> bool) -> Vec<String> {
        let own = |file: &str| package_file(file).is_none() && !is_ours(file);
        let relative = self.relative.iter().filter(|(file, _, _)| own(file));
        let names: BTreeSet<String> =
            relative.flat_map(|(file, said, found)| before(file, said, found)).collect();
        names.into_iter().collect()
    }

    /// The files that the bundle depends on; of a package, the file that has its version.
    pub(super) fn inputs(&self, is_ours: impl Fn(&str) -> bool) -> Vec<String> {
        let files = self.imports.keys().filter(|file| !is_host_only(file) && !is_ours(file));
        let files: BTreeSet<String> =
            files.map(|file| package_file(file).unwrap_or_else(|| file.clone())).collect();
        files.into_iter().collect()
    }

    /// Each module of a host that is imported, once for every file that does, except for ours: they ask for it only
    /// where they run on a host.
    pub(super) fn host_only(&self, is_ours: impl Fn(&str) -> bool) -> Vec<HostOnly> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([self.entry.clone()]);
        let mut waiting = VecDeque::from([vec![self.entry.clone()]]);
        while let Some(chain) = waiting.pop_front() {
            let file = chain.last().cloned().unwrap_or_default();
            for import in self.imports.get(&file).into_iter().flatten() {
                if is_host_only(import) && is_ours(&file) {
                    continue;
                }
                if is_host_only(import) && !found.iter().any(|known: &HostOnly| known.is(import, &file)) {
                    found.push(HostOnly { specifier: import.clone(), chain: chain.clone() });
                } else if !is_host_only(import) && seen.insert(import.clone()) {
                    waiting.push_back(chain.iter().chain([import]).cloned().collect());
                }
            }
        }
        found
    }
}

impl HostOnly {
    fn is(&self, specifier: &str, file: &str) -> bool {
        self.specifier == specifier && self.chain.last().is_some_and(|last| last == file)
    }

    pub(super) fn diagnostic(&self, files: &dyn Files) -> Diagnostic {
        let file = self.chain.last().map(String::as_str).unwrap_or_default();
        let chain: Vec<String> = self.chain.iter().chain([&self.specifier]).cloned().collect();
        let problem = host_only(&self.specifier, &chain);
        let text = files.read(file).ok().and_then(|text| String::from_utf8(text).ok());
        let Some(text) = text else { return problem.in_file(file) };
        // Bun writes `node:path` for what the source calls `path`.
        let short = self.specifier.trim_start_matches("node:");
        let names = [self.specifier.as_str(), short];
        let quoted = names.iter().flat_map(|name| [format!("\"{name}\""), format!("'{name}'")]);
        let at = quoted.into_iter().find_map(|quoted| text.find(&quoted)).unwrap_or_default();
        let source = Source::new(file, text);
        problem.at(&source, place(&source, at as u32))
    }
}

fn name(path: &str) -> String {
    if is_host_only(path) { path.to_owned() } else { join("", &path.replace('\\', "/")) }
}

/// `node_modules/zod/package.json` for `node_modules/zod/v4/core.js`.
fn package_file(file: &str) -> Option<String> {
    let (before, inside) = file.rsplit_once("node_modules/")?;
    let parts = if inside.starts_with('@') { 2 } else { 1 };
    let package: Vec<&str> = inside.split('/').take(parts).collect();
    Some(format!("{before}node_modules/{}/package.json", package.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = r#"{"inputs":{"tools/a.ts":{"imports":[{"path":"../node_modules/@x/y/b.js"},{"path":"fs","external":true},{"path":"tools/w.js","original":"./w"}]},
        "../node_modules/@x/y/b.js":{"imports":[{"path":"node:os","external":true},{"path":"tools/a.ts"}]},"../tmp/sdk/i.js":{"imports":[]}}}"#;

    #[test]
    fn the_way_to_a_hosts_module_is_known() {
        let meta = Metafile::read(META, "tools/a.ts");
        let found: Vec<String> = meta
            .host_only(|_| false)
            .iter()
            .map(|it| format!("{} -> {}", it.chain.join(" -> "), it.specifier))
            .collect();
        assert_eq!(found, ["tools/a.ts -> fs", "tools/a.ts -> ../node_modules/@x/y/b.js -> node:os"]);
        let inputs = meta.inputs(|name| name.starts_with("../tmp/"));
        assert_eq!(inputs, ["../node_modules/@x/y/package.json", "tools/a.ts"]);
        assert_eq!(meta.absent(|_| false), ["tools/w.mts", "tools/w.ts"]);
        assert!(Metafile::read("garbage", "a.ts").host_only(|_| false).is_empty());
    }
}
