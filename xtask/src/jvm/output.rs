//! What a run in the JVM printed, and what is wrong with it whatever the run was about.

/// A complaint of the JVM about native code, by `-Xcheck:jni` or of its own: a line that begins like one of these, or
/// has `VM warning:` in it. HotSpot writes `WARNING in native method: …`, `WARNING: JNI local refs: …`,
/// `FATAL ERROR in native method: …` and `Warning: SIGSEGV handler …`; a crash is `# A fatal error …`.
const COMPLAINTS: [&str; 4] = ["WARNING", "FATAL ERROR", "Warning:", "# A fatal error"];

pub(super) fn complaints(told: &str) -> impl Iterator<Item = &str> {
    told.lines()
        .filter(|line| COMPLAINTS.iter().any(|start| line.starts_with(start)) || line.contains("VM warning:"))
}

/// Every test that was started has one end, and none ends that was not started.
pub(super) fn unpaired(told: &str) -> Option<String> {
    let mut open: Option<&str> = None;
    for line in told.lines().filter_map(|line| line.strip_prefix("status ")) {
        let (code, values) = line.split_once(' ')?;
        let name = values.split("|id|").next().unwrap_or(values);
        match (open.take(), code) {
            (None, "1") => open = Some(name),
            (Some(started), code) if code != "1" && started == name => {}
            _ => return Some(format!("a status without its pair: {line}")),
        }
    }
    open.map(|name| format!("a test without an end: {name}"))
}

/// The first of these parts that does not stand after the one before it.
pub(super) fn missing<'a>(told: &str, parts: &[&'a str]) -> Option<&'a str> {
    let mut rest = told;
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return Some(part),
        }
    }
    None
}

/// What stayed behind, as `upcalls=100000 references=0 threads=0 kilobytes=12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    pub(crate) upcalls: i64,
    pub(crate) references: i64,
    pub(crate) threads: i64,
    pub(crate) kilobytes: i64,
}

pub(super) fn growth(told: &str) -> Option<Growth> {
    let line = told.lines().find(|line| line.starts_with("upcalls="))?;
    let value = |name: &str| line.split(' ').find_map(|part| part.strip_prefix(name))?.parse().ok();
    Some(Growth {
        upcalls: value("upcalls=")?,
        references: value("references=")?,
        threads: value("threads=")?,
        kilobytes: value("kilobytes=")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_told_from_talk() {
        let told = "version 0.1.0\nstatus 1 WARNING\ntrailblaze 5: WARNING\nWARNING: JNI local refs: 33\n\tat Main\n\
            FATAL ERROR in native method: x\nOpenJDK 64-Bit Server VM warning: y\n";
        let expected = [
            "WARNING: JNI local refs: 33",
            "FATAL ERROR in native method: x",
            "OpenJDK 64-Bit Server VM warning: y",
        ];
        assert_eq!(complaints(told).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn statuses_come_in_pairs() {
        let check = |told: &str, expected: Option<&str>| assert_eq!(unpaired(told).as_deref(), expected);
        check("status 1 class|A|test|a|id|x\nstatus -2 class|A|test|a|id|x\nfinish -1 stream|", None);
        check("status 1 class|A|test|a|id|x\n", Some("a test without an end: class|A|test|a"));
        check("status 0 class|A|id|x\n", Some("a status without its pair: 0 class|A|id|x"));
        check("status 1 a|id|x\nstatus 0 b|id|x\n", Some("a status without its pair: 0 b|id|x"));
        check("status 1 a|id|x\nstatus 1 b|id|x\n", Some("a status without its pair: 1 b|id|x"));
    }

    #[test]
    fn parts_stand_in_order() {
        assert_eq!(missing("one two\nthree\n", &["two", "three"]), None);
        assert_eq!(missing("one two\nthree\n", &["three", "two"]), Some("two"));
        assert_eq!(missing("one two\n", &["two", "two"]), Some("two"));
    }

    #[test]
    fn growth_is_read() {
        let read = growth("calls {}\nupcalls=5 references=-1 threads=0 kilobytes=12\n");
        assert_eq!(read, Some(Growth { upcalls: 5, references: -1, threads: 0, kilobytes: 12 }));
        assert_eq!(growth("upcalls=5 references=1\n"), None);
    }
}
