//! Results of Device Run: a session has a folder for each job, which is a device of the plan, and a job one for each
//! execution, which is a try.

use crate::lab::{IDS, all_passed, case, collect, junit, lab, outcomes, plan, test, troubles};
use crate::space::Space;

const DEVICES: [&str; 2] = ["--devices", "shiba-34,tokay-35"];

/// A run in which one trail failed.
fn with_failure(failed: &str) -> String {
    let code = |id: &str| if id == failed { -2 } else { 0 };
    IDS.iter().map(|id| test(id, code(id), "no")).collect::<String>() + crate::lab::DONE
}

fn planned(args: &[&str]) -> Space {
    let space = lab();
    plan(&space, "device-run", &[&DEVICES[..], args].concat()).exits(0);
    space
}

#[test]
fn a_job_is_a_device_of_the_plan() {
    let space = planned(&[]);
    let session = "results/session-cc6509d5";
    space.write(&format!("{session}/job-000/execution-000/instrument.log"), all_passed(&IDS));
    space.write(&format!("{session}/job-001/execution-000/instrument.log"), with_failure("tour"));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(1);
    let all = outcomes(&ran);
    assert_eq!(all.len(), 10);
    assert!(all.contains(&"[shiba-34] tour passed".to_owned()), "{all:?}");
    assert!(all.contains(&"[tokay-35] tour failed".to_owned()), "{all:?}");
    assert_eq!(ran.stderr, "");
    assert_eq!(troubles(&ran), [""; 0]);
}

/// The report of a job says again what its executions said.
#[test]
fn an_execution_is_a_try() {
    let space = planned(&["--retries", "1"]);
    let session = "results/session-cc6509d5";
    let cases: String = IDS.iter().map(|id| case(id, "")).collect();
    for job in ["job-000", "job-001"] {
        space.write(&format!("{session}/{job}/junit.xml"), junit(&cases));
        space.write(&format!("{session}/{job}/execution-000/instrument.log"), with_failure("tour"));
    }
    space.write(&format!("{session}/job-000/execution-001/instrument.log"), all_passed(&["tour"]));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(1);
    let all = outcomes(&ran);
    assert!(all.contains(&"[shiba-34] tour passed flaky".to_owned()), "{all:?}");
    assert!(all.contains(&"[tokay-35] tour failed".to_owned()), "{all:?}");
    let text = space.read("report/junit.xml");
    assert_eq!(text.matches("<failure").count(), 1, "{text}");
}

/// Where only the report of the job came back, it is what there is; and who says nothing is told.
#[test]
fn a_job_without_executions() {
    let space = planned(&[]);
    let cases: String = IDS.iter().map(|id| case(id, "")).collect();
    space.write("results/session-cc6509d5/job-000/junit.xml", junit(&cases));
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(4);
    let all = outcomes(&ran);
    assert!(all.contains(&"[shiba-34] tour passed".to_owned()), "{all:?}");
    assert!(all.contains(&"[tokay-35] tour notRun".to_owned()), "{all:?}");
    assert_eq!(troubles(&ran), ["tokay-35, shard 1: it never reported"]);
}

/// Every shard is a session of its own, and lies beside the others.
#[test]
fn sessions_of_several_shards() {
    let space = planned(&["--shards", "2"]);
    let shards: serde_json::Value = serde_json::from_str(&space.read("plan/plan.json")).unwrap();
    let ids = |shard: usize| -> Vec<String> {
        let trails = shards["shards"][shard]["trails"].as_array().unwrap();
        trails.iter().map(|trail| trail["id"].as_str().unwrap().to_owned()).collect()
    };
    for (session, shard, job) in [("1a", 0, "job-000"), ("2b", 1, "job-000"), ("1a", 0, "job-001")] {
        let ids = ids(shard);
        let text = all_passed(&ids.iter().map(String::as_str).collect::<Vec<_>>());
        space.write(&format!("results/session-{session}/{job}/execution-000/instrument.log"), text);
    }
    let ran = collect(&space, &["--plan", "plan", "--json"]).exits(4);
    assert_eq!(outcomes(&ran).iter().filter(|one| one.ends_with(" passed")).count(), 5 + ids(0).len());
    assert_eq!(troubles(&ran), ["tokay-35, shard 2: it never reported"]);
}
