//! Listens for adb servers.

use std::fmt;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::link::Link;
use super::phone::FakePhone;

/// A phone that can be connected to. When it is dropped, it is unplugged for good.
pub struct Adbd {
    port: u16,
    phone: Arc<FakePhone>,
    links: Arc<Mutex<Vec<Arc<Link>>>>,
    stop: Arc<AtomicBool>,
}

impl fmt::Debug for Adbd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adbd").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Adbd {
    /// On a port of this machine only; 0 is any that is free.
    pub fn start(phone: FakePhone, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let port = listener.local_addr()?.port();
        let phone = Arc::new(phone);
        let links = Arc::<Mutex<Vec<Arc<Link>>>>::default();
        let stop = Arc::<AtomicBool>::default();
        let this = Self { port, phone: phone.clone(), links: links.clone(), stop: stop.clone() };
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                // Without it the phone is slower, not wrong.
                let _ = socket.set_nodelay(true);
                let link = Link::new(phone.clone(), socket);
                let mut links = links.lock().unwrap_or_else(PoisonError::into_inner);
                links.push(link.clone());
                thread::spawn(move || link.run());
            }
        });
        Ok(this)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// What adb's server calls it.
    pub fn serial(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn phone(&self) -> &FakePhone {
        &self.phone
    }

    /// Ends all connections, as a pulled cable does. It can be connected to again.
    pub fn unplug(&self) {
        for link in self.links.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            link.close();
        }
    }

    /// Somebody accepts the question on the phone.
    pub fn agree(&self) -> io::Result<()> {
        self.phone.agree();
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.iter().try_for_each(|link| link.agree())
    }
}

impl Drop for Adbd {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the one who waits for connections.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        self.unplug();
    }
}
