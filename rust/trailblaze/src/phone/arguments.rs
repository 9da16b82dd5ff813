//! What a run on a phone is told with `-e key value`: the names of AndroidJUnitRunner with their meaning, and ours.

use std::path::PathBuf;

use trailblaze_engine::memory::Secret;
use trailblaze_model::driver::Driver;

use super::filter::TestFilter;
use super::handed::Handed;

/// Everything that was said; keys that nobody knows belong to somebody else.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    pub filter: TestFilter,
    /// Do what a laptop asks for instead of running trails.
    pub serve: bool,
    /// What the laptop finds the phone by.
    pub session: Option<String>,
    /// Only say which tests there are.
    pub list: bool,
    /// The longest that one trail may take.
    pub timeout_ms: Option<u64>,
    /// Where the host collects files.
    pub output: Option<PathBuf>,
    /// A workspace that was pushed, instead of the one in the APK.
    pub workspace: Option<PathBuf>,
    pub target: Option<String>,
    pub tags: Vec<String>,
    pub memory: Vec<(String, String)>,
    pub secrets: Vec<(String, Secret)>,
    pub driver: Option<Driver>,
    /// How long a phone that serves waits for its laptop, in milliseconds.
    pub patience_ms: Option<u64>,
    /// How long the whole run may take, in milliseconds.
    pub deadline_ms: Option<u64>,
    pub retries: u32,
    pub strict: bool,
    /// What the phone is called in reports; its model unless given.
    pub device: Option<String>,
    /// The trails, by their paths in the workspace; none = all that there are.
    pub paths: Vec<String>,
    pub args: Vec<(String, String)>,
    pub fail_fast: bool,
    /// The file with what a laptop hands over.
    pub handed: Option<String>,
    /// The run ends when this file is there.
    pub stop: Option<PathBuf>,
}

impl Arguments {
    /// Reads the pairs; a value that cannot be read is an error for people.
    pub(super) fn read(
        pairs: &[(String, String)],
        read_file: impl Fn(&str) -> std::io::Result<String>,
    ) -> Result<Self, String> {
        let mut arguments = Self::default();
        for (key, value) in pairs {
            arguments.take(key, value, &read_file)?;
        }
        Ok(arguments)
    }

    fn take(
        &mut self,
        key: &str,
        value: &str,
        read_file: &impl Fn(&str) -> std::io::Result<String>,
    ) -> Result<(), String> {
        let bad = |expected: &str| format!("the argument '{key}' must be {expected}, not '{value}'");
        let number = || value.trim().parse::<u64>().map_err(|_| bad("a whole number"));
        match key {
            "class" => self.filter.add_classes("class", value),
            "notClass" => self.filter.leave_out_classes("notClass", value),
            "package" => self.filter.add_packages(value),
            "notPackage" => self.filter.leave_out_packages(value),
            "testFile" | "notTestFile" => {
                let text =
                    read_file(value).map_err(|error| format!("'{key}': {value} cannot be read: {error}"))?;
                let lines =
                    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                let joined = lines.collect::<Vec<_>>().join(",");
                match key {
                    "testFile" => self.filter.add_classes("testFile", &joined),
                    _ => self.filter.leave_out_classes("notTestFile", &joined),
                }
            }
            "tests_regex" => self
                .filter
                .set_regex(value)
                .map_err(|error| bad(&format!("a regular expression ({error})")))?,
            "numShards" => self.filter.shards = number()?,
            "shardIndex" => self.filter.shard = number()?,
            "mode" => {
                self.serve = match value {
                    "run" => false,
                    "serve" => true,
                    _ => return Err(bad("'run' or 'serve'")),
                }
            }
            "session" => self.session = Some(value.to_owned()),
            "log" => self.list = flag(value).ok_or_else(|| bad("true or false"))?,
            // None at all is written as 0.
            "timeout_msec" => self.timeout_ms = Some(number()?).filter(|ms| *ms > 0),
            "additionalTestOutputDir" => self.output = Some(PathBuf::from(value)),
            "workspace" => self.workspace = Some(PathBuf::from(value)),
            "target" => self.target = Some(value.to_owned()),
            "tags" => self.tags.extend(list(value)),
            "memory" => self
                .memory
                .extend(pairs_of(value).ok_or_else(|| bad("name=value, one a line or with ';' between"))?),
            "secrets" => {
                let found =
                    pairs_of(value).ok_or_else(|| "the argument 'secrets' must be name=value".to_owned())?;
                self.secrets.extend(found.into_iter().map(|(name, value)| (name, Secret::new(value))));
            }
            "driver" => self.driver = Some(driver(value).ok_or_else(|| bad(DRIVERS))?),
            "deadline" => {
                self.deadline_ms =
                    Some(duration(value).ok_or_else(|| bad("a time such as '30m', '90s' or '1h'"))?)
            }
            "patience" => {
                self.patience_ms = Some(duration(value).ok_or_else(|| bad("a time such as '90s'"))?)
            }
            "retries" => self.retries = u32::try_from(number()?).unwrap_or(u32::MAX),
            "strict" => self.strict = flag(value).ok_or_else(|| bad("true or false"))?,
            "stopFile" => self.stop = Some(PathBuf::from(value)),
            "argumentsFile" => self.handed = Some(value.to_owned()),
            _ => {}
        }
        let (shard, shards) = (self.filter.shard, self.filter.shards);
        if shards > 0 && shard >= shards {
            return Err(format!(
                "'shardIndex' is {shard}, but 'numShards' is {shards}, and counting begins with 0"
            ));
        }
        Ok(())
    }

