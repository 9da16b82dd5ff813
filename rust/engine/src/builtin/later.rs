//! Tools that files name and that this version cannot run yet.

const SCREENS: &str = "it needs refs to elements of a snapshot, which this version does not have yet";
const SCRIPTS: &str = "this version does not run scripts yet";
const MODEL: &str = "it needs a model, which this version does not have yet";

/// Names with the reason.
pub fn later() -> impl Iterator<Item = (String, String)> {
    LATER.iter().map(|(name, reason)| ((*name).to_owned(), (*reason).to_owned()))
}

const LATER: &[(&str, &str)] = &[
    ("tapOnElementByNodeId", SCREENS),
    ("longPress", SCREENS),
    ("dragTo", SCREENS),
    ("requestDetailedViewHierarchy", SCREENS),
    ("script", SCRIPTS),
    ("rememberText", MODEL),
    ("rememberNumber", MODEL),
    ("rememberWithAi", MODEL),
    ("assertWithAi", MODEL),
    ("objectiveStatus", MODEL),
];
