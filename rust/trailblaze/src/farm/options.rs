//! `-e NAME=VALUE`: arguments for the runner on the phone. What it would not understand is told before anything is sent.

use trailblaze_model::names;

use super::limits::{Limits, OptionLimits, RESERVE_MINUTES};
use super::plan::PlanOptions;
use super::shards::{self, Shard};
use crate::exit_code::{Exit, Problem};
use crate::phone;

/// What the runner takes from a person.
const TAKEN: [&str; 7] = ["deadline", "driver", "memory", "retries", "strict", "timeout_msec", "workspace"];
/// Which trails run is what the plan is about.
const CHOICE: [&str; 11] = [
    "class",
    "notClass",
    "package",
    "notPackage",
    "testFile",
    "notTestFile",
    "tests_regex",
    "tags",
    "numShards",
    "shardIndex",
    "log",
];
const CHOOSE: &str = "choose trails with --tag and --filter, and shards with --shards";
/// What else the plan says itself, and how it is told.
const SET: [(&str, &str); 2] = [
    ("target", "choose it with --target"),
    (
        "additionalTestOutputDir",
        "leave it out: reports are fetched from where the runner writes them by itself",
    ),
];
/// Arguments of a laptop that drives the phone.
const OF_LAPTOPS: [&str; 5] = ["mode", "session", "patience", "stopFile", "argumentsFile"];
/// What names of secrets have in them.
const SECRETS: [&str; 6] = ["secret", "passw", "passphrase", "pwd", "token", "credential"];

/// Checks all of them, and gives what a person should hear.
pub(super) fn check(options: &PlanOptions, limits: &Limits) -> Result<Vec<String>, Problem> {
    let pairs = &options.options;
    let mut warnings = Vec::new();
    for (index, (key, value)) in pairs.iter().enumerate() {
        if pairs[..index].iter().any(|(other, _)| other == key) {
            return Err(bad(format!("the option '{key}' is given twice")).hint("give it once"));
        }
        check_shape(key, value, limits)?;
        warnings.extend(check_key(key)?);
    }
    // Beside them stand the deadline and the names of tests, and the target where one is given.
    let ours = 2 + usize::from(options.target.is_some());
    let count = pairs.len() + ours;
    if let Some(limits) = limits.options.filter(|limits| count > limits.count) {
        let message =
            format!("{count} options, {ours} of them ours, are more than the farm takes, {}", limits.count);
        return Err(bad(message).hint("put values into one option: '-e memory=a=1;b=2'"));
    }
    check_deadline(pairs, limits)?;
    Ok(warnings)
}

fn bad(message: String) -> Problem {
    Problem::new(Exit::BadDocument, message)
}

/// Whether a value is one that nobody should see, as its name tells.
fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRETS.iter().any(|word| key.contains(word)) || key.ends_with("key")
}

