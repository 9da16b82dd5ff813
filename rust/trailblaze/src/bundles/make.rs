//! Making bundles on a laptop, and keeping them until their sources change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use trailblaze_bundle::{Disk, Request, Sdk, With};
use trailblaze_engine::script::{Module, ScriptEngine};
use trailblaze_engine::server::Scripted;
use trailblaze_model::bundle::Bundle;
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::place::FilePlace;
use trailblaze_model::workspace::plain_script;
use trailblaze_script::{QuickJs, sdk};

use crate::files;

/// Where bundles are kept that were made here.
const CACHE: &str = ".trailblaze/bundles";

const SDK: Sdk<'static> = Sdk { files: sdk::FILES, exports: sdk::EXPORTS };

/// The bundle from the last time, or a new one when its sources have changed since.
pub(super) fn cached(root: &Path, script: &str) -> Result<Bundle, Vec<Diagnostic>> {
    let cache = root.join(CACHE);
    if let Some(Ok(bundle)) = super::ready(&cache, script)
        && (!has_source(root, &bundle) || trailblaze_bundle::is_fresh(&bundle, &Disk::new(root), &SDK))
    {
        return Ok(bundle);
    }
    if !root.join(script).is_file() {
        // The document that names it says so.
        return Err(Vec::new());
    }
    let bundle = make(root, script, With::Auto)?;
    // A workspace that cannot be written is bundled again each time.
    let _ = save(&cache, &bundle);
    Ok(bundle)
}

/// Whether sources that are there say something else than the bundle.
pub(super) fn is_stale(root: &Path, bundle: &Bundle) -> bool {
    // What came without its sources is as good as it can be.
    has_source(root, bundle) && trailblaze_bundle::is_outdated(bundle, &Disk::new(root), &SDK)
}

fn has_source(root: &Path, bundle: &Bundle) -> bool {
    root.join(&bundle.header.name).is_file()
}

/// Makes the bundle of a script.
pub fn make(root: &Path, script: &str, with: With) -> Result<Bundle, Vec<Diagnostic>> {
    let disk = Disk::new(root);
    let entry = &plain_script(script);
    let request = Request { root, entry, files: &disk, with, allow_host_only: false, sdk: SDK };
    let problems = match trailblaze_bundle::bundle(&request) {
        Ok(bundle) => return Ok(bundle),
        Err(problems) => problems,
    };
    // Modules of a host are no mistake in a script whose tools all stay there.
    if problems.iter().all(|problem| problem.code == Code::HostOnly)
        && let Ok(bundle) = trailblaze_bundle::bundle(&Request { allow_host_only: true, ..request })
        && stays_on_the_host(&bundle)
    {
        return Ok(bundle);
    }
    Err(problems.into_iter().map(|problem| shown(root, problem)).collect())
}

/// Whether a script can be bundled without packages and without modules of a host.
pub fn needs_no_host(root: &Path, script: &str) -> bool {
    let (disk, entry) = (Disk::new(root), &plain_script(script));
    let request = Request { root, entry, files: &disk, with: With::Own, allow_host_only: false, sdk: SDK };
    trailblaze_bundle::bundle(&request).is_ok()
}

fn stays_on_the_host(bundle: &Bundle) -> bool {
    let module = Module::new(super::module_name(&bundle.header.name), bundle.code.as_str());
    let scripted = Scripted::new(&bundle.header.name, Arc::new(QuickJs), vec![module]);
    let needs_host = |tool: &serde_json::Value| tool["_meta"]["trailblaze/requiresHost"] == true;
    scripted.listed().is_ok_and(|listed| listed.tools.iter().all(needs_host))
}

/// A problem with its file as people here see it.
fn shown(root: &Path, mut problem: Diagnostic) -> Diagnostic {
    if let Some(FilePlace { file, .. }) = &mut problem.at {
        *file = files::shown(&root.join(&**file)).into();
    }
    problem
}

/// Writes a bundle and its map into a folder.
pub fn save(folder: &Path, bundle: &Bundle) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let path = super::path(folder, &bundle.header.name, "js");
    write(&path, bundle.print().as_bytes())?;
    if let Some(map) = bundle.print_map() {
        write(&path.with_extension("js.map"), map.as_bytes())?;
    }
    Ok(path)
}

/// Writes the compiled form of a bundle beside it, for a phone.
pub fn save_compiled(folder: &Path, bundle: &Bundle) -> io::Result<()> {
    let module = Module::new(super::module_name(&bundle.header.name), bundle.code.as_str());
    let compiled = QuickJs.compile(&module).map_err(|error| io::Error::other(format!("{error:?}")))?;
    write(&super::path(folder, &bundle.header.name, "qjs"), &compiled)
}

/// Writes a file as a whole: another run may read it at the same time.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    fs::write(&draft, bytes)?;
    fs::rename(&draft, path)
}
