//! The bundles of a workspace's scripts: ready-made ones, and on a laptop those that are made when they are needed.

#[cfg(not(target_os = "android"))]
mod compiled;
#[cfg(not(target_os = "android"))]
pub mod make;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use trailblaze_engine::script::{Module, ScriptEngine};
use trailblaze_model::bundle::{self, Bundle};
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::hash::fnv1a;
use trailblaze_model::workspace::plain_script;

use crate::files;

/// Where bundles lie that came with the workspace, as in an APK.
pub const FOLDER: &str = "bundles";

/// From this size on a bundle is compiled ahead; what is smaller than our SDK loads as fast from its source.
const WORTH_COMPILING: usize = 8 << 10;

/// The name of a script's bundle without its extension: what people recognise, and what makes it unique.
pub fn stem(script: &str) -> String {
    let script = plain_script(script);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = script.chars().map(plain).collect();
    format!("{}-{:08x}", name.trim_matches('-'), fnv1a(&script) as u32)
}

/// What a script's bundle is called in stacks that no source map explains.
pub fn module_name(script: &str) -> String {
    format!("{}.js", stem(script))
}

/// The bundle of a script, by its path in the workspace.
pub fn find(root: &Path, script: &str) -> Result<Bundle, Vec<Diagnostic>> {
    let script = &plain_script(script);
    match ready(&root.join(FOLDER), script) {
        Some(Ok(bundle)) if !is_stale(root, &bundle) => Ok(bundle),
        Some(Err(problem)) => Err(vec![problem]),
        Some(Ok(_)) | None => made(root, script),
    }
}

/// Sources that came along with a bundle may be newer than it. On a phone there are only bundles.
#[cfg(not(target_os = "android"))]
fn is_stale(root: &Path, bundle: &Bundle) -> bool {
    make::is_stale(root, bundle)
}

#[cfg(target_os = "android")]
fn is_stale(_root: &Path, _bundle: &Bundle) -> bool {
    false
}

/// A bundle from its sources, which only a laptop can make.
#[cfg(not(target_os = "android"))]
fn made(root: &Path, script: &str) -> Result<Bundle, Vec<Diagnostic>> {
    make::cached(root, script)
}

#[cfg(target_os = "android")]
fn made(_root: &Path, script: &str) -> Result<Bundle, Vec<Diagnostic>> {
    let problem = Diagnostic::error(Code::MissingFile, format!("there is no bundle of '{script}'"));
    Err(vec![problem.hint("'trailblaze bundle' makes it on a laptop, before the workspace is packed")])
}

/// The bundle that lies in a folder, with its map.
fn ready(folder: &Path, script: &str) -> Option<Result<Bundle, Diagnostic>> {
    let path = path(folder, script, "js");
    let problem = |message: String| Diagnostic::error(Code::Unreadable, message).in_file(files::shown(&path));
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(error) => {
            let problem = problem(format!("the bundle cannot be read: {}", files::why(&error)));
            return Some(Err(problem.hint(bundle::REBUILD)));
        }
    };
    let bundle = bundle::parse(&text).map_err(|error| problem(error.message.clone()).hint(error.hint));
    Some(bundle.map(|bundle| match fs::read_to_string(path.with_extension("js.map")) {
        Ok(map) => bundle.with_map(&map),
        Err(_) => bundle,
    }))
}

fn path(folder: &Path, script: &str, extension: &str) -> PathBuf {
    folder.join(format!("{}.{extension}", stem(script)))
}

/// Whether the compiled form of a bundle starts faster than its source.
pub fn is_worth_compiling(bundle: &Bundle) -> bool {
    bundle.code.len() >= WORTH_COMPILING
}

/// The compiled form of a bundle, where it pays and one can be had.
///
/// Whoever wrote it can do whatever this program can: nothing checks it while it runs. So on a laptop it is only what
/// was compiled there, and on a phone what came out of the same APK.
pub fn compiled(engine: &dyn ScriptEngine, root: &Path, bundle: &Bundle, module: &Module) -> Option<Vec<u8>> {
    if !is_worth_compiling(bundle) {
        return None;
    }
    let kept = kept(root, bundle, module);
    let found = kept.as_ref().and_then(|path| fs::read(path).ok());
    found.filter(|bytes| engine.accepts(module, bytes)).or_else(|| {
        let bytes = engine.compile(module).ok()?;
        #[cfg(not(target_os = "android"))]
        kept.inspect(|path| compiled::keep(path, &bytes));
        Some(bytes)
    })
}

#[cfg(not(target_os = "android"))]
fn kept(_root: &Path, _bundle: &Bundle, module: &Module) -> Option<PathBuf> {
    compiled::path(module)
}

#[cfg(target_os = "android")]
fn kept(root: &Path, bundle: &Bundle, _module: &Module) -> Option<PathBuf> {
    Some(path(&root.join(FOLDER), &bundle.header.name, "qjs"))
}
