//! Files that `trailblaze apk pack` is told of and must not take, or must not write over.

use std::fs;

use crate::apk::{assets, key, lab, pack, refused};
use crate::space::Space;

/// What is told on the last lines.
#[track_caller]
fn check(space: &Space, args: &[&str], code: i32, expected: &str) {
    let told = refused(space, args);
    assert_eq!(told, format!("exit: {code}\n----- stdout\n----- stderr\n{expected}\n"), "{args:?}");
}

/// An APK takes the place of an APK, and of nothing else.
#[test]
fn what_is_no_apk_is_not_written_over() {
    let space = lab();
    let key = key(&space, "ec.pem");
    for name in ["trailblaze.yaml", "app.js", "trails/shop/add.trail.yaml", key] {
        let before = fs::read(space.path(name)).unwrap();
        let message = format!(
            "error: {name} is there already, and it is no APK\nhint: give '--out' another name: it would be overwritten"
        );
        check(&space, &["--out", name], 2, &message);
        assert_eq!(fs::read(space.path(name)).unwrap(), before);
    }
    let file = "error: app.js is a file, not a folder\nhint: give '--out' a name in a folder";
    check(&space, &["--out", "app.js/trails.apk"], 2, file);
    pack(&space, &[]).exits(0);
    pack(&space, &[]).exits(0);
    // The app under test, and an agent without trails.
    let agent = fs::read(space.path("agent.apk")).unwrap();
    space.write("app.apk", &agent);
    let message = "error: app.apk is there already, and it is an APK that 'trailblaze apk pack' did not make\nhint: give \
                   '--out' another name: it would be overwritten";
    check(&space, &["--out", "app.apk"], 2, message);
    assert_eq!(fs::read(space.path("app.apk")).unwrap(), agent);
}

/// A link with a harmless name does not take along what it leads to.
#[cfg(unix)]
#[test]
fn links_to_what_is_never_packed() {
    use std::os::unix::fs::symlink;
    let space = lab();
    for name in [".secrets/pin.txt", "keys/release.pem", "notes/a.txt", "node_modules/a/index.js"] {
        space.write(name, "x");
    }
    for (to, link) in [
        ("../keys/release.pem", "trails/note.txt"),
        ("../.secrets", "trails/plain"),
        ("../.secrets/pin.txt", "trails/pin.txt"),
        ("../node_modules/a", "trails/packages"),
        ("../notes", "trails/notes"),
        ("keys/release.pem", "release.txt"),
    ] {
        symlink(to, space.path(link)).unwrap();
    }
    pack(&space, &[]).exits(0);
    let names = assets(&space.path("trails.apk"));
    let trails: Vec<&String> = names.iter().filter(|name| name.starts_with("trails/")).collect();
    assert_eq!(trails, ["trails/notes/a.txt", "trails/shop/add.trail.yaml"]);
    let message = "error: --include: release.txt is never packed: hidden files, node_modules, APKs and keys are not\nhint: \
                   give it another name if a trail needs it";
    check(&space, &["--include", "release.txt"], 3, message);
    fs::rename(space.path("trails"), space.path(".trails")).unwrap();
    symlink(".trails", space.path("trails")).unwrap();
    let message = "error: trails is a link to what is never packed\nhint: put a copy in its place";
    check(&space, &[], 3, message);
}

