//! What an import means: one of our modules, a file, a package, or a module that exists on a host only.

use trailblaze_model::names;

use crate::files::{Files, file_name, folder, join};
use crate::sdk::Sdk;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    File(String),
    /// A file of the SDK, by its name there.
    Sdk(&'static str),
    /// A built-in module of Node or Bun.
    HostOnly,
    Package,
    /// No file; the hint says which one is meant.
    Missing {
        looked_for: Vec<String>,
        hint: Option<String>,
    },
    /// A file that cannot be part of a bundle, and why.
    Unsupported(&'static str),
}

/// Where the SDK's files stand in stacks and among the inputs.
pub(crate) const SDK_FOLDER: &str = "@trailblaze/scripting/src/";

const EXTENSIONS: &[&str] = &[".ts", ".mts", ".js", ".mjs", ".json"];

/// The built-in modules of Node; those that exist only as `node:…` are known by that.
const NODE: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

pub(crate) fn node_modules() -> impl Iterator<Item = &'static str> {
    NODE.iter().copied()
}

pub(crate) fn is_host_only(specifier: &str) -> bool {
    let scheme = ["node:", "bun:"].iter().any(|scheme| specifier.starts_with(scheme));
    let first = specifier.split('/').next().unwrap_or_default();
    scheme || specifier == "bun" || NODE.contains(&first)
}

/// What `specifier` means in the source `from`.
pub(crate) fn resolve(files: &dyn Files, sdk: &Sdk<'_>, from: &str, specifier: &str) -> Resolved {
    if let Some(inside) = from.strip_prefix(SDK_FOLDER).filter(|_| specifier.starts_with('.')) {
        let name = join(folder(inside), specifier);
        return match sdk.files.iter().find(|(known, _)| *known == name) {
            Some((known, _)) => Resolved::Sdk(known),
            None => Resolved::Missing { looked_for: vec![format!("{SDK_FOLDER}{name}")], hint: None },
        };
    }
    if let Some(file) = sdk.file_of(specifier) {
        return Resolved::Sdk(file);
    }
    if is_host_only(specifier) {
        return Resolved::HostOnly;
    }
    if specifier.starts_with("@trailblaze/scripting/") {
        let known = sdk.specifiers();
        return Resolved::Missing {
            looked_for: vec![specifier.to_owned()],
            hint: names::nearest_hint(specifier, known.iter().copied())
                .or_else(|| Some(format!("there is {}", names::list(&known)))),
        };
    }
    let is_relative = ["./", "../"].iter().any(|start| specifier.starts_with(start));
    if !is_relative && specifier != "." && specifier != ".." {
        return Resolved::Package;
    }
    relative(files, from, specifier)
}

fn relative(files: &dyn Files, from: &str, specifier: &str) -> Resolved {
    let path = join(folder(from), specifier);
    if [".tsx", ".jsx"].iter().any(|end| path.ends_with(end)) && files.exists(&path) {
        return Resolved::Unsupported("JSX is no part of a toolset");
    }
    let tried = candidates(&path, specifier);
    if let Some(found) = tried.iter().find(|name| files.exists(name)) {
        return Resolved::File(found.clone());
    }
    // A file of declarations has types only.
    let stem = path.strip_suffix(".js").unwrap_or(&path);
    let declarations = [format!("{stem}.d.ts"), path.clone()];
    if let Some(found) = declarations.into_iter().find(|name| name.ends_with(".d.ts") && files.exists(name)) {
        return Resolved::File(found);
    }
    let hint = nearest(files, &path, specifier);
    Resolved::Missing { looked_for: tried, hint }
}

/// The files that a relative import may mean; the first that is there wins.
fn candidates(path: &str, specifier: &str) -> Vec<String> {
    let mut tried = Vec::new();
    if !specifier.ends_with('/') {
        if EXTENSIONS.iter().any(|end| path.ends_with(end)) {
            tried.push(path.to_owned());
        }
        // TypeScript lets `./x.js` mean `x.ts`.
        for (js, ts) in [(".js", ".ts"), (".mjs", ".mts")] {
            tried.extend(path.strip_suffix(js).map(|stem| format!("{stem}{ts}")));
        }
        tried.extend(EXTENSIONS.iter().map(|end| format!("{path}{end}")));
    }
    tried.extend(EXTENSIONS[..4].iter().map(|end| join(path, &format!("index{end}"))));
    tried
}