    /// Takes what stands in a file of a laptop.
    pub(super) fn take_handed(&mut self, file: &str, text: &str) -> Result<(), String> {
        let handed = Handed::read(text)
            .ok_or_else(|| format!("'argumentsFile': {file} is not there, or no laptop wrote it"))?;
        let Handed { device, paths, target, memory, secrets, args, retries, fail_fast, strict, .. } = handed;
        self.timeout_ms = handed.trail_timeout_ms.or(self.timeout_ms);
        self.deadline_ms = handed.deadline_ms.or(self.deadline_ms);
        self.device = device;
        self.paths = paths;
        self.target = target.or(self.target.take());
        self.memory.extend(memory);
        self.secrets.extend(secrets);
        self.args = args;
        self.retries = retries;
        self.fail_fast = fail_fast;
        self.strict = strict;
        Ok(())
    }
}

const DRIVERS: &str = "'android-ondevice-accessibility' or 'android-ondevice-instrumentation'";

fn driver(value: &str) -> Option<Driver> {
    [Driver::AndroidOndeviceAccessibility, Driver::AndroidOndeviceInstrumentation]
        .into_iter()
        .find(|driver| driver.key() == value)
}

fn list(value: &str) -> impl Iterator<Item = String> + '_ {
    value.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn pairs_of(value: &str) -> Option<Vec<(String, String)>> {
    let parts = value.split(['\n', ';']).filter(|part| !part.trim().is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), value.to_owned())).filter(|(name, _)| !name.is_empty())
    };
    parts.map(pair).collect()
}

/// `90s`, `30m`, `1h`, or seconds.
pub(crate) fn duration(value: &str) -> Option<u64> {
    let value = value.trim();
    let (number, unit) = value.split_at(value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len()));
    let factor = match unit.trim() {
        "" | "s" => 1_000,
        "ms" => 1,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Arguments, String> {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Arguments::read(&pairs, |path| match path {
            "/tests" => Ok("# chosen\ndev.trailblaze.trails.A#b\n\n".to_owned()),
            _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        })
    }

    #[test]
    fn values_are_read() {
        let found = read(&[
            ("log", "true"),
            ("timeout_msec", "5000"),
            ("memory", "a=1;b=x=y"),
            ("secrets", "pin=4711"),
            ("tags", "smoke, slow"),
            ("deadline", "30m"),
            ("driver", "android-ondevice-instrumentation"),
            ("numShards", "3"),
            ("shardIndex", "2"),
            ("coverage", "true"),
        ])
        .unwrap();
        assert!(found.list);
        assert_eq!(found.timeout_ms, Some(5_000));
        assert_eq!(found.memory, [("a".into(), "1".into()), ("b".into(), "x=y".into())]);
        assert_eq!(found.secrets[0].1.reveal(), "4711");
        assert_eq!(found.tags, ["smoke", "slow"]);
        assert_eq!(found.deadline_ms, Some(1_800_000));
        assert_eq!(found.driver, Some(Driver::AndroidOndeviceInstrumentation));
    }

    #[test]
    fn what_a_laptop_hands_over_joins_the_rest() {
        let mut found = read(&[("argumentsFile", "/a"), ("memory", "a=1"), ("target", "shop")]).unwrap();
        assert_eq!(found.handed.as_deref(), Some("/a"));
        let handed = Handed {
            memory: vec![("a".to_owned(), "2;3".to_owned())],
            paths: vec!["trails/x.trail.yaml".to_owned()],
            fail_fast: true,
            trail_timeout_ms: Some(7),
            ..Handed::default()
        };
        found.take_handed("/a", &handed.print()).unwrap();
        assert_eq!(found.memory, [("a".into(), "1".into()), ("a".into(), "2;3".into())]);
        assert_eq!((found.target.as_deref(), found.paths.len(), found.fail_fast), (Some("shop"), 1, true));
        assert_eq!((found.timeout_ms, found.deadline_ms), (Some(7), None));
        let error = found.take_handed("/a", "").unwrap_err();
        assert_eq!(error, "'argumentsFile': /a is not there, or no laptop wrote it");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (key, value, expected) in [
            ("log", "yes", "the argument 'log' must be true or false, not 'yes'"),
            ("numShards", "x", "the argument 'numShards' must be a whole number, not 'x'"),
            (
                "deadline",
                "soon",
                "the argument 'deadline' must be a time such as '30m', '90s' or '1h', not 'soon'",
            ),
            ("secrets", "4711", "the argument 'secrets' must be name=value"),
            ("testFile", "/none", "'testFile': /none cannot be read: entity not found"),
        ] {
            assert_eq!(read(&[(key, value)]).unwrap_err(), expected);
        }
        let error = read(&[("numShards", "2"), ("shardIndex", "2")]).unwrap_err();
        assert_eq!(error, "'shardIndex' is 2, but 'numShards' is 2, and counting begins with 0");
        assert!(read(&[("testFile", "/tests")]).is_ok());
    }
}
