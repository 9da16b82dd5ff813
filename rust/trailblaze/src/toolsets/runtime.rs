//! What runs a script outside of this process: bun, else Node with tsx.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use trailblaze_bundle::on_path;
use trailblaze_mcp::client::Program;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_script::sdk;

use crate::{bundles, env_vars, files};

/// The SDK for scripts in a folder without it, below the workspace.
const SDK: &str = ".trailblaze/sdk";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Runtime {
    /// No program: QuickJS in this process, because somebody asked for it.
    Inside,
    Bun(PathBuf),
    /// Node, and tsx where it is on PATH.
    Node(PathBuf, Option<PathBuf>),
    None,
}

/// Looked for once: PATH does not change while the program runs.
pub(super) fn find() -> &'static Runtime {
    static FOUND: OnceLock<Runtime> = OnceLock::new();
    FOUND.get_or_init(|| {
        let node = || on_path("node").map(|node| Runtime::Node(node, on_path("tsx")));
        let bun = || on_path("bun").map(Runtime::Bun);
        match asked().as_deref() {
            Some("quickjs") => Some(Runtime::Inside),
            Some("node") => node(),
            Some("bun") => bun(),
            Some(_) => None,
            None => bun().or_else(node),
        }
        .unwrap_or(Runtime::None)
    })
}

/// What somebody wants scripts to be run with, and nothing else.
pub(super) fn asked() -> Option<String> {
    env_vars::TRAILBLAZE_SCRIPT_RUNTIME.text()
}

/// A command as it stands in a document: a path is meant from the workspace, a name is looked for on PATH.
pub(super) fn command(command: &str, root: &Path) -> OsString {
    let is_path = command.contains(['/', '\\']);
    if is_path { files::normal(&root.join(command)).into() } else { command.into() }
}

impl Runtime {
    /// The program that serves a script.
    pub(super) fn program(&self, script: &Path, root: &Path) -> Result<Program, Failure> {
        if let Some(failure) = lacks_packages(script, self) {
            return Err(failure);
        }
        let folder = script.parent().unwrap_or(root);
        // Scripts whose folder has no SDK get that of this program.
        let sdk = match find_up(folder, &format!("node_modules/{}", sdk::PACKAGE)) {
            Some(_) => None,
            None => Some(write_sdk(root).map_err(|error| cannot_write(&error))?),
        };
        let mut program = Program {
            command: OsString::new(),
            args: Vec::new(),
            env: Vec::new(),
            dir: Some(folder.to_owned()),
        };
        match self {
            Self::Bun(bun) => {
                program.command = bun.into();
                // What is missing is said, not fetched.
                program.args.extend(["run".into(), "--no-install".into()]);
                if let Some(sdk) = sdk {
                    program.args.extend(["--preload".into(), sdk.join("bun.mjs").into()]);
                }
            }
            Self::Node(node, _) => {
                program.command = node.into();
                if let Some(sdk) = sdk {
                    // One is for modules, the other for what tsx makes of scripts that are none.
                    program.args.extend(["--import".into(), sdk.join("register.mjs").into()]);
                    let others = std::env::var_os("NODE_PATH");
                    let paths = std::iter::once(sdk.join("node_modules"));
                    let paths = paths.chain(others.iter().flat_map(std::env::split_paths));
                    program.env.extend(std::env::join_paths(paths).map(|paths| ("NODE_PATH".into(), paths)));
                }
                match self.loader(folder) {
                    Some(loader) => program.args.extend(["--import".into(), loader.into()]),
                    None if is_typescript(script) => return Err(no_loader()),
                    None => {}
                }
            }
            Self::Inside | Self::None => return Err(no_runtime()),
        }
        program.args.push(script.into());
        Ok(program)
    }

    /// What makes Node run TypeScript: beside the script, or on PATH.
    fn loader(&self, folder: &Path) -> Option<PathBuf> {
        let Self::Node(_, tsx) = self else { return None };
        let beside = find_up(folder, "node_modules/tsx").map(|found| found.join("dist/loader.mjs"));
        beside.or_else(|| Some(tsx.as_ref()?.canonicalize().ok()?.with_file_name("loader.mjs")))
    }

    /// Whether there is something to run this script with.
    pub(super) fn runs(&self, script: &Path) -> bool {
        match self {
            Self::Bun(_) => true,
            Self::Node(..) => {
                !is_typescript(script) || self.loader(script.parent().unwrap_or(script)).is_some()
            }
            Self::Inside | Self::None => false,
        }
    }
}