#[test]
fn what_include_does_not_take() {
    let outside = Space::empty();
    outside.write("notes.txt", "x");
    let space = lab();
    for name in
        ["media/.env", "media/release.p12", "media/old.apk", "node_modules/a/index.js", "only/.hidden"]
    {
        space.write(name, "x");
    }
    for name in [
        "media/.env",
        "media/release.p12",
        "media/old.apk",
        "node_modules",
        "node_modules/a/index.js",
        ".git",
    ] {
        space.write(".git/config", "x");
        let message = format!(
            "error: --include: {name} is never packed: hidden files, node_modules, APKs and keys are not\nhint: give it another \
             name if a trail needs it"
        );
        check(&space, &["--include", name], 3, &message);
    }
    let path = outside.path("notes.txt");
    let path = path.to_str().unwrap();
    let told = refused(&space, &["--include", path]);
    let expected = " lies outside of the workspace, and only the workspace is packed\nhint: copy it into the workspace\n";
    assert!(told.contains("error: --include: ") && told.ends_with(expected), "{told}");
    let above = "error: --include: .. lies outside of the workspace, and only the workspace is packed\nhint: copy it into the \
                 workspace";
    check(&space, &["--include", ".."], 3, above);
    let missing = "error: --include: media/none.txt cannot be read: it does not exist\nhint: give a file or folder of the \
                   workspace, from the current folder";
    check(&space, &["--include", "media/none.txt"], 3, missing);
    for folder in ["only", "media"] {
        let message = format!("error: --include: {folder} holds nothing that is packed\nhint: leave it out");
        check(&space, &["--include", folder], 3, &message);
    }
    // What comes along anyway, a file and a folder.
    for name in ["trails", "trailblaze.yaml", "."] {
        pack(&space, &["--include", name]).exits(0);
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere() {
    let space = lab();
    std::os::unix::fs::symlink("nowhere", space.path("trails/shop/gone.txt")).unwrap();
    let message = "error: trails/shop/gone.txt cannot be read: it does not exist\nhint: if it is a link, it leads nowhere: \
                   remove it";
    check(&space, &[], 3, message);
}

#[test]
fn other_places_that_are_not_what_they_should_be() {
    let space = lab();
    let folder = |what: &str, hint: &str| format!("error: {what}\nhint: {hint}");
    let template =
        folder("trails is a folder", "'--template' names the 'trailblaze-agent.apk' of the release");
    let told = space.run(&["apk", "pack", "--template", "trails"]).exits(3);
    assert_eq!(told.stderr, format!("{template}\n"));
    let key = "'--key' names a file with a private key and its certificate";
    check(&space, &["--key", "trails"], 3, &folder("trails cannot be read: it is a folder", key));
    let dex = "'d8' of the Android SDK makes a dex file of class files";
    check(&space, &["--dex", "trails"], 3, &folder("trails cannot be read: it is a folder", dex));
    check(&space, &["--dex", "none.dex"], 3, &folder("none.dex cannot be read: it does not exist", dex));
    let workspace = "give the folder of a workspace, or nothing for the current one";
    check(&space, &["trailblaze.yaml"], 2, &folder("trailblaze.yaml is a file, not a workspace", workspace));
    let password = "its first line is the password of the key";
    let key = crate::apk::key(&space, "rsa.p12");
    check(
        &space,
        &["--key", key, "--key-password-file", "none"],
        2,
        &folder("none cannot be read: it does not exist", password),
    );
}

/// A release has both in one folder, and a link to the program may lie in another one.
#[cfg(unix)]
#[test]
fn the_agent_beside_the_program_comes_first() {
    let (space, release) = (lab(), Space::empty());
    let (program, built) = (release.path("trailblaze"), env!("CARGO_BIN_EXE_trailblaze"));
    fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).unwrap();
    space.write("links/readme", "");
    std::os::unix::fs::symlink(&program, space.path("links/trailblaze")).unwrap();
    let pack = || {
        let mut command = std::process::Command::new(space.path("links/trailblaze"));
        command.args(["apk", "pack"]).current_dir(space.path(""));
        command.env("XDG_CACHE_HOME", space.path(".trailblaze/caches"));
        space.ran(command.output().unwrap())
    };
    let nowhere = pack().exits(3);
    let beside = release.path("trailblaze-agent.apk");
    assert!(nowhere.stderr.contains(&format!("neither {} nor ", beside.display())), "{nowhere}");
    assert!(nowhere.stderr.contains(".trailblaze/caches/trailblaze/trailblaze-agent.apk\n"), "{nowhere}");
    assert!(
        nowhere
            .stderr
            .ends_with("hint: take 'trailblaze-agent.apk' of the release, or name it with '--template'\n")
    );
    space.write(".trailblaze/caches/trailblaze/trailblaze-agent.apk", "spoilt");
    assert!(pack().exits(3).stderr.contains("this is not the agent of Trailblaze"));
    fs::copy(space.path("agent.apk"), release.path("trailblaze-agent.apk")).unwrap();
    pack().exits(0);
}

/// Keys that open and cannot sign an APK.
#[test]
fn keys_of_other_kinds() {
    let space = lab();
    let other = "hint: 'openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048' makes one";
    for (name, why) in [
        ("small.pem", "the RSA key has 1024 bits, fewer than 2048"),
        ("p384.pem", "the EC key is broken, or not on P-256"),
    ] {
        check(&space, &["--key", key(&space, name)], 3, &format!("error: {name}: {why}\n{other}"));
    }
    let both = "error: foreign.pem: the certificate belongs to another private key\nhint: put the key and its own certificate \
                into one file";
    check(&space, &["--key", key(&space, "foreign.pem")], 3, both);
}

/// The debug key of the cache is a file like others, and can be spoilt.
#[test]
fn a_debug_key_that_is_broken() {
    let space = lab();
    pack(&space, &[]).exits(0);
    let place = ".trailblaze/caches/trailblaze/keys/debug.pem";
    space.write(place, "spoilt");
    let message = format!(
        "error: {place}: this is no key: neither PEM nor PKCS#12\nhint: remove that file: a new debug key is made in its place"
    );
    check(&space, &[], 3, &message);
    fs::remove_file(space.path(place)).unwrap();
    pack(&space, &[]).exits(0);
}
