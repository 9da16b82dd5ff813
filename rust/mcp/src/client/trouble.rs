//! What can go wrong with a request, and the failure that it becomes.

use trailblaze_model::failure::{Failure, FailureKind};

use super::limits::{Limit, more_time, spoken};
use super::message::RpcError;
use super::transport::End;

/// The kind of failures after which a server cannot be used any more. The run ends.
const GONE: FailureKind = FailureKind::Toolset;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// The server answered with an error.
    Refused(RpcError),
    /// The answer makes no sense.
    Nonsense(String),
    TimedOut {
        limit: Limit,
        hint: Option<&'static str>,
    },
    /// The run was interrupted.
    Cancelled,
    /// The answer may have been in a line that is too long.
    TooLong(usize),
    Ended(End),
    /// Something is wrong on the way to a URL, or with what answers there.
    Web(Web),
    /// Something of this machine.
    Here(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Web {
    pub(super) reach: Reach,
    /// What it refused the request with.
    pub(super) status: Option<u16>,
    pub(super) url: String,
    pub(super) why: String,
    pub(super) hint: Option<String>,
}

/// How far a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Nobody is there.
    Never,
    /// Somebody was there.
    Lost,
    /// Somebody is there, but does not answer as it should.
    There,
}

impl Trouble {
    /// A failure of one call; the server goes on, unless it ended.
    pub(super) fn of_call(self, server: &str) -> Failure {
        let kind = match &self {
            Self::TimedOut { .. } => FailureKind::Timeout,
            Self::Cancelled => FailureKind::Interrupted,
            Self::Ended(_) | Self::Here(_) => GONE,
            Self::Web(Web { reach: Reach::Never | Reach::Lost, .. }) => GONE,
            Self::Refused(_) | Self::Nonsense(_) | Self::TooLong(_) | Self::Web(_) => FailureKind::Exception,
        };
        self.failure(kind, server, "tools/call")
    }

    /// A failure to get a server going.
    pub(super) fn of_start(self, server: &str, method: &str) -> Failure {
        let kind = if self == Self::Cancelled { FailureKind::Interrupted } else { GONE };
        self.failure(kind, server, method)
    }

    fn failure(self, kind: FailureKind, server: &str, method: &str) -> Failure {
        match self {
            Self::Refused(RpcError { code, message, .. }) => {
                Failure::new(kind, format!("server '{server}' refused '{method}': {message} ({code})"))
            }
            Self::Nonsense(why) => {
                Failure::new(kind, format!("server '{server}' answered '{method}' with nonsense: {why}"))
            }
            Self::TimedOut { limit, hint } => {
                let within = spoken(limit.ms);
                let message = format!("server '{server}' did not answer '{method}' within {within}");
                let more = limit.key.map(more_time);
                let hint = match (hint, more) {
                    (Some(hint), Some(more)) if hint.ends_with('?') => Some(format!("{hint} {more}")),
                    (Some(hint), Some(more)) => Some(format!("{hint}; {more}")),
                    (hint, more) => hint.map(str::to_owned).or(more),
                };
                with_hint(Failure::new(kind, message), hint)
            }
            Self::Cancelled => Failure::new(kind, format!("the call of server '{server}' was interrupted")),
            Self::TooLong(limit) => {
                let limit = limit >> 20;
                let message = format!(
                    "server '{server}' wrote a line longer than {limit} MiB instead of an answer to '{method}'"
                );
                Failure::new(kind, message).hint("save what is large to a file and answer with its path")
            }
            Self::Ended(End { how, last_lines }) => {
                let message = format!("server '{server}' {how} before it answered '{method}'");
                with_last_lines(Failure::new(kind, message), &last_lines)
            }
            Self::Web(Web { url, why, hint, .. }) => {
                let message = format!("'{method}' of server '{server}' failed at {url}: {why}");
                with_hint(Failure::new(kind, message), hint)
            }
            Self::Here(why) => Failure::new(kind, format!("server '{server}' cannot be reached: {why}")),
        }
    }
}

fn with_hint(failure: Failure, hint: Option<impl Into<String>>) -> Failure {
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

pub(super) fn with_last_lines(failure: Failure, lines: &[String]) -> Failure {
    if lines.is_empty() {
        return failure.hint("it wrote nothing to stderr");
    }
    let lines: String = lines.iter().map(|line| format!("\n  {line}")).collect();
    failure.stack(format!("its last lines on stderr:{lines}"))
}

/// A server could not even be started.
pub(super) fn not_started(message: String) -> Failure {
    Failure::new(GONE, message)
}
