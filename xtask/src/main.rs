//! Every task of the repo, as `cargo xtask TASK`. Only the standard library, so that it builds in a second.
//!
//! stdout is data (tables, lists), stderr is talk (the commands that are run, progress).

mod android;
mod bench;
mod build_folder;
mod codegen;
mod conformance;
mod fuzz;
mod json;
mod jvm;
mod kotlin;
mod npm;
mod options;
mod packages;
mod passed;
mod place;
mod process;
mod python;
mod robolectric;
mod sdk;
mod table;
mod temp_folder;
mod test;
mod tidy;

use std::process::ExitCode;

use options::Usage;
use place::Place;

/// A task: its name, its options for the help, what it does, and the function that does it.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    options: &'static str,
    about: &'static str,
    run: fn(&Place, &[String]) -> Result<bool, Trouble>,
}

pub(crate) const TASKS: &[Task] = &[
    Task {
        name: "test",
        options: "[--only LAYER]… [--list]",
        about: "provision what the tests need, then run everything",
        run: test::run,
    },
    Task {
        name: "codegen",
        options: "[--check]",
        about: "write the generated files, or check that they are up to date",
        run: codegen::run,
    },
    Task {
        name: "tidy",
        options: "",
        about: "check the rules of the repo that no compiler knows",
        run: tidy::run,
    },
    Task {
        name: "bench",
        options: "[--record]",
        about: "measure, print one table, fail when a limit is missed",
        run: bench::run,
    },
    Task {
        name: "android",
        options: "[--setup-only] [--record]",
        about: "build the library for phones, check it, fail when it is above its budget",
        run: android::run,
    },
    Task {
        name: "fuzz",
        options: "[TARGET] [--seconds N]",
        about: "run one fuzz target or all of them, 60 s each; needs a nightly toolchain and cargo-fuzz",
        run: fuzz::run,
    },
];

/// Why a task could not do its work, as opposed to a task that found something wrong.
#[derive(Debug)]
pub(crate) enum Trouble {
    Usage(String),
    Other(String),
}

impl From<Usage> for Trouble {
    fn from(Usage(message): Usage) -> Self {
        Self::Usage(message)
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match args.split_first() {
        None => return wrong_usage("no task given"),
        Some((help, _)) if ["help", "-h", "--help"].contains(&help.as_str()) => {
            print!("{}", help_text());
            return ExitCode::SUCCESS;
        }
        Some(parts) => parts,
    };
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        return wrong_usage(&format!("unknown task '{name}'"));
    };
    if rest.iter().any(|arg| arg == "-h" || arg == "--help") {
        println!("cargo xtask {} {}\n  {}", task.name, task.options, task.about);
        return ExitCode::SUCCESS;
    }
    match Place::find().map_err(Trouble::from).and_then(|place| (task.run)(&place, rest)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Trouble::Usage(message)) => wrong_usage(&message),
        Err(Trouble::Other(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn wrong_usage(message: &str) -> ExitCode {
    eprint!("error: {message}\n\n{}", help_text());
    ExitCode::from(2)
}

fn help_text() -> String {
    let mut text = String::from("usage: cargo xtask TASK\n\n");
    for task in TASKS {
        let call = format!("{} {}", task.name, task.options);
        text.push_str(&format!("  {:<32}  {}\n", call.trim_end(), task.about));
    }
    text.push_str("\nBuilds and tools are kept in $TRAILBLAZE_CACHE, else in the user's cache folder under 'trailblaze'\n");
    text
}
