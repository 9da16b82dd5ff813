//! The agent's APK, which every test APK is made of.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::dex::{Dex, descriptor};
use crate::error::{Error, Result};
use crate::manifest::{Facts, Manifest};
use crate::verify::is_dex;
use crate::zip::Archive;
use crate::{ASSETS, MANIFEST, MAX_DEX, MAX_MANIFEST};

/// The class that runs trails.
pub const RUNNER: &str = "dev.trailblaze.agent.TrailblazeInstrumentation";
const LIBRARY: &str = "/libtrailblaze.so";

/// An APK that was found to be the agent's.
#[derive(Debug)]
pub struct Template {
    pub(crate) archive: Archive<BufReader<File>>,
    pub(crate) manifest: Manifest,
    pub facts: Facts,
    /// The dex files, in their order.
    pub(crate) dex: Vec<Dex>,
}

fn not_ours(why: &str) -> Error {
    Error::new(format!("this is not the agent of Trailblaze: {why}"))
        .hint("take the 'trailblaze-agent.apk' of the release, or build it with 'cargo xtask android'")
}

/// What an APK is known by on a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub package: String,
    pub version_name: String,
    /// Whether trails were packed into it. Whoever did may have given it a version of their own.
    pub has_trails: bool,
    /// The SHA-256 of the whole file, in hexadecimal digits.
    pub sha256: String,
}

impl Identity {
    /// Of the agent's APK, or of one that was packed from it.
    pub fn of(path: &Path) -> Result<Self> {
        let mut file = File::open(path)?;
        let mut archive = Archive::open(BufReader::new(&file))?;
        let Facts { package, version_name, .. } = read_facts(&mut archive)?.1;
        let has_trails = archive.entries.iter().any(|entry| entry.name.starts_with(ASSETS));
        let mut sum = Sha256::new();
        file.rewind()?;
        let mut piece = vec![0; 1 << 16];
        while let count @ 1.. = file.read(&mut piece)? {
            sum.update(&piece[..count]);
        }
        let sha256 = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { package, version_name, has_trails, sha256 })
    }
}

/// The manifest of an APK that runs trails.
fn read_facts<R: Read + Seek>(archive: &mut Archive<R>) -> Result<(Manifest, Facts)> {
    let manifest = archive.find(MANIFEST).cloned().ok_or_else(|| not_ours("it has no manifest"))?;
    let manifest = Manifest::read(&archive.read(&manifest, MAX_MANIFEST)?);
    let manifest = manifest.map_err(|error| not_ours(&error.message))?;
    let facts = manifest.facts().map_err(|error| not_ours(&error.message))?;
    if facts.runner != RUNNER {
        return Err(not_ours(&format!("it runs tests with {}", facts.runner)));
    }
    Ok((manifest, facts))
}

impl Template {
    pub fn open(path: &Path) -> Result<Self> {
        let archive = Archive::open(BufReader::new(File::open(path)?));
        let mut archive = archive.map_err(|error| not_ours(&error.message))?;
        let (manifest, facts) = read_facts(&mut archive)?;
        let in_assets = |name: &str| name.starts_with(ASSETS);
        if facts.package != facts.instruments {
            return Err(not_ours(&format!("it instruments {}", facts.instruments)));
        }
        if archive.entries.iter().any(|entry| in_assets(&entry.name)) {
            let error = Error::new("this APK holds trails already");
            return Err(error.hint("take the agent as it was built, 'trailblaze-agent.apk'"));
        }
        if !archive
            .entries
            .iter()
            .any(|entry| entry.name.starts_with("lib/") && entry.name.ends_with(LIBRARY))
        {
            return Err(not_ours("it holds no libtrailblaze.so"));
        }
        let mut dex = Vec::new();
        while let Some(entry) = archive.find(&dex_name(dex.len())).cloned() {
            let bytes = archive.read(&entry, MAX_DEX)?;
            dex.push(Dex::read(bytes).map_err(|error| error.of(&entry.name))?);
        }
        let all = archive.entries.iter().filter(|entry| is_dex(&entry.name)).count();
        if all != dex.len() || !dex.iter().any(|dex| dex.defines(&descriptor(RUNNER))) {
            return Err(not_ours("its classes are missing"));
        }
        Ok(Self { archive, manifest, facts, dex })
    }

    /// Whether it has a class, by its name with the package.
    pub fn has_class(&self, class: &str) -> bool {
        self.dex.iter().any(|dex| dex.defines(&descriptor(class)))
    }
}

/// What the dex file with a number, counted from 0, is called.
pub(crate) fn dex_name(number: usize) -> String {
    match number {
        0 => "classes.dex".to_owned(),
        number => format!("classes{}.dex", number + 1),
    }
}
