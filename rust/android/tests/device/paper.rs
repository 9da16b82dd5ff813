//! A phone of paper.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use trailblaze_android::platform::{Display, Extra, Motion, Platform, Source, Stroke, UiEvent};
use trailblaze_android::shell::JOINED;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::screen::Screen;

/// A platform that notes in one line each what it is asked, and answers what it was told.
#[derive(Default)]
pub(crate) struct Paper(Mutex<Answers>);

#[derive(Default)]
pub(crate) struct Answers {
    pub asked: Vec<String>,
    pub screen: Option<Screen>,
    pub events: Vec<UiEvent>,
    pub uptime_ms: u64,
    /// How the display is turned, as soon as it was told so; a stubborn one stays as it is.
    pub rotation: i32,
    pub is_stubborn: bool,
    /// What a command prints.
    pub shell: String,
    /// What others print, by how they begin.
    pub said: Vec<(&'static str, &'static str)>,
    /// So many looks see no window.
    pub blinks: u32,
    /// What a command says besides, where only a shell hears it.
    pub complaint: String,
    pub picture: Option<Vec<u8>>,
    /// Nothing is taken.
    pub refuses: bool,
    /// Every call throws.
    pub throws: bool,
    /// This one throws.
    pub broken: &'static str,
    /// Who asks for a screen waits until there is something in here, or nobody who could put it there.
    pub hangs: Option<Arc<Mutex<Receiver<()>>>>,
}

impl Paper {
    pub(crate) fn set<T>(&self, change: impl FnOnce(&mut Answers) -> T) -> T {
        change(&mut self.0.lock().unwrap())
    }

    fn ask<T>(&self, line: String, answer: impl FnOnce(&mut Answers) -> T) -> Result<T, Failure> {
        self.set(|answers| {
            let is_broken = !answers.broken.is_empty() && line.starts_with(answers.broken);
            answers.asked.push(line);
            match answers.throws || is_broken {
                true => Err(Failure::new(FailureKind::Device, "DeadObjectException").stack("at android.os")),
                false => Ok(answer(answers)),
            }
        })
    }

    fn take(&self, line: String) -> Result<bool, Failure> {
        self.ask(line, |answers| !answers.refuses)
    }
}

/// `x,y` pairs with a space between; a long way is its first and last points.
fn way(points: &[(f32, f32)]) -> String {
    let texts: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
    match texts.as_slice() {
        [first, second, .., last] if texts.len() > 6 => format!("{first} {second} … {last}"),
        _ => texts.join(" "),
    }
}

impl Platform for Paper {
    fn capture(&self, source: Source) -> Result<Option<Screen>, Failure> {
        if let Some(hangs) = self.set(|answers| answers.hangs.clone()) {
            let _ = hangs.lock().unwrap().recv();
        }
        self.ask(format!("capture {source:?}"), |answers| match answers.blinks {
            0 => answers.screen.clone(),
            _ => {
                answers.blinks -= 1;
                None
            }
        })
    }

    fn screenshot(&self, source: Source) -> Result<Option<Vec<u8>>, Failure> {
        self.ask(format!("screenshot {source:?}"), |answers| answers.picture.clone())
    }

    fn take_events(&self) -> Result<Vec<UiEvent>, Failure> {
        self.ask("events".to_owned(), |answers| std::mem::take(&mut answers.events))
    }

    fn uptime_ms(&self) -> Result<u64, Failure> {
        self.ask("uptime".to_owned(), |answers| answers.uptime_ms)
    }

    fn display(&self) -> Result<Display, Failure> {
        self.ask("display".to_owned(), |answers| {
            let rotation = answers.rotation;
            Display { width: 1000, height: 2000, rotation, density: 400 }
        })
    }

    fn perform(&self, node: u32, action: i32, text: Option<&str>) -> Result<bool, Failure> {
        let text = text.map_or(String::new(), |text| format!(" '{text}'"));
        self.take(format!("perform {node} {action:#x}{text}"))
    }

    fn inject(&self, motions: &[Motion]) -> Result<bool, Failure> {
        let (first, last) = (motions.first().unwrap(), motions.last().unwrap());
        let at = |motion: &Motion| {
            let (_, x, y) = motion.pointers[0];
            format!("{x},{y}")
        };
        let most = motions.iter().map(|motion| motion.pointers.len()).max().unwrap_or(0);
        let fingers = if most > 1 { format!(" with {most} fingers") } else { String::new() };
        self.take(format!("inject {} to {} in {} ms{fingers}", at(first), at(last), last.at_ms))
    }

