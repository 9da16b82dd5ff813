//! APKs that `trailblaze apk pack` makes of the agent, seen by tools that we did not write.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ndk::Ndk;
use crate::build_folder::BuildFolder;
use crate::jvm;
use crate::packages;
use crate::passed::Passed;
use crate::place::Place;
use crate::process::{Cmd, Talk};

const SCRIPT: &str = "android/kit/test-packed.py";
const PARSER: &str = "android/kit/dex-test-parser.pom.xml";
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
const LIMIT: Duration = Duration::from_secs(300);

/// Packs one trail and many, with keys of all kinds, and asks Android's tools and a farm's what they see.
pub(super) fn test(
    place: &Place,
    folder: &BuildFolder,
    ndk: &Ndk,
    kit: &Path,
    agent: &Path,
) -> Result<Passed, String> {
    folder.cargo(place).args(["build", "--package", "trailblaze", "--locked"]).run()?;
    let parser = parser(place, kit);
    let script =
        Cmd::new("python3", &place.root).arg(SCRIPT).arg(folder.program("debug", "trailblaze")).arg(agent);
    // Python would leave its own files beside the scripts.
    let script = ndk.set(script).quiet_env("PYTHONDONTWRITEBYTECODE", "1");
    if !script.args(parser.as_ref().ok()).passes()? {
        return Err("an APK that was packed is not what Android's tools expect".to_owned());
    }
    let passed = Passed::all("packed APKs hold");
    Ok(match parser {
        Ok(_) => passed,
        Err(reason) => passed.but("LinkedIn's dex test parser", &reason),
    })
}

/// The folder with LinkedIn's parser and all that it needs.
fn parser(place: &Place, kit: &Path) -> Result<PathBuf, String> {
    let folder = kit.join("dex-test-parser");
    // Files of a download that was cut off must not be taken for all of them.
    let done = folder.join("done");
    let wanted = fs::read_to_string(place.root.join(PARSER)).map_err(|error| format!("{PARSER}: {error}"))?;
    if fs::read_to_string(&done).is_ok_and(|there| there == wanted) {
        return Ok(folder);
    }
    let jdk = jvm::find_jdk(place)?;
    let maven = packages::provide(place, "mvn", "maven")?;
    let ended = jdk
        .set(Cmd::new(maven, &place.root))
        .args(["-q", "-B", "-f", PARSER, COPY])
        .arg(format!("-DoutputDirectory={}", folder.display()))
        .within(LIMIT, Talk::Kept)?;
    if !ended.status.is_some_and(|status| status.success()) {
        let why = ended.told.lines().find(|line| line.contains("ERROR")).unwrap_or("it took too long");
        return Err(format!("maven cannot fetch it: {why}"));
    }
    fs::write(&done, wanted).map_err(|error| format!("{}: {error}", done.display()))?;
    Ok(folder)
}
