//! Which of the trails that were found are run.

use trailblaze_model::hash::fnv1a;
use trailblaze_model::order;

use crate::discover::wildcard;
use crate::exit_code::{Exit, Problem};
use crate::load::LoadedTrail;

/// All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Any of them.
    pub tags: Vec<String>,
    /// Any of them: a part of the id or the title, or a glob over one of them.
    pub filters: Vec<String>,
    pub shard: Option<Shard>,
}

/// The i-th of n parts, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub index: u64,
    pub count: u64,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if index >= 1 && index <= count => Ok(Self { index, count }),
            _ => Err("write i/n with 1 ≤ i ≤ n, such as 2/5".to_owned()),
        }
    }
}

impl Shard {
    pub fn has(self, id: &str) -> bool {
        fnv1a(id) % self.count == self.index - 1
    }
}

impl Selection {
    /// The trails that fit. None at all is an error, except for a shard that happens to be empty.
    pub fn choose(&self, trails: &[LoadedTrail]) -> Result<Vec<LoadedTrail>, Problem> {
        let runnable = trails.iter().filter(|trail| !trail.trail.is_config_only());
        let fitting: Vec<&LoadedTrail> = runnable.filter(|trail| self.fits(trail)).collect();
        if fitting.is_empty() && (!self.tags.is_empty() || !self.filters.is_empty()) {
            let mut tags: Vec<&str> =
                trails.iter().flat_map(|trail| &trail.trail.config.tags).map(String::as_str).collect();
            order::sort(&mut tags);
            tags.dedup();
            let count =
                if trails.len() == 1 { "1 trail".to_owned() } else { format!("{} trails", trails.len()) };
            let hint = match tags.as_slice() {
                [] => format!("found {count}, without tags"),
                tags => format!("found {count}, with the tags {}", tags.join(", ")),
            };
            return Err(Problem::new(Exit::BadDocument, "no trail fits --tag and --filter").hint(hint));
        }
        if fitting.is_empty() {
            let message = "there is no trail to run: what was found has a 'config' and no steps";
            return Err(Problem::new(Exit::BadDocument, message).hint("add steps under 'trail:'"));
        }
        let in_shard = |trail: &&&LoadedTrail| self.shard.is_none_or(|shard| shard.has(&trail.id));
        Ok(fitting.iter().filter(in_shard).map(|trail| (*trail).clone()).collect())
    }

    fn fits(&self, trail: &LoadedTrail) -> bool {
        let tags = &trail.trail.config.tags;
        let (id, title) = (trail.id.to_lowercase(), trail.title().to_lowercase());
        let filter_fits = |filter: &String| {
            let filter = filter.to_lowercase();
            if filter.contains(['*', '?']) {
                wildcard(&filter, &id) || wildcard(&filter, &title)
            } else {
                id.contains(&filter) || title.contains(&filter)
            }
        };
        (self.tags.is_empty() || self.tags.iter().any(|tag| tags.contains(tag)))
            && (self.filters.is_empty() || self.filters.iter().any(filter_fits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trail_is_in_exactly_one_shard() {
        for id in ["a", "b/c", "sign-in", "日本"] {
            let in_shards = (1..=5).filter(|index| Shard { index: *index, count: 5 }.has(id)).count();
            assert_eq!(in_shards, 1);
        }
    }

    #[test]
    fn a_shard_is_written_as_i_of_n() {
        assert_eq!("2/5".parse(), Ok(Shard { index: 2, count: 5 }));
        for bad in ["0/5", "6/5", "1", "a/b", "1/0", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
