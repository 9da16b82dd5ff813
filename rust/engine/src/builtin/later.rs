//! Tools that files name and that this version cannot run yet.

const SCRIPTS: &str = "this version does not run scripts yet";
const MODEL: &str = "it needs a model, which this version does not have yet";

/// Names with the reason.
pub fn later() -> impl Iterator<Item = (String, String)> {
    LATER.iter().map(|(name, reason)| ((*name).to_owned(), (*reason).to_owned()))
}

const LATER: &[(&str, &str)] = &[
    ("script", SCRIPTS),
    ("rememberText", MODEL),
    ("rememberNumber", MODEL),
    ("rememberWithAi", MODEL),
    ("assertWithAi", MODEL),
    ("objectiveStatus", MODEL),
];
