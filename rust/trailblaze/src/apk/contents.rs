//! The files of a workspace that come into an APK.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use trailblaze_apk::{Asset, Content};
use trailblaze_engine::script::{Module, ScriptEngine};
use trailblaze_model::bundle::Bundle;
use trailblaze_script::QuickJs;

use crate::bundles;
use crate::exit_code::{Exit, Problem};
use crate::files;
use crate::workspace::Workspace;

/// What a phone has no use for, and what must never leave the laptop.
const LEFT_OUT: [&str; 8] = ["apk", "aab", "p12", "pfx", "pem", "key", "jks", "keystore"];

/// The documents of the workspace, everything in the folder of trails, the files that documents name, the bundles of
/// scripts, and what is asked for besides. Hidden files, packages, APKs and keys are left out.
pub(super) fn assets(root: &Path, workspace: &Workspace, besides: &[PathBuf]) -> Result<Vec<Asset>, Problem> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut walk = Walk { root: real, assets: BTreeMap::new() };
    let mut starts = workspace.places();
    starts.extend(workspace.targets.iter().filter_map(|target| Some(root.join(target.sim_app.as_ref()?))));
    for start in starts.iter().filter(|start| start.exists()) {
        walk.start(root, start)?;
    }
    for path in besides {
        walk.include(root, path)?;
    }
    for script in workspace.scripts() {
        walk.assets.extend(bundle(root, &script)?);
    }
    Ok(walk.assets.into_iter().map(|(name, content)| Asset { name, content }).collect())
}

struct Walk {
    /// Where the workspace really is.
    root: PathBuf,
    /// By their paths in the workspace.
    assets: BTreeMap<String, Content>,
}

impl Walk {
    /// A file or folder by its path, which must be in the workspace.
    fn start(&mut self, root: &Path, path: &Path) -> Result<(), Problem> {
        let real = self.real(path)?;
        let inner = files::normal(path);
        let inner = inner.strip_prefix(root).or_else(|_| real.strip_prefix(&self.root)).unwrap_or(&real);
        let inner = inner.to_string_lossy().replace('\\', "/");
        let is_link = !real.ends_with(&inner);
        if is_link && is_kept_back(real.strip_prefix(&self.root).unwrap_or(&real)) {
            let message = format!("{} is a link to what is never packed", files::shown(path));
            return Err(Problem::new(Exit::BadDocument, message).hint("put a copy in its place"));
        }
        if real.is_dir() {
            return self.folder(&real, &inner, &mut Vec::new());
        }
        self.assets.insert(inner, Content::File(real));
        Ok(())
    }

