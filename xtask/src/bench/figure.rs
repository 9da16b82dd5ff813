//! One row of the table.

/// A measured value, with its limit where it has one.
#[derive(Debug)]
pub(super) struct Figure {
    name: String,
    unit: Unit,
    limit: Option<Limit>,
    /// Or why it could not be measured.
    value: Result<f64, String>,
    /// Whether it holds where it could not be measured, because this machine lacks what that takes.
    may_be_missing: bool,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Below(f64),
    AtLeast(f64),
}

impl Limit {
    fn allows(self, value: f64) -> bool {
        match self {
            Self::Below(limit) => value < limit,
            Self::AtLeast(limit) => value >= limit,
        }
    }

    fn show(self, unit: Unit) -> String {
        match self {
            Self::Below(limit) => format!("< {}", unit.show(limit)),
            Self::AtLeast(limit) => format!(">= {}", unit.show(limit)),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Millis,
    Micros,
    Mebibytes,
    /// As sizes of downloads are given.
    Megabytes,
    MegabytesPerSecond,
    Count,
    Millions,
    Times,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Millis => format!("{value:.2} ms"),
            Self::Micros => format!("{value:.1} µs"),
            Self::Mebibytes => format!("{value:.2} MiB"),
            Self::Megabytes => format!("{value:.2} MB"),
            Self::MegabytesPerSecond => format!("{value:.0} MB/s"),
            Self::Count => format!("{value:.0}"),
            Self::Millions => format!("{:.1} million", value / 1e6),
            Self::Times => format!("{value:.2} times"),
        }
    }
}

impl Figure {
    pub(super) fn below(name: impl Into<String>, unit: Unit, limit: f64, value: Result<f64, String>) -> Self {
        Self { name: name.into(), unit, limit: Some(Limit::Below(limit)), value, may_be_missing: false }
    }

    pub(super) fn at_least(
        name: impl Into<String>,
        unit: Unit,
        limit: f64,
        value: Result<f64, String>,
    ) -> Self {
        Self { name: name.into(), unit, limit: Some(Limit::AtLeast(limit)), value, may_be_missing: false }
    }

    pub(super) fn shown(name: impl Into<String>, unit: Unit, value: Result<f64, String>) -> Self {
        Self { name: name.into(), unit, limit: None, value, may_be_missing: false }
    }

    /// The same figure, where another machine may not be able to measure it.
    pub(super) fn if_measured(self) -> Self {
        let value = self.value.map_err(|reason| format!("not measured: {reason}"));
        Self { value, may_be_missing: true, ..self }
    }

    /// What cannot be measured does not hold, unless that was to be expected.
    pub(super) fn holds(&self) -> bool {
        match (&self.value, self.limit) {
            (Ok(value), Some(limit)) => limit.allows(*value),
            (Ok(_), None) => true,
            (Err(_), _) => self.may_be_missing,
        }
    }

    pub(super) fn row(&self) -> Vec<String> {
        let value = match &self.value {
            Ok(value) => self.unit.show(*value),
            Err(reason) => reason.clone(),
        };
        let limit = self.limit.map_or_else(String::new, |limit| limit.show(self.unit));
        let ok = match (self.holds(), self.limit) {
            (false, _) => "NO",
            (true, Some(_)) if self.value.is_ok() => "yes",
            (true, _) => "",
        };
        vec![self.name.clone(), value, limit, ok.to_owned()]
    }
}

/// The count in `==123== Collected : 456`.
pub(super) fn collected(said: &str) -> Option<f64> {
    let (_, after) = said.split_once("Collected :")?;
    after.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_missed_when_it_is_reached_or_nothing_was_measured() {
        let figure = |value| Figure::below("start", Unit::Millis, 10.0, value);
        assert_eq!(figure(Ok(3.456)).row(), ["start", "3.46 ms", "< 10.00 ms", "yes"]);
        assert_eq!(figure(Ok(10.0)).row(), ["start", "10.00 ms", "< 10.00 ms", "NO"]);
        assert_eq!(figure(Err("it crashed".into())).row(), ["start", "it crashed", "< 10.00 ms", "NO"]);
        assert!(!Figure::shown("size", Unit::Mebibytes, Err("gone".into())).holds());
    }

    #[test]
    fn some_figures_have_to_be_large() {
        let figure = |value| Figure::at_least("speed", Unit::Times, 1.6, value);
        assert_eq!(figure(Ok(1.6)).row(), ["speed", "1.60 times", ">= 1.60 times", "yes"]);
        assert_eq!(figure(Ok(1.5)).row(), ["speed", "1.50 times", ">= 1.60 times", "NO"]);
        assert!(!figure(Err("it crashed".into())).holds());
    }

    #[test]
    fn what_another_machine_cannot_measure_is_said_and_no_failure() {
        let figure = |value| Figure::below("flattening", Unit::Millis, 1.0, value).if_measured();
        let missing = figure(Err("no Maven".into()));
        assert_eq!(missing.row(), ["flattening", "not measured: no Maven", "< 1.00 ms", ""]);
        assert!(missing.holds());
        assert!(!figure(Ok(1.5)).holds());
    }

    #[test]
    fn counts_of_valgrind_are_read() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 3571228\n"), Some(3_571_228.0));
    }
}
