//! Servers and phones that answer what they should not. Each is a clear error in bounded time and memory.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use trailblaze_devices::adb::{Address, Error, ErrorKind, InstallOptions, Limit, Part, Refusal, Server};
use trailblaze_engine::host::Cancel;

use crate::server::{Talk, limit, opening, start, within};

/// The head of a packet of the shell.
fn packet(id: u8, length: u32) -> Vec<u8> {
    [&[id][..], &length.to_le_bytes()].concat()
}

#[track_caller]
fn check_version(answer: &'static [u8], expected: &str) {
    let server = start(move |mut talk| {
        talk.request();
        talk.say(answer);
    });
    let error = server.version(&limit()).unwrap_err();
    assert_eq!(error.message, format!("'host:version' of adb's server {expected}"));
}

#[test]
fn answers_that_are_none() {
    let none = |what: &str| format!("was answered by what is no answer: {what}");
    check_version(b"HTTP/1.1 400 Bad Request\r\n\r\n", &none("'HTTP'"));
    check_version(b"\xff\xfe\xfd\xfc", &none(r"'\xff\xfe\xfd\xfc'"));
    check_version(b"OKAYzzzz", &none("'zzzz'"));
    check_version(b"OKAY+0040029", &none("'+004'"));
    check_version(b"OKAY0004\xff\xff\xff\xff", &none(r"'\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd'"));
    check_version(b"OKAYffff0029", "was cut off: the connection was closed");
    check_version(b"FAILffffno", "was cut off: the connection was closed");
    check_version(b"", "was cut off: the connection was closed");
}

