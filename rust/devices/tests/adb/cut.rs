//! Every call, with what the server says cut off after every byte: closed, silent, or followed by noise.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use trailblaze_devices::adb::{Error, ErrorKind, InstallOptions, Limit, Phone};

use crate::phones::paper;
use crate::server::{SERIAL, Talk, limit, start, with, within};

/// What follows after the last byte.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Close,
    Silence,
    Noise,
}

type Call = fn(&Phone, &Limit) -> Result<String, Error>;

/// Each returns all that it was told.
const CALLS: &[(&str, Call)] = &[
    ("version", |phone, limit| Ok(phone.server().version(limit)?.to_string())),
    ("devices", |phone, limit| Ok(format!("{:?}", phone.server().devices(limit)?))),
    ("watch", |phone, limit| {
        let mut watch = phone.server().watch(limit)?;
        Ok(format!("{:?} {:?}", watch.next(limit)?, watch.next(limit)?))
    }),
    ("shell", |phone, limit| Ok(format!("{:?}", phone.shell("both", limit)?))),
    ("stat", |phone, limit| Ok(format!("{:?}", phone.sync(limit)?.stat("/a/one")?))),
    ("list", |phone, limit| Ok(format!("{:?}", phone.sync(limit)?.list("/a")?))),
    ("push", |phone, limit| {
        Ok(phone.sync(limit)?.push(&mut b"some bytes".as_slice(), "/p", 0o644, 1)?.to_string())
    }),
    ("pull", |phone, limit| {
        let mut to = Vec::new();
        phone.sync(limit)?.pull("/a/one", &mut to)?;
        Ok(format!("{to:?}"))
    }),
    ("pull of nothing", |phone, limit| {
        phone.sync(limit)?.pull("/none", &mut Vec::new()).unwrap_err_of(ErrorKind::NoFile)
    }),
    ("reverses", |phone, limit| Ok(format!("{:?}", phone.reverses(limit)?))),
    ("forwards", |phone, limit| Ok(format!("{:?}", phone.forwards(limit)?))),
    ("forward", |phone, limit| Ok(format!("{:?}", phone.forward("tcp:7", "tcp:8", limit)?))),
    ("install", |phone, limit| {
        phone.install_from(&mut b"apk".as_slice(), 3, "a.apk", &InstallOptions::default(), limit)?;
        Ok("installed".to_owned())
    }),
];

trait Expected {
    /// The text of an error of this kind; others stay errors.
    fn unwrap_err_of(self, kind: ErrorKind) -> Result<String, Error>;
}

impl<T: std::fmt::Debug> Expected for Result<T, Error> {
    fn unwrap_err_of(self, kind: ErrorKind) -> Result<String, Error> {
        match self {
            Err(error) if error.kind == kind => Ok(error.message),
            Err(error) => Err(error),
            Ok(value) => panic!("{value:?}"),
        }
    }
}

/// A phone behind a server that behaves, of which only so many bytes get through.
fn cut(bytes: usize, then: Then) -> (Phone, Arc<AtomicUsize>) {
    let paper = paper();
    paper.files.put("/a/one", 0o100_644, 5, "11");
    let behind = with(paper.phone).server().address().port;
    let said = Arc::<AtomicUsize>::default();
    let counted = said.clone();
    let server = start(move |talk: Talk| {
        let client = talk.0;
        let server = TcpStream::connect(("127.0.0.1", behind)).unwrap();
        let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
        pass(server, client, bytes, then, &counted);
    });
    (server.phone(SERIAL), said)
}

fn pass(mut server: TcpStream, mut client: TcpStream, most: usize, then: Then, said: &AtomicUsize) {
    let mut byte = [0];
    while let Ok(1) = server.read(&mut byte) {
        if said.fetch_add(1, Ordering::SeqCst) < most {
            // A client that is gone hears nothing.
            let _ = client.write_all(&byte);
            continue;
        }
        match then {
            Then::Close => break,
            Then::Silence => return Talk(client).hang(),
            Then::Noise => while client.write_all(&[0xee; 512]).is_ok() {},
        }
        break;
    }
    Talk(client).end();
}

#[track_caller]
fn check(then: Then, step: usize, limit_of_one: Option<u64>) {
    for (name, call) in CALLS {
        let (phone, said) = cut(usize::MAX, then);
        let whole = call(&phone, &limit()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let count = said.load(Ordering::SeqCst);
        for most in (0..count).step_by(step) {
            let (phone, _) = cut(most, then);
            let began = Instant::now();
            let limit = limit_of_one.map_or_else(limit, within);
            match call(&phone, &limit) {
                // All but the last line break was said.
                Ok(told) if *name == "install" && most + 1 == count => assert_eq!(told, whole),
                // Noise may look like an answer.
                Ok(_) if then == Then::Noise => {}
                Ok(told) => panic!("{name} after {most} of {count} bytes: {told}, whole: {whole}"),
                Err(error) => {
                    let fits = match then {
                        Then::Close => error.kind == ErrorKind::Lost,
                        Then::Silence => error.kind == ErrorKind::TimedOut,
                        Then::Noise => true,
                    };
                    assert!(fits, "{name} after {most} of {count} bytes: {:?} {error}", error.kind);
                    assert!(error.hint.is_some() || then == Then::Noise, "{name} after {most}: {error}");
                }
            }
            assert!(began.elapsed() < Duration::from_secs(10), "{name} after {most} bytes");
        }
    }
}

#[test]
fn closed_after_every_byte() {
    check(Then::Close, 1, None);
}

#[test]
fn silent_after_some_bytes() {
    check(Then::Silence, 29, Some(60));
}

#[test]
fn noise_after_some_bytes() {
    check(Then::Noise, 23, Some(150));
}