/// The names that would win over the file that a relative import means.
pub(crate) fn before(from: &str, specifier: &str, found: &str) -> Vec<String> {
    let tried = candidates(&join(folder(from), specifier), specifier);
    tried.into_iter().take_while(|name| name != found).collect()
}

/// `did you mean './login.ts'?`
fn nearest(files: &dyn Files, path: &str, specifier: &str) -> Option<String> {
    let there = files.list(folder(path));
    let wanted = file_name(path);
    let stem = |name: &str| {
        let end = EXTENSIONS.iter().find(|end| name.ends_with(**end)).map_or(0, |end| end.len());
        name[..name.len() - end].to_owned()
    };
    let stems: Vec<String> = there.iter().map(|name| stem(name)).collect();
    let near = names::nearest(wanted, there.iter().map(String::as_str)).map(str::to_owned).or_else(|| {
        let near = names::nearest(&stem(wanted), stems.iter().map(String::as_str))?;
        there.iter().zip(&stems).find(|(_, stem)| *stem == near).map(|(name, _)| name.clone())
    })?;
    let start = specifier.rsplit_once('/').map_or("", |(start, _)| start);
    Some(format!("did you mean '{start}/{near}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[track_caller]
    fn check(from: &str, specifier: &str, expected: Resolved) {
        let names = [
            "a.ts",
            "b.js",
            "dir/index.ts",
            "dir/c.mts",
            "data.json",
            "types.d.ts",
            "login.ts",
            "x.js",
            "x.ts",
        ];
        let files: BTreeMap<String, String> =
            names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        let sdk = Sdk {
            files: &[("index.js", ""), ("result.js", "")],
            exports: &[("@trailblaze/scripting", "index.js"), ("@trailblaze/scripting/result", "result.js")],
        };
        assert_eq!(resolve(&files, &sdk, from, specifier), expected, "{specifier}");
    }

    #[test]
    fn imports_find_what_they_mean() {
        let file = |name: &str| Resolved::File(name.to_owned());
        check("a.ts", "./b", file("b.js"));
        check("a.ts", "./b.js", file("b.js"));
        check("b.js", "./a.js", file("a.ts"));
        check("b.js", "./x.js", file("x.js"));
        check("b.js", "./x", file("x.ts"));
        check("b.js", "./a", file("a.ts"));
        check("b.js", "./dir", file("dir/index.ts"));
        check("b.js", "./dir/", file("dir/index.ts"));
        check("dir/c.mts", ".", file("dir/index.ts"));
        check("dir/c.mts", "../a.ts", file("a.ts"));
        check("a.ts", "./dir/c.mjs", file("dir/c.mts"));
        check("a.ts", "./data.json", file("data.json"));
        check("a.ts", "./types", file("types.d.ts"));
        check("a.ts", "@trailblaze/scripting", Resolved::Sdk("index.js"));
        check("a.ts", "@trailblaze/scripting/result", Resolved::Sdk("result.js"));
        check("@trailblaze/scripting/src/index.js", "./result.js", Resolved::Sdk("result.js"));
        for specifier in ["node:fs", "fs", "fs/promises", "bun:sqlite", "node:anything"] {
            check("a.ts", specifier, Resolved::HostOnly);
        }
        for specifier in ["zod", "@scope/name", "fs-extra"] {
            check("a.ts", specifier, Resolved::Package);
        }
    }

    #[test]
    fn a_near_file_is_a_hint() {
        let files: BTreeMap<String, String> = [("lib/login.ts".to_owned(), String::new())].into();
        let sdk = Sdk { files: &[], exports: &[] };
        for specifier in ["./lib/logn.ts", "./lib/logn", "./lib/logn.js"] {
            let Resolved::Missing { hint, .. } = resolve(&files, &sdk, "a.ts", specifier) else { panic!() };
            assert_eq!(hint.as_deref(), Some("did you mean './lib/login.ts'?"), "{specifier}");
        }
    }
}