#[test]
fn what_is_not_adbs_server() {
    let hint =
        "hint: set ANDROID_ADB_SERVER_PORT to the port that adb's server has, or end what listens there";
    let server = start(|mut talk| {
        talk.request();
        talk.say(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let expected = |server: &Server, what: &str| {
        format!("adb's server does not answer at {}: what listens there {what}\n{hint}", server.address())
    };
    let error = server.ensure_running(&limit()).unwrap_err();
    assert_eq!(error.to_string(), expected(&server, "is something else"));
    let server = start(Talk::hang);
    let error = server.ensure_running(&within(80)).unwrap_err();
    assert_eq!(error.to_string(), expected(&server, "says nothing"));
    let address = Address { host: "nohost.invalid".to_owned(), port: 5037 };
    let error = Server::new(address, None).ensure_running(&limit()).unwrap_err();
    assert_eq!(
        error.hint.unwrap(),
        "no machine is known by the name 'nohost.invalid': look at ADB_SERVER_SOCKET and ANDROID_ADB_SERVER_ADDRESS"
    );
}

#[test]
fn names_that_nobody_may_guess_are_in_no_message() {
    let server = start(Talk::hang);
    let command = "am instrument -e session d6db8df1a0b94f55d6db8df1a0b94f55 x";
    let error = server.phone("paper-1").open(command, &within(80)).unwrap_err();
    assert_eq!(error.message, "'am instrument -e session … x' on paper-1 did not end within 80 ms");
}

#[test]
fn a_server_that_never_answers() {
    let server = start(Talk::hang);
    let began = Instant::now();
    let error = server.devices(&within(80)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "'host:devices-l' of adb's server did not end within 80 ms\nhint: is the phone awake and still connected? 'adb devices' says"
    );
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_interrupt_is_heard_while_nothing_comes() {
    let server = start(Talk::hang);
    let cancel = Cancel::default();
    let limit = Limit::within(Duration::from_secs(60), &cancel);
    let began = Instant::now();
    let waiting = std::thread::spawn(move || server.devices(&limit));
    cancel.cancel();
    assert_eq!(waiting.join().unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[track_caller]
fn check_shell(said: Vec<u8>, expected: &str) {
    let phone = opening(move |mut talk| {
        talk.say(&said);
        talk.end();
    });
    let found = match phone.shell("x", &limit()) {
        Ok(output) => format!("{output:?}"),
        Err(error) => format!("{:?}: {}", error.kind, error.message),
    };
    assert_eq!(found, expected);
}

#[test]
fn packets_of_the_shell() {
    // What nobody knows is left out.
    let known = [packet(9, 3), b"abc".to_vec(), packet(1, 0), packet(3, 1), vec![4]].concat();
    check_shell(known, "Output { out: [], err: [], exit: Some(4) }");
    let cut = "Lost: 'shell,v2,raw:x' on paper-1 was cut off: the connection was closed";
    check_shell([packet(1, u32::MAX), b"abc".to_vec()].concat(), cut);
    check_shell([packet(1, 3), b"abc".to_vec()].concat(), cut);
    check_shell(
        packet(3, 0),
        "Protocol: 'shell,v2,raw:x' on paper-1 was answered by what is no answer: an end without an exit code",
    );
}

#[test]
fn parts_come_as_they_are_said() {
    let phone = opening(|mut talk| {
        // One packet in two pieces, and the next one in the same write.
        talk.say([packet(1, 4), b"ab".to_vec()].concat());
        let mut go = [0; 5];
        talk.0.read_exact(&mut go).unwrap();
        talk.say(
            [b"cd".to_vec(), packet(2, 1), b"e".to_vec(), packet(1, 1), b"f".to_vec(), packet(3, 1), vec![0]]
                .concat(),
        );
    });
    let mut shell = phone.start_shell("x", &limit()).unwrap();
    assert_eq!(shell.next_part().unwrap(), Part::Out(b"ab".to_vec()));
    shell.close_input().unwrap();
    assert_eq!(shell.next_part().unwrap(), Part::Out(b"cd".to_vec()));
    assert_eq!(shell.next_part().unwrap(), Part::Err(b"e".to_vec()));
    assert_eq!(shell.next_part().unwrap(), Part::Out(b"f".to_vec()));
    assert_eq!(shell.next_part().unwrap(), Part::Exit(Some(0)));
}

#[test]
fn a_deadline_in_the_middle_of_a_packet_loses_nothing() {
    let (go, goes) = std::sync::mpsc::channel();
    let goes = std::sync::Mutex::new(goes);
    let phone = opening(move |mut talk| {
        let said = [packet(1, 2), b"ab".to_vec(), packet(3, 1), vec![0]].concat();
        for byte in said {
            talk.say([byte]);
            goes.lock().unwrap().recv().unwrap();
        }
    });
    let mut shell = phone.start_shell("x", &limit()).unwrap();
    let mut parts = Vec::new();
    while !matches!(parts.last(), Some(Part::Exit(_))) {
        shell.set_limit(&within(10));
        match shell.next_part() {
            Ok(part) => parts.push(part),
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::TimedOut);
                go.send(()).unwrap();
            }
        }
    }
    assert_eq!(parts, [Part::Out(b"a".to_vec()), Part::Out(b"b".to_vec()), Part::Exit(Some(0))]);
}

#[test]
fn a_session_with_files_is_over_after_a_deadline() {
    let phone = opening(|mut talk| {
        let _ = talk.0.read(&mut [0; 64]);
        talk.say(b"DATA\x05\0\0\0abc");
        let _ = talk.0.read(&mut [0; 64]);
        talk.say(b"deDONE\0\0\0\0");
        talk.hang();
    });
    let mut sync = phone.sync(&limit()).unwrap();
    sync.set_limit(&within(60));
    assert_eq!(sync.pull("/a", &mut Vec::new()).unwrap_err().kind, ErrorKind::TimedOut);
    sync.set_limit(&limit());
    assert_eq!(sync.pull("/b", &mut Vec::new()).unwrap_err().kind, ErrorKind::Lost);
}

#[test]
fn output_without_an_end() {
    let phone = opening(|mut talk| {
        let much = [packet(1, 1 << 20), vec![b'x'; 1 << 20]].concat();
        while talk.0.write_all(&much).is_ok() {}
    });
    let error = phone.shell("yes", &limit()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "'shell,v2,raw:yes' on paper-1 has more than 64 MiB to say\nhint: write it to a file on the phone and pull that"
    );
    // In parts there is no end to it, but a deadline.
    let mut shell = phone.start_shell("yes", &within(200)).unwrap();
    let error = loop {
        match shell.next_part() {
            Ok(Part::Out(bytes)) => assert!(bytes.len() <= 64 << 10),
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind, ErrorKind::TimedOut);
}

/// A phone that says this to whatever is asked of its files.
#[track_caller]
fn check_files(said: &[u8], expected: &str) {
    let said = said.to_vec();
    let phone = opening(move |mut talk| {
        let _ = talk.0.read(&mut [0; 64]);
        talk.say(&said);
        talk.hang();
    });
    let of = |result: Result<String, Error>| match result {
        Ok(told) => told,
        Err(error) => format!("{:?}: {}", error.kind, error.message),
    };
    let sync = || phone.sync(&within(2_000)).unwrap();
    let found = [
        of(sync().stat("/a").map(|stat| format!("{stat:?}"))),
        of(sync().list("/a").map(|list| format!("{list:?}"))),
        of(sync().pull("/a", &mut Vec::new()).map(|count| count.to_string())),
        of(sync().push(&mut std::io::repeat(1), "/a", 0o644, 0).map(|count| count.to_string())),
    ];
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(found.each_ref().map(String::as_str), expected[..]);
}

#[test]
fn files_of_a_phone_that_makes_no_sense() {
    let none = "Protocol: 'sync:' on paper-1 was answered by what is no answer:";
    check_files(
        b"WHAT",
        &[
            format!("{none} 'WHAT'"),
            format!("{none} 'WHAT'"),
            format!("{none} 'WHAT'"),
            format!("{none} 'WHAT'"),
        ]
        .join("\n"),
    );
    check_files(
        b"FAIL\xff\xff\xff\xff",
        &[(); 4].map(|()| format!("{none} a reason of 4294967295 bytes")).join("\n"),
    );
    check_files(
        b"FAIL\x06\0\0\0secure",
        "Refused: '/a' cannot be looked at on paper-1: secure
         Refused: '/a' cannot be listed on paper-1: secure
         Refused: '/a' cannot be pulled on paper-1: secure
         Refused: '/a' cannot be pushed on paper-1: secure",
    );
}

#[test]
fn pieces_that_are_too_large() {
    let check = |said: Vec<u8>, expected: &str| {
        let phone = opening(move |mut talk| {
            talk.say(&said);
            talk.hang();
        });
        let mut sync = phone.sync(&limit()).unwrap();
        let error =
            if said_list(expected) { sync.list("/a").err() } else { sync.pull("/a", &mut Vec::new()).err() };
        let error = error.unwrap();
        assert_eq!(
            error.message,
            format!("'sync:' on paper-1 was answered by what is no answer: {expected}")
        );
    };
    check([b"DATA".to_vec(), u32::MAX.to_le_bytes().to_vec()].concat(), "a piece of 4294967295 bytes");
    check(
        [b"DNT2".to_vec(), vec![0; 68], u32::MAX.to_le_bytes().to_vec(), vec![0; 72]].concat(),
        "entry 1 of '/a', with a name of 4294967295 bytes",
    );
}

fn said_list(expected: &str) -> bool {
    expected.starts_with("entry")
}

#[test]
fn names_must_not_lead_out_of_the_folder() {
    for name in ["../evil", "a/b", ""] {
        let phone = opening(move |mut talk| {
            let _ = talk.0.read(&mut [0; 64]);
            let mut stat = [0; 68];
            // A folder.
            stat[20..24].copy_from_slice(&0o040_755u32.to_le_bytes());
            talk.say([&b"STA2"[..], &stat].concat());
            let _ = talk.0.read(&mut [0; 64]);
            let length = u32::try_from(name.len()).unwrap().to_le_bytes();
            talk.say([&b"DNT2"[..], &stat, &length, name.as_bytes(), b"DONE", &[0; 72]].concat());
            talk.hang();
        });
        let to = std::env::temp_dir().join(format!("trailblaze-names-{}", std::process::id()));
        let error = phone.sync(&limit()).unwrap().pull_folder("/a", &to).unwrap_err();
        assert_eq!(error.message, format!("'/a' has a file with a name that is none: {name:?}"));
        std::fs::remove_dir_all(&to).unwrap();
    }
}

#[test]
fn a_phone_that_takes_nothing() {
    let phone = opening(|talk| {
        // It neither reads nor answers.
        std::thread::park_timeout(Duration::from_secs(20));
        drop(talk);
    });
    let began = Instant::now();
    let error = phone.sync(&within(150)).unwrap().push(&mut std::io::repeat(1), "/a", 0o644, 0).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_phone_that_is_gone_while_it_is_sent_something() {
    let gone = || {
        opening(|mut talk| {
            let _ = talk.0.read_exact(&mut vec![0; 300_000]);
        })
    };
    let error = gone().sync(&limit()).unwrap().push(&mut std::io::repeat(1), "/a", 0o644, 0).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Lost, "{error}");
    let (mut endless, options) = (std::io::repeat(1), InstallOptions::default());
    let error = gone().install_from(&mut endless, u64::MAX, "a.apk", &options, &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Lost, "{error}");
    let mut shell = gone().start_shell("cat", &limit()).unwrap();
    let error = loop {
        if let Err(error) = shell.write(&[1; 10_000]) {
            break error;
        }
    };
    assert_eq!(error.kind, ErrorKind::Lost, "{error}");
}

#[test]
fn a_file_that_cannot_be_read_here() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _into: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let phone = opening(Talk::hang);
    let error = phone.sync(&limit()).unwrap().push(&mut Broken, "/a", 0o644, 0).unwrap_err();
    assert_eq!(error.message, "what is to become '/a' cannot be read: the disk is gone");
    let options = InstallOptions::default();
    let error = phone.install_from(&mut Broken, 5, "a.apk", &options, &limit()).unwrap_err();
    assert_eq!(error.message, "a.apk cannot be read: the disk is gone");
    let error = phone.install_from(&mut b"abc".as_slice(), 5, "a.apk", &options, &limit()).unwrap_err();
    assert_eq!(error.message, "a.apk cannot be read: it ends too early");
}

#[test]
fn a_package_manager_that_says_no_or_nothing() {
    let check = |said: &'static str, kind: ErrorKind| {
        let phone = opening(move |mut talk| {
            talk.say(said);
            talk.end();
        });
        let mut endless = std::io::repeat(1);
        let error = phone
            .install_from(&mut endless, u64::MAX, "a.apk", &InstallOptions::default(), &limit())
            .unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
    };
    check("Failure [INSTALL_FAILED_VERSION_DOWNGRADE]", ErrorKind::Install(Refusal::Downgrade));
    check("Failure [INSTALL_FAILED_UPDATE_INCOMPATIBLE]", ErrorKind::Install(Refusal::OtherSignature));
    check("", ErrorKind::Lost);
    check("Success\n", ErrorKind::Protocol);
}
