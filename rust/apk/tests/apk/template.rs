//! A small stand-in for the agent's APK: its real manifest, a class of the right name, and a library of a few bytes.

use std::io::Cursor;

use trailblaze_apk::RUNNER;
use trailblaze_apk::dex::{self, Suite};
use trailblaze_apk::manifest::{Changes, Manifest};
use trailblaze_apk::zip::{Packing, Writer};

/// `AndroidManifest.xml` of `trailblaze-agent.apk`, as aapt2 writes it.
pub(crate) const MANIFEST: &[u8] = include_bytes!("manifest.axml");

/// The agent of this version, with other entries besides or instead; an empty one is left out.
pub(crate) fn with(more: &[(&str, &[u8])]) -> Vec<u8> {
    let mut manifest = Manifest::read(MANIFEST).unwrap();
    let version_name = Some(env!("CARGO_PKG_VERSION").to_owned());
    manifest.change(&Changes { version_name, ..Changes::default() }).unwrap();
    let manifest = manifest.print();
    let runner = Suite { class: RUNNER.to_owned(), methods: Default::default() };
    let classes = dex::write(&[runner]).unwrap();
    let mut entries: Vec<(&str, &[u8])> = vec![
        ("AndroidManifest.xml", &manifest),
        ("META-INF/CERT.SF", b"an older signature"),
        ("classes.dex", &classes),
        ("lib/x86_64/libtrailblaze.so", b"\x7fELF and so on"),
        ("resources.arsc", b"strings"),
    ];
    for (name, bytes) in more {
        entries.retain(|(known, _)| known != name);
        entries.extend((!bytes.is_empty()).then_some((*name, *bytes)));
    }
    zip(&entries)
}

/// An archive without signatures.
pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer.add(name, Packing::Small, &mut &bytes[..]).unwrap();
    }
    let (out, directory) = writer.finish().unwrap();
    let end = directory.end(directory.at).unwrap();
    [out.into_inner(), directory.bytes, end.to_vec()].concat()
}
