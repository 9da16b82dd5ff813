//! The agent and the sample apps on Android's own framework in a desktop JVM: the tests of `android/jvm-tests`.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build_folder::BuildFolder;
use crate::jvm::{self, Jdk};
use crate::packages;
use crate::passed::Passed;
use crate::place::Place;
use crate::process::{Cmd, Ended, Talk};

/// Tests that are built and run by themselves.
struct Suite {
    folder: &'static str,
    /// What they are made of, besides the library and the program; as git takes it.
    sources: &'static [&'static str],
    stamp: &'static str,
    /// Whether a laptop drives the phone in some of them, which takes a real adb.
    has_laptop: bool,
}

const VIEWS: Suite = Suite {
    folder: "android/jvm-tests",
    sources: &["android", "examples", ":(exclude)android/jvm-tests/compose"],
    stamp: "robolectric.stamp",
    has_laptop: true,
};
const COMPOSE: Suite = Suite {
    folder: "android/jvm-tests/compose",
    sources: &["android/agent", "android/jvm-tests"],
    stamp: "robolectric-compose.stamp",
    has_laptop: false,
};
const LIMIT: Duration = Duration::from_secs(30 * 60);
/// So many lines of Maven's talk tell why it failed.
const LAST_LINES: usize = 3;
const WITHOUT_DDMLIB: &str = "-Dwithout.ddmlib";

/// What Maven says when it cannot have what the build names, which is not the fault of the build.
const UNRESOLVED: [&str; 5] = [
    "Could not resolve dependencies",
    "Could not find artifact",
    "Could not transfer artifact",
    "could not be resolved",
    "Unable to find/resolve artifact",
];

/// How the tests ended, other than by passing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// This machine lacks something.
    Missing(String),
    Failed(String),
}

/// Runs the tests with the built library and program. Compose is not to be had everywhere; the others pass without it.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<Passed, Trouble> {
    let jdk = jvm::find_jdk(place).map_err(Trouble::Missing)?;
    let maven = packages::provide(place, "mvn", "maven").map_err(Trouble::Missing)?;
    packages::provide(place, "aapt2", "aapt").map_err(Trouble::Missing)?;
    let inputs = Inputs {
        library: jvm::host_library(folder, "debug"),
        program: folder.program("debug", "trailblaze"),
        agent: stand_in_agent(place, folder).map_err(Trouble::Failed)?,
        daemon: folder.program("debug/examples", "fake_adbd"),
        adb: packages::provide(place, "adb", "adb"),
    };
    let run = |suite: &Suite| run(suite, place, folder, &Tools { jdk: &jdk, maven: &maven }, &inputs);
    let views = run(&VIEWS)?;
    both(views, run(&COMPOSE))
}

/// What is said of views that passed and of Compose.
fn both(views: Passed, compose: Result<Passed, Trouble>) -> Result<Passed, Trouble> {
    match compose {
        Ok(compose) => Ok(views.and("Compose", compose)),
        Err(Trouble::Missing(reason)) => Ok(views.but("Compose", &reason)),
        Err(Trouble::Failed(message)) => Err(Trouble::Failed(format!("{}; Compose: {message}", views.note))),
    }
}

struct Tools<'a> {
    jdk: &'a Jdk,
    maven: &'a Path,
}

/// Runs a suite, unless it passed with the same inputs before.
fn run(
    suite: &Suite,
    place: &Place,
    folder: &BuildFolder,
    tools: &Tools,
    inputs: &Inputs,
) -> Result<Passed, Trouble> {
    let stamp = folder.path().join(suite.stamp);
    let digest = digest(suite, place, inputs);
    if let Some(before) = fs::read_to_string(&stamp).ok().zip(digest.as_deref()).and_then(passed_before) {
        return Ok(Passed::all(format!("{before}, and nothing changed since")));
    }
    // A run that is killed must leave no stamp of one that passed.
    let _ = fs::remove_file(&stamp);
    // Nor may it be judged by what another one reported.
    let tests = place.root.join(suite.folder);
    let reports = tests.join("target/surefire-reports");
    let _ = fs::remove_dir_all(&reports);
    let mut ended = maven_package(&tests, tools, inputs, &[]).map_err(Trouble::Missing)?;
    let ddmlib = lacks_ddmlib(&ended.told).map(str::to_owned);
    if ddmlib.is_some() {
        ended = maven_package(&tests, tools, inputs, &[WITHOUT_DDMLIB]).map_err(Trouble::Missing)?;
    }
    let summary = judge(&ended, count(&reports))?;
    let adb = inputs.adb.as_ref().err().filter(|_| suite.has_laptop);
    let missing = [("ddmlib's reader", ddmlib.as_ref()), ("a laptop that drives the phone", adb)];
    let missing = missing.into_iter().filter_map(|(part, reason)| Some((part, reason?)));
    let passed = missing.fold(Passed::all(&summary), |passed, (part, reason)| passed.but(part, reason));
    // What is missing may be there the next time.
    if let Some(digest) = digest.filter(|_| passed.skipped.is_empty()) {
        // Without it the tests run again, no more.
        let _ = fs::write(&stamp, format!("{digest}\n{summary}\n"));
    }
    Ok(passed)
}

