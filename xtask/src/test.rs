//! `cargo xtask test`: provisions what the tests need, runs every layer and says how each one ended.
//!
//! Nothing is left out silently: a layer that cannot run here is reported as skipped, with the reason.

mod nextest;

use std::cell::OnceCell;
use std::time::{Duration, Instant};

use crate::android::{self, Unavailable};
use crate::build_folder::BuildFolder;
use crate::options::Options;
use crate::passed::Passed;
use crate::place::Place;
use crate::{Trouble, codegen, conformance, jvm, kotlin, packages, robolectric, sdk, table, tidy};

/// How a layer ended. The text stands in the last column of the table.
#[derive(Debug)]
enum Outcome {
    Passed(String),
    /// What was run passed; first what was not.
    PassedInPart(String, String),
    Failed(String),
    Skipped(String),
}

impl Outcome {
    fn of(passed: Result<bool, String>) -> Self {
        match passed {
            Ok(true) => Self::Passed(String::new()),
            Ok(false) => Self::Failed(String::new()),
            Err(message) => Self::Failed(message),
        }
    }
}

impl From<Passed> for Outcome {
    fn from(Passed { note, skipped }: Passed) -> Self {
        if skipped.is_empty() { Self::Passed(note) } else { Self::PassedInPart(skipped.join("; "), note) }
    }
}

impl From<sdk::Trouble> for Outcome {
    fn from(trouble: sdk::Trouble) -> Self {
        match trouble {
            sdk::Trouble::Missing(reason) => Self::Skipped(reason),
            sdk::Trouble::Failed(message) => Self::Failed(message),
        }
    }
}

/// One part of the test run.
struct Layer {
    name: &'static str,
    about: &'static str,
    run: fn(&Run) -> Outcome,
}

/// In this order: the quick ones first, and what another machine may lack last.
const LAYERS: &[Layer] = &[
    Layer { name: "format", about: "rustfmt has nothing to change", run: format },
    Layer { name: "tidy", about: "the rules of the repo that no compiler knows", run: tidy },
    Layer { name: "clippy", about: "no lint fires", run: clippy },
    Layer { name: "build", about: "everything compiles, once, for the layers below", run: build },
    Layer { name: "doctests", about: "the examples in doc comments hold", run: doctests },
    Layer { name: "generated", about: "the generated files are up to date", run: generated },
    Layer {
        name: "tests",
        about: "unit tests, black-box tests, examples of the docs, bounded fuzzing",
        run: tests,
    },
    Layer {
        name: "sdk",
        about: "the SDK, toolsets with packages in QuickJS, Node, bun and Python, other people's clients",
        run: sdk,
    },
    Layer {
        name: "conformance",
        about: "the suite of the MCP project, against the client and the server",
        run: conformance,
    },
    Layer {
        name: "adb",
        about: "the client of adb with a real adb between it and a phone of paper",
        run: adb,
    },
    Layer { name: "jvm", about: "the library in a plain JVM, with -Xcheck:jni", run: jvm },
    Layer {
        name: "robolectric",
        about: "the agent and the sample app on Android's framework in a JVM",
        run: robolectric,
    },
    Layer {
        name: "kotlin",
        about: "the SDK for Kotlin as others get it, and toolsets and clients that use it",
        run: kotlin,
    },
    Layer {
        name: "android",
        about: "the library for phones links, would load, is within its budget, and runs in a JVM",
        run: android,
    },
];

/// What the layers of one run share.
struct Run<'a> {
    place: &'a Place,
    folder: BuildFolder,
    /// Whether the workspace compiles; found out by whoever needs it first.
    built: OnceCell<Result<bool, String>>,
}

impl Run<'_> {
    fn built(&self) -> Result<bool, String> {
        self.built.get_or_init(|| codegen::build_workspace(self.place, &self.folder)).clone()
    }

    /// Runs a layer that needs the build. Without one it has failed, not been skipped: `--only tests` must not pass.
    fn after_build(&self, layer: impl FnOnce() -> Outcome) -> Outcome {
        match self.built() {
            Ok(true) => layer(),
            _ => Outcome::Failed("the workspace does not compile".to_owned()),
        }
    }
}