/// What a farm can hand over at all.
fn check_shape(key: &str, value: &str, limits: &Limits) -> Result<(), Problem> {
    if is_secret(key) {
        let message =
            format!("'{key}' is the name of a secret, and a plan holds none: its files are kept and shown");
        return Err(bad(message).hint("let the app under test or a toolset fetch it"));
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if !key.starts_with(|c: char| c.is_ascii_alphabetic()) || key.len() < 2 || !key.chars().all(is_name) {
        let message = format!("'{key}' is no name of an option: letters, digits and '_.-', two at least");
        return Err(bad(message).hint("write NAME=VALUE, such as '-e retries=1'"));
    }
    if value.contains(['\n', '\r', '\0']) {
        let problem = bad(format!("the option '{key}' has a line break in it"));
        return Err(problem.hint("put ';' between the values of 'memory'"));
    }
    let Some(OptionLimits { key: longest, value: most, .. }) = limits.options else { return Ok(()) };
    if key.len() > longest {
        let message =
            format!("the name of the option '{key}' has {} bytes; the farm takes {longest}", key.len());
        return Err(bad(message).hint("give it a shorter name"));
    }
    if value.len() > most {
        let problem = bad(format!("the option '{key}' has {} bytes; the farm takes {most}", value.len()));
        return Err(problem.hint("put it into the workspace, which is packed into the APK"));
    }
    Ok(())
}

/// Whether our runner knows it. What only looks like one of its arguments is a slip; what does not may be meant for
/// somebody else on the phone.
fn check_key(key: &str) -> Result<Option<String>, Problem> {
    if TAKEN.contains(&key) {
        return Ok(None);
    }
    if CHOICE.contains(&key) {
        return Err(bad(format!("the option '{key}' is set by the plan")).hint(CHOOSE));
    }
    if let Some((_, hint)) = SET.iter().find(|(name, _)| *name == key) {
        return Err(bad(format!("the option '{key}' is set by the plan")).hint(*hint));
    }
    if OF_LAPTOPS.contains(&key) {
        let problem = bad(format!("the option '{key}' is for a laptop that drives the phone"));
        return Err(problem.hint("leave it out: on a farm the phone runs the trails itself"));
    }
    if let Some(near) = names::nearest(key, TAKEN.into_iter().chain(CHOICE)) {
        let hint = if CHOICE.contains(&near) { CHOOSE.to_owned() } else { format!("did you mean '{near}'?") };
        return Err(bad(format!("the runner knows no option '{key}'")).hint(hint));
    }
    Ok(Some(format!(
        "warning: the runner knows no option '{key}', and leaves it alone\nhint: it knows {}",
        names::list(&TAKEN)
    )))
}

/// The runner reads its arguments, and this is when it would be done.
fn deadline(pairs: &[(String, String)]) -> Result<Option<u64>, Problem> {
    let hint = "write it so, or leave it out: the runner on the phone would start no trail";
    phone::deadline_of(pairs).map_err(|message| bad(message).hint(hint))
}

/// The runner must be done before the farm ends it, and start a trail at all.
fn check_deadline(pairs: &[(String, String)], limits: &Limits) -> Result<(), Problem> {
    let Some(deadline) = deadline(pairs)? else { return Ok(()) };
    let latest = limits.minutes - RESERVE_MINUTES;
    let hint = format!("leave it out: the plan sets '{latest}m', and --minutes asks for less");
    if deadline > latest * 60_000 {
        let message = format!(
            "the deadline after {} minutes is too late: the farm ends a shard after {}, and {RESERVE_MINUTES} is kept for \
             the reports",
            shards::minutes(deadline),
            limits.minutes
        );
        return Err(bad(message).hint(hint));
    }
    if deadline == 0 {
        return Err(bad("no trail is started before a deadline of 0".to_owned()).hint(hint));
    }
    Ok(())
}

/// Shards that are expected to take longer than the runner may.
pub(super) fn too_short(pairs: &[(String, String)], planned: &[Shard]) -> Option<String> {
    let deadline = phone::deadline_of(pairs).ok().flatten()?;
    let longest = planned.iter().zip(1..).max_by_key(|(shard, _)| shard.ms())?;
    let (shard, number) = longest;
    (shard.ms() > deadline).then(|| {
        format!(
            "warning: the deadline after {} minutes comes before the end of shard {number}, which is expected to take {}\n\
             hint: trails that are not started by then are reported as not run; more --shards take less time each",
            shards::minutes(deadline),
            shards::minutes(shard.ms())
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page has every argument of the runner.
    #[test]
    fn every_argument_of_the_runner_has_an_answer() {
        let page = include_str!("../../../../docs/android.md");
        let table = page.split("| argument (`-e key value`) |").nth(1).unwrap().split("\n\n").next().unwrap();
        let mut seen = 0;
        for row in table.lines().filter_map(|line| line.strip_prefix("| `")) {
            for key in row.split(" | ").next().unwrap().split(", ") {
                let key = key.trim_matches('`').split(' ').next().unwrap();
                let is_set = SET.iter().any(|(name, _)| *name == key);
                let lists = [&TAKEN[..], &CHOICE[..], &OF_LAPTOPS[..], &["secrets"]];
                assert!(is_set || lists.iter().any(|list| list.contains(&key)), "nothing is said of '{key}'");
                seen += 1;
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
