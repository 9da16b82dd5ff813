//! The API levels of Android are those of the version catalog, wherever else a tool needs them written out.

use super::{File, Problem};

const CATALOG: &str = "gradle/libs.versions.toml";

/// What stands before a level: in which files, and which level it has to be.
const PLACES: &[(&str, &str, &str)] = &[
    ("AndroidManifest.xml", "android:minSdkVersion=\"", "minSdk"),
    ("AndroidManifest.xml", "android:targetSdkVersion=\"", "targetSdk"),
    ("android/kit/setup.sh", "API=", "minSdk"),
    ("xtask/src/android/ndk.rs", "const API: &str = \"", "minSdk"),
    ("rust/trailblaze/src/laptop/fit.rs", "const MIN_SDK: u32 = ", "minSdk"),
];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let Some(catalog) = files.iter().find(|file| file.path == CATALOG) else { return Vec::new() };
    let mut problems = Vec::new();
    for (place, before, name) in PLACES {
        let Some(wanted) = level(&catalog.text, &format!("\n{name} = \"")) else {
            problems.push(catalog.whole(format!("has no '{name}'")));
            continue;
        };
        for file in files.iter().filter(|file| file.path.ends_with(place)) {
            for (number, line) in file.lines() {
                // A name that only ends like it is another one.
                let starts = line.trim_start().starts_with(before) || line.contains(&format!(" {before}"));
                if let Some(found) = level(line, before).filter(|found| starts && *found != wanted) {
                    problems.push(
                        file.problem(number, format!("API {found}, but '{name}' of {CATALOG} is {wanted}")),
                    );
                }
            }
        }
    }
    problems
}

/// The number after a text.
fn level<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(before)?;
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    Some(&after[..end]).filter(|level| !level.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, file};
    use super::*;

    #[test]
    fn every_place_has_the_levels_of_the_catalog() {
        let catalog = || file(CATALOG, "[versions]\nminSdk = \"26\"\ntargetSdk = \"35\"\n");
        let manifest = |target: &str| {
            let levels =
                format!("<uses-sdk android:minSdkVersion=\"26\" android:targetSdkVersion=\"{target}\" />\n");
            file("android/a/AndroidManifest.xml", &levels)
        };
        expect(check(&[catalog(), manifest("35")]), &[]);
        expect(
            check(&[catalog(), manifest("34")]),
            &["android/a/AndroidManifest.xml:1: API 34, but 'targetSdk' of gradle/libs.versions.toml is 35"],
        );
        expect(
            check(&[catalog(), file("android/kit/setup.sh", "LLVM=22\nAPI=27\n  -DAPI=$API\n")]),
            &["android/kit/setup.sh:2: API 27, but 'minSdk' of gradle/libs.versions.toml is 26"],
        );
    }
}
