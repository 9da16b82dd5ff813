//! Whether a bundle is still what its sources say.

use std::io;

use trailblaze_model::bundle::{Bundle, Header};
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::hash::fnv1a_of;

use crate::ENGINE;
use crate::files::Files;
use crate::sdk::Sdk;

/// Whether the bundle was made by this version from files that are all there and still the same.
pub fn is_fresh(bundle: &Bundle, files: &dyn Files, sdk: &Sdk<'_>) -> bool {
    is_same(bundle, files, sdk, |_, now| now.ok())
}

/// Whether a file that is there says something else than the bundle, or another version made it. A file that is not
/// there says nothing: without `npm install` there are no packages.
pub fn is_outdated(bundle: &Bundle, files: &dyn Files, sdk: &Sdk<'_>) -> bool {
    let as_it_was = |index: usize, now: io::Result<String>| match now {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bundle.header.input_hashes.get(index).cloned()
        }
        now => now.ok(),
    };
    !is_same(bundle, files, sdk, as_it_was)
}

fn is_same(
    bundle: &Bundle,
    files: &dyn Files,
    sdk: &Sdk<'_>,
    known: impl Fn(usize, io::Result<String>) -> Option<String>,
) -> bool {
    let header = &bundle.header;
    let now = header.inputs.iter().enumerate().map(|(index, name)| known(index, hash_of(files, name)));
    let Some(now) = now.collect::<Option<Vec<String>>>() else { return false };
    bundle.is_of_engine(ENGINE)
        && !header.absent.iter().any(|name| files.exists(name))
        && source_hash(header, &now, sdk) == header.source_hash
}

/// Writes the hashes of the inputs, and of all, into the header.
pub(crate) fn stamp(header: &mut Header, files: &dyn Files, sdk: &Sdk<'_>) -> Result<(), Diagnostic> {
    let hashes = header.inputs.iter().map(|name| {
        hash_of(files, name).map_err(|error| {
            Diagnostic::error(Code::Unreadable, format!("it cannot be read: {error}")).in_file(name.as_str())
        })
    });
    header.input_hashes = hashes.collect::<Result<_, _>>()?;
    header.source_hash = source_hash(header, &header.input_hashes, sdk);
    Ok(())
}

/// The hash over the inputs, the SDK and the options; all else in the header follows from them.
fn source_hash(header: &Header, input_hashes: &[String], sdk: &Sdk<'_>) -> String {
    let mut all = format!("{}\0{}\0{}\0", header.name, header.bundler.as_str(), header.requires_host);
    let mut add = |name: &str, hash: &str| all.push_str(&format!("{name}\0{hash}\0"));
    header.inputs.iter().zip(input_hashes).for_each(|(name, hash)| add(name, hash));
    header.absent.iter().for_each(|name| add(name, ""));
    sdk.files.iter().for_each(|(name, text)| add(name, &hash(text.as_bytes())));
    hash(all.as_bytes())
}

fn hash_of(files: &dyn Files, name: &str) -> io::Result<String> {
    files.read(name).map(|text| hash(&text))
}

fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", fnv1a_of([bytes]))
}
