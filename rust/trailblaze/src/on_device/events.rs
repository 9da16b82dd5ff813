//! The events of a run, read while the phone writes them.

use trailblaze_devices::adb::{Error, Limit, Phone, Sync};
use trailblaze_engine::host::Cancel;
use trailblaze_model::event::Event;

use crate::laptop::SMALL;

/// The file with the events, as far as it was read.
#[derive(Debug)]
pub(super) struct Events {
    path: String,
    read: u64,
    /// The beginning of a line whose end is not there yet.
    rest: Vec<u8>,
    places: Places,
    sync: Option<Sync>,
}

impl Events {
    pub(super) fn new(path: String, places: Places) -> Self {
        Self { path, read: 0, rest: Vec::new(), places, sync: None }
    }

    /// What was written since the last time.
    pub(super) fn next(&mut self, phone: &Phone) -> Result<Vec<Event>, Error> {
        // It is read to its end also after an interrupt.
        let limit = Limit::within(SMALL, &Cancel::default());
        let size = self.size(phone, &limit).inspect_err(|_| self.sync = None)?;
        if size <= self.read {
            return Ok(Vec::new());
        }
        let tail = format!("tail -c +{} {}", self.read + 1, self.path);
        let new = phone.shell(&tail, &limit)?.out;
        self.read += new.len() as u64;
        self.rest.extend(new);
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.rest.drain(..end).collect();
        let lines = String::from_utf8_lossy(&lines);
        Ok(lines.lines().filter_map(|line| Event::from_line(&self.places.here(line))).collect())
    }

    fn size(&mut self, phone: &Phone, limit: &Limit) -> Result<u64, Error> {
        let sync = match &mut self.sync {
            Some(sync) => sync,
            none => none.insert(phone.sync(limit)?),
        };
        sync.set_limit(limit);
        Ok(sync.stat(&self.path)?.map_or(0, |stat| stat.size))
    }
}

/// Where files of the workspace are there, and here.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The end of the workspace's path there: nobody else has such a name.
    there: String,
    /// As text of JSON, with a `/` at its end unless it is the current folder.
    here: String,
}

impl Places {
    pub(super) fn new(there: String, here: &str) -> Self {
        let mut folders = there.rsplit('/');
        let (inner, outer) = (folders.next().unwrap_or_default(), folders.next().unwrap_or_default());
        let here = if here == "." { String::new() } else { format!("{here}/") };
        let here = serde_json::Value::from(here).to_string();
        Self { there: format!("{outer}/{inner}/"), here: here.trim_matches('"').to_owned() }
    }

    /// A line in which files are named as they are here.
    fn here(&self, line: &str) -> String {
        let mut parts = line.split(&self.there);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let path = out.rfind([' ', '"', '\'', '(']).map_or(0, |at| at + 1);
            out.truncate(path);
            out.push_str(&self.here);
            out.push_str(part);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_they_are_here() {
        let line = r#"{"at":"/data/local/tmp/run-1/workspace/trails/a.yaml:1:2","m":"in (/data/local/tmp/run-1/workspace/b) and /data/x"}"#;
        let there = || "/data/local/tmp/run-1/workspace".to_owned();
        let expected = r#"{"at":"trails/a.yaml:1:2","m":"in (b) and /data/x"}"#;
        assert_eq!(Places::new(there(), ".").here(line), expected);
        let expected = r#"{"at":"../my \"shop\"/trails/a.yaml:1:2","m":"in (../my \"shop\"/b) and /data/x"}"#;
        assert_eq!(Places::new(there(), "../my \"shop\"").here(line), expected);
    }
}