/// Why the tests that read with Android's own tools cannot be built; the others need nothing of it.
fn lacks_ddmlib(told: &str) -> Option<&str> {
    unresolved(told).filter(|reason| reason.contains(":ddmlib:"))
}

struct Inputs {
    library: PathBuf,
    program: PathBuf,
    /// What test APKs are packed with.
    agent: PathBuf,
    /// A phone of paper for adb.
    daemon: PathBuf,
    /// Or why there is none.
    adb: Result<PathBuf, String>,
}

/// A small stand-in for the agent's APK, which takes an NDK to build.
fn stand_in_agent(place: &Place, folder: &BuildFolder) -> Result<PathBuf, String> {
    let path = folder.path().join("stand-in-agent.apk");
    Cmd::new(folder.program("debug/examples", "stand_in_agent"), &place.root).arg(&path).run()?;
    Ok(path)
}

fn maven_package(tests: &Path, tools: &Tools, inputs: &Inputs, more: &[&str]) -> Result<Ended, String> {
    let native = inputs.library.parent().unwrap_or(&inputs.library);
    let mvn = tools.jdk.set(Cmd::new(tools.maven, tests)).args(["-q", "-B", "package"]);
    mvn.arg(format!("-Dnative.dir={}", native.display()))
        .arg(format!("-Dprogram={}", inputs.program.display()))
        .arg(format!("-Dstand.in.agent={}", inputs.agent.display()))
        .arg(format!("-Dfake.adbd={}", inputs.daemon.display()))
        .args(inputs.adb.iter().map(|adb| format!("-Dadb={}", adb.display())))
        .args(more)
        .within(LIMIT, Talk::Shown)
}

pub(crate) fn judge(ended: &Ended, ran: Option<Count>) -> Result<String, Trouble> {
    match (ended.status, ran) {
        (None, _) => Err(Trouble::Failed(format!("not over after {} minutes", LIMIT.as_secs() / 60))),
        (Some(status), Some(ran)) if status.success() => Ok(format!("{} tests passed", ran.tests)),
        (Some(status), None) if status.success() => Err(Trouble::Failed("no test was run".to_owned())),
        (_, Some(Count { tests, failed: 0 })) => {
            let end = last_words(&ended.told);
            Err(Trouble::Failed(format!("Maven failed, although none of {tests} tests did: {end}")))
        }
        (_, Some(ran)) => Err(Trouble::Failed(format!("{} of {} tests failed", ran.failed, ran.tests))),
        (_, None) => Err(match unresolved(&ended.told) {
            Some(reason) => Trouble::Missing(format!("Maven cannot get what the tests need: {reason}")),
            None => Trouble::Failed("the tests cannot be built".to_owned()),
        }),
    }
}

/// How Maven's talk ends, without the advice that it always gives.
fn last_words(told: &str) -> String {
    let advice = ["[Help ", "Re-run Maven", "To see the full stack trace", "For more information about"];
    let says = |line: &&str| {
        let said = line.trim_start_matches("[ERROR]").trim();
        !said.is_empty() && !advice.iter().any(|start| said.starts_with(start))
    };
    let mut lines: Vec<&str> = told.lines().filter(says).rev().take(LAST_LINES).map(str::trim).collect();
    lines.reverse();
    if lines.is_empty() { "it does not say why".to_owned() } else { lines.join(" | ") }
}

/// What Maven could not get, without the command that it was for and the page that explains it.
pub(crate) fn unresolved(told: &str) -> Option<&str> {
    let reason = |line: &str| -> Option<usize> { UNRESOLVED.iter().filter_map(|text| line.find(text)).min() };
    let line = told.lines().filter(|line| line.contains("[ERROR]")).find(|line| reason(line).is_some())?;
    line[reason(line)?..].split(" -> [Help").next()
}

/// What the reports of a run say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    tests: u64,
    failed: u64,
}

/// None when there are no reports.
pub(crate) fn count(reports: &Path) -> Option<Count> {
    let texts = fs::read_dir(reports).ok()?.flatten().map(|entry| entry.path());
    let texts = texts.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let counts = texts.filter_map(|path| read_count(&fs::read_to_string(path).ok()?));
    counts.reduce(|a, b| Count { tests: a.tests + b.tests, failed: a.failed + b.failed })
}

/// `Tests run: 12, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: …`
fn read_count(report: &str) -> Option<Count> {
    let line = report.lines().find(|line| line.starts_with("Tests run: "))?;
    let number = |name: &str| -> Option<u64> {
        let (_, rest) = line.split_once(&format!("{name}: "))?;
        rest.split(',').next()?.trim().parse().ok()
    };
    Some(Count { tests: number("Tests run")?, failed: number("Failures")? + number("Errors")? })
}

