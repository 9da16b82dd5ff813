//! Programs and packages, from the entry's folder upwards. Programs outside of the workspace are those of the PATH only.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The program in the nearest `node_modules/.bin` of the workspace, else in the PATH.
pub(super) fn program(name: &str, folder: &Path, root: &Path) -> Option<PathBuf> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (folder, root) = (real(folder), real(root));
    let inside = folder.ancestors().take_while(|folder| folder.starts_with(&root));
    // A script may lie outside of the workspace that names it.
    let installed = inside.chain([root.as_path()]).map(|folder| folder.join("node_modules").join(".bin"));
    first(name, installed).or_else(|| on_path(name))
}

/// The program in the PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    first(name, env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()))
}

fn first(name: &str, folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let ends: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    folders
        .flat_map(|folder| ends.iter().map(move |end| folder.join(format!("{name}{end}"))))
        .find(|program| program.is_file())
}

/// The module behind `@modelcontextprotocol/server/stdio`, which our wrapper imports.
pub(super) fn serve_stdio(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let package = folder
        .ancestors()
        .map(|folder| folder.join("node_modules").join("@modelcontextprotocol").join("server"))
        .find(|package| package.join("package.json").is_file())?;
    let json: Value = serde_json::from_slice(&fs::read(package.join("package.json")).ok()?).ok()?;
    let target = condition(json.get("exports")?.get("./stdio")?)?;
    fs::canonicalize(package.join(target)).ok()
}

/// The file that a browser's bundler would take.
fn condition(exports: &Value) -> Option<&str> {
    match exports {
        Value::String(file) => Some(file),
        Value::Array(list) => list.iter().find_map(condition),
        Value::Object(map) => {
            let wanted = map
                .iter()
                .filter(|(key, _)| ["browser", "import", "module", "default"].contains(&key.as_str()));
            wanted.into_iter().find_map(|(_, exports)| condition(exports))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_condition_that_fits_is_taken() {
        let exports =
            json!({ "require": "./a.cjs", "import": { "types": "./a.d.ts", "default": "./a.mjs" } });
        assert_eq!(condition(&exports), Some("./a.mjs"));
        assert_eq!(condition(&json!(["./b.js"])), Some("./b.js"));
        assert_eq!(condition(&json!({ "node": "./c.js" })), None);
    }
}
