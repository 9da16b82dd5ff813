//! The agent and the sample app on Android's own framework in a desktop JVM: the tests of `android/jvm-tests`.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::build_folder::BuildFolder;
use crate::jvm::{self, Jdk};
use crate::packages;
use crate::place::Place;
use crate::process::{Cmd, Ended, Talk};

const TESTS: &str = "android/jvm-tests";
/// What the tests are made of, besides the library and the program.
const SOURCES: [&str; 2] = ["android", "examples"];
const LIMIT: Duration = Duration::from_secs(15 * 60);

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

/// Runs the tests with the built library and program, unless they passed with the same ones before.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<String, Trouble> {
    let jdk = jvm::find_jdk(place).map_err(Trouble::Missing)?;
    let maven = packages::provide(place, "mvn", "maven").map_err(Trouble::Missing)?;
    packages::provide(place, "aapt2", "aapt").map_err(Trouble::Missing)?;
    let inputs =
        Inputs { library: jvm::host_library(folder), program: folder.program("debug", "trailblaze") };
    let stamp = folder.path().join("robolectric.stamp");
    let digest = digest(place, &inputs);
    if let Some(before) = fs::read_to_string(&stamp).ok().zip(digest.as_deref()).and_then(passed_before) {
        return Ok(format!("{before}, and nothing changed since"));
    }
    // A run that is killed must leave no stamp of one that passed.
    let _ = fs::remove_file(&stamp);
    // Nor may it be judged by what another one reported.
    let reports = place.root.join(TESTS).join("target/surefire-reports");
    let _ = fs::remove_dir_all(&reports);
    let ended = maven_package(place, &jdk, &maven, &inputs).map_err(Trouble::Missing)?;
    let ran = count(&reports);
    let summary = judge(&ended, ran)?;
    if let Some(digest) = digest {
        // Without it the tests run again, no more.
        let _ = fs::write(&stamp, format!("{digest}\n{summary}\n"));
    }
    Ok(summary)
}

struct Inputs {
    library: PathBuf,
    program: PathBuf,
}

fn maven_package(place: &Place, jdk: &Jdk, maven: &Path, inputs: &Inputs) -> Result<Ended, String> {
    let native = inputs.library.parent().unwrap_or(&inputs.library);
    let mvn = jdk.set(Cmd::new(maven, &place.root.join(TESTS))).args(["-q", "-B", "package"]);
    mvn.arg(format!("-Dnative.dir={}", native.display()))
        .arg(format!("-Dprogram={}", inputs.program.display()))
        .within(LIMIT, Talk::Shown)
}

fn judge(ended: &Ended, ran: Option<Count>) -> Result<String, Trouble> {
    match (ended.status, ran) {
        (None, _) => Err(Trouble::Failed(format!("not over after {} minutes", LIMIT.as_secs() / 60))),
        (Some(status), Some(ran)) if status.success() => Ok(format!("{} tests passed", ran.tests)),
        (Some(status), None) if status.success() => Err(Trouble::Failed("no test was run".to_owned())),
        (_, Some(ran)) => Err(Trouble::Failed(format!("{} of {} tests failed", ran.failed, ran.tests))),
        (_, None) => Err(match unresolved(&ended.told) {
            Some(reason) => Trouble::Missing(format!("Maven cannot get what the tests need: {reason}")),
            None => Trouble::Failed("the tests cannot be built".to_owned()),
        }),
    }
}

/// What Maven could not get, without the command that it was for and the page that explains it.
fn unresolved(told: &str) -> Option<&str> {
    let reason = |line: &str| -> Option<usize> { UNRESOLVED.iter().filter_map(|text| line.find(text)).min() };
    let line = told.lines().filter(|line| line.contains("[ERROR]")).find(|line| reason(line).is_some())?;
    line[reason(line)?..].split(" -> [Help").next()
}

/// What the reports of a run say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    tests: u64,
    failed: u64,
}

/// None when there are no reports.
fn count(reports: &Path) -> Option<Count> {
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
fn digest(place: &Place, inputs: &Inputs) -> Option<String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    let output = Cmd::new("git", &place.root).args(list).args(SOURCES).output().ok()?;
    let names = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let mut paths: Vec<&str> = names.split_terminator('\0').collect();
    paths.sort_unstable();
    let mut hasher = DefaultHasher::new();
    for path in paths {
        hasher.write(path.as_bytes());
        // A file that is deleted but not yet committed is still listed.
        hasher.write(&fs::read(place.root.join(path)).unwrap_or_default());
    }
    for file in [&inputs.library, &inputs.program] {
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
        check(Some(1), "[ERROR] COMPILATION ERROR", None, failed("the tests cannot be built"));
        check(None, "", None, failed("not over after 15 minutes"));
        let reason = "Maven cannot get what the tests need: Could not find artifact a:b:1";
        check(
            Some(1),
            "x\n[ERROR] Failed to execute goal: Could not find artifact a:b:1 -> [Help 1]\n",
            None,
            Err(Trouble::Missing(reason.to_owned())),
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
