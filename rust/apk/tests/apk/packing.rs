//! From a template to a test APK.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use trailblaze_apk::dex::{self, Dex, Suite};
use trailblaze_apk::key::Key;
use trailblaze_apk::manifest::Changes;
use trailblaze_apk::zip::{Archive, Method};
use trailblaze_apk::{Asset, Content, Error, Request, Template, Verified, pack, verify};

use crate::folder::Folder;
use crate::{keys, template};

/// What a test packs.
pub(crate) struct Lab {
    pub(crate) folder: Folder,
    pub(crate) template: Vec<u8>,
    pub(crate) changes: Changes,
    pub(crate) suites: Vec<Suite>,
    pub(crate) dex: Vec<Vec<u8>>,
    pub(crate) assets: Vec<Asset>,
    pub(crate) key: Key,
    pub(crate) stop: AtomicBool,
}

pub(crate) fn suite(class: &str, methods: &[&str]) -> Suite {
    Suite { class: class.to_owned(), methods: methods.iter().map(|name| (*name).to_owned()).collect() }
}

pub(crate) fn asset(name: &str, content: &str) -> Asset {
    Asset { name: name.to_owned(), content: Content::Bytes(content.as_bytes().to_vec()) }
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self {
            folder: Folder::new(),
            template: template::with(&[]),
            changes: Changes::default(),
            suites: vec![suite("dev.trailblaze.trails.Shop", &["buys", "pays"])],
            dex: Vec::new(),
            assets: vec![asset("trails/shop/buys.trail.yaml", &"- tools: []\n".repeat(9))],
            key: keys::read("ec.pem").unwrap(),
            stop: AtomicBool::new(false),
        }
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.folder.path().join("out.apk")
    }

    pub(crate) fn pack(&self) -> Result<Verified, Error> {
        let template = Template::open(&self.folder.write("template.apk", &self.template))?;
        let dex = self.dex.iter().map(|bytes| Dex::read(bytes.clone())).collect::<Result<_, _>>()?;
        let request = Request {
            template,
            changes: self.changes.clone(),
            suites: self.suites.clone(),
            dex,
            assets: self.assets.clone(),
            key: &self.key,
            stop: &self.stop,
        };
        pack(request, &self.out())
    }

    #[track_caller]
    pub(crate) fn refused(&self, expected: &str) {
        let error = self.pack().unwrap_err();
        assert_eq!(error.message, expected);
        assert_eq!(self.folder.names(), ["template.apk"], "nothing is left behind");
    }
}

#[test]
fn everything_is_in_its_place() {
    let mut lab = Lab::new();
    lab.changes.package = Some("com.example.trails".to_owned());
    let verified = lab.pack().unwrap();
    let names: Vec<&str> = verified.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "AndroidManifest.xml",
            "assets/trailblaze/trails/shop/buys.trail.yaml",
            "classes.dex",
            "classes2.dex",
            "lib/x86_64/libtrailblaze.so",
            "resources.arsc",
        ]
    );
    assert_eq!(verified.tests, ["dev.trailblaze.trails.Shop#buys", "dev.trailblaze.trails.Shop#pays"]);
    assert_eq!(verified.facts.package, "com.example.trails");
    assert_eq!(lab.folder.names(), ["out.apk", "template.apk"]);
    let mut archive = Archive::open(fs::File::open(lab.out()).unwrap()).unwrap();
    let trail = archive.find("assets/trailblaze/trails/shop/buys.trail.yaml").unwrap().clone();
    assert_eq!(trail.method, Method::Deflated);
    assert_eq!(archive.read(&trail, 1000).unwrap(), "- tools: []\n".repeat(9).as_bytes());
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for key in ["ec.pem", "rsa.pem"] {
        let mut lab = Lab::new();
        lab.key = keys::read(key).unwrap();
        lab.pack().unwrap();
        let first = fs::read(lab.out()).unwrap();
        lab.assets.reverse();
        lab.suites.reverse();
        lab.pack().unwrap();
        assert_eq!(fs::read(lab.out()).unwrap(), first, "{key}");
    }
}

/// Neither where the files lie nor when they were written is in the APK.
#[test]
fn places_and_times_are_not_packed() {
    let packed = |age: u64| {
        let mut lab = Lab::new();
        let path = lab.folder.write("film.mp4", &[3; 9_000]);
        let then = SystemTime::now() - Duration::from_secs(age);
        fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        lab.assets.push(Asset { name: "film.mp4".to_owned(), content: Content::File(path) });
        lab.pack().unwrap();
        fs::read(lab.out()).unwrap()
    };
    assert!(packed(0) == packed(1_000_000_000));
}

#[test]
fn classes_of_tools_come_after_the_tests() {
    let mut lab = Lab::new();
    lab.dex = vec![dex::write(&[suite("com.example.Tool", &[])]).unwrap()];
    let verified = lab.pack().unwrap();
    assert!(verified.entries.iter().any(|entry| entry.name == "classes3.dex"));
    assert_eq!(verified.tests.len(), 2);
    lab.dex = vec![dex::write(&[suite("dev.trailblaze.trails.Shop", &[])]).unwrap()];
    fs::remove_file(lab.out()).unwrap();
    lab.refused("the class dev.trailblaze.trails.Shop would be in the APK twice");
}

