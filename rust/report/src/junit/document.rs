//! The report as a whole. It is written anew for every trail that starts or ends, so cases are kept as text:
//! otherwise a suite of a thousand trails would print a million cases.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// Suites by name, cases by id: two ids may give one name.
#[derive(Debug, Default)]
pub(super) struct Document {
    suites: BTreeMap<String, BTreeMap<Arc<str>, Case>>,
    /// How long the run took, when it has finished.
    pub(super) time: Option<Duration>,
}

#[derive(Debug)]
struct Case {
    xml: String,
    time: Duration,
    counts_as: CountsAs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountsAs {
    Success,
    Failure,
    Error,
    Skipped,
}

impl Document {
    /// Adds a case or replaces it.
    pub(super) fn put(&mut self, suite: &str, id: &Arc<str>, case: TestCase) -> io::Result<()> {
        let case = Case::new(case)?;
        self.suites.entry(suite.to_owned()).or_default().insert(Arc::clone(id), case);
        Ok(())
    }

    /// The library writes the suites without cases, `<testsuite … />`, and the cases are put between. Nothing else
    /// in it ends with `/>`: attributes have `&gt;`.
    pub(super) fn to_xml(&self) -> io::Result<String> {
        let frame = self.frame().to_string().map_err(io::Error::other)?;
        let mut parts = frame.split("/>");
        let mut xml = parts.next().unwrap_or_default().to_owned();
        for (cases, part) in self.suites.values().zip(parts) {
            xml.push('>');
            for case in cases.values() {
                xml.push_str("\n        ");
                xml.push_str(&case.xml);
            }
            xml.push_str("\n    </testsuite>");
            xml.push_str(part);
        }
        Ok(xml)
    }

    fn frame(&self) -> Report {
        let mut report = Report::new("trailblaze");
        report.time = self.time;
        for (name, cases) in &self.suites {
            let count = |what| cases.values().filter(|case| case.counts_as == what).count();
            let mut suite = TestSuite::new(name);
            suite.tests = cases.len();
            suite.failures = count(CountsAs::Failure);
            suite.errors = count(CountsAs::Error);
            suite.skipped = count(CountsAs::Skipped);
            suite.set_time(cases.values().map(|case| case.time).sum());
            report.add_test_suite(suite);
        }
        report
    }
}

impl Case {
    /// The library writes whole reports only, so the case is cut out of one that has no other.
    fn new(case: TestCase) -> io::Result<Self> {
        let time = case.time.unwrap_or_default();
        let counts_as = match case.status {
            TestCaseStatus::Success { .. } => CountsAs::Success,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => CountsAs::Failure,
            TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => CountsAs::Error,
            TestCaseStatus::Skipped { .. } => CountsAs::Skipped,
        };
        let mut suite = TestSuite::new("");
        suite.add_test_case(case);
        let mut report = Report::unnamed();
        report.add_test_suite(suite);
        let xml = report.to_string().map_err(io::Error::other)?;
        let start = xml.find("<testcase").expect("the report has a case");
        let end = xml.rfind("</testsuite>").expect("a suite with a case has an end tag");
        Ok(Self { xml: xml[start..end].trim_end().to_owned(), time, counts_as })
    }
}
