//! What was remembered: comparing, calculating, showing.

use serde::Deserialize;
use serde_json::json;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;

use super::{BuiltIn, Entry, math, verification};
use crate::dispatch::{Context, Output};

pub(super) const TOOLS: &[Entry] = &[
    Entry::of::<AssertEquals>(),
    Entry::of::<AssertNotEquals>(),
    Entry::of::<AssertMath>(),
    Entry::of::<DumpMemory>(),
];

/// Check that two texts are equal.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AssertEquals {
    /// What there is
    actual: String,
    /// What there should be
    expected: String,
}

impl BuiltIn for AssertEquals {
    const NAME: &'static str = "assertEquals";

    fn flags() -> ToolFlags {
        verification()
    }

    fn run(self, _context: &Context<'_>) -> Result<Output, Failure> {
        if self.actual == self.expected {
            return Ok(Output::default());
        }
        let message = format!("'{}' is not equal to '{}'", self.actual, self.expected);
        Err(Failure::new(FailureKind::AssertionFailed, message))
    }
}

/// Check that two texts are not equal.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AssertNotEquals {
    /// What there is
    actual: String,
    /// What there should not be
    expected: String,
}

impl BuiltIn for AssertNotEquals {
    const NAME: &'static str = "assertNotEquals";

    fn flags() -> ToolFlags {
        verification()
    }

    fn run(self, _context: &Context<'_>) -> Result<Output, Failure> {
        if self.actual != self.expected {
            return Ok(Output::default());
        }
        Err(Failure::new(FailureKind::AssertionFailed, format!("both are '{}'", self.actual)))
    }
}

/// Check the result of a calculation.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AssertMath {
    /// Numbers with + - * / ^ % ( ) and functions such as round, sqrt, min and max
    expression: String,
    /// What it should give, a number or another expression
    expected: String,
}

/// Results that differ by less are equal.
const TOLERANCE: f64 = 0.0001;

impl BuiltIn for AssertMath {
    const NAME: &'static str = "assertMath";

    fn flags() -> ToolFlags {
        verification()
    }

    fn run(self, _context: &Context<'_>) -> Result<Output, Failure> {
        let evaluate = |text: &str| {
            if text.contains("[[") {
                let message = format!("'{text}' asks a model for a value, and none is set");
                return Err(Failure::new(FailureKind::NeedsModel, message));
            }
            math::evaluate(text).map_err(|error| Failure::new(FailureKind::InvalidArguments, error))
        };
        let (actual, expected) = (evaluate(&self.expression)?, evaluate(&self.expected)?);
        if (actual - expected).abs() <= TOLERANCE {
            return Ok(Output::message(format!("{} = {actual}", self.expression)));
        }
        let message = format!("{} is {actual}, not {expected}", self.expression);
        Err(Failure::new(FailureKind::AssertionFailed, message))
    }
}

/// Show what is remembered, without secrets.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DumpMemory {}

impl BuiltIn for DumpMemory {
    const NAME: &'static str = "dumpMemory";

    fn run(self, context: &Context<'_>) -> Result<Output, Failure> {
        let memory = context.session.memory.redacted();
        let lines: Vec<String> = memory.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        Ok(Output { message: lines.join("\n"), structured: Some(json!(memory)), ..Output::default() })
    }
}