#[test]
fn three_hundred_and_ten_thousand_trails() {
    for count in [300, 10_000] {
        let mut lab = Lab::new();
        let names: Vec<String> = (0..count).map(|number| format!("t{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        lab.suites = vec![suite("dev.trailblaze.trails.Many", &names)];
        lab.assets =
            names.iter().map(|name| asset(&format!("trails/many/{name}.trail.yaml"), name)).collect();
        let verified = lab.pack().unwrap();
        assert_eq!((verified.tests.len(), verified.entries.len()), (count, count + 5));
    }
}

#[test]
fn more_files_than_an_apk_can_hold() {
    let mut lab = Lab::new();
    lab.assets = (0..65_536).map(|number| asset(&format!("media/{number}"), "")).collect();
    lab.refused("there are more than 65535 files, which no APK can hold");
}

#[test]
fn what_is_no_agent_is_refused() {
    let not_ours = |why: &str| format!("this is not the agent of Trailblaze: {why}");
    let runner = dex::write(&[suite("com.example.Other", &[])]).unwrap();
    for (template, expected) in [
        (b"PK and then nothing".to_vec(), not_ours("this is no zip archive, or it is cut off")),
        (template::with(&[("AndroidManifest.xml", b"")]), not_ours("it has no manifest")),
        (
            template::with(&[("AndroidManifest.xml", b"<manifest/>")]),
            not_ours("the manifest: the binary XML is broken"),
        ),
        (template::with(&[("lib/x86_64/libtrailblaze.so", b"")]), not_ours("it holds no libtrailblaze.so")),
        (template::with(&[("classes.dex", b"")]), not_ours("its classes are missing")),
        (template::with(&[("classes.dex", &runner)]), not_ours("its classes are missing")),
        (template::with(&[("classes.dex", b"dex")]), "classes.dex: this is no dex file".to_owned()),
        (
            template::with(&[("assets/trailblaze/trailblaze.yaml", b"x")]),
            "this APK holds trails already".to_owned(),
        ),
    ] {
        let lab = Lab { template, ..Lab::new() };
        lab.refused(&expected);
    }
}

/// Some builds compress libraries; Android would have to unpack them first.
#[test]
fn libraries_are_never_compressed() {
    let (library, table) = ([7; 10_000], [8; 10_000]);
    let more: [(&str, &[u8]); 2] = [("lib/x86_64/libtrailblaze.so", &library), ("resources.arsc", &table)];
    let lab = Lab { template: template::with(&more), ..Lab::new() };
    let entries = lab.pack().unwrap().entries;
    let methods = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap().method;
    assert_eq!(more.map(|(name, _)| methods(name)), [Method::Stored; 2]);
}

/// Found in the bytes themselves, and not where our own reader says that they are.
#[test]
fn libraries_lie_at_pages_of_16_kib() {
    let libraries = ["arm64-v8a", "armeabi-v7a", "x86", "x86_64"].map(|abi| {
        let marked: Vec<u8> = format!("the library for {abi}, and no other").into_bytes();
        (format!("lib/{abi}/libtrailblaze.so"), [marked, vec![7; 5_000]].concat())
    });
    let more: Vec<(&str, &[u8])> =
        libraries.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let mut lab = Lab { template: template::with(&more), ..Lab::new() };
    // Stored as well, and mapped where phones have four bytes.
    lab.assets.push(asset("odd.png", "a picture"));
    lab.pack().unwrap();
    let packed = fs::read(lab.out()).unwrap();
    let place = |wanted: &[u8]| packed.windows(wanted.len()).position(|part| part == wanted).unwrap();
    for (name, bytes) in &libraries {
        assert_eq!(place(bytes) % 16_384, 0, "{name}");
    }
    for stored in [b"strings", &b"a picture"[..]] {
        assert_eq!(place(stored) % 4, 0, "{}", String::from_utf8_lossy(stored));
    }
}

#[test]
fn a_damaged_template_gives_no_apk() {
    let mut lab = Lab::new();
    let at = lab.template.windows(7).position(|part| part == b"strings").unwrap();
    lab.template[at] ^= 1;
    lab.refused("what was packed does not verify: 'resources.arsc' is damaged");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let mut lab = Lab::new();
    let missing = lab.folder.path().join("missing.png");
    lab.assets.push(Asset { name: "missing.png".to_owned(), content: Content::File(missing.clone()) });
    lab.refused(&format!("{}: it does not exist", missing.display()));
}

#[test]
fn whoever_stops_it_finds_nothing() {
    let lab = Lab { stop: AtomicBool::new(true), ..Lab::new() };
    lab.refused("interrupted");
}

#[test]
fn an_unsigned_apk_does_not_verify() {
    let folder = Folder::new();
    let path = folder.write("template.apk", &template::with(&[]));
    assert_eq!(verify(&path).unwrap_err().message, "the APK is not signed by v2 and v3");
}
