//! What can be read without a call: the registry, the screen, and the reports of runs.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};
use trailblaze_mcp::server::{Caller, answer};

use super::{Said, Shared, Trouble, device};
use crate::VERSION;
use crate::exit_code::{Exit, Problem};
use crate::files;

const REGISTRY: &str = "trailblaze://registry";
const SCREEN: &str = "trailblaze://screen";
const PICTURE: &str = "trailblaze://screen.png";
const REPORTS: &str = "trailblaze://reports";
const JSON: &str = "application/json";
/// So many runs are listed, the newest first.
const LISTED: usize = 20;
/// The largest file that fits into a message, in bytes; as base64 it is longer by a third.
const LARGEST: u64 = 10 * 1024 * 1024;

/// The address of a file of a run.
pub(super) fn report_uri(folder: &Path, file: &str) -> String {
    let run = folder.file_name().unwrap_or_default().to_string_lossy();
    format!("{REPORTS}/{run}/{file}")
}

pub(super) fn list(shared: &Shared) -> Vec<Value> {
    let mut list = vec![
        json!({ "uri": REGISTRY, "name": "registry", "mimeType": JSON,
            "description": "Every tool of the app under test, with its platforms, groups and flags" }),
        json!({ "uri": SCREEN, "name": "screen", "mimeType": "text/plain",
            "description": "What is on the screen now, as compact text" }),
        json!({ "uri": PICTURE, "name": "screen.png", "mimeType": "image/png",
            "description": "What is on the screen now, as a picture" }),
        json!({ "uri": REPORTS, "name": "reports", "mimeType": JSON,
            "description": "The runs that there are reports of, the newest first" }),
    ];
    // Why there are none is said by what is read.
    let runs = runs(shared).unwrap_or_default();
    list.extend(runs.into_iter().take(LISTED).filter(|run| run.join("summary.md").is_file()).map(|run| {
        let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
        json!({ "uri": report_uri(&run, "summary.md"), "name": format!("report {name}"), "mimeType": "text/markdown" })
    }));
    list
}

pub(super) fn templates() -> Vec<Value> {
    vec![json!({
        "uriTemplate": "trailblaze://reports/{run}/{file}",
        "name": "report",
        "description": "A file of a run's report: summary.md, junit.xml, events.jsonl, or a picture; the run is its \
            folder's name, or 'latest'",
    })]
}

/// None when there is no such resource.
pub(super) fn read(shared: &Shared, uri: &str, caller: &Caller) -> Result<Option<Value>, Trouble> {
    match uri {
        REGISTRY => registry(shared, caller).map(Some),
        SCREEN | PICTURE => screen(shared, uri, caller).map(Some),
        REPORTS => reports(shared).map(Some),
        _ => report(shared, uri),
    }
}

fn registry(shared: &Shared, caller: &Caller) -> Said {
    let opened = shared.opened_for(&Map::new(), caller)?;
    let registry = opened.registry.to_json("trailblaze", VERSION);
    Ok(answer::text_resource(REGISTRY, JSON, registry.to_string()))
}

fn screen(shared: &Shared, uri: &str, caller: &Caller) -> Said {
    let uri = uri.to_owned();
    shared.desk(&Map::new(), caller)?.ask(caller, move |seat| match uri.as_str() {
        PICTURE => {
            Ok(answer::binary_resource(PICTURE, "image/png", &seat.live.session.device().screenshot()?))
        }
        _ => Ok(answer::text_resource(SCREEN, "text/plain", device::screen_text(seat)?)),
    })
}

/// The folders of runs, the newest first.
fn runs(shared: &Shared) -> Result<Vec<PathBuf>, Problem> {
    let Some(root) = shared.base()?.workspace.root.clone() else { return Ok(Vec::new()) };
    let mut runs = files::list(&root.join(".trailblaze").join("runs")).unwrap_or_default();
    runs.retain(|run| run.is_dir() && !run.is_symlink());
    runs.sort();
    runs.reverse();
    Ok(runs)
}

fn reports(shared: &Shared) -> Said {
    let entry = |run: &PathBuf| {
        let names = files::list(run).unwrap_or_default();
        let files: Vec<String> =
            names.iter().filter(|path| path.is_file()).map(|path| name_of(path)).collect();
        json!({ "run": name_of(run), "files": files })
    };
    let runs: Vec<Value> = runs(shared)?.iter().take(LISTED).map(entry).collect();
    Ok(answer::text_resource(REPORTS, JSON, json!({ "runs": runs }).to_string()))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file below the folder of runs, and nothing else.
fn report(shared: &Shared, uri: &str) -> Result<Option<Value>, Trouble> {
    let path = uri.strip_prefix(REPORTS).and_then(|path| path.strip_prefix('/')).map(Path::new);
    let is_plain = |path: &&Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let Some(path) = path.filter(is_plain) else { return Ok(None) };
    let root = shared.base()?.workspace.root.clone();
    let found = root.and_then(|root| {
        let runs = root.join(".trailblaze").join("runs").canonicalize().ok()?;
        let file = runs.join(path).canonicalize().ok()?;
        (file.starts_with(&runs) && file.is_file()).then_some(file)
    });
    let Some(file) = found else { return Ok(None) };
    let cannot = |why: String| {
        let message = format!("{} {why}", files::shown(&file));
        Problem::new(Exit::BadDocument, message)
    };
    let size = file.metadata().map_or(0, |about| about.len());
    if size > LARGEST {
        let why = format!("has {} MiB, and a message takes {}", size >> 20, LARGEST >> 20);
        return Err(cannot(why).hint("open the file itself").into());
    }
    let bytes =
        std::fs::read(&file).map_err(|error| cannot(format!("could not be read: {}", files::why(&error))))?;
    let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
    let mime_type = match ending.as_str() {
        "md" => "text/markdown",
        "xml" => "application/xml",
        "json" => JSON,
        "jsonl" => "application/jsonl",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "zip" => "application/zip",
        _ => "text/plain",
    };
    Ok(Some(match String::from_utf8(bytes) {
        Ok(text) => answer::text_resource(uri, mime_type, text),
        Err(binary) => answer::binary_resource(uri, mime_type, binary.as_bytes()),
    }))
}
