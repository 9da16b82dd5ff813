//! Which tests are run, said in the words of AndroidJUnitRunner.

use trailblaze_model::hash::fnv1a;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::test_name::TestName;

/// All conditions must hold; an empty list holds always.
#[derive(Clone, Debug, Default)]
pub(super) struct TestFilter {
    /// `a.B` or `a.B#m`
    classes: Vec<String>,
    not_classes: Vec<String>,
    pub packages: Vec<String>,
    pub not_packages: Vec<String>,
    /// Somewhere in `class#method`.
    regex: Option<Pattern>,
    /// How many parts there are; 0 = no parts.
    pub shards: u64,
    /// Which part, counted from 0.
    pub shard: u64,
}

impl TestFilter {
    pub(super) fn add_classes(&mut self, list: &str) {
        self.classes.extend(names(list));
    }

    pub(super) fn leave_out_classes(&mut self, list: &str) {
        self.not_classes.extend(names(list));
    }

    pub(super) fn set_regex(&mut self, text: &str) -> Result<(), String> {
        let pattern = Pattern::new(&format!("(?s).*(?:{text}).*"), Dialect::Native);
        match pattern.error() {
            Some(error) => Err(error.to_string()),
            None => {
                self.regex = Some(pattern);
                Ok(())
            }
        }
    }

    pub(super) fn has(&self, name: &TestName) -> bool {
        let full = name.to_string();
        let is_named = |list: &[String]| list.iter().any(|known| *known == full || *known == name.class);
        let is_in = |list: &[String]| {
            list.iter().any(|package| {
                name.class.strip_prefix(package.as_str()).is_some_and(|rest| rest.starts_with('.'))
            })
        };
        (self.classes.is_empty() || is_named(&self.classes))
            && !is_named(&self.not_classes)
            && (self.packages.is_empty() || is_in(&self.packages))
            && !is_in(&self.not_packages)
            && self.regex.as_ref().is_none_or(|regex| regex.matches(&full))
            && (self.shards == 0 || fnv1a(&full) % self.shards == self.shard)
    }
}

fn names(list: &str) -> impl Iterator<Item = String> + '_ {
    list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 4] = ["sign-in/good", "sign-in/bad", "shop/cart", "tour"];

    #[track_caller]
    fn check(change: impl FnOnce(&mut TestFilter), expected: &[&str]) {
        let mut filter = TestFilter::default();
        change(&mut filter);
        let found: Vec<&str> = IDS.into_iter().filter(|id| filter.has(&TestName::of(id))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tests_are_chosen_by_their_names() {
        check(|_| {}, &IDS);
        check(|filter| filter.add_classes("dev.trailblaze.trails.SignIn"), &IDS[..2]);
        check(
            |filter| filter.add_classes("dev.trailblaze.trails.SignIn#bad,dev.trailblaze.trails.Trails"),
            &[IDS[1], IDS[3]],
        );
        check(
            |filter| filter.leave_out_classes("dev.trailblaze.trails.SignIn#bad"),
            &[IDS[0], IDS[2], IDS[3]],
        );
        check(|filter| filter.packages.push("dev.trailblaze".into()), &IDS);
        check(|filter| filter.packages.push("dev.trail".into()), &[]);
        check(|filter| filter.not_packages.push("dev.trailblaze.trails".into()), &[]);
        check(|filter| filter.set_regex("Shop#|tour$").unwrap(), &IDS[2..]);
    }

    #[test]
    fn every_test_is_in_one_shard() {
        for id in IDS {
            let name = TestName::of(id);
            let shards = (0..3)
                .filter(|shard| TestFilter { shards: 3, shard: *shard, ..TestFilter::default() }.has(&name));
            assert_eq!(shards.count(), 1);
        }
    }
}
