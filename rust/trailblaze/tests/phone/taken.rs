//! A phone that others use: whoever comes second is told so, and nobody's files are touched.

use std::fs::{self, File};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::adb::{Desk, SERIAL, Said, read};
use crate::lab::{ADD, LAUNCH, NINE, ONE, trail};

fn desk() -> Arc<Desk> {
    let desk = Desk::new();
    desk.workspace(&[("good", &trail("", &[LAUNCH, ADD, ONE]))]);
    Arc::new(desk)
}

/// What somebody else does on the same phone.
fn as_adam(desk: &Desk, args: &[&str]) -> Said {
    desk.said(desk.command(args).env("USER", "adam").output().unwrap())
}

#[track_caller]
fn is_refused(said: Said, who: &str) {
    let said = said.exits(4);
    assert!(said.err.starts_with(&format!("error: {SERIAL} is in use by {who}@")), "{}", said.err);
    assert!(said.err.contains(", who runs trails on it\nhint: wait until they are done"), "{}", said.err);
}

#[test]
fn while_one_pushes_another_is_refused_and_removes_nothing() {
    let desk = desk();
    let (other, others) = (desk.clone(), Arc::new(Mutex::new(Vec::new())));
    let heard = others.clone();
    let meanwhile = move |_: &str| {
        let said =
            [&["run", "--on-device"][..], &["run", "--device", SERIAL]].map(|args| as_adam(&other, args));
        heard.lock().unwrap().extend(said);
    };
    *desk.world.on_file.lock().unwrap() = Some(("/workspace/", Box::new(meanwhile)));
    let said = desk.run(&["run", "--on-device"]).exits(0);
    assert!(said.out.contains("1 passed"), "{}", said.out);
    let others = std::mem::take(&mut *others.lock().unwrap());
    assert_eq!(others.len(), 2);
    others.into_iter().for_each(|said| is_refused(said, "eve"));
    desk.is_clean();
}

/// Both have looked when nobody was there.
#[test]
fn of_two_who_come_at_the_same_moment_one_gives_way() {
    // They are compared by the names of their folders.
    for (name, gives_way) in [("0", true), ("z", false)] {
        let desk = desk();
        let folder = desk.world.here(&format!("/data/local/tmp/trailblaze-run-{name}"));
        let (mut held, looks) = (None, Arc::new(AtomicUsize::new(0)));
        let (there, looked) = (folder.clone(), looks.clone());
        let other = move |command: &str| {
            if command.starts_with("mkdir -m 711 ") {
                fs::create_dir(&there).unwrap();
                fs::write(there.join("owner"), "dev.trailblaze.agent adam@desk\n").unwrap();
                let owner = File::open(there.join("owner")).unwrap();
                owner.lock().unwrap();
                held = Some(owner);
            }
            // Adam gives way when he has looked, too.
            if held.is_some() && command.contains("flock -sn") && looked.fetch_add(1, Ordering::SeqCst) == 2 {
                fs::remove_dir_all(&there).unwrap();
            }
        };
        *desk.world.on_command.lock().unwrap() = Some(Box::new(other));
        let said = desk.run(&["run", "--on-device"]);
        if gives_way {
            is_refused(said, "adam");
            assert_eq!(looks.load(Ordering::SeqCst), 1);
            assert_eq!(fs::read_dir(folder).unwrap().count(), 1, "what adam has is his");
            assert_eq!(desk.world.left().len(), 2, "{:?}", desk.world.left());
        } else {
            said.exits(0);
            assert!(looks.load(Ordering::SeqCst) > 2);
            desk.is_clean();
        }
    }
}

#[test]
fn while_one_fetches_reports_another_may_run() {
    let desk = desk();
    desk.workspace(&[("wrong", &trail("", &[LAUNCH, NINE]))]);
    let other = desk.clone();
    let meanwhile = move |_: &str| {
        as_adam(&other, &["run", "--on-device", "--filter", "good", "--out", "adams"]).exits(0);
    };
    let reports = "dev.trailblaze.agent/files/trailblaze-run-";
    *desk.world.on_file.lock().unwrap() = Some((reports, Box::new(meanwhile)));
    let said = desk.run(&["run", "--on-device", "--out", "eves"]).exits(1);
    assert!(!said.err.contains("warning"), "{}", said.err);
    let out = |name: &str| desk.lab.root.join("shop").join(name);
    assert!(out("eves").join("wrong/bundle.zip").is_file());
    assert!(read(&out("adams"), "events.jsonl").contains("runFinished"));
    desk.is_clean();
}