    /// What `--include` names: it must be there, lie in the workspace, and be something that is packed at all.
    fn include(&mut self, root: &Path, path: &Path) -> Result<(), Problem> {
        let shown = files::shown(path);
        let bad = |message: String| Problem::new(Exit::BadDocument, format!("--include: {message}"));
        let full = files::normal(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let real = fs::canonicalize(&full).map_err(|error| {
            let hint = "give a file or folder of the workspace, from the current folder";
            bad(format!("{shown} cannot be read: {}", files::why(&error))).hint(hint)
        })?;
        if !real.starts_with(&self.root) && !full.starts_with(root) {
            let message = format!("{shown} lies outside of the workspace, and only the workspace is packed");
            return Err(bad(message).hint("copy it into the workspace"));
        }
        if is_kept_back(real.strip_prefix(&self.root).unwrap_or(&real)) {
            let message =
                format!("{shown} is never packed: hidden files, node_modules, APKs and keys are not");
            return Err(bad(message).hint("give it another name if a trail needs it"));
        }
        self.start(root, &full)?;
        if !self.assets.values().any(|content| is_below(content, &real)) {
            return Err(bad(format!("{shown} holds nothing that is packed")).hint("leave it out"));
        }
        Ok(())
    }

    /// All files below a folder; `above` are the folders that it was reached through.
    fn folder(&mut self, folder: &Path, inner: &str, above: &mut Vec<PathBuf>) -> Result<(), Problem> {
        above.push(folder.to_owned());
        for path in files::list(folder)? {
            let name = path.file_name().unwrap_or_default();
            let name = name.to_str().ok_or_else(|| {
                let message = format!("the name of {} is not UTF-8", path.display());
                Problem::new(Exit::BadDocument, message).hint("rename it")
            })?;
            let inner = if inner.is_empty() { name.to_owned() } else { format!("{inner}/{name}") };
            // Bundles are made anew.
            if inner == bundles::FOLDER || is_kept_back(Path::new(name)) {
                continue;
            }
            let real = self.real(&path)?;
            // A link shows another name than what it leads to.
            let below = above.first().and_then(|start| real.strip_prefix(start).ok());
            if is_kept_back(below.or_else(|| real.strip_prefix(&self.root).ok()).unwrap_or(&real)) {
                continue;
            }
            if real.is_dir() {
                if above.contains(&real) {
                    let problem =
                        Problem::new(Exit::BadDocument, format!("{} leads in circles", files::shown(&path)));
                    return Err(problem.hint("remove the link"));
                }
                self.folder(&real, &inner, above)?;
            } else if real.is_file() {
                self.assets.insert(inner, Content::File(real));
            }
        }
        above.pop();
        Ok(())
    }

    /// Where a file really is, which must be in the workspace.
    fn real(&self, path: &Path) -> Result<PathBuf, Problem> {
        let bad = |message: String| Problem::new(Exit::BadDocument, message);
        let real = fs::canonicalize(path)
            .map_err(|error| bad(format!("{} cannot be read: {}", files::shown(path), files::why(&error))))
            .map_err(|problem| problem.hint("if it is a link, it leads nowhere: remove it"))?;
        if real.starts_with(&self.root) {
            return Ok(real);
        }
        let message = format!("{} is a link that leads outside of the workspace", files::shown(path));
        Err(bad(message).hint("copy what it leads to into the workspace"))
    }
}

/// Whether a file or a folder that it lies in is never packed.
fn is_kept_back(inner: &Path) -> bool {
    let is_kept_back = |part: &str| is_skipped(part) || is_left_out(Path::new(part));
    inner.components().any(|part| is_kept_back(&part.as_os_str().to_string_lossy()))
}

/// Hidden files, and packages, which are in the bundles of scripts.
fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || name == "node_modules"
}

/// Whether it is this file, or one in this folder.
fn is_below(content: &Content, place: &Path) -> bool {
    matches!(content, Content::File(path) if path.starts_with(place))
}

fn is_left_out(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    LEFT_OUT.contains(&extension.as_str())
}

/// The bundle of a script with its map, and compiled where that pays.
fn bundle(root: &Path, script: &str) -> Result<Vec<(String, Content)>, Problem> {
    let bundle = bundles::find(root, script).map_err(|problems| {
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Problem::new(Exit::BadDocument, format!("'{script}' cannot be bundled\n{}", told.join("\n")))
    })?;
    let stem = bundles::stem(script);
    let asset = |extension: &str, bytes: Vec<u8>| {
        (format!("{}/{stem}.{extension}", bundles::FOLDER), Content::Bytes(bytes))
    };
    let code = asset("js", bundle.print().into_bytes());
    let map = bundle.print_map().map(|map| asset("js.map", map.into_bytes()));
    let compiled = compiled(&bundle).map(|bytes| asset("qjs", bytes));
    Ok([Some(code), map, compiled].into_iter().flatten().collect())
}

fn compiled(bundle: &Bundle) -> Option<Vec<u8>> {
    let module = Module::new(bundles::module_name(&bundle.header.name), bundle.code.as_str());
    bundles::is_worth_compiling(bundle).then(|| QuickJs.compile(&module).ok()).flatten()
}
