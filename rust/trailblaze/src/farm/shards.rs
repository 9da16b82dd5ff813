//! Trails into shards: the longest first, each to the shard that has the least to do.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

use trailblaze_model::test_name::TestName;

use super::limits::Limits;
use crate::exit_code::{Exit, Problem};
use crate::run_times::Times;

/// What a trail takes that nobody has seen yet, where no other time is known either.
const UNKNOWN_MS: u64 = 60_000;
/// How much of a farm's minutes is planned: phones of a farm are slower than what the times come from.
const FILL_PERCENT: u64 = 80;

/// How many shards are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shards {
    /// As few as the limits allow.
    Auto,
    Count(usize),
}

/// A trail with the time that it is expected to take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Timed {
    pub id: Arc<str>,
    pub ms: u64,
}

/// The trails of one shard, in the order of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shard {
    pub trails: Vec<Timed>,
}

impl Shard {
    pub(super) fn ms(&self) -> u64 {
        self.trails.iter().map(|trail| trail.ms).sum()
    }

    /// Names for `class`: a class alone where all its tests are here.
    pub(super) fn names(&self, classes: &Classes) -> Vec<String> {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for trail in &self.trails {
            let name = TestName::of(&trail.id);
            names.entry(name.class.clone()).or_default().push(name.to_string());
        }
        let shortest = |(class, names): (String, Vec<String>)| match classes.0.get(&class) {
            Some(all) if *all == names.len() => vec![class],
            _ => names,
        };
        names.into_iter().flat_map(shortest).collect()
    }
}

/// How many tests the classes of a workspace have.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes(HashMap<String, usize>);

impl Classes {
    pub(super) fn of(ids: &[Arc<str>]) -> Self {
        let mut classes = HashMap::new();
        for id in ids {
            *classes.entry(TestName::of(id).class).or_default() += 1;
        }
        Self(classes)
    }
}

/// The expected time of every trail, and how many of them nobody has seen.
pub(super) fn timed(ids: &[Arc<str>], times: &Times) -> (Vec<Timed>, usize) {
    let mut known: Vec<u64> = ids.iter().filter_map(|id| times.get(&**id).copied()).collect();
    known.sort_unstable();
    let usual = known.get(known.len() / 2).copied().unwrap_or(UNKNOWN_MS);
    let trail = |id: &Arc<str>| Timed { id: id.clone(), ms: times.get(&**id).copied().unwrap_or(usual) };
    (ids.iter().map(trail).collect(), ids.len() - known.len())
}

/// Makes the shards; what does not fit says which limit is in the way.
pub(super) fn make(
    trails: &[Timed],
    wanted: Shards,
    limits: &Limits,
    classes: &Classes,
) -> Result<Vec<Shard>, Problem> {
    let refuse = |message: String| Problem::new(Exit::BadDocument, message);
    let budget = limits.minutes * 60_000 * FILL_PERCENT / 100;
    let too_long = trails.iter().filter(|trail| trail.ms > budget).max_by_key(|trail| trail.ms);
    if let Some(trail) = too_long {
        let message = format!(
            "the trail '{}' took {} minutes, and a shard of {} minutes is planned with {}",
            trail.id,
            minutes(trail.ms),
            limits.minutes,
            minutes(budget)
        );
        return Err(refuse(message).hint("split the trail, or leave it out with --filter"));
    }
    let misfit = |shards: &[Shard]| misfit(shards, limits, budget, classes);
    match wanted {
        Shards::Count(count) if count > limits.shards => {
            let message = format!("{count} shards are more than this farm takes, {}", limits.shards);
            Err(refuse(message).hint("'--shards auto' finds how many are needed"))
        }
        Shards::Count(count) if count > trails.len() => {
            let message = format!("{count} shards are more than there are trails, {}", trails.len());
            Err(refuse(message).hint("no shard may be empty"))
        }
        Shards::Count(count) => {
            let shards = spread(trails, count);
            match misfit(&shards) {
                Some(why) => {
                    let message = if count == 1 {
                        format!("one shard is too few: {why}")
                    } else {
                        format!("{count} shards are too few: {why}")
                    };
                    Err(refuse(message).hint("'--shards auto' finds how many are needed"))
                }
                None => Ok(shards),
            }
        }
        Shards::Auto => {
            let most = limits.shards.min(trails.len());
            let total: u64 = trails.iter().map(|trail| trail.ms).sum();
            let fewest = usize::try_from(total.div_ceil(budget)).unwrap_or(most).clamp(1, most);
            let mut why = String::new();
            for count in fewest..=most {
                let shards = spread(trails, count);
                match misfit(&shards) {
                    Some(reason) => why = reason,
                    None => return Ok(shards),
                }
            }
            let message =
                format!("this farm takes {most} shards of these trails, and that is too few: {why}");
            Err(refuse(message).hint("plan a part of them with --tag or --filter"))
        }
    }
}

/// Which limit a shard breaks.
fn misfit(shards: &[Shard], limits: &Limits, budget: u64, classes: &Classes) -> Option<String> {
    shards.iter().zip(1..).find_map(|(shard, number)| {
        let count = shard.trails.len();
        if shard.ms() > budget {
            return Some(format!(
                "shard {number} would take {} minutes of {}",
                minutes(shard.ms()),
                minutes(budget)
            ));
        }
        if let Some(most) = limits.cases.filter(|most| count > *most) {
            return Some(format!("shard {number} would have {count} trails of {most}"));
        }
        let most = limits.names?;
        let bytes = shard.names(classes).join(",").len();
        (bytes > most).then(|| format!("the names of shard {number} would take {bytes} bytes of {most}"))
    })
}

/// Longest first, to the shard with the least to do; equal ones in the order of ids and shards.
fn spread(trails: &[Timed], count: usize) -> Vec<Shard> {
    let mut shards = vec![Shard::default(); count];
    let mut least: BinaryHeap<Reverse<(u64, usize, usize)>> =
        (0..count).map(|shard| Reverse((0, 0, shard))).collect();
    let mut order: Vec<&Timed> = trails.iter().collect();
    order.sort_by_key(|trail| (Reverse(trail.ms), trail.id.clone()));
    for trail in order {
        let Reverse((ms, held, shard)) = least.pop().expect("at least one shard");
        shards[shard].trails.push(trail.clone());
        least.push(Reverse((ms + trail.ms, held + 1, shard)));
    }
    for shard in &mut shards {
        shard.trails.sort_by_key(|trail| trail.id.clone());
    }
    shards
}

/// `4.5`
pub(super) fn minutes(ms: u64) -> String {
    let tenths = ms.div_ceil(6_000);
    format!("{}.{}", tenths / 10, tenths % 10)
}
