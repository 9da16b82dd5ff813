//! `trailblaze apk pack`: a workspace as a test APK.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use trailblaze_apk::dex::{self, Suite};
use trailblaze_apk::manifest::{Changes, Manifest};
use trailblaze_apk::zip::Archive;

use crate::scripts::tool;
use crate::space::{Ran, Space, json, repository, trail_text};

#[path = "../../../apk/tests/apk/template.rs"]
mod template;

/// A workspace with one trail, and an agent beside it.
pub(crate) fn lab() -> Space {
    let space = Space::lab();
    space.trail("shop/add", &["tap: { text: Add one }"]);
    space.write("agent.apk", template::with(&[]));
    space
}

pub(crate) fn pack(space: &Space, more: &[&str]) -> Ran {
    space.run(&[&["apk", "pack", "--template", "agent.apk"], more].concat())
}

/// Puts a key of the tests into the folder.
pub(crate) fn key<'a>(space: &Space, name: &'a str) -> &'a str {
    space.write(name, fs::read(repository().join("rust/apk/tests/apk/keys").join(name)).unwrap());
    name
}

/// Else nobody could pack with a release of it.
#[test]
fn the_agent_has_the_version_of_the_program() {
    let manifest = fs::read_to_string(repository().join("android/agent/AndroidManifest.xml")).unwrap();
    assert!(manifest.contains(&format!("android:versionName=\"{}\"", env!("CARGO_PKG_VERSION"))));
}

/// The names of the assets.
pub(crate) fn assets(path: &Path) -> Vec<String> {
    let archive = Archive::open(fs::File::open(path).unwrap()).unwrap();
    let names = archive.entries.iter().filter_map(|entry| entry.name.strip_prefix("assets/trailblaze/"));
    names.map(str::to_owned).collect()
}

/// What is wrong is told, and no APK and no piece of one is left.
#[track_caller]
pub(crate) fn refused(space: &Space, more: &[&str]) -> String {
    let before = space.files("");
    let ran = pack(space, more);
    let is_ours = |file: &String| !file.starts_with(".trailblaze");
    let (before, after) = (before.into_iter().filter(is_ours), space.files("").into_iter().filter(is_ours));
    assert!(before.eq(after), "something was left behind");
    ran.to_string()
}

