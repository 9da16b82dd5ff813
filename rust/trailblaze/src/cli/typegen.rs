//! `trailblaze typegen`

use std::path::PathBuf;

use super::{Scope, print};
use crate::authoring::typegen;
use crate::exit_code::{Exit, Problem};
use crate::files;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where the declarations go, 'trailblaze-tools.d.ts' in the workspace unless given; '-' prints them
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    scope: Scope,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    let (workspace, registry) = args.scope.open()?;
    let text = typegen::declarations(&registry);
    let path = match (&args.out, &workspace.root) {
        (Some(path), _) if path.as_os_str() == "-" => {
            print(&text);
            return Ok(Exit::Passed);
        }
        (Some(path), _) => path.clone(),
        (None, Some(root)) => root.join("trailblaze-tools.d.ts"),
        (None, None) => PathBuf::from("trailblaze-tools.d.ts"),
    };
    std::fs::write(&path, text).map_err(|error| {
        let message = format!("{} cannot be written: {}", files::shown(&path), files::why(&error));
        Problem::new(Exit::BadDocument, message)
    })?;
    print(&format!("wrote {} ({} tools)\n", files::shown(&path), registry.tools().count()));
    Ok(Exit::Passed)
}
