//! A trail: a configuration and steps, read from and printed in either of the two forms.

mod config;
mod list;
mod print;
mod unified;

pub use config::{ArgDeclaration, ArgType, Config, PerDevice};

use crate::call::ToolCall;
use crate::classifier::Classifiers;
use crate::diagnostic::{Code, Diagnostics};
use crate::event::StepKind;
use crate::place::{Place, Source};
use crate::yaml::{self, Node, NodeValue, Reader};

/// One trail file.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    pub config: Config,
    /// In the order in which they run, the trailhead first. Empty for a document that only has a `config`.
    pub steps: Vec<Step>,
}

/// One step. Equality ignores where it was written.
#[derive(Clone, Debug)]
pub struct Step {
    pub kind: StepKind,
    /// What a person reads; empty for a list of tools.
    pub text: String,
    /// False: always solved live, never recorded.
    pub recordable: bool,
    pub max_retries: Option<u32>,
    pub recording: Recording,
    pub at: Place,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.text == other.text
            && self.recordable == other.recordable
            && self.max_retries == other.max_retries
            && self.recording == other.recording
    }
}

/// The calls that solve a step without a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Recording {
    None,
    /// The same calls on every device (list form, `tools` items).
    Always(Vec<ToolCall>),
    /// Calls per classifier, in the order of the file.
    PerClassifier(Vec<(String, Vec<ToolCall>)>),
}

impl Recording {
    /// The calls for a device. None: not recorded for it. An empty list: there is nothing to do.
    pub fn for_device(&self, device: &Classifiers) -> Option<&[ToolCall]> {
        match self {
            Self::None => None,
            Self::Always(calls) => Some(calls),
            Self::PerClassifier(per) => device
                .closest(|key| per.iter().find(|(name, _)| name == key).map(|(_, calls)| calls))
                .map(Vec::as_slice),
        }
    }

    /// All calls, whatever the device.
    pub fn all_calls(&self) -> impl Iterator<Item = &ToolCall> {
        let (always, per) = match self {
            Self::None => (&[][..], &[][..]),
            Self::Always(calls) => (calls.as_slice(), &[][..]),
            Self::PerClassifier(per) => (&[][..], per.as_slice()),
        };
        always.iter().chain(per.iter().flat_map(|(_, calls)| calls))
    }
}

impl Trail {
    /// A document with a configuration and no steps: readable, not runnable.
    pub fn is_config_only(&self) -> bool {
        self.steps.is_empty()
    }

    /// Prints the unified form, or the list form where only that can express it; reading it gives this
    /// trail back.
    pub fn print(&self) -> String {
        yaml::print(&print::trail(self))
    }
}

/// Reads a trail file of either form. None means that it has errors, which were reported.
pub fn read(source: &Source, problems: &mut Diagnostics) -> Option<Trail> {
    let errors = problems.errors().count();
    let trail = read_what_is_there(source, problems);
    if problems.errors().count() > errors { None } else { trail }
}

/// As [`read`], but gives what could be read of a trail with errors, so that the rest of it can be checked too.
pub fn read_what_is_there(source: &Source, problems: &mut Diagnostics) -> Option<Trail> {
    let node = yaml::read(source, problems)?;
    let mut reader = Reader::new(source, problems);
    read_node(&mut reader, &node)
}

fn read_node(reader: &mut Reader<'_>, node: &Node) -> Option<Trail> {
    if reader.is_empty_document(node, "a trail begins with 'trail:' and a list of steps") {
        return None;
    }
    match &node.value {
        NodeValue::Map(_) => unified::read(reader, node),
        NodeValue::List(_) => list::read(reader, node),
        NodeValue::Scalar(_) => {
            let message =
                "a trail is a mapping with 'trail:' or a list of 'config', 'prompts' and 'tools' items";
            reader.error(Code::WrongType, node.place, message);
            None
        }
    }
}

/// The mapping nodes of the steps of a unified document, the trailhead first: what an edit works on.
pub fn step_nodes(document: &Node) -> Vec<&Node> {
    let trailhead = document.get("trailhead").into_iter();
    let steps = document.get("trail").and_then(Node::as_list).unwrap_or_default();
    trailhead.chain(steps).collect()
}