pub(crate) fn run(place: &Place, args: &[String]) -> Result<bool, Trouble> {
    let mut options = Options::new(args);
    let list = options.flag("--list");
    let only = options.values("--only")?;
    options.end()?;
    let known: Vec<&str> = LAYERS.iter().map(|layer| layer.name).collect();
    if let Some(unknown) = only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Trouble::Usage(format!("unknown layer '{unknown}'; there are {}", known.join(", "))));
    }
    if list {
        for layer in LAYERS {
            println!("{:<12} {}", layer.name, layer.about);
        }
        return Ok(true);
    }
    let run = Run { place, folder: BuildFolder::take(place)?, built: OnceCell::new() };
    let chosen = LAYERS.iter().filter(|layer| only.is_empty() || only.iter().any(|name| name == layer.name));
    let ended: Vec<Ended> = chosen.map(|layer| run_layer(layer, &run)).collect();
    print!("\n{}", report(&ended));
    Ok(!ended.iter().any(|ended| matches!(ended.outcome, Outcome::Failed(_))))
}

/// A layer that was run.
struct Ended {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

fn run_layer(layer: &Layer, run: &Run) -> Ended {
    eprintln!("\n== {}: {}", layer.name, layer.about);
    let start = Instant::now();
    let outcome = (layer.run)(run);
    if let Outcome::Failed(message) | Outcome::Skipped(message) | Outcome::PassedInPart(message, _) = &outcome
        && !message.is_empty()
    {
        eprintln!("{message}");
    }
    Ended { name: layer.name, outcome, took: start.elapsed() }
}

fn report(ended: &[Ended]) -> String {
    let rows: Vec<Vec<String>> = ended
        .iter()
        .map(|ended| {
            let first_line = |note: &str| note.lines().next().unwrap_or_default().to_owned();
            let (result, note) = match &ended.outcome {
                Outcome::Passed(note) => ("ok", first_line(note)),
                Outcome::PassedInPart(skipped, note) => {
                    ("ok, part SKIPPED", format!("SKIPPED {}; {}", first_line(skipped), first_line(note)))
                }
                Outcome::Failed(note) => ("FAILED", first_line(note)),
                Outcome::Skipped(note) => ("skipped", first_line(note)),
            };
            vec![ended.name.to_owned(), result.to_owned(), seconds(ended.took), note]
        })
        .collect();
    let names = |wanted: fn(&Outcome) -> bool| {
        let names: Vec<&str> =
            ended.iter().filter(|ended| wanted(&ended.outcome)).map(|ended| ended.name).collect();
        names.join(", ")
    };
    let failed = names(|outcome| matches!(outcome, Outcome::Failed(_)));
    let skipped = names(|outcome| matches!(outcome, Outcome::Skipped(_)));
    let in_part = names(|outcome| matches!(outcome, Outcome::PassedInPart(..)));
    let total = seconds(ended.iter().map(|ended| ended.took).sum());
    let mut text = table::render(&["layer", "result", "time", "note"], &rows);
    text.push('\n');
    text.push_str(&match failed.as_str() {
        "" => format!("passed in {total}"),
        failed => format!("failed in {total}: {failed}"),
    });
    if !skipped.is_empty() {
        text.push_str(&format!("; skipped: {skipped}"));
    }
    if !in_part.is_empty() {
        text.push_str(&format!("; skipped in part: {in_part}"));
    }
    text.push('\n');
    text
}

fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}

fn format(run: &Run) -> Outcome {
    if let Err(reason) = component(run, "rustfmt", "fmt") {
        return Outcome::Skipped(reason);
    }
    match run.folder.cargo(run.place).args(["fmt", "--all", "--check"]).passes() {
        Ok(false) => Outcome::Failed("run 'cargo fmt --all'".to_owned()),
        other => Outcome::of(other),
    }
}

fn tidy(run: &Run) -> Outcome {
    match tidy::problems(run.place) {
        Ok(problems) if problems.is_empty() => Outcome::Passed(String::new()),
        Ok(problems) => {
            tidy::print(&problems);
            Outcome::Failed(format!("{} to fix", problems.len()))
        }
        Err(reason) => Outcome::Skipped(reason),
    }
}

fn clippy(run: &Run) -> Outcome {
    if let Err(reason) = component(run, "clippy", "clippy") {
        return Outcome::Skipped(reason);
    }
    let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    Outcome::of(run.folder.cargo(run.place).args(clippy).passes())
}

fn build(run: &Run) -> Outcome {
    Outcome::of(run.built())
}

fn doctests(run: &Run) -> Outcome {
    let doctests = ["test", "--doc", "--workspace", "--locked", "--quiet"];
    run.after_build(|| Outcome::of(run.folder.cargo(run.place).args(doctests).passes()))
}

fn generated(run: &Run) -> Outcome {
    run.after_build(|| match codegen::differences(run.place, &run.folder) {
        Ok(differences) if differences.is_empty() => Outcome::Passed(String::new()),
        Ok(differences) => {
            codegen::print(&differences);
            Outcome::Failed("run 'cargo xtask codegen'".to_owned())
        }
        Err(message) => Outcome::Failed(message),
    })
}

