//! Which trail is in which shard.

use crate::lab::{earlier_run, lab, lab_of, plan};
use crate::space::{Space, json};

/// The shards of a plan: the ids in each.
#[track_caller]
fn shards(space: &Space, args: &[&str]) -> Vec<String> {
    plan(space, "firebase", &[&["--devices", "shiba-34"], args].concat()).exits(0);
    let plan = json(&space.read("plan/plan.json"));
    let ids = |shard: &serde_json::Value| {
        let trails = shard["trails"].as_array().unwrap().iter();
        trails.map(|trail| trail["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    plan["shards"].as_array().unwrap().iter().map(ids).collect()
}

const MINUTE: u64 = 60_000;

#[test]
fn the_longest_goes_first_to_the_shard_with_the_least_to_do() {
    let space = lab();
    let times = [("cart/add", 8), ("cart/pay", 7), ("sign-in/bad", 6), ("sign-in/good", 5), ("tour", 4)];
    earlier_run(&space, "2026-01-01T00-00-00Z-a", &times.map(|(id, minutes)| (id, minutes * MINUTE)));
    // 8 + 5 + 4 and 7 + 6
    assert_eq!(shards(&space, &["--shards", "2"]), ["cart/add sign-in/good tour", "cart/pay sign-in/bad"]);
    assert_eq!(
        shards(&space, &["--shards", "5"]),
        ["cart/add", "cart/pay", "sign-in/bad", "sign-in/good", "tour"]
    );
}

/// 30 minutes in all. Of the minutes of a shard 80 in 100 are planned.
#[test]
fn as_few_shards_as_the_minutes_allow() {
    let space = lab();
    let times = [("cart/add", 8), ("cart/pay", 7), ("sign-in/bad", 6), ("sign-in/good", 5), ("tour", 4)];
    earlier_run(&space, "2026-01-01T00-00-00Z-a", &times.map(|(id, minutes)| (id, minutes * MINUTE)));
    for (minutes, count) in [("45", 1), ("37", 2), ("20", 3), ("15", 3), ("13", 4), ("10", 5)] {
        assert_eq!(shards(&space, &["--minutes", minutes]).len(), count, "{minutes} minutes");
    }
}

/// The newest run that has a trail counts, a trail that nobody has seen takes as long as most, and what was left out
/// took no time at all.
#[test]
fn times_come_from_the_last_run_that_has_the_trail() {
    let space = lab();
    earlier_run(&space, "2026-01-01T00-00-00Z-a", &[("cart/add", 20 * MINUTE), ("cart/pay", MINUTE)]);
    earlier_run(&space, "2026-01-02T00-00-00Z-b", &[("cart/add", 2 * MINUTE), ("tour", 3 * MINUTE)]);
    space.write(
        ".trailblaze/runs/2026-01-03T00-00-00Z-c/events.jsonl",
        "{\"event\":\"trailFinished\",\"t\":0,\"id\":\"tour\",\"verdict\":\"notRun\",\"durationMs\":0}\n{\"event\":\"tra",
    );
    let ran = plan(&space, "firebase", &["--devices", "shiba-34"]).exits(0);
    assert!(
        ran.stderr.contains("  2 trails were never seen to run on a phone: their times are guessed\n"),
        "{ran}"
    );
    let plan = json(&space.read("plan/plan.json"));
    let expected: Vec<u64> = plan["shards"][0]["trails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trail| trail["expectedMs"].as_u64().unwrap() / MINUTE)
        .collect();
    // cart/add, cart/pay, sign-in/bad, sign-in/good, tour
    assert_eq!(expected, [2, 1, 2, 2, 3]);
}

/// The clock of the sim only moves when somebody waits, and that of a replay too: their times say nothing of a phone.
#[test]
fn times_of_the_sim_are_not_counted() {
    let minutes = |space: &Space| {
        let ran = plan(space, "firebase", &["--devices", "shiba-34"]).exits(0);
        let plan = json(&space.read("plan/plan.json"));
        (ran, plan["shards"][0]["expectedMs"].as_u64().unwrap() / MINUTE)
    };
    let space = lab();
    space.run(&["run", "--quiet"]).exits(0);
    let (ran, guessed) = minutes(&space);
    let all = "  nobody has seen these trails run on a phone: their times are guessed";
    assert!(ran.stderr.contains(&format!("{all}, and not taken from the sim\n")), "{ran}");
    assert_eq!(guessed, 5);
    // Newer than what the phone says, and not counted still.
    let line = |device: &str, id: &str| {
        format!(
            "{{\"event\":\"trailFinished\",\"t\":0,\"id\":\"{id}\",\"device\":\"{device}\",\"verdict\":\"passed\",\
             \"durationMs\":{}}}\n",
            2 * MINUTE
        )
    };
    let of_phone: String = crate::lab::IDS.iter().map(|id| line("shiba-34", id)).collect();
    space.write(".trailblaze/runs/2020-01-01T00-00-00Z-a/events.jsonl", &of_phone);
    let of_sim: String = crate::lab::IDS.iter().map(|id| line("sim-2", id)).collect();
    space.write(".trailblaze/runs/2020-01-02T00-00-00Z-b/events.jsonl", of_sim);
    let replay =
        "{\"event\":\"runStarted\",\"t\":0,\"driver\":\"recorded\",\"device\":\"shiba-34\"}\n".to_owned();
    let of_replay = replay + &of_phone.replace("120000", "1");
    space.write(".trailblaze/runs/2020-01-03T00-00-00Z-c/events.jsonl", of_replay);
    let (ran, known) = minutes(&space);
    assert!(!ran.stderr.contains("guessed"), "{ran}");
    assert_eq!(known, 10);
}

#[test]
fn every_trail_is_in_one_shard() {
    let ids: Vec<String> = (0..1_000).map(|number| format!("suite-{}/trail-{number}", number / 10)).collect();
    let space = lab_of(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let shards = shards(&space, &["--kind", "x86"]);
    // A minute each, 48 of 60 in a shard.
    assert_eq!(shards.len(), 1_000_usize.div_ceil(48));
    let mut all: Vec<&str> = shards.iter().flat_map(|shard| shard.split(' ')).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 1_000);
}
