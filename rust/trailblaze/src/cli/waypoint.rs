//! `trailblaze waypoint`

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Map, Value};
use trailblaze_engine::waypoint::look;
use trailblaze_model::diagnostic::Diagnostic;
use trailblaze_model::waypoint::Waypoint;

use super::{print, print_json};
use crate::exit_code::{Exit, Problem};
use crate::load::device_classifiers;
use crate::screens::{self, Saved};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say for every screen which waypoints it is
    Check {
        /// The folder with captured screens, or with sessions of 'run --capture'
        #[arg(long, value_name = "DIR")]
        screens: PathBuf,
        #[command(flatten)]
        common: Common,
    },
    /// Say which waypoint one screen is
    Locate {
        /// The captured screen, or one of a session
        #[arg(long, value_name = "FILE")]
        screen: PathBuf,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Debug, clap::Args)]
struct Common {
    /// The folder with waypoint files
    #[arg(long, value_name = "DIR")]
    waypoints: PathBuf,
    /// The id of the app, for waypoints that name {{target.appId}}; several: any of them
    #[arg(long = "app-id", value_name = "ID")]
    app_ids: Vec<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Problem> {
    match &args.command {
        Command::Check { screens, common } => check(screens, common),
        Command::Locate { screen, common } => locate(screen, common),
    }
}

fn waypoints(folder: &Path) -> Result<Vec<Waypoint>, Problem> {
    screens::read_waypoints(folder).map_err(|problems| {
        if let [Diagnostic { at: None, message, .. }] = problems.as_slice() {
            return Problem::new(Exit::BadDocument, message.as_str());
        }
        problems.iter().for_each(|problem| talk!("{problem}\n"));
        Problem::new(Exit::BadDocument, "the waypoints have errors").hint("see above")
    })
}

fn check(folder: &Path, common: &Common) -> Result<Exit, Problem> {
    let waypoints = waypoints(&common.waypoints)?;
    let (saved, others) = screens::read_screens(folder)?;
    others.iter().for_each(|name| talk!("note: {name} is no capture and was left out"));
    let mut matrix = Map::new();
    for Saved { name, screen } in &saved {
        let mut row = Map::new();
        let mut matched = Vec::new();
        for waypoint in &waypoints {
            let seen = look(screen, waypoint, &device_classifiers(), &common.app_ids);
            if let Some(reason) = seen.reason() {
                talk!("{name}: not {}: {reason}", waypoint.id);
            } else {
                matched.push(waypoint.id.as_str());
            }
            row.insert(waypoint.id.clone(), seen.is_match().into());
        }
        if !common.json {
            let names = if matched.is_empty() { "no waypoint".to_owned() } else { matched.join(", ") };
            print(&format!("{name}: {names}\n"));
        }
        matrix.insert(name.clone(), Value::Object(row));
    }
    if common.json {
        print_json(&Value::Object(matrix));
    }
    Ok(Exit::Passed)
}

fn locate(path: &Path, common: &Common) -> Result<Exit, Problem> {
    let waypoints = waypoints(&common.waypoints)?;
    let saved = screens::read_screen(path)?;
    let mut found = Vec::new();
    for waypoint in &waypoints {
        let seen = look(&saved.screen, waypoint, &device_classifiers(), &common.app_ids);
        match seen.reason() {
            None => found.push(waypoint.id.clone()),
            Some(reason) => talk!("not {}: {reason}", waypoint.id),
        }
    }
    if common.json {
        print_json(&serde_json::json!({ "waypoints": found }));
    } else if found.is_empty() {
        print("no waypoint\n");
    } else {
        found.iter().for_each(|id| print(&format!("{id}\n")));
    }
    Ok(Exit::Passed)
}