fn tests(run: &Run) -> Outcome {
    run.after_build(|| nextest::run(run))
}

fn sdk(run: &Run) -> Outcome {
    run.after_build(|| match sdk::test(run.place, &run.folder) {
        Ok(passed) => passed.into(),
        Err(trouble) => trouble.into(),
    })
}

fn conformance(run: &Run) -> Outcome {
    run.after_build(|| match conformance::test(run.place, &run.folder) {
        Ok(note) => Outcome::Passed(note),
        Err(trouble) => trouble.into(),
    })
}

fn adb(run: &Run) -> Outcome {
    let program = match packages::provide(run.place, "adb", "adb") {
        Ok(program) => program,
        Err(reason) => return Outcome::Skipped(reason),
    };
    run.after_build(|| {
        let cargo = run.folder.cargo(run.place).env("TRAILBLAZE_ADB", &program);
        let test = ["test", "-p", "trailblaze-devices", "--test", "adb_real", "--locked", "--quiet"];
        match cargo.args(test).passes() {
            Ok(true) => Outcome::Passed(String::new()),
            Ok(false) => Outcome::Failed("failed".to_owned()),
            Err(message) => Outcome::Failed(message),
        }
    })
}

fn jvm(run: &Run) -> Outcome {
    run.after_build(|| {
        let jdk = match jvm::find_jdk(run.place) {
            Ok(jdk) => jdk,
            Err(reason) => return Outcome::Skipped(reason),
        };
        let library = jvm::Library::Host(jvm::host_library(&run.folder, "debug"));
        match jvm::test(run.place, &run.folder, &jdk, library) {
            Ok(note) => Outcome::Passed(note),
            Err(message) => Outcome::Failed(message),
        }
    })
}

fn robolectric(run: &Run) -> Outcome {
    run.after_build(|| match robolectric::test(run.place, &run.folder) {
        Ok(passed) => passed.into(),
        Err(robolectric::Trouble::Missing(reason)) => Outcome::Skipped(reason),
        Err(robolectric::Trouble::Failed(message)) => Outcome::Failed(message),
    })
}

fn kotlin(run: &Run) -> Outcome {
    run.after_build(|| match kotlin::test(run.place, &run.folder) {
        Ok(passed) => passed.into(),
        Err(robolectric::Trouble::Missing(reason)) => Outcome::Skipped(reason),
        Err(robolectric::Trouble::Failed(message)) => Outcome::Failed(message),
    })
}

fn android(run: &Run) -> Outcome {
    match android::test(run.place, &run.folder) {
        Ok(Ok(passed)) => passed.into(),
        Ok(Err(message)) | Err(Unavailable::Broken(message)) => Outcome::Failed(message),
        Err(Unavailable::Missing(reason)) => Outcome::Skipped(reason),
    }
}

/// Makes sure that a component of the toolchain is there, or says why it cannot be.
fn component(run: &Run, component: &str, subcommand: &str) -> Result<(), String> {
    let works = || run.folder.cargo(run.place).args([subcommand, "--version"]).works();
    if works() {
        return Ok(());
    }
    let rustup = crate::process::Cmd::new("rustup", &run.place.root).args(["component", "add", component]);
    match rustup.passes() {
        Ok(true) if works() => Ok(()),
        _ => Err(format!("{component} is not installed and 'rustup component add {component}' failed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(name: &'static str, outcome: Outcome, millis: u64) -> Ended {
        Ended { name, outcome, took: Duration::from_millis(millis) }
    }

    #[test]
    fn the_table_names_what_failed_and_what_was_skipped() {
        let ended = [
            ended("format", Outcome::Skipped("rustfmt is not installed".into()), 40),
            ended("clippy", Outcome::Failed(String::new()), 61_000),
            ended("tests", Outcome::Passed("3 tests run: 3 passed, 0 skipped".into()), 1_260),
            ended("views", Passed::all("40 tests").but("Compose", "not to be had").into(), 900),
        ];
        let expected = "\
layer   result            time        note
------  ----------------  ----------  ----------------------------------------
format  skipped           0.0 s       rustfmt is not installed
clippy  FAILED            1 min 01 s
tests   ok                1.3 s       3 tests run: 3 passed, 0 skipped
views   ok, part SKIPPED  0.9 s       SKIPPED Compose: not to be had; 40 tests

failed in 1 min 03 s: clippy; skipped: format; skipped in part: views
";
        assert_eq!(report(&ended), expected);
    }
}
