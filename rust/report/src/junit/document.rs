//! The report as a whole. It is written anew for every trail that starts or ends, so cases are kept as text:
//! otherwise a suite of a thousand trails would print a million cases.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::xml::Element;

/// Suites by name, cases by id: two ids may give one name.
#[derive(Debug, Default)]
pub(super) struct Document {
    suites: BTreeMap<String, BTreeMap<Arc<str>, Case>>,
    /// How long the run took, when it has finished.
    pub(super) duration_ms: Option<u64>,
}

#[derive(Debug)]
struct Case {
    xml: String,
    duration_ms: u64,
    counts_as: CountsAs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CountsAs {
    Success,
    Failure,
    Error,
    Skipped,
}

impl Document {
    /// Adds a case or replaces it.
    pub(super) fn put(
        &mut self,
        suite: &str,
        id: &Arc<str>,
        case: &Element,
        duration_ms: u64,
        counts_as: CountsAs,
    ) {
        let mut xml = String::new();
        case.print(2, &mut xml);
        let case = Case { xml, duration_ms, counts_as };
        self.suites.entry(suite.to_owned()).or_default().insert(Arc::clone(id), case);
    }

    pub(super) fn to_xml(&self) -> String {
        let all = || self.suites.values().flat_map(BTreeMap::values);
        let count = |what| counted(all(), what);
        let mut report = Element::new("testsuites")
            .with("name", "trailblaze")
            .with("tests", &all().count().to_string())
            .with("skipped", &count(CountsAs::Skipped))
            .with("failures", &count(CountsAs::Failure))
            .with("errors", &count(CountsAs::Error));
        if let Some(ms) = self.duration_ms {
            report = report.with_time(ms);
        }
        let mut xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", report.start());
        for (name, cases) in &self.suites {
            let count = |what| counted(cases.values(), what);
            let suite = Element::new("testsuite")
                .with("name", name)
                .with("tests", &cases.len().to_string())
                .with("skipped", &count(CountsAs::Skipped))
                .with("errors", &count(CountsAs::Error))
                .with("failures", &count(CountsAs::Failure))
                .with_time(cases.values().map(|case| case.duration_ms).sum());
            xml += &format!("    {}\n", suite.start());
            cases.values().for_each(|case| xml += &case.xml);
            xml += "    </testsuite>\n";
        }
        xml + "</testsuites>\n"
    }
}

fn counted<'a>(cases: impl Iterator<Item = &'a Case>, what: CountsAs) -> String {
    cases.filter(|case| case.counts_as == what).count().to_string()
}
