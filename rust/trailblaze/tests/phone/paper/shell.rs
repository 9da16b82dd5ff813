//! The shell of a phone of paper, and the log that it reads.

use std::time::{SystemTime, UNIX_EPOCH};

use trailblaze_android::shell::JOINED;

use super::{APP, App, ENABLED, SERVICE, SERVICES, State};

impl State {
    pub(crate) fn write_log(&mut self, buffer: &'static str, line: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
        self.log.push((u64::try_from(now).unwrap(), buffer, line.to_owned()));
    }

    /// An app ends with an exception.
    pub(crate) fn crash(&mut self, app_id: &str) {
        for line in [
            "FATAL EXCEPTION: main",
            &format!("Process: {app_id}, PID: 4243"),
            &format!("java.lang.IllegalStateException: boom{}", self.app.text),
            "\tat com.example.lab.Main.onClick(Main.java:7)",
        ] {
            self.write_log("crash", &format!("E/AndroidRuntime( 4243): {line}"));
        }
        self.app = App::default();
    }

    /// An app ends in native code.
    pub(crate) fn crack(&mut self, app_id: &str) {
        for line in [
            "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***",
            &format!("pid: 4243, tid: 4250, name: Thread-2  >>> {app_id} <<<"),
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0",
            "backtrace:",
            "      #00 pc 0000000000012345  /data/app/base.apk!libmap.so (draw+20)",
        ] {
            self.write_log("crash", &format!("F/DEBUG   ( 4301): {line}"));
        }
        self.app = App::default();
    }

    /// What a caller hears of a command: with a shell all of it, without one what it prints.
    pub(super) fn run(&mut self, command: &str) -> String {
        let Some(command) = command.strip_prefix(JOINED) else { return self.shell(command) };
        let complaint = self.complaints.iter().find(|(start, _)| command.starts_with(start));
        match complaint.map(|(_, text)| (*text).to_owned()) {
            Some(text) => text,
            None => self.shell(command),
        }
    }

    /// What a command prints; commands are split at spaces, and there is no shell that would take quotes away.
    fn shell(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split_whitespace().collect();
        let is_question = words.get(1) == Some(&"get") || matches!(words[0], "logcat" | "dumpsys");
        if !is_question {
            self.done.push(format!("$ {command}"));
        }
        match words.as_slice() {
            ["settings", "get", table, name] => {
                let value = self.settings.get(&format!("{table} {name}")).map_or("null", String::as_str);
                format!("{value}\n")
            }
            ["settings", "put", table, name, value] => {
                let before = self.settings.insert(format!("{table} {name}"), (*value).to_owned());
                self.note_services(&before.unwrap_or_default());
                String::new()
            }
            ["settings", "delete", table, name] => {
                let before = self.settings.remove(&format!("{table} {name}"));
                self.note_services(&before.clone().unwrap_or_default());
                format!("Deleted {} rows\n", u8::from(before.is_some()))
            }
            ["am", "force-stop", app_id] => {
                if *app_id == APP {
                    self.app = App::default();
                    self.is_hidden = false;
                }
                String::new()
            }
            ["am", "broadcast", ..] => "Broadcasting: Intent\nBroadcast completed: result=0\n".to_owned(),
            ["appops", "get", ..] => "No operations.\nDefault mode: deny\n".to_owned(),
            ["appops", "set", ..] | ["cmd", "connectivity", ..] => String::new(),
            ["cat", file] => std::fs::read_to_string(file).unwrap_or_default(),
            ["pm", "clear", _] => "Success\n".to_owned(),
            ["pm", "grant" | "revoke", ..] => String::new(),
            ["dumpsys", "package", _] => "    versionCode=7 minSdk=26\n    versionName=1.7\n".to_owned(),
            ["logcat", rest @ ..] => self.logcat(rest),
            _ => format!("{}: inaccessible or not found\n", words[0]),
        }
    }

    fn logcat(&self, words: &[&str]) -> String {
        let after =
            |key: &str| words.iter().position(|word| *word == key).and_then(|at| words.get(at + 1)).copied();
        let buffer = after("-b").unwrap_or("main");
        let (seconds, millis) = after("-T").unwrap().split_once('.').unwrap();
        let since: u64 = seconds.parse::<u64>().unwrap() * 1_000 + millis.parse::<u64>().unwrap();
        let lines = self.log.iter().filter(|(at, of, _)| *of == buffer && *at >= since);
        lines.map(|(_, _, line)| format!("{line}\n")).collect()
    }

    /// The system starts a service when it comes into the list and services are switched on; one that was in the list
    /// already is left as it is.
    fn note_services(&mut self, before: &str) {
        let get = |name: &str| self.settings.get(name).cloned().unwrap_or_default();
        let is_listed = get(SERVICES).split(':').any(|service| service == SERVICE);
        let was_listed = before.split(':').any(|service| service == SERVICE);
        let is_new = is_listed && !was_listed;
        self.is_starting_service = is_listed && get(ENABLED) == "1" && (is_new || self.is_starting_service);
        if !is_listed {
            self.is_service_connected = false;
        }
    }
}