    fn dispatch(&self, strokes: &[Stroke]) -> Result<bool, Failure> {
        let one = |stroke: &Stroke| {
            format!("{} from {} for {} ms", way(&stroke.points), stroke.start_ms, stroke.duration_ms)
        };
        self.take(format!("dispatch {}", strokes.iter().map(one).collect::<Vec<_>>().join(" + ")))
    }

    fn key(&self, code: i32) -> Result<bool, Failure> {
        self.take(format!("key {code}"))
    }

    fn keys(&self, text: &str) -> Result<bool, Failure> {
        self.take(format!("keys '{text}'"))
    }

    fn commit(&self, text: &str) -> Result<bool, Failure> {
        self.take(format!("commit '{text}'"))
    }

    fn global(&self, source: Source, action: i32) -> Result<bool, Failure> {
        self.take(format!("global {source:?} {action}"))
    }

    fn set_clipboard(&self, text: &str) -> Result<(), Failure> {
        self.take(format!("clipboard '{text}'")).map(|_| ())
    }

    fn set_rotation(&self, quarter_turns: i32) -> Result<bool, Failure> {
        self.ask(format!("rotate {quarter_turns}"), |answers| {
            if quarter_turns >= 0 && !answers.is_stubborn {
                answers.rotation = quarter_turns;
            }
            !answers.refuses
        })
    }

    fn add_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.take(format!("add {name}")).map(drop)
    }

    fn set_test_location(&self, provider: &str, latitude: f64, longitude: f64) -> Result<(), Failure> {
        self.take(format!("{provider} {latitude},{longitude}")).map(drop)
    }

    fn remove_test_provider(&self, name: &str) -> Result<(), Failure> {
        self.take(format!("remove {name}")).map(drop)
    }

    fn fetch(&self, _request: &[u8]) -> Result<Vec<u8>, Failure> {
        unreachable!("a device sends nothing into the network")
    }

    fn shell(&self, command: &str) -> Result<String, Failure> {
        let (command, is_joined) = match command.strip_prefix(JOINED) {
            Some(command) => (command, true),
            None => (command, false),
        };
        self.ask(format!("$ {command}"), |answers| {
            if let Some((_, said)) = answers.said.iter().find(|(start, _)| command.starts_with(start)) {
                return (*said).to_owned();
            }
            if is_joined { format!("{}{}", answers.shell, answers.complaint) } else { answers.shell.clone() }
        })
    }

    fn launch(&self, app_id: &str, extras: &[Extra]) -> Result<bool, Failure> {
        let one = |extra: &Extra| format!(" {}:{}={}", extra.kind, extra.key, extra.value);
        self.take(format!("launch {app_id}{}", extras.iter().map(one).collect::<String>()))
    }

    fn open(&self, link: &str) -> Result<bool, Failure> {
        self.take(format!("open {link}"))
    }

    fn installed(&self) -> Result<Vec<String>, Failure> {
        self.ask("installed".to_owned(), |_| vec!["com.example.app".to_owned()])
    }

    fn is_service_connected(&self) -> Result<bool, Failure> {
        self.ask("is the service there".to_owned(), |_| true)
    }

    fn service_component(&self) -> Result<String, Failure> {
        Ok("dev.trailblaze.agent/.Service".to_owned())
    }

    fn status(&self, _code: i32, _values: &[(&str, String)]) -> Result<(), Failure> {
        unreachable!("a device reports nothing")
    }

    fn finish(&self, _code: i32, _values: &[(&str, String)]) -> Result<(), Failure> {
        unreachable!("a device ends no run")
    }

    fn assets(&self, _folder: &str) -> Result<Vec<String>, Failure> {
        unreachable!("a device reads no files")
    }

    fn asset(&self, _path: &str) -> Result<Vec<u8>, Failure> {
        unreachable!("a device reads no files")
    }

    fn files_dir(&self) -> Result<String, Failure> {
        self.ask("files".to_owned(), |_| "/data/files".to_owned())
    }

    fn describe_device(&self) -> Result<Vec<(String, String)>, Failure> {
        self.ask("describe".to_owned(), |_| vec![("model".to_owned(), "Paper 3".to_owned())])
    }

    fn log(&self, priority: i32, tag: &str, message: &str) {
        self.set(|answers| answers.asked.push(format!("log {priority} {tag} {message}")));
    }
}
