//! The SDK for Kotlin. Maven builds it, runs its own tests and installs it as others get it; what uses it is then built
//! with nothing else, and run against the program. So are the examples of the pages.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::build_folder::BuildFolder;
use crate::jvm::{self, Jdk};
use crate::packages;
use crate::passed::Passed;
use crate::place::Place;
use crate::process::{Cmd, Ended, Talk};
use crate::robolectric::{self, Trouble};
use crate::sdk::Lab;

const SDK: &str = "sdks/kotlin";
/// Projects that know the SDK by its name only: what runs the list of all clients, and the example.
const USERS: [&str; 2] = ["tests/rpc/runners/kotlin", "examples/acme/kotlin"];
const TESTS: &str = "tests/rpc";
const TESTS_FILES: &[&str] = &["kotlin.test.mjs"];
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// Builds everything and runs all tests. Those against the program need Node; the others pass without it.
pub(crate) fn test(place: &Place, folder: &BuildFolder) -> Result<Passed, Trouble> {
    let tools = Tools::find(place).map_err(Trouble::Missing)?;
    let passed = Passed::all(format!("the SDK: {}", tools.build(place)?));
    let failed = |part: &str, message: String| Trouble::Failed(format!("{}; {part}: {message}", passed.note));
    tools.pages(place, folder).map_err(|message| failed("the pages", message))?;
    match Lab::new(place, folder) {
        Ok(lab) => match lab.node_tests(TESTS, TESTS_FILES) {
            Ok(note) => Ok(passed.and("its users", Passed::all(note))),
            Err(message) => Err(failed("its users", message)),
        },
        Err(reason) => Ok(passed.but("its users", &reason)),
    }
}

struct Tools {
    jdk: Jdk,
    maven: PathBuf,
}

impl Tools {
    fn find(place: &Place) -> Result<Self, String> {
        Ok(Self { jdk: jvm::find_jdk(place)?, maven: packages::provide(place, "mvn", "maven")? })
    }

    fn build(&self, place: &Place) -> Result<String, Trouble> {
        let run = |project: &str, phase: &str| {
            let mvn =
                self.jdk.set(Cmd::new(&self.maven, &place.root.join(project))).args(["-q", "-B", phase]);
            mvn.within(LIMIT, Talk::Shown).map_err(Trouble::Missing)
        };
        // A run must not be judged by what another one reported.
        let reports = place.root.join(SDK).join("target/surefire-reports");
        let _ = fs::remove_dir_all(&reports);
        let note = robolectric::judge(&run(SDK, "install")?, robolectric::count(&reports))?;
        for user in USERS {
            built(user, &run(user, "package")?)?;
        }
        Ok(note)
    }

    /// The examples of the pages that are in Kotlin, which other layers leave out.
    fn pages(&self, place: &Place, folder: &BuildFolder) -> Result<(), String> {
        let cargo = self.jdk.set(folder.cargo(place)).env("TRAILBLAZE_MAVEN", &self.maven);
        let test = ["test", "--workspace", "--test", "docs", "--locked", "--quiet"];
        if cargo.args(test).passes()? { Ok(()) } else { Err("failed".to_owned()) }
    }
}

/// Whether a project without tests was built.
fn built(project: &str, ended: &Ended) -> Result<(), Trouble> {
    match (ended.status, robolectric::unresolved(&ended.told)) {
        (None, _) => {
            Err(Trouble::Failed(format!("{project} is not built after {} minutes", LIMIT.as_secs() / 60)))
        }
        (Some(status), _) if status.success() => Ok(()),
        (_, Some(reason)) => {
            Err(Trouble::Missing(format!("Maven cannot get what {project} needs: {reason}")))
        }
        _ => Err(Trouble::Failed(format!("{project} cannot be built"))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn what_cannot_be_had_is_told_from_what_is_wrong() {
        let check = |code: Option<i32>, told: &str, expected: Result<(), Trouble>| {
            let status = code.map(|code| ExitStatus::from_raw(code << 8));
            assert_eq!(built("p", &Ended { status, told: told.to_owned() }), expected);
        };
        check(Some(0), "", Ok(()));
        check(
            Some(1),
            "[ERROR] a.kt:1:1 no such thing",
            Err(Trouble::Failed("p cannot be built".to_owned())),
        );
        check(None, "", Err(Trouble::Failed("p is not built after 15 minutes".to_owned())));
        let missing = "Maven cannot get what p needs: Could not find artifact a:b:1";
        check(
            Some(1),
            "[ERROR] x: Could not find artifact a:b:1 -> [Help 1]",
            Err(Trouble::Missing(missing.to_owned())),
        );
    }
}
