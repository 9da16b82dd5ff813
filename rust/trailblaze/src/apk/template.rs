//! Where the agent's APK is: given, beside the program, or in the user's cache.

use std::path::{Path, PathBuf};

use crate::caches;
use crate::exit_code::{Exit, Problem};
use crate::files;

/// What the agent is called in a release, and where it is built.
pub const NAME: &str = "trailblaze-agent.apk";

/// Where it is looked for when it is not given, in this order.
pub fn places() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    // A link to the program may lie in a folder of links.
    let program = program.map(|program| program.canonicalize().unwrap_or(program));
    let beside = program.and_then(|program| Some(program.parent()?.join(NAME)));
    beside.into_iter().chain(caches::folder().map(|folder| folder.join(NAME))).collect()
}

/// The agent's APK.
pub fn find(given: Option<&Path>) -> Result<PathBuf, Problem> {
    if let Some(given) = given {
        let why = match (given.is_file(), given.exists()) {
            (true, _) => return Ok(given.to_owned()),
            (false, true) => "is a folder",
            (false, false) => "does not exist",
        };
        let problem = Problem::new(Exit::BadDocument, format!("{} {why}", files::shown(given)));
        return Err(problem.hint(format!("'--template' names the '{NAME}' of the release")));
    }
    let places = places();
    places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| {
        let looked: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        let message = format!("the agent's APK is not there: neither {}", looked.join(" nor "));
        Problem::new(Exit::BadDocument, message)
            .hint(format!("take '{NAME}' of the release, or name it with '--template'"))
    })
}
