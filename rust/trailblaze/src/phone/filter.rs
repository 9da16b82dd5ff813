//! Which tests are run, said in the words of AndroidJUnitRunner.

use std::sync::Arc;

use trailblaze_model::hash::fnv1a;
use trailblaze_model::names;
use trailblaze_model::pattern::{Dialect, Pattern};
use trailblaze_model::test_name::TestName;

/// All conditions must hold; an empty list holds always.
#[derive(Clone, Debug, Default)]
pub(super) struct TestFilter {
    /// `a.B` or `a.B#m`
    classes: Vec<Named>,
    not_classes: Vec<Named>,
    packages: Vec<Named>,
    not_packages: Vec<Named>,
    /// Somewhere in `class#method`; as it was written, and as it is used.
    regex: Option<(String, Pattern)>,
    /// How many parts there are; 0 = no parts.
    pub shards: u64,
    /// Which part, counted from 0.
    pub shard: u64,
}

/// A name, and the argument that it comes from.
#[derive(Clone, Debug)]
struct Named {
    key: &'static str,
    name: String,
}

impl Named {
    fn is_test(&self, test: &TestName) -> bool {
        self.name == test.class || self.name == test.to_string()
    }

    fn is_package_of(&self, test: &TestName) -> bool {
        test.class.strip_prefix(self.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
    }
}

impl TestFilter {
    pub(super) fn add_classes(&mut self, key: &'static str, list: &str) {
        self.classes.extend(named(key, list));
    }

    pub(super) fn leave_out_classes(&mut self, key: &'static str, list: &str) {
        self.not_classes.extend(named(key, list));
    }

    pub(super) fn add_packages(&mut self, list: &str) {
        self.packages.extend(named("package", list));
    }

    pub(super) fn leave_out_packages(&mut self, list: &str) {
        self.not_packages.extend(named("notPackage", list));
    }

    pub(super) fn set_regex(&mut self, text: &str) -> Result<(), String> {
        let pattern = Pattern::new(&format!("(?s).*(?:{text}).*"), Dialect::Native);
        match pattern.error() {
            Some(error) => Err(error.to_string()),
            None => {
                self.regex = Some((text.to_owned(), pattern));
                Ok(())
            }
        }
    }

    pub(super) fn has(&self, test: &TestName) -> bool {
        self.selects(test) && self.is_in_shard(test)
    }

    fn selects(&self, test: &TestName) -> bool {
        let is_named = |list: &[Named]| list.iter().any(|named| named.is_test(test));
        let is_in = |list: &[Named]| list.iter().any(|named| named.is_package_of(test));
        (self.classes.is_empty() || is_named(&self.classes))
            && !is_named(&self.not_classes)
            && (self.packages.is_empty() || is_in(&self.packages))
            && !is_in(&self.not_packages)
            && self.regex.as_ref().is_none_or(|(_, regex)| regex.matches(&test.to_string()))
    }

    fn is_in_shard(&self, test: &TestName) -> bool {
        self.shards == 0 || fnv1a(&test.to_string()) % self.shards == self.shard
    }

    /// Says what is named and not there. A run of no tests looks as if all was well; only a part of many may be empty.
    ///
    /// `all` are the ids of all trails, `tagged` those that the tags leave.
    pub(super) fn check(&self, all: &[Arc<str>], tagged: &[Arc<str>]) -> Result<(), String> {
        let tests: Vec<TestName> = all.iter().map(|id| TestName::of(id)).collect();
        let missing = |named: &&Named| !tests.iter().any(|test| named.is_test(test));
        if let Some(Named { key, name }) = self.classes.iter().find(missing) {
            let hint = test_hint(name, all, &tests);
            return Err(format!("'{key}' names '{name}', and there is no such test\nhint: {hint}"));
        }
        let empty = |named: &&Named| !tests.iter().any(|test| named.is_package_of(test));
        if let Some(Named { key, name }) = self.packages.iter().find(empty) {
            let hint = some_tests(&tests);
            return Err(format!("'{key}' names '{name}', and no test is in there\nhint: {hint}"));
        }
        if let Some((text, regex)) = &self.regex
            && !tests.iter().any(|test| regex.matches(&test.to_string()))
        {
            let hint = some_tests(&tests);
            return Err(format!("'tests_regex' is '{text}', and no test fits\nhint: {hint}"));
        }
        if tagged.iter().any(|id| self.selects(&TestName::of(id))) {
            return Ok(());
        }
        let tags = (tagged.len() < all.len()).then_some("tags");
        let keys: Vec<String> = self.keys().into_iter().chain(tags).map(|key| format!("'{key}'")).collect();
        let hint = "'-e log true' with fewer of them lists the tests";
        Err(format!("no test is left after {}\nhint: {hint}", names::list(&keys)))
    }

    /// The arguments that say something.
    fn keys(&self) -> Vec<&'static str> {
        let lists = [&self.classes, &self.not_classes, &self.packages, &self.not_packages];
        let mut keys: Vec<&str> = Vec::new();
        for named in lists.into_iter().flatten() {
            if !keys.contains(&named.key) {
                keys.push(named.key);
            }
        }
        keys.extend(self.regex.as_ref().map(|_| "tests_regex"));
        keys
    }
}

fn named(key: &'static str, list: &str) -> impl Iterator<Item = Named> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(move |name| Named { key, name: name.to_owned() })
}

