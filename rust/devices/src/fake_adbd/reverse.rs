//! The service `reverse:`. A socket of the phone is one of this machine, under the same name.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::channel::Channel;
use super::link::Link;
use super::phone::join_tcp;

/// Sockets of the phone that end on the host.
#[derive(Debug, Default)]
pub(super) struct Reverse(Mutex<BTreeMap<String, Listening>>);

#[derive(Debug)]
struct Listening {
    to: String,
    port: u16,
    stop: Arc<AtomicBool>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the one who waits for connections.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Reverse {
    /// They end with the connection that they were made on.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn serve(&self, request: &str, link: Option<&Arc<Link>>, channel: Channel) {
        let mut to_host = channel.to_host;
        let answer = match self.answer(request, link) {
            Ok(text) => text,
            Err(why) => format!("FAIL{:04x}{why}", why.len()),
        };
        // A host that is gone need not know.
        let _ = to_host.write_all(answer.as_bytes());
    }

    fn answer(&self, request: &str, link: Option<&Arc<Link>>) -> Result<String, String> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if request == "list-forward" {
            let lines: String =
                all.iter().map(|(from, listening)| format!("(reverse) {from} {}\n", listening.to)).collect();
            return Ok(format!("{:04x}{lines}", lines.len()));
        }
        if request == "killforward-all" {
            all.clear();
            return Ok("OKAY".to_owned());
        }
        if let Some(from) = request.strip_prefix("killforward:") {
            let gone = all.remove(from);
            return gone.map(|_| "OKAY".to_owned()).ok_or_else(|| format!("listener '{from}' not found"));
        }
        let spec = request.strip_prefix("forward:").ok_or("unknown reverse request")?;
        let (spec, keeps) = match spec.strip_prefix("norebind:") {
            Some(spec) => (spec, true),
            None => (spec, false),
        };
        let (from, to) = spec.split_once(';').ok_or("bad forward")?;
        if keeps && all.contains_key(from) {
            return Err("cannot rebind existing socket".to_owned());
        }
        let port: u16 =
            from.strip_prefix("tcp:").and_then(|port| port.parse().ok()).ok_or("only tcp here")?;
        all.remove(from);
        let listening = listen(port, to, link).map_err(|error| format!("cannot bind: {error}"))?;
        let (name, answer) = match port {
            0 => {
                let port = listening.port.to_string();
                (format!("tcp:{port}"), format!("OKAY{:04x}{port}", port.len()))
            }
            _ => (from.to_owned(), "OKAY".to_owned()),
        };
        all.insert(name, listening);
        Ok(answer)
    }
}

fn listen(port: u16, to: &str, link: Option<&Arc<Link>>) -> io::Result<Listening> {
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    let port = listener.local_addr()?.port();
    let stop = Arc::<AtomicBool>::default();
    let listening = Listening { to: to.to_owned(), port, stop: stop.clone() };
    let (to, link) = (to.to_owned(), link.cloned());
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            if stop.load(Ordering::SeqCst) {
                return;
            }
            let Some(link) = link.clone() else { continue };
            let to = to.clone();
            thread::spawn(move || {
                if let Ok(channel) = link.open(&to) {
                    join_tcp(channel, socket);
                }
            });
        }
    });
    Ok(listening)
}
