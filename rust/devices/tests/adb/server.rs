//! An adb server in a thread, which does what it is told.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use trailblaze_devices::adb::{Address, Limit, Phone, Server};
use trailblaze_devices::fake_adbd::{Channel, FakePhone};
use trailblaze_engine::host::Cancel;

pub(crate) const SERIAL: &str = "paper-1";

pub(crate) fn limit() -> Limit {
    within(20_000)
}

pub(crate) fn within(millis: u64) -> Limit {
    Limit::within(Duration::from_millis(millis), &Cancel::default())
}

/// One connection of a client.
pub(crate) struct Talk(pub(crate) TcpStream);

impl Talk {
    /// What the client asks for.
    pub(crate) fn request(&mut self) -> Option<String> {
        let mut digits = [0; 4];
        self.0.read_exact(&mut digits).ok()?;
        let length = usize::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
        let mut text = vec![0; length];
        self.0.read_exact(&mut text).ok()?;
        String::from_utf8(text).ok()
    }

    pub(crate) fn say(&mut self, bytes: impl AsRef<[u8]>) {
        // A client that is gone hears nothing.
        let _ = self.0.write_all(bytes.as_ref());
    }

    pub(crate) fn okay(&mut self) {
        self.say("OKAY");
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.say(format!("{:04x}{text}", text.len()));
    }

    pub(crate) fn fail(&mut self, why: &str) {
        self.say("FAIL");
        self.text(why);
    }

    /// Ends as adb's server does: what was said must be heard, so what the client still says is taken.
    pub(crate) fn end(mut self) {
        let _ = self.0.shutdown(Shutdown::Write);
        let _ = std::io::copy(&mut self.0, &mut std::io::sink());
    }

    /// Reads without an answer, until the client gives up.
    pub(crate) fn hang(mut self) {
        let _ = std::io::copy(&mut self.0, &mut std::io::sink());
    }
}

/// Starts a server that does this with each connection.
pub(crate) fn start(each: impl Fn(Talk) + Send + Sync + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let each = Arc::new(each);
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            socket.set_nodelay(true).unwrap();
            let each = each.clone();
            thread::spawn(move || each(Talk(socket)));
        }
    });
    Server::new(Address { port, ..Address::default() }, None)
}

/// A server that behaves, with this phone.
pub(crate) fn with(phone: FakePhone) -> Phone {
    let (phone, forwards) = (Arc::new(phone), Arc::<Mutex<BTreeSet<String>>>::default());
    start(move |talk| behave(talk, &phone, &forwards)).phone(SERIAL)
}

/// A server that behaves until a service is opened, and then does this.
pub(crate) fn opening(then: impl Fn(Talk) + Send + Sync + 'static) -> Phone {
    let phone = Arc::new(FakePhone::new(|_| Ok(0)));
    let each = move |mut talk: Talk| {
        let request = talk.request().unwrap_or_default();
        if request.starts_with("host:transport:") {
            talk.okay();
            talk.request();
            talk.okay();
            then(talk);
        } else {
            answer(&mut talk, &request, &phone, &Mutex::default());
        }
    };
    start(each).phone(SERIAL)
}

fn behave(mut talk: Talk, phone: &Arc<FakePhone>, forwards: &Mutex<BTreeSet<String>>) {
    let Some(request) = talk.request() else { return };
    if request != format!("host:transport:{SERIAL}") {
        return answer(&mut talk, &request, phone, forwards);
    }
    talk.okay();
    let Some(service) = talk.request() else { return };
    let known = ["shell", "exec", "abb_exec", "sync", "reverse", "localabstract"];
    if !known.contains(&service.split([':', ',']).next().unwrap_or_default()) {
        return talk.fail("closed");
    }
    talk.okay();
    phone.serve(&service, Channel::try_from(talk.0.try_clone().unwrap()).unwrap());
    talk.end();
}

fn answer(talk: &mut Talk, request: &str, phone: &FakePhone, forwards: &Mutex<BTreeSet<String>>) {
    let of_phone = format!("host-serial:{SERIAL}:");
    let list = format!("{SERIAL:22} device product:paper model:Paper device:paper transport_id:1\n");
    let mut forwards = forwards.lock().unwrap();
    match request.strip_prefix(&of_phone).unwrap_or(request) {
        "host:version" => {
            talk.okay();
            talk.text("0029");
        }
        "host:devices-l" => {
            talk.okay();
            talk.text(&list);
        }
        "host:track-devices-l" => {
            talk.okay();
            talk.text("");
            talk.text(&list);
            drop(forwards);
            let _ = std::io::copy(&mut talk.0, &mut std::io::sink());
        }
        "features" => {
            talk.okay();
            talk.text(&phone.features.join(","));
        }
        "list-forward" => {
            talk.okay();
            let lines: String =
                forwards.iter().map(|spec| format!("{SERIAL} {}\n", spec.replace(';', " "))).collect();
            talk.text(&format!("other tcp:1 tcp:2\n{lines}"));
        }
        other => match other.split_once(':') {
            Some(("forward", spec)) => {
                forwards.insert(spec.to_owned());
                talk.say("OKAYOKAY");
            }
            Some(("killforward", from)) => {
                let count = forwards.len();
                forwards.retain(|spec| !spec.starts_with(&format!("{from};")));
                if forwards.len() < count {
                    talk.say("OKAYOKAY");
                } else {
                    talk.fail(&format!("listener '{from}' not found"));
                }
            }
            _ => talk.fail(&format!("unknown host service '{request}'")),
        },
    }
}