/// The summary in a stamp, if the stamp is of this digest.
fn passed_before((stamp, digest): (String, &str)) -> Option<String> {
    let rest = stamp.strip_prefix(digest)?.strip_prefix('\n')?;
    Some(rest.trim_end().to_owned()).filter(|summary| !summary.is_empty())
}

/// A number for everything that the tests depend on; none when that cannot be said.
fn digest(suite: &Suite, place: &Place, inputs: &Inputs) -> Option<String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    let output = Cmd::new("git", &place.root).args(list).args(suite.sources).output().ok()?;
    let names = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let mut paths: Vec<&str> = names.split_terminator('\0').collect();
    paths.sort_unstable();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        hasher.write(path.as_bytes());
        // A file that is deleted but not yet committed is still listed.
        hasher.write(&fs::read(place.root.join(path)).unwrap_or_default());
    }
    for file in [&inputs.library, &inputs.program, &inputs.agent, &inputs.daemon] {
        hasher.write(&fs::read(file).ok()?);
    }
    Some(format!("{:016x}", hasher.finish()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[track_caller]
    fn check(code: Option<i32>, told: &str, ran: Option<(u64, u64)>, expected: Result<&str, Trouble>) {
        let status = code.map(|code| ExitStatus::from_raw(code << 8));
        let ran = ran.map(|(tests, failed)| Count { tests, failed });
        let ended = Ended { status, told: told.to_owned() };
        assert_eq!(judge(&ended, ran), expected.map(str::to_owned));
    }

    #[test]
    fn what_cannot_be_had_is_told_from_what_fails() {
        let failed = |text: &str| Err(Trouble::Failed(text.to_owned()));
        check(Some(0), "", Some((40, 0)), Ok("40 tests passed"));
        check(Some(0), "", None, failed("no test was run"));
        check(Some(1), "[ERROR] Could not find artifact", Some((40, 2)), failed("2 of 40 tests failed"));
        check(
            Some(1),
            "a\n[INFO] b\nCountTests: 39 of 40 tests ran\n[ERROR] c\n[ERROR] \n[ERROR] Re-run Maven with -X\n",
            Some((40, 0)),
            failed(
                "Maven failed, although none of 40 tests did: [INFO] b | CountTests: 39 of 40 tests ran | [ERROR] c",
            ),
        );
        check(Some(1), "[ERROR] COMPILATION ERROR", None, failed("the tests cannot be built"));
        check(None, "", None, failed("not over after 30 minutes"));
        let reason = "Maven cannot get what the tests need: Could not find artifact a:b:1";
        check(
            Some(1),
            "x\n[ERROR] Failed to execute goal: Could not find artifact a:b:1 -> [Help 1]\n",
            None,
            Err(Trouble::Missing(reason.to_owned())),
        );
    }

    #[test]
    fn only_a_missing_ddmlib_is_done_without() {
        let line = |artifact: &str| format!("[ERROR] x: Could not find artifact {artifact} -> [Help 1]\n");
        let ddmlib = "com.android.tools.ddms:ddmlib:jar:30.4.0";
        assert_eq!(lacks_ddmlib(&line(ddmlib)), Some(format!("Could not find artifact {ddmlib}").as_str()));
        assert_eq!(lacks_ddmlib(&line("org.robolectric:robolectric:jar:4.16.1")), None);
        assert_eq!(lacks_ddmlib(&format!("downloaded {ddmlib}\n")), None);
    }

    #[test]
    fn the_others_pass_without_compose_but_not_when_it_fails() {
        let both = |compose| both(Passed::all("40 tests passed"), compose);
        assert_eq!(
            both(Ok(Passed::all("5 tests passed"))),
            Ok(Passed::all("40 tests passed; Compose: 5 tests passed"))
        );
        assert_eq!(
            both(Err(Trouble::Missing("no such artifact".to_owned()))),
            Ok(Passed::all("40 tests passed").but("Compose", "no such artifact"))
        );
        assert_eq!(
            both(Err(Trouble::Failed("1 of 5 tests failed".to_owned()))),
            Err(Trouble::Failed("40 tests passed; Compose: 1 of 5 tests failed".to_owned()))
        );
    }

    #[test]
    fn reports_are_counted() {
        let report =
            "----\nTest set: A\n----\nTests run: 12, Failures: 1, Errors: 2, Skipped: 0, Time elapsed: 3 s\n";
        assert_eq!(read_count(report), Some(Count { tests: 12, failed: 3 }));
        assert_eq!(read_count("Test set: A\n"), None);
    }

    #[test]
    fn a_stamp_is_of_one_digest() {
        let stamp = "0a\n40 tests passed\n".to_owned();
        assert_eq!(passed_before((stamp.clone(), "0a")).as_deref(), Some("40 tests passed"));
        assert_eq!(passed_before((stamp, "0b")), None);
    }
}
