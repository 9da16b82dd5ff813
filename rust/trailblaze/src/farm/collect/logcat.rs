//! The crumbs of a run in the log of the phone, for where nothing else came back.

use trailblaze_model::event::Verdict;
use trailblaze_model::failure::{Failure, FailureKind};

use super::told::{End, Names, Told, Try, is_infrastructure};

/// Lines of our tag carry the id of the session in brackets.
const TAG: &str = "trailblaze";

/// Whether a text has lines of ours.
pub(super) fn is_it(text: &str) -> bool {
    text.lines().any(|line| crumb(line).is_some())
}

pub(super) fn read(text: &str, names: &Names) -> Told {
    let mut told = Told { end: End::Cut(None), ..Told::default() };
    for said in text.lines().filter_map(crumb) {
        if let Some((id, said)) = names.at_start(said) {
            if said.starts_with("started, attempt ") {
                told.tries(&id).push(Try::default());
            } else if let Some((verdict, why)) = verdict(said) {
                let current = told.current(&id);
                current.verdict = Some(verdict);
                match verdict {
                    Verdict::Failed => current.failure = Some(failure(why)),
                    _ => current.reason = (!why.is_empty()).then(|| why.to_owned()),
                }
            }
        } else if said.contains(" passed, ") && said.ends_with(" failed") {
            told.end = End::Finished;
        }
    }
    told
}

/// What follows `trailblaze: [0193ab2f] `, in whatever format the log was written.
fn crumb(line: &str) -> Option<&str> {
    let (before, after) = line.split_once(": [")?;
    let tag =
        before.trim_end().trim_end_matches(|c: char| c == ')' || c.is_ascii_digit() || c == ' ' || c == '(');
    let is_ours = tag.ends_with(TAG) && !tag.ends_with(&format!(".{TAG}"));
    let (session, said) = after.split_once("] ")?;
    let is_session = session.len() == 8 && session.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_ours && is_session).then_some(said.trim_end())
}

fn verdict(said: &str) -> Option<(Verdict, &str)> {
    use Verdict::{Failed, Healed, NotRun, Passed, Skipped};
    let (word, why) = said.split_once(": ").unwrap_or((said, ""));
    let found =
        [Passed, Failed, Skipped, NotRun, Healed].into_iter().find(|verdict| verdict.as_str() == word)?;
    Some((found, why))
}

fn failure(why: &str) -> Failure {
    let kind = if is_infrastructure(why) { FailureKind::Device } else { FailureKind::AssertionFailed };
    Failure::new(kind, if why.is_empty() { "failed, and nobody says why" } else { why })
}
