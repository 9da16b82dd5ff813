//! What the bytes of an APK depend on, and what packing takes.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use crate::apk::{key, lab, pack};
use crate::scripts::tool;
use crate::space::Space;

/// A workspace with everything that is packed: a trail, a script and a picture.
fn full() -> Space {
    let space = lab();
    space.target("mcp_servers:\n  - script: ./tools/lab.ts\n");
    space.write("tools/lab.ts", tool("lab_tool", "", "async () => ({})"));
    space.write("trails/shop/a.png", [7; 500]);
    space
}

#[track_caller]
fn packed(space: &Space, more: &[&str]) -> Vec<u8> {
    pack(space, more).exits(0);
    fs::read(space.path("trails.apk")).unwrap()
}

#[test]
fn folders_and_times_are_not_in_them() {
    let (one, other) = (full(), full());
    for file in other.files("").iter().filter(|file| !file.starts_with(".trailblaze")) {
        let then = SystemTime::now() - Duration::from_secs(1_000_000_000);
        fs::File::options().write(true).open(other.path(file)).unwrap().set_modified(then).unwrap();
    }
    let mine = ["--key", "ec.pem"];
    for space in [&one, &other] {
        key(space, "ec.pem");
    }
    let first = packed(&one, &mine);
    assert!(first == packed(&other, &mine), "another folder, and older files");
    assert!(first == packed(&one, &mine), "once more");
    other.write("trails/shop/a.png", [8; 500]);
    assert!(first != packed(&other, &mine), "another picture");
}

/// In the cache of the user, for all workspaces, and for nobody else to read.
#[test]
fn the_debug_key_is_made_once_and_kept() {
    const KEY: &str = ".trailblaze/caches/trailblaze/keys/debug.pem";
    let space = lab();
    let first = packed(&space, &[]);
    let made = space.read(KEY);
    assert!(made.starts_with("-----BEGIN PRIVATE KEY-----"));
    assert_eq!(space.files(".trailblaze/caches/trailblaze/keys"), [KEY], "no draft is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| fs::metadata(space.path(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(KEY), mode(".trailblaze/caches/trailblaze/keys")), (0o600, 0o700));
    }
    let other = lab();
    other.write(KEY, &made);
    assert!(first == packed(&other, &[]), "the key decides, and not the workspace");
    assert_eq!(other.read(KEY), made);
    fs::remove_file(space.path(KEY)).unwrap();
    assert!(first != packed(&space, &[]), "another key");
}

/// Several that pack for the first time at once have one key.
#[test]
fn the_first_debug_key_counts() {
    let space = lab();
    let names = ["a.apk", "b.apk", "c.apk", "d.apk"];
    let started: Vec<_> = names
        .iter()
        .map(|name| space.start(&["apk", "pack", "--template", "agent.apk", "--out", name]))
        .collect();
    for child in started {
        space.ran(child.wait_with_output().unwrap()).exits(0);
    }
    let made: Vec<Vec<u8>> = names.iter().map(|name| fs::read(space.path(name)).unwrap()).collect();
    assert!(made.iter().all(|apk| *apk == made[0]));
}

/// Media are four times as large as all the memory that packing may have.
#[cfg(target_os = "linux")]
#[test]
fn what_is_large_is_never_held() {
    const KIB: u64 = 64 << 10;
    let space = lab();
    fs::File::create(space.path("trails/film.mp4")).unwrap().set_len((4 * KIB) << 10).unwrap();
    let program = space.command(&[]).get_program().to_string_lossy().into_owned();
    let limited = |kib: u64| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -d {kib} && exec \"$@\""), "sh", &program]);
        command.args(["apk", "pack", "--template", "agent.apk"]).current_dir(space.path(""));
        command.env("XDG_CACHE_HOME", space.path(".trailblaze/caches"));
        space.ran(command.output().unwrap())
    };
    limited(KIB).exits(0);
    assert!(fs::metadata(space.path("trails.apk")).unwrap().len() > (4 * KIB) << 10);
    // The limit is one.
    assert_ne!(limited(1 << 10).code, Some(0));
}

/// With a film that takes long to be packed, caught in the middle.
#[cfg(unix)]
#[test]
fn an_interrupted_one_leaves_nothing() {
    let space = lab();
    fs::File::create(space.path("trails/film.mp4")).unwrap().set_len(3 << 30).unwrap();
    let before = space.files("");
    let mut child = space.start(&["apk", "pack", "--template", "agent.apk"]);
    let draft = space.path(&format!("trails.apk.draft-{}", child.id()));
    let started = Instant::now();
    while fs::metadata(&draft).map_or(0, |draft| draft.len()) < 1 << 20 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        assert!(started.elapsed() < Duration::from_secs(30), "it does not get going");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = space.ran(child.wait_with_output().unwrap()).exits(130);
    assert_eq!(ran.stderr, "error: interrupted: no APK was written\n");
    let is_ours = |file: &String| !file.starts_with(".trailblaze");
    assert!(space.files("").into_iter().filter(is_ours).eq(before), "something was left behind");
}
