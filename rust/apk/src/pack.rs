//! Packing: the template's entries, the trails as assets and as tests, a changed manifest, and signatures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::dex::{self, Dex, Suite};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::manifest::Changes;
use crate::sign::{self, Part};
use crate::template::{Template, dex_name};
use crate::verify::{Verified, verify};
use crate::zip::{Entry, Method, Packing, Writer, must_be_stored};
use crate::{ASSETS, MANIFEST, MAX_LIBRARY};

/// What is compressed already, or is mapped into memory as it is.
const STORED: [&str; 22] = [
    "so", "arsc", "dex", "png", "jpg", "jpeg", "gif", "webp", "heic", "mp3", "m4a", "ogg", "opus", "flac",
    "mp4", "mov", "webm", "mkv", "zip", "gz", "jar", "pdf",
];

/// What goes into an APK.
#[derive(Debug)]
pub struct Request<'a> {
    pub template: Template,
    pub changes: Changes,
    /// The trails, as farms see them.
    pub suites: Vec<Suite>,
    /// Dex files of the workspace's own classes.
    pub dex: Vec<Dex>,
    /// The files of the workspace.
    pub assets: Vec<Asset>,
    pub key: &'a Key,
    /// Set by whoever wants it to end early; nothing is left then.
    pub stop: &'a AtomicBool,
}

/// A file in the workspace of the APK.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its path in the workspace, with `/`.
    pub name: String,
    pub content: Content,
}

/// Where the content of a file is.
#[derive(Clone, Debug)]
pub enum Content {
    File(PathBuf),
    Bytes(Vec<u8>),
}

/// Where an entry comes from.
enum Origin {
    Template(Entry),
    Own(Content),
}

/// Packs, signs and verifies. The file is there as a whole or not at all.
pub fn pack(request: Request<'_>, out: &Path) -> Result<Verified> {
    let stop = request.stop;
    let draft = Draft::beside(out);
    let file = draft.create().map_err(|error| cannot_write(out, error))?;
    write(request, file, &draft.0)?;
    let verified = verify(&draft.0).map_err(|error| error.of("what was packed does not verify"))?;
    go_on(stop)?;
    std::fs::rename(&draft.0, out).map_err(|error| cannot_write(out, error))?;
    Ok(verified)
}

fn cannot_write(out: &Path, error: io::Error) -> Error {
    Error::from(error).of(format!("{} cannot be written", out.display()))
}

/// A file that is removed unless it got its name.
struct Draft(PathBuf);

impl Draft {
    fn beside(out: &Path) -> Self {
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(format!(".draft-{}", std::process::id()));
        Self(out.with_file_name(name))
    }

    fn create(&self) -> io::Result<File> {
        // Left by a process of the same number that was killed.
        let _ = std::fs::remove_file(&self.0);
        File::create_new(&self.0)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn go_on(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Acquire) { Err(Error::new("interrupted")) } else { Ok(()) }
}

/// A file that is read until somebody wants it to end.
struct Stoppable<'a>(File, &'a AtomicBool);

impl Read for Stoppable<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        go_on(self.1).map_err(io::Error::other)?;
        self.0.read(out)
    }
}

fn write(request: Request<'_>, file: File, path: &Path) -> Result<()> {
    let Request { mut template, changes, suites, dex, assets, key, stop } = request;
    template.manifest.change(&changes)?;
    let mut parts: BTreeMap<String, Origin> = BTreeMap::new();
    for entry in &template.archive.entries {
        if !entry.name.ends_with('/') && !is_signature(&entry.name) {
            parts.insert(entry.name.clone(), Origin::Template(entry.clone()));
        }
    }
    let own = |bytes: Vec<u8>| Origin::Own(Content::Bytes(bytes));
    parts.insert(MANIFEST.to_owned(), own(template.manifest.print()));
    let tests = dex::write(&suites)?;
    let more = [tests].into_iter().chain(dex.iter().map(|dex| dex.bytes().to_vec()));
    check_classes(&template, &suites, &dex)?;
    for (number, bytes) in (template.dex.len()..).zip(more) {
        parts.insert(dex_name(number), own(bytes));
    }
    for Asset { name, content } in assets {
        let inner = format!("{ASSETS}{name}");
        if parts.insert(inner, Origin::Own(content)).is_some() {
            return Err(Error::new(format!("'{name}' is packed twice")));
        }
    }
    let mut writer = Writer::new(BufWriter::with_capacity(256 << 10, file));
    for (name, part) in parts {
        go_on(stop)?;
        match part {
            Origin::Template(entry) if entry.method == Method::Deflated && must_be_stored(&name) => {
                let bytes = template.archive.read(&entry, MAX_LIBRARY)?;
                writer.add(&name, Packing::Stored, &mut bytes.as_slice())?;
            }
            Origin::Template(entry) => writer.add_raw(&entry, &mut template.archive.raw(&entry)?)?,
            Origin::Own(Content::Bytes(bytes)) => writer.add(&name, packing(&name), &mut bytes.as_slice())?,
            Origin::Own(Content::File(file)) => {
                let shown = |error: Error| error.of(file.display());
                let opened = File::open(&file).map_err(|error| shown(error.into()))?;
                let mut content = Stoppable(opened, stop);
                writer.add(&name, packing(&name), &mut content).map_err(shown)?;
            }
        }
    }
    finish(writer, path, key)
}

/// Signs what was written, and writes the rest.
fn finish(writer: Writer<BufWriter<File>>, path: &Path, key: &Key) -> Result<()> {
    let (mut out, directory) = writer.finish()?;
    let end = directory.end(directory.at)?;
    let parts = [Part::File(0, directory.at), Part::Bytes(&directory.bytes), Part::Bytes(&end)];
    let block = sign::block(key, &sign::digest(path, &parts)?)?;
    out.seek(SeekFrom::Start(directory.at))?;
    out.write_all(&block)?;
    out.write_all(&directory.bytes)?;
    out.write_all(&directory.end(directory.at + block.len() as u64)?)?;
    out.flush()?;
    Ok(())
}

/// What an older scheme left, which would be wrong now.
fn is_signature(name: &str) -> bool {
    let inner = name.strip_prefix("META-INF/");
    inner.is_some_and(|name| {
        name == "MANIFEST.MF" || [".SF", ".RSA", ".DSA", ".EC"].iter().any(|end| name.ends_with(end))
    })
}

fn packing(name: &str) -> Packing {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let is_stored = extension.is_some_and(|extension| STORED.contains(&extension.as_str()));
    if is_stored { Packing::Stored } else { Packing::Small }
}

/// A phone takes the first of two classes with one name, and nobody would know which.
fn check_classes(template: &Template, suites: &[Suite], own: &[Dex]) -> Result<()> {
    let of_suites = suites.iter().map(|suite| dex::descriptor(&suite.class));
    let of_dex = template.dex.iter().chain(own).flat_map(|dex| &dex.classes);
    let mut seen = BTreeSet::new();
    for class in of_dex.map(|class| class.descriptor.clone()).chain(of_suites) {
        let name = class.trim_start_matches('L').trim_end_matches(';').replace('/', ".");
        if !seen.insert(class) {
            let error = Error::new(format!("the class {name} would be in the APK twice"));
            return Err(error.hint("leave out of '--dex' what the agent has itself"));
        }
    }
    Ok(())
}