#[test]
fn a_workspace_becomes_an_apk() {
    let space = lab();
    let ran =
        pack(&space, &["--package", "com.example.trails", "--label", "Lab", "--version-code", "7", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let mut made = json(&ran.stdout);
    assert!(made["bytes"].take().as_u64().unwrap() > 16_384);
    assert_eq!(made["versionName"].take(), env!("CARGO_PKG_VERSION"));
    assert_snapshot!(format!("{made:#}"), @r#"
    {
      "apk": "trails.apk",
      "bytes": null,
      "package": "com.example.trails",
      "runner": "dev.trailblaze.agent.TrailblazeInstrumentation",
      "versionCode": 7,
      "versionName": null,
      "minSdk": 26,
      "targetSdk": 35,
      "debugKey": true,
      "madeCertificate": false,
      "tests": [
        "dev.trailblaze.trails.Shop#add"
      ]
    }
    "#);
    assert_eq!(
        assets(&space.path("trails.apk")),
        ["app.js", "trailblaze-config/targets/lab.yaml", "trailblaze.yaml", "trails/shop/add.trail.yaml"]
    );
    // The key is made once.
    let first = fs::read(space.path("trails.apk")).unwrap();
    let again = pack(&space, &["--package", "com.example.trails", "--label", "Lab", "--version-code", "7"]);
    assert_snapshot!(again.to_string(), @"
    exit: 0
    ----- stdout
    trails.apk: 1 test, 0.02 MB, package com.example.trails, signed with the debug key
    ----- stderr
    ");
    assert_eq!(fs::read(space.path("trails.apk")).unwrap(), first);
}

#[test]
fn scripts_are_bundled_and_the_rest_stays_at_home() {
    let space = lab();
    space.target("mcp_servers:\n  - script: ./tools/lab.ts\n");
    space.write("tools/lab.ts", tool("lab_tool", "", "async () => ({})"));
    for name in [
        ".env",
        "release.p12",
        "trails/old.apk",
        "node_modules/a/index.js",
        "notes/a.txt",
        "trails/shop/a.png",
    ] {
        space.write(name, "x");
    }
    assert_eq!(pack(&space, &["--include", "notes"]).code, Some(0));
    let names = assets(&space.path("trails.apk"));
    let (bundles, rest): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| name.starts_with("bundles/"));
    assert!(
        bundles.iter().any(|name| name.starts_with("bundles/tools-lab-ts-") && name.ends_with(".js")),
        "{bundles:?}"
    );
    assert_eq!(
        rest,
        [
            "app.js",
            "notes/a.txt",
            "trailblaze-config/targets/lab.yaml",
            "trailblaze.yaml",
            "trails/shop/a.png",
            "trails/shop/add.trail.yaml"
        ]
    );
}

#[test]
fn keys_of_users_are_taken() {
    let space = lab();
    space.write("password", "password\nand more");
    let (p12, pem) = (key(&space, "rsa.p12"), key(&space, "ec.pem"));
    assert_snapshot!(pack(&space, &["--key", pem]).to_string(), @"
    exit: 0
    ----- stdout
    trails.apk: 1 test, 0.02 MB, package dev.trailblaze.agent, signed with your key
    ----- stderr
    warning: ec.pem holds no certificate, and got one: the same each time, valid until 2056
    hint: to have your own, put what 'openssl req -new -x509 -key KEY -days 10000' prints into the same file
    ");
    let whole = pack(&space, &["--key", key(&space, "rsa.pem")]).exits(0);
    assert_eq!(whole.stderr, "");
    assert_eq!(pack(&space, &["--key", p12, "--key-password-file", "password"]).code, Some(0));
    let made = pack(&space, &["--key", pem, "--json"]);
    assert_eq!(json(&made.stdout)["madeCertificate"], true);
    let mut command = space.command(&[
        "apk",
        "pack",
        "--template",
        "agent.apk",
        "--key",
        p12,
        "--key-password-env",
        "SECRET",
    ]);
    assert_eq!(space.ran(command.env("SECRET", "password").output().unwrap()).code, Some(0));
}

#[test]
fn keys_that_cannot_be_used() {
    let space = lab();
    space.write("password", "passwort");
    let (rsa, expired) = (key(&space, "rsa.p12"), key(&space, "expired.pem"));
    let told = [
        refused(&space, &["--key", rsa]),
        refused(&space, &["--key", rsa, "--key-password-file", "password"]),
        refused(&space, &["--key", rsa, "--key-password-env", "hunter2"]),
        refused(&space, &["--key", expired]),
        refused(&space, &["--key", "trailblaze.yaml"]),
        refused(&space, &["--key", "missing.pem"]),
    ];
    assert_snapshot!(told.join("\n"), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: rsa.p12: the key has a password
    hint: give it with '--key-password-env NAME' or '--key-password-file FILE'

    exit: 3
    ----- stdout
    ----- stderr
    error: rsa.p12: the password of the key is wrong
    hint: of a keystore it is the one of the store

    exit: 2
    ----- stdout
    ----- stderr
    error: '--key-password-env' names a variable that is not set
    hint: it takes the name, such as KEY_PASSWORD, and never the password itself

    exit: 3
    ----- stdout
    ----- stderr
    error: expired.pem: the certificate expired on 2021-01-01
    hint: make a new key; without '--key' a debug key is used

    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze.yaml: this is no key: neither PEM nor PKCS#12
    hint: a JKS keystore becomes PKCS#12 with 'keytool -importkeystore -deststoretype PKCS12'

    exit: 3
    ----- stdout
    ----- stderr
    error: missing.pem cannot be read: it does not exist
    hint: '--key' names a file with a private key and its certificate
    ");
}

#[test]
fn templates_that_are_not_ours() {
    let space = lab();
    space.write("other.apk", template::with(&[("lib/x86_64/libtrailblaze.so", b"")]));
    space.write("packed.apk", template::with(&[("assets/trailblaze/trailblaze.yaml", b"x")]));
    let with = |name: &str| {
        let told = space.run(&["apk", "pack", "--template", name]).to_string();
        told.replace(env!("CARGO_PKG_VERSION"), "[version]")
    };
    let mut newer = Manifest::read(template::MANIFEST).unwrap();
    newer.change(&Changes { version_name: Some("99.0".to_owned()), ..Changes::default() }).unwrap();
    space.write("newer.apk", template::with(&[("AndroidManifest.xml", &newer.print())]));
    let told = ["other.apk", "packed.apk", "newer.apk", "trailblaze.yaml", "missing.apk"].map(with);
    assert_snapshot!(told.join("\n"), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: other.apk: this is not the agent of Trailblaze: it holds no libtrailblaze.so
    hint: take the 'trailblaze-agent.apk' of the release, or build it with 'cargo xtask android'

    exit: 3
    ----- stdout
    ----- stderr
    error: packed.apk: this APK holds trails already
    hint: take the agent as it was built, 'trailblaze-agent.apk'

    exit: 3
    ----- stdout
    ----- stderr
    error: newer.apk: the agent is of version 99.0, and this is Trailblaze [version]
    hint: take the agent of the same release

    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze.yaml: this is not the agent of Trailblaze: this is no zip archive, or it is cut off
    hint: take the 'trailblaze-agent.apk' of the release, or build it with 'cargo xtask android'

    exit: 3
    ----- stdout
    ----- stderr
    error: missing.apk does not exist
    hint: '--template' names the 'trailblaze-agent.apk' of the release
    ");
    assert!(!space.path("trails.apk").exists());
    let cached = space.path(".trailblaze/caches/trailblaze/trailblaze-agent.apk");
    let nowhere = space.run(&["apk", "pack"]);
    assert_eq!(nowhere.code, Some(3));
    assert!(nowhere.stderr.contains(".trailblaze/caches/trailblaze/trailblaze-agent.apk"), "{nowhere}");
    fs::create_dir_all(cached.parent().unwrap()).unwrap();
    fs::write(cached, template::with(&[])).unwrap();
    assert_eq!(space.run(&["apk", "pack"]).code, Some(0));
}

#[test]
fn trails_that_do_not_check() {
    let space = lab();
    space.trail("wrong", &["tapp: { text: Add one }"]);
    space.write(
        "trails/one.trail.yaml",
        "config: { id: same }\ntrail: [ { step: A, recording: { android: [] } } ]\n",
    );
    space.write(
        "trails/two.trail.yaml",
        "config: { id: same }\ntrail: [ { step: A, recording: { android: [] } } ]\n",
    );
    assert_snapshot!(refused(&space, &[]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/two.trail.yaml:1:15: the id 'same' is also that of trails/one.trail.yaml
    1 | config: { id: same }
      |               ^
    hint: give one of them another 'config.id'

    error: trails/wrong.trail.yaml:8:20: unknown tool 'tapp'
    8 |       android: [ { tapp: { text: Add one } } ]
      |                    ^
    hint: did you mean 'tap'?

    error: nothing was written because of the errors above
    ");
}

/// Nothing but signs that cannot stand in Java, and hashes that happen to be the same.
#[test]
fn trails_that_farms_could_not_tell_apart() {
    let space = lab();
    for (name, id) in [("one", "Pay!+~!++~"), ("two", "Pay+=~~!!?")] {
        space.write(&format!("trails/{name}.trail.yaml"), trail_text(&format!("id: \"{id}\""), &[]));
    }
    assert_snapshot!(refused(&space, &[]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trails/two.trail.yaml:1:1: the trails 'Pay!+~!++~' and 'Pay+=~~!!?' would both be the test dev.trailblaze.trails.Trails#Pay_4d3127ec
    hint: give one of them another 'config.id'

    error: nothing was written because of the errors above
    ");
}

#[test]
fn classes_need_their_dex() {
    let space = lab();
    space.write("trailblaze-config/tools/count.yaml", "id: count\nclass: com.example.Count\n");
    space.write("trailblaze-config/tools/odd.yaml", "id: odd\nclass: com.example.2Odd\n");
    let suite = Suite { class: "com.example.Count".to_owned(), methods: Default::default() };
    space.write("count.dex", dex::write(&[suite]).unwrap());
    space.write("broken.dex", "dex");
    assert_snapshot!(refused(&space, &[]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/tools/count.yaml:1:1: the tool 'count' is the class com.example.Count, and no dex file has it
    1 | id: count
      | ^
    hint: 'd8' of the Android SDK makes a dex file of it; give that with '--dex FILE'

    error: trailblaze-config/tools/odd.yaml:1:1: 'com.example.2Odd' is no name of a Java class
    1 | id: odd
      | ^
    hint: with its package, such as 'com.example.tools.CountParcels'

    error: nothing was written because of the errors above
    ");
    assert_snapshot!(refused(&space, &["--dex", "broken.dex"]), @"
    exit: 3
    ----- stdout
    ----- stderr
    error: broken.dex: this is no dex file
    hint: 'd8' of the Android SDK makes one of class files
    ");
    fs::remove_file(space.path("trailblaze-config/tools/odd.yaml")).unwrap();
    assert_eq!(pack(&space, &["--dex", "count.dex"]).code, Some(0));
}

#[test]
fn places_outside_of_the_workspace() {
    let outside = Space::empty();
    outside.write("lab.ts", tool("lab_tool", "", "async () => ({})"));
    let space = lab();
    let shown = format!("../{}/lab.ts", outside.path("").file_name().unwrap().to_string_lossy());
    space.target(&format!("mcp_servers:\n  - script: {shown}\n"));
    let told = refused(&space, &[]).replace(&shown, "../elsewhere/lab.ts");
    assert_snapshot!(told, @"
    exit: 3
    ----- stdout
    ----- stderr
    error: trailblaze-config/targets/lab.yaml:8:5: '../elsewhere/lab.ts' lies outside of the workspace, and only the workspace is packed
    8 |   - script: ../elsewhere/lab.ts
      |     ^
    hint: move it into the workspace

    error: nothing was written because of the errors above
    ");
    space.target("");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path("lab.ts"), space.path("trails/shop/lab.ts")).unwrap();
        assert_snapshot!(refused(&space, &[]), @"
        exit: 3
        ----- stdout
        ----- stderr
        error: trails/shop/lab.ts is a link that leads outside of the workspace
        hint: copy what it leads to into the workspace
        ");
        fs::remove_file(space.path("trails/shop/lab.ts")).unwrap();
        std::os::unix::fs::symlink(space.path("trails"), space.path("trails/shop/again")).unwrap();
        assert_snapshot!(refused(&space, &[]), @"
        exit: 3
        ----- stdout
        ----- stderr
        error: trails/shop/again leads in circles
        hint: remove the link
        ");
    }
}

#[test]
fn bad_usage() {
    let space = lab();
    space.write("folder/file", "x");
    let told = [
        refused(&space, &["--package", "trails"]),
        refused(&space, &["--package", "com.example.2nd"]),
        refused(&space, &["--target-sdk", "21"]),
        refused(&space, &["--label", ""]),
        refused(&space, &["--out", "folder"]),
        refused(&space, &["--out", "nowhere/trails.apk"]),
        refused(&space, &["--out", "agent.apk"]),
        refused(&space, &["--include", "missing"]),
        refused(&space, &["no-such-folder"]),
        refused(&space, &["trails/shop"]),
        Space::empty()
            .run(&["apk", "pack", "--template", &space.path("agent.apk").to_string_lossy()])
            .to_string(),
    ];
    assert_snapshot!(told.join("\n"), @"
    exit: 2
    ----- stdout
    ----- stderr
    error: 'trails' is no name of a package
    hint: two or more Java names with dots between them, such as 'com.example.trails'

    exit: 2
    ----- stdout
    ----- stderr
    error: 'com.example.2nd' is no name of a package
    hint: two or more Java names with dots between them, such as 'com.example.trails'

    exit: 3
    ----- stdout
    ----- stderr
    error: the target API level 21 is below the lowest one, 26
    hint: leave '--target-sdk' out, or ask for a higher one

    exit: 3
    ----- stdout
    ----- stderr
    error: the label is not one line of 1 to 1000 characters
    hint: write a short line, or leave it out

    exit: 2
    ----- stdout
    ----- stderr
    error: folder is a folder
    hint: give '--out' a name for the APK

    exit: 2
    ----- stdout
    ----- stderr
    error: the folder nowhere does not exist
    hint: make it first, or leave it out

    exit: 2
    ----- stdout
    ----- stderr
    error: agent.apk is the template itself
    hint: give '--out' another name

    exit: 3
    ----- stdout
    ----- stderr
    error: --include: missing cannot be read: it does not exist
    hint: give a file or folder of the workspace, from the current folder

    exit: 3
    ----- stdout
    ----- stderr
    error: no-such-folder does not exist
    hint: give the folder of a workspace, or nothing for the current one

    exit: 2
    ----- stdout
    ----- stderr
    error: trails/shop is a part of a workspace, and all of it is packed
    hint: pack ., and choose trails when they run

    exit: 3
    ----- stdout
    ----- stderr
    error: there is no workspace here
    hint: 'trailblaze init' makes one; or give a path to one
    ");
}
