//! JUnit XML: what farms make of the status lines, what Flank makes of all shards, and our own `junit.xml`.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use trailblaze_model::event::Verdict;

use super::told::{End, Names, Told, failure_of, is_ours};

/// Whether a text is of this kind.
pub(super) fn is_it(text: &str) -> bool {
    text.contains("<testsuite")
}

/// The suites of a file; what comes after a place where it is broken is lost.
#[derive(Debug, Default)]
pub(super) struct Suites {
    /// The name of each suite that has one, which Flank makes of the device.
    pub named: Vec<(String, Told)>,
    /// Whether it is read to its end.
    pub is_whole: bool,
}

/// A case that is being read.
struct Case {
    class: String,
    name: String,
    ms: Option<u64>,
    /// The element that says how it ended, with its message.
    ended: Option<(Ended, String)>,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Failure,
    Error,
    Skipped,
}

pub(super) fn read(text: &str, names: &Names) -> Suites {
    let mut reader = Reader::from_str(text);
    let mut suites = Suites::default();
    let mut case: Option<Case> = None;
    let mut is_inside = false;
    let mut depth = 0;
    // The end, or where it is broken or cut off: what was read so far holds.
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Eof => {
                suites.is_whole = depth == 0;
                break;
            }
            Event::Start(tag) => {
                depth += 1;
                match tag.local_name().as_ref() {
                    b"testsuite" => {
                        suites.named.push((attribute(&tag, "name").unwrap_or_default(), Told::default()))
                    }
                    b"testcase" => case = Some(Case::new(&tag)),
                    _ => is_inside = note(case.as_mut(), &tag),
                }
            }
            Event::Empty(tag) => match tag.local_name().as_ref() {
                b"testcase" => suites.take(Case::new(&tag), names),
                _ => drop(note(case.as_mut(), &tag)),
            },
            Event::Text(piece) => {
                if let (Some(case), true, Ok(piece)) = (case.as_mut(), is_inside, piece.decode()) {
                    case.text.push_str(&piece);
                }
            }
            Event::CData(piece) => {
                if let (Some(case), true, Ok(piece)) = (case.as_mut(), is_inside, piece.decode()) {
                    case.text.push_str(&piece);
                }
            }
            Event::GeneralRef(name) => {
                if let (Some(case), true) = (case.as_mut(), is_inside) {
                    let of_number = name.resolve_char_ref().ok().flatten();
                    let named =
                        || quick_xml::escape::resolve_predefined_entity(std::str::from_utf8(&name).ok()?);
                    match of_number {
                        Some(c) => case.text.push(c),
                        None => case.text.push_str(named().unwrap_or_default()),
                    }
                }
            }
            Event::End(tag) => {
                depth -= 1;
                match tag.local_name().as_ref() {
                    b"testcase" => case.take().into_iter().for_each(|case| suites.take(case, names)),
                    _ => is_inside = false,
                }
            }
            _ => {}
        }
    }
    if !suites.is_whole {
        suites.named.iter_mut().for_each(|(_, told)| told.end = End::Cut(None));
    }
    suites
}

/// The first element that says how a case ended counts; reruns follow it.
fn note(case: Option<&mut Case>, tag: &BytesStart<'_>) -> bool {
    let ended = match tag.local_name().as_ref() {
        b"failure" => Ended::Failure,
        b"error" => Ended::Error,
        b"skipped" => Ended::Skipped,
        _ => return false,
    };
    match case {
        Some(case) if case.ended.is_none() => {
            case.ended = Some((ended, attribute(tag, "message").unwrap_or_default()));
            true
        }
        _ => false,
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok()??;
    Some(String::from_utf8_lossy(&found.value).into_owned())
        .map(|raw| quick_xml::escape::unescape(&raw).map(std::borrow::Cow::into_owned).unwrap_or(raw.clone()))
}

impl Case {
    fn new(tag: &BytesStart<'_>) -> Self {
        let get = |name: &str| attribute(tag, name);
        let seconds = get("time").and_then(|time| time.parse::<f64>().ok()).filter(|time| *time >= 0.0);
        Self {
            class: get("classname").unwrap_or_default(),
            name: get("name").unwrap_or_default(),
            ms: seconds.map(|seconds| (seconds * 1000.0).round() as u64),
            ended: None,
            text: String::new(),
        }
    }
}

impl Suites {
    fn take(&mut self, case: Case, names: &Names) {
        if self.named.is_empty() {
            self.named.push((String::new(), Told::default()));
        }
        let told = &mut self.named.last_mut().expect("at least one").1;
        let Some(id) = names.by_case(&case.class, &case.name) else {
            if is_ours(&case.class) {
                told.strangers.push(format!("{}#{}", case.class, case.name));
            }
            return;
        };
        let current = told.current(&id);
        current.duration_ms = case.ms;
        current.verdict = Some(Verdict::Passed);
        let Some((ended, message)) = case.ended else { return };
        let text = if case.text.trim().is_empty() { message.clone() } else { case.text };
        match ended {
            Ended::Skipped => {
                let not_run = message.strip_prefix("not run: ");
                current.verdict = Some(if not_run.is_some() { Verdict::NotRun } else { Verdict::Skipped });
                let reason = not_run.unwrap_or(&message);
                current.reason = Some(if reason.is_empty() { "no reason given" } else { reason }.to_owned());
            }
            // Our own report of a trail that was under way.
            Ended::Error if message == "was running when the report was written" => current.verdict = None,
            _ => {
                current.verdict = Some(Verdict::Failed);
                current.failure = Some(failure_of(&text, ended == Ended::Error));
            }
        }
    }
}
