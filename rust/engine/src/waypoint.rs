//! Whether a screen is a waypoint, and if not, why.

use trailblaze_model::classifier::Classifiers;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::names;
use trailblaze_model::pattern::OverBudget;
use trailblaze_model::screen::Screen;
use trailblaze_model::waypoint::{Condition, Waypoint};

use crate::matching::native;

/// What a look at a screen gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    Matched,
    /// What is missing, and what is there and must not be.
    NotMatched {
        missing: Vec<String>,
        present: Vec<String>,
    },
    /// The waypoint says nothing about this screen.
    Skipped {
        reason: String,
    },
}

impl Look {
    pub fn is_match(&self) -> bool {
        *self == Self::Matched
    }

    /// One line for people.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Matched => None,
            Self::Skipped { reason } => Some(reason.clone()),
            Self::NotMatched { missing, present } => {
                let list = |what: &str, names: &[String]| {
                    (!names.is_empty()).then(|| format!("{what}: {}", names.join("; ")))
                };
                let parts = [list("missing", missing), list("must not be there", present)];
                Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" | "))
            }
        }
    }
}

/// What is said of an id that no waypoint has.
pub(crate) fn unknown(id: &str, known: &[Waypoint]) -> Failure {
    let failure = Failure::new(FailureKind::InvalidArguments, format!("there is no waypoint '{id}'"));
    let hint = match names::nearest_hint(id, known.iter().map(|waypoint| waypoint.id.as_str())) {
        None if known.is_empty() => Some("waypoints are files in trailblaze-config/waypoints".to_owned()),
        near => near,
    };
    Failure { hint, ..failure }
}

/// Looks at the whole tree of a screen.
pub fn look(screen: &Screen, waypoint: &Waypoint, device: &Classifiers, app_ids: &[String]) -> Look {
    match judge(screen, waypoint, device, app_ids) {
        Ok(look) => look,
        Err(reason) => Look::Skipped { reason },
    }
}

/// The error says why nobody can say whether the screen is the waypoint.
fn judge(
    screen: &Screen,
    waypoint: &Waypoint,
    device: &Classifiers,
    app_ids: &[String],
) -> Result<Look, String> {
    let block = waypoint.for_device(device).ok_or("no classifier block")?;
    let (mut missing, mut present) = (Vec::new(), Vec::new());
    for condition in &block.required {
        let (found, wanted) = (count(screen, condition, app_ids)?, condition.min_count as usize);
        if found < wanted && wanted > 1 {
            missing.push(format!("{} ({found} of {wanted})", condition.name()));
        } else if found < wanted {
            missing.push(condition.name());
        }
    }
    for condition in &block.forbidden {
        if count(screen, condition, app_ids)? > 0 {
            present.push(condition.name());
        }
    }
    let is_match = missing.is_empty() && present.is_empty();
    Ok(if is_match { Look::Matched } else { Look::NotMatched { missing, present } })
}

/// How many nodes fit; none without a selector.
fn count(screen: &Screen, condition: &Condition, app_ids: &[String]) -> Result<usize, String> {
    let Some(target) = &condition.selector else { return Ok(0) };
    let selector = target.for_app(app_ids).ok_or("it names {{target.appId}}, and no app id is known")?;
    let found = native::try_resolve(screen, &selector).map_err(|error: OverBudget| error.to_string())?;
    Ok(found.len())
}
