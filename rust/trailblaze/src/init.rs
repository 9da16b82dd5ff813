//! A new workspace that runs at once.

use std::fs;
use std::path::{Path, PathBuf};

use crate::exit_code::{Exit, Problem};
use crate::files;

const FILES: &[(&str, &str)] = &[
    ("trailblaze.yaml", include_str!("init/trailblaze.yaml")),
    ("app.js", include_str!("init/app.js")),
    (TARGET, include_str!("init/target.yaml")),
    ("trailblaze-config/tools/counter_addTwo.yaml", include_str!("init/tool.yaml")),
    ("trails/counting.trail.yaml", include_str!("init/counting.trail.yaml")),
];

/// A toolset in TypeScript, its test and a trail that uses it.
const TOOLS: &[(&str, &str)] = &[
    ("tools/counter.ts", include_str!("init/with-tools/counter.ts")),
    ("tools/counter.test.ts", include_str!("init/with-tools/counter.test.ts")),
    ("trails/counting-to.trail.yaml", include_str!("init/with-tools/countTo.trail.yaml")),
];

const TARGET: &str = "trailblaze-config/targets/counter.yaml";
const SERVERS: &str =
    "# Toolsets that are written in TypeScript.\nmcp_servers:\n  - script: ./tools/counter.ts\n";

/// Writes the files of a small workspace, on demand with a toolset. Nothing that is there is touched.
pub fn init(folder: &Path, with_tools: bool) -> Result<Vec<PathBuf>, Problem> {
    let mut wanted: Vec<(&str, String)> =
        FILES.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    if with_tools {
        wanted.extend(TOOLS.iter().map(|(name, text)| (*name, (*text).to_owned())));
        wanted.iter_mut().filter(|(name, _)| *name == TARGET).for_each(|(_, text)| text.push_str(SERVERS));
    }
    let folder = files::normal(&std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()));
    let taken: Vec<String> = wanted
        .iter()
        .map(|(name, _)| folder.join(name))
        .filter(|path| path.exists())
        .map(|path| files::shown(&path))
        .collect();
    if !taken.is_empty() {
        let message = format!("there is already something here: {}", taken.join(", "));
        return Err(Problem::new(Exit::Usage, message).hint("choose an empty folder: 'trailblaze init DIR'"));
    }
    let mut written = Vec::new();
    for (name, text) in &wanted {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, text)).map_err(|error| {
            let message = format!("{} could not be written: {}", files::shown(&path), files::why(&error));
            Problem::new(Exit::BadDocument, message)
        })?;
        written.push(path);
    }
    Ok(written)
}