/// What may be meant by a name: another one, the id of a trail, or a name without its package.
fn test_hint(name: &str, ids: &[Arc<str>], tests: &[TestName]) -> String {
    let full: Vec<String> = tests.iter().map(ToString::to_string).collect();
    if let Some(at) = ids.iter().position(|id| **id == *name) {
        return format!("the test of that trail is '{}'", full[at]);
    }
    let known = || tests.iter().map(|test| test.class.as_str()).chain(full.iter().map(String::as_str));
    let without_package = || known().find(|full| full.ends_with(&format!(".{name}")));
    let meant = names::nearest(name, known()).or_else(without_package);
    meant.map_or_else(|| some_tests(tests), |meant| format!("did you mean '{meant}'?"))
}

fn some_tests(tests: &[TestName]) -> String {
    let some: Vec<String> = tests.iter().take(3).map(|test| format!("'{test}'")).collect();
    let such_as = if some.len() < tests.len() { "such as " } else { "" };
    format!("there are {such_as}{}; '-e log true' lists all", names::list(&some))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 4] = ["sign-in/good", "sign-in/bad", "shop/cart", "tour"];

    fn ids(names: &[&str]) -> Vec<Arc<str>> {
        names.iter().copied().map(Arc::from).collect()
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut TestFilter), expected: &[&str]) {
        let mut filter = TestFilter::default();
        change(&mut filter);
        let found: Vec<&str> = IDS.into_iter().filter(|id| filter.has(&TestName::of(id))).collect();
        assert_eq!(found, expected);
        assert_eq!(filter.check(&ids(&IDS), &ids(&IDS)).is_ok(), !expected.is_empty());
    }

    #[test]
    fn tests_are_chosen_by_their_names() {
        check(|_| {}, &IDS);
        check(|filter| filter.add_classes("class", "dev.trailblaze.trails.SignIn"), &IDS[..2]);
        check(
            |filter| {
                filter.add_classes("class", "dev.trailblaze.trails.SignIn#bad,dev.trailblaze.trails.Trails");
            },
            &[IDS[1], IDS[3]],
        );
        check(
            |filter| filter.leave_out_classes("notClass", "dev.trailblaze.trails.SignIn#bad"),
            &[IDS[0], IDS[2], IDS[3]],
        );
        check(|filter| filter.add_packages("dev.trailblaze"), &IDS);
        check(|filter| filter.add_packages("dev.trail"), &[]);
        check(|filter| filter.leave_out_packages("dev.trailblaze.trails"), &[]);
        check(|filter| filter.set_regex("Shop#|tour$").unwrap(), &IDS[2..]);
    }

    #[track_caller]
    fn check_told(change: impl FnOnce(&mut TestFilter), expected: &str) {
        let mut filter = TestFilter::default();
        change(&mut filter);
        assert_eq!(filter.check(&ids(&IDS), &ids(&IDS[..2])).unwrap_err(), expected);
    }

    #[test]
    fn what_is_not_there_is_told_with_what_may_be_meant() {
        let no_such = |key: &str, name: &str, hint: &str| {
            format!("'{key}' names '{name}', and there is no such test\nhint: {hint}")
        };
        let some = "there are such as 'dev.trailblaze.trails.SignIn#good', 'dev.trailblaze.trails.SignIn#bad' and \
                    'dev.trailblaze.trails.Shop#cart'; '-e log true' lists all";
        for (key, name, hint) in [
            ("class", "dev.trailblaze.trails.SingIn", "did you mean 'dev.trailblaze.trails.SignIn'?"),
            (
                "testFile",
                "dev.trailblaze.trails.Shop#card",
                "did you mean 'dev.trailblaze.trails.Shop#cart'?",
            ),
            ("class", "SignIn#bad", "did you mean 'dev.trailblaze.trails.SignIn#bad'?"),
            ("class", "sign-in/bad", "the test of that trail is 'dev.trailblaze.trails.SignIn#bad'"),
            ("class", "com.example.Nothing", some),
        ] {
            // One that is there does not make up for one that is not.
            let list = format!("dev.trailblaze.trails.SignIn,{name}");
            check_told(|filter| filter.add_classes(key, &list), &no_such(key, name, hint));
        }
        check_told(
            |filter| filter.add_packages("com.example"),
            &format!("'package' names 'com.example', and no test is in there\nhint: {some}"),
        );
        check_told(
            |filter| filter.set_regex("^Shop").unwrap(),
            &format!("'tests_regex' is '^Shop', and no test fits\nhint: {some}"),
        );
        let left = |keys: &str| {
            format!("no test is left after {keys}\nhint: '-e log true' with fewer of them lists the tests")
        };
        check_told(
            |filter| {
                filter.add_classes("class", "dev.trailblaze.trails.SignIn#bad,dev.trailblaze.trails.Shop");
                filter.leave_out_classes("notClass", "dev.trailblaze.trails.SignIn");
            },
            &left("'class', 'notClass' and 'tags'"),
        );
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

    /// There may be more parts than tests.
    #[test]
    fn a_shard_may_be_empty() {
        for shard in 0..50 {
            let filter = TestFilter { shards: 50, shard, ..TestFilter::default() };
            assert_eq!(filter.check(&ids(&IDS), &ids(&IDS)), Ok(()));
        }
    }
}
