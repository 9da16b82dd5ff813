//! Sockets of the phone: opened through adb's server, forwarded, and the other way round.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::{Duration, Instant};

use trailblaze_devices::adb::{Error, ErrorKind, Forward, Limit};
use trailblaze_devices::fake_adbd::{FakePhone, Socket};
use trailblaze_engine::host::Cancel;

use crate::lab::{Folder, Lab, limit};
use crate::talk::commands;

/// Says everything back, until the other side ends.
fn echo(mut socket: impl Read + Write) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = socket.read(&mut bytes) {
        socket.write_all(&bytes[..count]).unwrap();
    }
}

fn echo_server() -> (u16, Socket) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            thread::spawn(move || echo(socket));
        }
    });
    (at.port(), Socket::Tcp(at))
}

fn check_echo(mut stream: impl Read + Write) {
    for count in [1, 5, 100_000] {
        let bytes: Vec<u8> = (0..count).map(|index| index as u8).collect();
        let mut back = vec![0; bytes.len()];
        // What is said back must be read meanwhile, or nobody has room.
        for (sent, got) in bytes.chunks(8192).zip(back.chunks_mut(8192)) {
            stream.write_all(sent).unwrap();
            stream.read_exact(got).unwrap();
        }
        assert!(back == bytes);
    }
}

#[test]
fn a_socket_of_the_phone() {
    let phone = FakePhone::new(commands);
    phone.bridge("trailblaze-1", echo_server().1);
    let folder = Folder::new("unix");
    let path = folder.0.join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || echo(listener.accept().unwrap().0));
    phone.bridge("trailblaze-2", Socket::Unix(path));
    let (_lab, _adbd, phone) = Lab::with(phone);
    for name in ["trailblaze-1", "trailblaze-2"] {
        check_echo(phone.open_abstract(name, &limit()).unwrap());
    }
    let error = phone.open_abstract("none", &limit()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "nothing listens on the socket 'none' of {}\nhint: has the app that opens it ended?",
            phone.serial()
        )
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_abstract_socket_of_this_machine() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;

    let name = format!("trailblaze-test-{}", std::process::id());
    let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    thread::spawn(move || echo(listener.accept().unwrap().0));
    let mut fake = FakePhone::new(commands);
    fake.shares_sockets = true;
    let (_lab, _adbd, phone) = Lab::with(fake);
    check_echo(phone.open_abstract(&name, &limit()).unwrap());
    assert!(phone.open_abstract("trailblaze-test-none", &limit()).is_err());
    let (_lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    assert!(phone.open_abstract(&name, &limit()).is_err(), "others share none");
}

#[test]
fn long_answers_do_not_wait_for_acknowledgements() {
    let fake = FakePhone::new(commands);
    fake.bridge("echo", echo_server().1);
    let (_lab, _adbd, phone) = Lab::with(fake);
    let mut stream = phone.open_abstract("echo", &limit()).unwrap();
    let mut back = vec![0; 30_000];
    let began = Instant::now();
    for _ in 0..50 {
        stream.write_all(&[1; 30_000]).unwrap();
        stream.read_exact(&mut back).unwrap();
    }
    // With a wait of 40 ms in each it is more.
    assert!(began.elapsed() < Duration::from_millis(1500), "{:?}", began.elapsed());
}

#[test]
fn a_deadline_leaves_a_socket_open_and_an_interrupt_closes_it() {
    let fake = FakePhone::new(commands);
    fake.bridge("echo", echo_server().1);
    let (_lab, _adbd, phone) = Lab::with(fake);
    let mut stream = phone.open_abstract("echo", &limit()).unwrap();
    let cancel = Cancel::default();
    stream.set_limit(&Limit::within(Duration::from_millis(30), &cancel));
    let error = stream.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    assert_eq!(Error::behind(&error).unwrap().kind, ErrorKind::TimedOut);
    stream.set_limit(&Limit::within(Duration::from_secs(20), &cancel));
    let mut other = stream.try_clone().unwrap();
    let (heard, hears) = std::sync::mpsc::channel();
    let began = Instant::now();
    let reader = thread::spawn(move || {
        let mut bytes = [0; 5];
        stream.read_exact(&mut bytes).unwrap();
        heard.send(()).unwrap();
        (bytes, stream.read(&mut [0]).unwrap_err())
    });
    other.write_all(b"hello").unwrap();
    hears.recv().unwrap();
    cancel.cancel();
    let (bytes, error) = reader.join().unwrap();
    assert_eq!(&bytes, b"hello");
    assert_eq!(Error::behind(&error).unwrap().kind, ErrorKind::Cancelled);
    assert!(began.elapsed() < Duration::from_secs(5), "it did not wait for the deadline");
}

#[test]
fn when_the_app_ends_so_does_the_socket() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.write_all(b"bye").unwrap();
    });
    let fake = FakePhone::new(commands);
    fake.bridge("short", Socket::Tcp(at));
    let (_lab, _adbd, phone) = Lab::with(fake);
    let mut said = String::new();
    phone.open_abstract("short", &limit()).unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "bye");
}

#[test]
fn forwards() {
    let fake = FakePhone::new(commands);
    fake.bridge("echo", echo_server().1);
    let (_lab, _adbd, phone) = Lab::with(fake);
    assert_eq!(phone.forwards(&limit()).unwrap(), []);
    let port = phone.forward("tcp:0", "localabstract:echo", &limit()).unwrap().unwrap();
    check_echo(TcpStream::connect(("127.0.0.1", port)).unwrap());
    let from = format!("tcp:{port}");
    let forward = Forward { from: from.clone(), to: "localabstract:echo".to_owned() };
    assert_eq!(phone.forwards(&limit()).unwrap(), [forward]);
    assert!(phone.remove_forward(&from, &limit()).unwrap());
    assert!(!phone.remove_forward(&from, &limit()).unwrap(), "it is gone");
    assert_eq!(phone.forwards(&limit()).unwrap(), []);
    let error = phone.forward("nonsense", "localabstract:echo", &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
}

#[test]
fn sockets_of_the_laptop_on_the_phone() {
    let (_lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    let local = format!("tcp:{}", echo_server().0);
    let port = phone.reverse("tcp:0", &local, &limit()).unwrap().unwrap();
    // A port of the phone of paper is one of this machine.
    check_echo(TcpStream::connect(("127.0.0.1", port)).unwrap());
    let from = format!("tcp:{port}");
    assert_eq!(phone.reverses(&limit()).unwrap(), [Forward { from: from.clone(), to: local.clone() }]);
    assert!(phone.remove_reverse(&from, &limit()).unwrap());
    assert!(!phone.remove_reverse(&from, &limit()).unwrap(), "it is gone");
    assert_eq!(phone.reverses(&limit()).unwrap(), []);
    let error = phone.reverse("nonsense", &local, &limit()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Refused);
}
