//! What a laptop hands over in a file: some of it is secret, and a value may hold what no command line can.

use serde_json::Value;
use trailblaze_engine::memory::Secret;

/// The rest of what a run is told, besides where things are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handed {
    /// What the phone is called in reports.
    pub device: Option<String>,
    /// The trails, by their paths in the workspace; none = all that there are.
    pub paths: Vec<String>,
    pub target: Option<String>,
    pub memory: Vec<(String, String)>,
    pub secrets: Vec<(String, Secret)>,
    pub args: Vec<(String, String)>,
    pub retries: u32,
    pub fail_fast: bool,
    pub strict: bool,
    pub trail_timeout_ms: Option<u64>,
    pub deadline_ms: Option<u64>,
}

impl Handed {
    #[cfg(not(target_os = "android"))]
    pub(crate) fn print(&self) -> String {
        let Self { device, paths, target, memory, args, retries, fail_fast, strict, .. } = self;
        let secrets: Vec<(&str, &str)> =
            self.secrets.iter().map(|(name, secret)| (name.as_str(), secret.reveal())).collect();
        let all = serde_json::json!({
            "device": device,
            "paths": paths,
            "target": target,
            "memory": memory,
            "secrets": secrets,
            "args": args,
            "retries": retries,
            "failFast": fail_fast,
            "strict": strict,
            "trailTimeoutMs": self.trail_timeout_ms,
            "deadlineMs": self.deadline_ms,
        });
        all.to_string()
    }

    /// None where it is not what `print` wrote.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let flag = |key: &str| value[key].as_bool();
        let pairs = |key: &str| {
            let pair = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
            value[key].as_array()?.iter().map(pair).collect::<Option<Vec<_>>>()
        };
        let path = |path: &Value| path.as_str().map(str::to_owned);
        Some(Self {
            device: text("device"),
            paths: value["paths"].as_array()?.iter().map(path).collect::<Option<_>>()?,
            target: text("target"),
            memory: pairs("memory")?,
            secrets: pairs("secrets")?.into_iter().map(|(name, value)| (name, Secret::new(value))).collect(),
            args: pairs("args")?,
            retries: value["retries"].as_u64()?.try_into().ok()?,
            fail_fast: flag("failFast")?,
            strict: flag("strict")?,
            trail_timeout_ms: value["trailTimeoutMs"].as_u64(),
            deadline_ms: value["deadlineMs"].as_u64(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_arrives() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let handed = Handed {
            device: Some("R5CT".to_owned()),
            paths: vec!["trails/a.trail.yaml".to_owned()],
            memory: vec![pair("a", "x;y=z\n\"'$(rm)"), pair("a", "2")],
            secrets: vec![("pin".to_owned(), Secret::new("4711;'\n"))],
            args: vec![pair("count", "3")],
            retries: 2,
            fail_fast: true,
            trail_timeout_ms: Some(90_000),
            deadline_ms: Some(1_800_000),
            ..Handed::default()
        };
        let back = Handed::read(&handed.print()).unwrap();
        assert_eq!(back.memory, handed.memory);
        assert_eq!((back.secrets[0].0.as_str(), back.secrets[0].1.reveal()), ("pin", "4711;'\n"));
        assert_eq!((back.paths, back.args, back.device), (handed.paths, handed.args, handed.device));
        assert_eq!((back.target, back.retries, back.fail_fast, back.strict), (None, 2, true, false));
        assert_eq!((back.trail_timeout_ms, back.deadline_ms), (Some(90_000), Some(1_800_000)));
        assert!(Handed::read("{}").is_none() && Handed::read("").is_none());
    }
}
