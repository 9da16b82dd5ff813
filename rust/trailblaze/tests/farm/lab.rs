//! A workspace with five trails, the APKs of a plan, and what farms give back, hand-made.

use std::io::Cursor;

use trailblaze::archive;
use trailblaze_apk::zip::{Packing, Writer};
use trailblaze_model::test_name::TestName;

use crate::space::{Ran, Space};

pub(crate) const IDS: [&str; 5] = ["cart/add", "cart/pay", "sign-in/bad", "sign-in/good", "tour"];
/// The manifest of an app that needs API level 28.
pub(crate) const APP: &[u8] = include_bytes!("../../../apk/tests/apk/app.axml");
/// The manifest of an agent.
pub(crate) const MANIFEST: &[u8] = include_bytes!("../../../apk/tests/apk/manifest.axml");

pub(crate) fn lab() -> Space {
    lab_of(&IDS)
}

pub(crate) fn lab_of(ids: &[&str]) -> Space {
    let space = Space::lab();
    ids.iter().for_each(|id| space.trail(id, &[]));
    let entries = ids.iter().map(|id| (format!("assets/trailblaze/trails/{id}.trail.yaml"), Vec::new()));
    let manifest = |bytes: &[u8]| ("AndroidManifest.xml".to_owned(), bytes.to_vec());
    let test = std::iter::once(manifest(MANIFEST)).chain(entries).collect();
    space.write("test.apk", archive::pack(&test).unwrap());
    space.write("app.apk", archive::pack(&vec![manifest(APP)]).unwrap());
    space
}

/// Writes an archive.
pub(crate) fn write_zip(space: &Space, name: &str, entries: &[(&str, &[u8])]) {
    let entries = entries.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    space.write(name, archive::pack(&entries).unwrap());
}

pub(crate) const PROJECT: &str = "arn:aws:devicefarm:us-west-2:123456789012:project:0f3d7b1a";

/// `farm plan` with the APKs of the space.
pub(crate) fn plan(space: &Space, farm: &str, args: &[&str]) -> Ran {
    let project: &[&str] = if farm == "aws" { &["--project", PROJECT] } else { &[] };
    let always = ["farm", "plan", "--farm", farm, "--app", "app.apk", "--test", "test.apk", "--out", "plan"];
    space.run(&[&always, project, args].concat())
}

/// A plan that cannot be: its reason, and nothing is written.
#[track_caller]
pub(crate) fn refused(space: &Space, farm: &str, args: &[&str], code: i32, message: &str) {
    let ran = plan(space, farm, args).exits(code);
    assert_eq!(ran.stderr, message, "{ran}");
    assert_eq!(ran.stdout, "");
    assert!(!space.path("plan").exists(), "something was written: {:?}", space.files("plan"));
}

/// `farm collect results`
pub(crate) fn collect(space: &Space, args: &[&str]) -> Ran {
    space.run(&[&["farm", "collect", "results", "--out", "report"], args].concat())
}

/// What came of each trail: `[device] id verdict`, and `flaky` or `trouble` where it is.
#[track_caller]
pub(crate) fn outcomes(ran: &Ran) -> Vec<String> {
    let result = ran.json();
    let has = |list: &str, name: &str| result[list].as_array().unwrap().iter().any(|known| known == name);
    let trails = result["trails"].as_array().unwrap();
    let mut devices: Vec<&str> = trails.iter().map(|trail| trail["device"].as_str().unwrap()).collect();
    devices.sort_unstable();
    devices.dedup();
    let told = trails.iter().map(|trail| {
        let (id, device) = (trail["id"].as_str().unwrap(), trail["device"].as_str().unwrap());
        let name = if devices.len() > 1 { format!("[{device}] {id}") } else { id.to_owned() };
        let mut told = format!("{name} {}", trail["verdict"].as_str().unwrap());
        if has("flaky", &name) {
            told += " flaky";
        }
        if has("infrastructure", &name) {
            told += " trouble";
        }
        told
    });
    told.collect()
}

/// `device, shard N: why`
#[track_caller]
pub(crate) fn troubles(ran: &Ran) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let told = |trouble: &serde_json::Value| {
        let shard = trouble["shard"].as_u64().map(|shard| format!(", shard {shard}")).unwrap_or_default();
        format!("{}{shard}: {}", text(&trouble["device"]), text(&trouble["why"]))
    };
    ran.json()["troubles"].as_array().unwrap().iter().map(told).collect()
}

/// One block of the status protocol.
pub(crate) fn status(id: &str, code: i32, stack: &str) -> String {
    let name = TestName::of(id);
    let mut text = format!(
        "INSTRUMENTATION_STATUS: class={}\nINSTRUMENTATION_STATUS: current=1\nINSTRUMENTATION_STATUS: id=Trailblaze\n\
         INSTRUMENTATION_STATUS: numtests=5\nINSTRUMENTATION_STATUS: stream=\n{name}:\nINSTRUMENTATION_STATUS: test={}\n",
        name.class, name.method
    );
    if !stack.is_empty() {
        text += &format!("INSTRUMENTATION_STATUS: stack={stack}\n");
    }
    text + &format!("INSTRUMENTATION_STATUS_CODE: {code}\n")
}

/// A test with its start and its end.
pub(crate) fn test(id: &str, code: i32, stack: &str) -> String {
    status(id, 1, "") + &status(id, code, stack)
}

/// The end of a run that came to its end.
pub(crate) const DONE: &str =
    "INSTRUMENTATION_RESULT: stream=\n\nTime: 3.2\n\nOK\nINSTRUMENTATION_CODE: -1\n";

/// A whole run in which all these passed.
pub(crate) fn all_passed(ids: &[&str]) -> String {
    ids.iter().map(|id| test(id, 0, "")).collect::<String>() + DONE
}

/// A case as farms write it.
pub(crate) fn case(id: &str, inside: &str) -> String {
    let name = TestName::of(id);
    format!(
        "<testcase name=\"{}\" classname=\"{}\" time=\"1.5\">{inside}</testcase>",
        name.method, name.class
    )
}

pub(crate) fn junit(cases: &str) -> String {
    format!(
        "<?xml version='1.0' encoding='UTF-8' ?>\n<testsuite name=\"\" tests=\"5\" hostname=\"localhost\">\n\
         <properties />\n{cases}\n</testsuite>\n"
    )
}

/// A zip with compression, as farms pack them.
pub(crate) fn zip(entries: &[(&str, String)]) -> Vec<u8> {
    let mut writer = Writer::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer.add(name, Packing::Small, &mut text.as_bytes()).unwrap();
    }
    let (out, directory) = writer.finish().unwrap();
    [out.into_inner(), directory.bytes.clone(), directory.end(directory.at).unwrap().to_vec()].concat()
}

/// The events of an earlier run, with these times.
pub(crate) fn earlier_run(space: &Space, run: &str, times: &[(&str, u64)]) {
    let line = |(id, ms): &(&str, u64)| {
        format!(
            "{{\"event\":\"trailFinished\",\"t\":0,\"id\":\"{id}\",\"verdict\":\"passed\",\"durationMs\":{ms}}}\n"
        )
    };
    space.write(&format!(".trailblaze/runs/{run}/events.jsonl"), times.iter().map(line).collect::<String>());
}
