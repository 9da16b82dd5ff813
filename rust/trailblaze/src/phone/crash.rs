//! How an app came to its end, read from the log of the system.

/// How an app ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Crash {
    pub message: String,
    pub stack: String,
}

/// The process of a line in the form `brief`, `E/AndroidRuntime( 4243): text`, and its text.
fn brief<'a>(line: &'a str, tag: &str) -> Option<(&'a str, &'a str)> {
    let (head, text) = line.split_once("): ").or_else(|| Some((line.strip_suffix("):")?, "")))?;
    let (head, process) = head.split_once('(')?;
    (head.trim_end() == tag).then_some((process.trim(), text))
}

/// An app may have several processes: `com.example.app:sync`.
fn is_of_app(process: &str, app_id: &str) -> bool {
    process.strip_prefix(app_id).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// The last exception of an app in the crash buffer.
pub(super) fn exception(log: &str, app_id: &str) -> Option<Crash> {
    let lines: Vec<(&str, &str)> = log.lines().filter_map(|line| brief(line, "E/AndroidRuntime")).collect();
    let names_app = |(_, text): &(&str, &str)| {
        let process = text.strip_prefix("Process: ").map(|rest| rest.split(',').next().unwrap_or(rest));
        process.is_some_and(|process| is_of_app(process, app_id))
    };
    let at = lines.iter().rposition(names_app)?;
    // Two apps may crash at a time; each writes its own lines.
    let crashed = lines[at].0;
    let own = lines[at + 1..].iter().filter(|(process, _)| *process == crashed).map(|(_, text)| *text);
    let stack: Vec<&str> = own.take_while(|text| !text.starts_with("FATAL EXCEPTION")).collect();
    let first = stack.first().copied().unwrap_or("it does not say why");
    Some(Crash { message: format!("'{app_id}' crashed: {first}"), stack: stack.join("\n") })
}

/// The last signal that ended an app in native code. The system dumps what it knows of it, tombstone by tombstone:
/// `pid: 12, tid: 34, name: Thread-2  >>> com.example.app <<<`, the signal, why it was sent, registers, a backtrace.
/// Where the dump itself failed, the process has said at least which signal it was.
pub(super) fn signal(log: &str, app_id: &str) -> Option<Crash> {
    let dumped: Vec<(&str, &str)> = log.lines().filter_map(|line| brief(line, "F/DEBUG")).collect();
    let names_app = |(_, text): &(&str, &str)| {
        let process = text.split_once(">>> ").and_then(|(_, rest)| rest.split_once(" <<<"));
        process.is_some_and(|(process, _)| is_of_app(process, app_id))
    };
    let Some(at) = dumped.iter().rposition(names_app) else { return last_words(log, app_id) };
    // Two processes may be dumped at a time, each by a process of its own.
    let dumper = dumped[at].0;
    let lines = dumped[at + 1..].iter().filter(|(process, _)| *process == dumper).map(|(_, text)| *text);
    let lines: Vec<&str> = lines.take_while(|text| !text.starts_with("*** ***")).collect();
    let starting = |with: &str| lines.iter().copied().find(|line| line.starts_with(with));
    let signal = starting("signal ").unwrap_or("it does not say which signal");
    let why = starting("Abort message: ").or_else(|| starting("Cause: "));
    let is_frame = |line: &&str| line.trim_start().starts_with('#');
    let frames = lines.iter().copied().skip_while(|line| *line != "backtrace:").skip(1).take_while(is_frame);
    let stack: Vec<&str> = [signal].into_iter().chain(why).chain(frames).collect();
    let why = why.map(|why| format!(", {why}")).unwrap_or_default();
    Some(Crash { message: in_native_code(app_id, &format!("{signal}{why}")), stack: stack.join("\n") })
}

/// `Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 34 (Thread-2), pid 12 (com.example.app)`
fn last_words(log: &str, app_id: &str) -> Option<Crash> {
    let said = log.lines().filter_map(|line| brief(line, "F/libc")).map(|(_, text)| text);
    let is_of_app = |text: &&str| {
        let process = text.rsplit_once('(').and_then(|(_, process)| process.strip_suffix(')'));
        text.starts_with("Fatal signal ") && process.is_some_and(|process| is_of_app(process, app_id))
    };
    let said = said.rev().find(is_of_app)?;
    Some(Crash { message: in_native_code(app_id, said), stack: String::new() })
}

fn in_native_code(app_id: &str, why: &str) -> String {
    format!("'{app_id}' crashed in native code: {why}")
}

/// `I/am_anr  ( 1234): [0,5678,com.example.app,952745542,Input dispatching timed out]`: user, number and name of the
/// process, flags and a reason, which may have commas of its own.
pub(super) fn not_responding(log: &str, app_id: &str) -> Option<Crash> {
    let reason = |line: &str| {
        let (_, list) = line.split_once('[').filter(|(start, _)| start.contains("am_anr"))?;
        let mut fields = list.trim_end().trim_end_matches(']').splitn(5, ',').skip(2);
        let is_app = is_of_app(fields.next()?.trim(), app_id);
        is_app.then(|| fields.nth(1).unwrap_or_default().trim().to_owned())
    };
    let reason = log.lines().rev().find_map(reason)?;
    Some(Crash { message: format!("'{app_id}' did not respond: {reason}"), stack: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: &str = "com.example.app";

    const LOG: &str = "\
E/AndroidRuntime( 4242): FATAL EXCEPTION: main
E/AndroidRuntime( 4242): Process: com.example.other, PID: 4242
E/AndroidRuntime( 4242): java.lang.RuntimeException: other
E/AndroidRuntime( 4243): FATAL EXCEPTION: main
E/AndroidRuntime( 4243): Process: com.example.app, PID: 4243
E/AndroidRuntime( 4243): java.lang.IllegalStateException: no parcel
E/AndroidRuntime( 4243): \tat com.example.app.List.open(List.java:7)
";

    #[test]
    fn the_crash_of_the_app_is_found_among_others() {
        let found = exception(LOG, APP).unwrap();
        assert_eq!(found.message, "'com.example.app' crashed: java.lang.IllegalStateException: no parcel");
        assert!(found.stack.ends_with("at com.example.app.List.open(List.java:7)"));
        assert_eq!(exception(LOG, "com.example"), None);
        assert_eq!(exception("", APP), None);
    }

    /// The lines of another app are not those of this one.
    #[test]
    fn two_crashes_at_a_time_are_told_apart() {
        let log = "\
E/AndroidRuntime( 4242): FATAL EXCEPTION: main
E/AndroidRuntime( 4243): FATAL EXCEPTION: main
E/AndroidRuntime( 4243): Process: com.example.app, PID: 4243
E/AndroidRuntime( 4242): Process: com.example.other, PID: 4242
E/AndroidRuntime( 4242): java.lang.RuntimeException: other
E/AndroidRuntime( 4243): java.lang.IllegalStateException: no parcel
E/AndroidRuntime( 4242): \tat com.example.other.Main.main(Main.java:1)
E/AndroidRuntime( 4243): \tat com.example.app.List.open(List.java:7)
";
        let stack = |app_id| exception(log, app_id).unwrap().stack;
        let own = "java.lang.IllegalStateException: no parcel\n\tat com.example.app.List.open(List.java:7)";
        assert_eq!(stack(APP), own);
        let other = "java.lang.RuntimeException: other\n\tat com.example.other.Main.main(Main.java:1)";
        assert_eq!(stack("com.example.other"), other);
    }

    const TOMBSTONE: &str = "\
F/libc    ( 4243): Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 4250 (Thread-2), pid 4243 (com.example.app)
F/DEBUG   ( 4301): *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
F/DEBUG   ( 4301): Build fingerprint: 'maker/phone/phone:14/AB1/1:user/release-keys'
F/DEBUG   ( 4301): pid: 4243, tid: 4250, name: Thread-2  >>> com.example.app <<<
F/DEBUG   ( 4301): uid: 10234
F/DEBUG   ( 4301): signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000000
F/DEBUG   ( 4302): *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
F/DEBUG   ( 4302): pid: 4260, tid: 4260, name: other  >>> com.example.other <<<
F/DEBUG   ( 4302): signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------
F/DEBUG   ( 4301): Cause: null pointer dereference
F/DEBUG   ( 4301):     x0  0000000000000000  x1  0000007b2c3d4e5f
F/DEBUG   ( 4301):
F/DEBUG   ( 4301): backtrace:
F/DEBUG   ( 4301):       #00 pc 0000000000012345  /data/app/base.apk!libmap.so (draw+20)
F/DEBUG   ( 4302): Abort message: 'no map'
F/DEBUG   ( 4301):       #01 pc 0000000000023456  /data/app/base.apk!libmap.so (main+8)
F/DEBUG   ( 4301):
F/DEBUG   ( 4301): memory near x0:
";

    #[test]
    fn a_native_crash_is_found_among_others() {
        let found = signal(TOMBSTONE, APP).unwrap();
        let told = "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000000";
        let cause = "Cause: null pointer dereference";
        assert_eq!(found.message, format!("'{APP}' crashed in native code: {told}, {cause}"));
        let frames = "      #00 pc 0000000000012345  /data/app/base.apk!libmap.so (draw+20)\n      \
                      #01 pc 0000000000023456  /data/app/base.apk!libmap.so (main+8)";
        assert_eq!(found.stack, format!("{told}\n{cause}\n{frames}"));
        let other = signal(TOMBSTONE, "com.example.other").unwrap();
        assert!(
            other.message.ends_with("(SI_QUEUE), fault addr --------, Abort message: 'no map'"),
            "{other:?}"
        );
        for not_there in ["com.example", "com.example.app2", "name: other"] {
            assert_eq!(signal(TOMBSTONE, not_there), None);
        }
    }

    #[test]
    fn a_process_of_the_app_counts_as_the_app() {
        let log = TOMBSTONE.replace(">>> com.example.app <<<", ">>> com.example.app:sync <<<");
        assert!(signal(&log, APP).unwrap().message.contains("crashed in native code: signal 11"));
    }

    /// Without a dump there is the line that the process wrote itself.
    #[test]
    fn a_signal_is_known_without_a_dump() {
        let found = signal(TOMBSTONE.lines().next().unwrap(), APP).unwrap();
        assert!(
            found.message.starts_with("'com.example.app' crashed in native code: Fatal signal 11 (SIGSEGV)")
        );
        assert_eq!(found.stack, "");
        assert_eq!(signal("F/libc    ( 1): FORTIFY: read of 7 (com.example.app)", APP), None);
    }

    #[test]
    fn an_app_that_hangs_is_found() {
        let log = "I/am_anr  ( 1234): [0,5678,com.example.app,952745542,Input dispatching timed out]\n";
        let found = not_responding(log, APP).unwrap();
        assert_eq!(found.message, "'com.example.app' did not respond: Input dispatching timed out");
        assert_eq!(not_responding(log, "com.example"), None);
        let sync = log.replace("com.example.app,", "com.example.app:sync,");
        assert!(not_responding(&sync, APP).is_some());
        assert_eq!(not_responding(&log.replace("com.example.app,", "com.example.app2,"), APP), None);
        let log = log.replace("out]", "out (no window has focus, waited 5 s)]");
        let found = not_responding(&log, APP).unwrap();
        assert!(found.message.ends_with(": Input dispatching timed out (no window has focus, waited 5 s)"));
    }
}
