//! The progress line: how much of the run is done, the step that is under way, and how far its call is.

use std::io::Write;

use trailblaze_model::event::{Event, EventKind, TrailRun};

use crate::text::{fit, one_line};
use crate::trail_log::{Attempt, TrailLogs, run_of};

const BAR: usize = 16;

pub(super) struct Progress {
    /// None if no progress is wanted.
    out: Option<Box<dyn Write + Send>>,
    columns: usize,
    trails: usize,
    finished: usize,
    /// The trails that are running; the one that spoke last is the last.
    running: Vec<TrailRun>,
    /// What stands on the terminal now.
    drawn: String,
}

impl Progress {
    pub(super) const fn new(out: Option<Box<dyn Write + Send>>, columns: usize) -> Self {
        Self { out, columns, trails: 0, finished: 0, running: Vec::new(), drawn: String::new() }
    }

    /// A progress line that cannot be drawn is no reason to say anything.
    pub(super) fn clear(&mut self) {
        if let Some(out) = &mut self.out
            && !self.drawn.is_empty()
        {
            self.drawn.clear();
            let _ = out.write_all(b"\r\x1b[K").and_then(|()| out.flush());
        }
    }

    pub(super) fn event(&mut self, event: &Event, trails: &TrailLogs) {
        if self.out.is_none() {
            return;
        }
        match &event.kind {
            EventKind::RunStarted { trails, .. } => self.trails = *trails,
            EventKind::TrailStarted { id, .. } => self.speaks(run_of(event, id)),
            EventKind::StepStarted { .. } | EventKind::Progress { .. } => {
                if let Some(run) = event.trail_run() {
                    self.speaks(run);
                }
            }
            EventKind::TrailFinished { id, will_retry, .. } => {
                self.running.retain(|running| *running != run_of(event, id));
                self.finished += usize::from(!will_retry);
            }
            EventKind::RunFinished { .. } => return self.clear(),
            _ => {}
        }
        self.draw(trails);
    }

    fn speaks(&mut self, run: TrailRun) {
        self.running.retain(|running| *running != run);
        self.running.push(run);
    }

    fn draw(&mut self, trails: &TrailLogs) {
        if self.trails == 0 {
            return;
        }
        let line = self.line(trails);
        // The last column stays free: some terminals wrap as soon as it is used.
        let line = fit(&line, self.columns.saturating_sub(1));
        if let Some(out) = &mut self.out
            && line != self.drawn
        {
            let _ = write!(out, "\r{line}\x1b[K").and_then(|()| out.flush());
            line.clone_into(&mut self.drawn);
        }
    }

    /// `[######----------] 3/8 login/valid (and 1 more): Tap Sign in: half of it (1/2)`
    fn line(&self, trails: &TrailLogs) -> String {
        let filled = (self.done(trails) * BAR as f64) as usize;
        let filled = filled.min(BAR);
        let (full, empty) = ("#".repeat(filled), "-".repeat(BAR - filled));
        let mut line = format!("[{full}{empty}] {}/{}", self.finished, self.trails);
        let Some(run) = self.running.last() else { return line };
        line += &format!(" {}", one_line(&run.to_string()));
        if self.running.len() > 1 {
            line += &format!(" (and {} more)", self.running.len() - 1);
        }
        let attempt = trails.get(run).and_then(|trail| trail.last());
        if let Some(step) = attempt.and_then(|attempt| attempt.steps.back()) {
            line += &format!(": {}", step.text);
        }
        if let Some(progress) = attempt.and_then(Attempt::progress) {
            line += &format!(": {}", progress.text);
        }
        line
    }

    /// Between 0 and 1; a trail that is running counts as far as its steps are done.
    fn done(&self, trails: &TrailLogs) -> f64 {
        let part = |run: &TrailRun| {
            let attempt = trails.get(run)?.last()?;
            let ended = attempt.steps_started().saturating_sub(1);
            Some(ended as f64 / attempt.steps_planned().max(1) as f64)
        };
        let running: f64 = self.running.iter().filter_map(part).sum();
        (self.finished as f64 + running) / self.trails as f64
    }
}