fn is_typescript(script: &Path) -> bool {
    script.extension().is_some_and(|extension| extension != "js" && extension != "mjs")
}

fn failure(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Toolset, message)
}

fn no_runtime() -> Failure {
    let hint = asked().map(|asked| {
        format!("TRAILBLAZE_SCRIPT_RUNTIME asks for '{asked}'; it may be 'bun', 'node' or 'quickjs'")
    });
    let message =
        "No compatible TypeScript runtime found on PATH. Install bun (https://bun.sh) or Node with tsx.";
    Failure { hint, ..failure(message) }
}

fn no_loader() -> Failure {
    failure("Node is on PATH, but nothing that makes it run TypeScript")
        .hint("'npm install -g tsx', 'npm install tsx' beside the script, or bun (https://bun.sh)")
}

fn cannot_write(error: &io::Error) -> Failure {
    failure(format!("the SDK cannot be written to {SDK}: {}", files::why(error)))
}

/// The nearest `name` in a folder or above it.
fn find_up(folder: &Path, name: &str) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(name)).find(|path| path.exists())
}

/// A package.json with dependencies whose packages were never installed.
fn lacks_packages(script: &Path, runtime: &Runtime) -> Option<Failure> {
    let manifest = find_up(script.parent()?, "package.json")?;
    let folder = manifest.parent()?;
    let read = fs::read(&manifest).ok()?;
    let package: serde_json::Value = serde_json::from_slice(&read).ok()?;
    let needed = package["dependencies"].as_object()?;
    let missing = needed.keys().filter(|name| *name != sdk::PACKAGE);
    let missing = missing.filter(|name| find_up(folder, &format!("node_modules/{name}")).is_none()).count();
    if missing == 0 {
        return None;
    }
    let install = if matches!(runtime, Runtime::Bun(_)) { "bun install" } else { "npm install" };
    let shown = files::shown(&manifest);
    let message =
        format!("the packages of {shown} are not installed, and '{}' needs them", files::shown(script));
    Some(failure(message).hint(format!("run '{install}' in {}", files::shown(folder))))
}

/// Writes the SDK of this program for scripts whose folder has none, and how Node finds it.
fn write_sdk(root: &Path) -> io::Result<PathBuf> {
    // Scripts start at the same time, and only the first has something to write.
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = root.join(SDK);
    let package = folder.join("node_modules").join(sdk::PACKAGE);
    let exports: serde_json::Map<String, serde_json::Value> = sdk::EXPORTS
        .iter()
        .map(|(name, file)| {
            let name = name.strip_prefix(sdk::PACKAGE).unwrap_or(name);
            (format!(".{name}"), format!("./src/{file}").into())
        })
        .collect();
    let manifest = serde_json::json!({
        "name": sdk::PACKAGE, "version": crate::VERSION, "type": "module", "exports": exports,
    });
    let mut files = vec![
        (package.join("package.json"), manifest.to_string()),
        (folder.join("register.mjs"), REGISTER.to_owned()),
        (folder.join("hooks.mjs"), HOOKS.to_owned()),
        (folder.join("bun.mjs"), preload()),
    ];
    files.extend(sdk::FILES.iter().map(|(name, text)| (package.join("src").join(name), (*text).to_owned())));
    for (path, text) in files {
        if fs::read_to_string(&path).is_ok_and(|found| found == text) {
            continue;
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        bundles::make::write(&path, text.as_bytes())?;
    }
    Ok(folder)
}

/// Bun looks for packages above a script only, too.
fn preload() -> String {
    let modules: String = sdk::EXPORTS
        .iter()
        .map(|(name, file)| {
            let path = format!("./node_modules/{}/src/{file}", sdk::PACKAGE);
            format!(
                "  build.module({name:?}, async () => ({{ exports: await import({path:?}), loader: 'object' }}));\n"
            )
        })
        .collect();
    format!(
        "import {{ plugin }} from 'bun';\nplugin({{ name: 'trailblaze', setup(build) {{\n{modules}}} }});\n"
    )
}

const REGISTER: &str = "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n";

/// Node looks for packages above a script only.
const HOOKS: &str = "\
const PACKAGE = '@trailblaze/scripting';
export const resolve = (specifier, context, next) => {
  const ours = specifier === PACKAGE || specifier.startsWith(`${PACKAGE}/`);
  return next(specifier, ours ? { ...context, parentURL: import.meta.url } : context);
};
";
