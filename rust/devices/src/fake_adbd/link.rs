//! The connection to one adb server, with all services that are open on it.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::channel::Channel;
use super::packet::{AUTH, CLSE, CNXN, MOST_PAYLOAD, OKAY, OPEN, Packet, VERSION, WRTE};
use super::phone::FakePhone;

const TOKEN: u32 = 1;
const SIGNATURE: u32 = 2;

pub(super) struct Link {
    phone: Arc<FakePhone>,
    socket: TcpStream,
    writing: Mutex<()>,
    lanes: Mutex<HashMap<u32, Arc<Lane>>>,
    last_id: AtomicU32,
    most: AtomicU32,
    /// Whether the host has shown a key and waits for somebody to accept it.
    waits: AtomicBool,
}

/// One service on the link.
struct Lane {
    ours: u32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    theirs: u32,
    incoming: VecDeque<Vec<u8>>,
    may_write: bool,
    closed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    pub(super) fn new(phone: Arc<FakePhone>, socket: TcpStream) -> Arc<Self> {
        Arc::new(Self {
            phone,
            socket,
            writing: Mutex::default(),
            lanes: Mutex::default(),
            last_id: AtomicU32::new(0),
            most: AtomicU32::new(MOST_PAYLOAD),
            waits: AtomicBool::new(false),
        })
    }

    /// Talks until the connection ends.
    pub(super) fn run(self: &Arc<Self>) {
        // However it ends, it is closed.
        let _ = self.talk();
        self.close();
        for lane in lock(&self.lanes).values() {
            lane.close();
        }
        self.phone.reverse.clear();
    }

    pub(super) fn close(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    fn talk(self: &Arc<Self>) -> io::Result<()> {
        let mut socket = &self.socket;
        loop {
            let packet = Packet::read(&mut socket)?;
            let Packet { command, arg0, arg1, .. } = packet;
            match command {
                CNXN => {
                    self.most.store(arg1.min(MOST_PAYLOAD), Ordering::Relaxed);
                    if self.phone.agrees() { self.welcome()? } else { self.challenge()? }
                }
                AUTH if arg0 == SIGNATURE => self.challenge()?,
                AUTH => {
                    self.waits.store(true, Ordering::SeqCst);
                    self.agree()?;
                }
                OPEN => self.opened(arg0, packet.text())?,
                OKAY => self.at(arg1, |state| {
                    state.theirs = arg0;
                    state.may_write = true;
                }),
                WRTE if lock(&self.lanes).contains_key(&arg1) => {
                    self.at(arg1, |state| state.incoming.push_back(packet.payload));
                }
                WRTE => self.send(Packet::new(CLSE, 0, arg0, []))?,
                CLSE => self.at(arg1, |state| state.closed = true),
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
    }

    fn send(&self, packet: Packet) -> io::Result<()> {
        let _one_at_a_time = lock(&self.writing);
        packet.write(&mut &self.socket)
    }

    fn welcome(&self) -> io::Result<()> {
        self.send(Packet::new(CNXN, VERSION, MOST_PAYLOAD, self.phone.banner()))
    }

    /// Asks for a proof that never convinces.
    fn challenge(&self) -> io::Result<()> {
        self.send(Packet::new(AUTH, TOKEN, 0, [7; 20]))
    }

    /// Lets a host in that waits for it, where the phone agrees by now.
    pub(super) fn agree(&self) -> io::Result<()> {
        if self.phone.agrees() && self.waits.swap(false, Ordering::SeqCst) { self.welcome() } else { Ok(()) }
    }

    fn at(&self, id: u32, change: impl FnOnce(&mut State)) {
        if let Some(lane) = lock(&self.lanes).get(&id) {
            change(&mut lock(&lane.state));
            lane.changed.notify_all();
        }
    }

    fn lane(self: &Arc<Self>, state: State) -> Arc<Lane> {
        let ours = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let lane = Arc::new(Lane { ours, state: Mutex::new(state), changed: Condvar::new() });
        lock(&self.lanes).insert(ours, lane.clone());
        lane
    }

    fn opened(self: &Arc<Self>, theirs: u32, service: String) -> io::Result<()> {
        let Some(serve) = self.phone.clone().service(&service, Some(self)) else {
            return self.send(Packet::new(CLSE, 0, theirs, []));
        };
        let lane = self.lane(State { theirs, may_write: true, ..State::default() });
        self.send(Packet::new(OKAY, lane.ours, theirs, []))?;
        let channel = self.channel(lane);
        thread::spawn(move || serve(channel));
        Ok(())
    }

    /// Opens a service of the host, as reverse does it.
    pub(super) fn open(self: &Arc<Self>, service: &str) -> io::Result<Channel> {
        let lane = self.lane(State::default());
        self.send(Packet::new(OPEN, lane.ours, 0, format!("{service}\0")))?;
        let state = lane.wait(|state| state.may_write);
        let is_open = state.may_write;
        drop(state);
        let channel = self.channel(lane);
        if is_open { Ok(channel) } else { Err(io::ErrorKind::ConnectionRefused.into()) }
    }

    /// Closes a service, and says so to a host that has not closed it.
    fn close_lane(&self, lane: &Lane) {
        let (was_closed, theirs) = lane.close();
        if !was_closed {
            // A host that is gone need not be told.
            let _ = self.send(Packet::new(CLSE, lane.ours, theirs, []));
        }
    }

    fn channel(self: &Arc<Self>, lane: Arc<Lane>) -> Channel {
        let both = Arc::new(Opened { link: self.clone(), lane });
        let from_host = FromHost { opened: both.clone(), current: Vec::new(), read: 0 };
        let (link, lane) = (both.link.clone(), both.lane.clone());
        let close = Box::new(move || link.close_lane(&lane));
        let lane = both.lane.clone();
        let is_closed = Box::new(move || lock(&lane.state).closed);
        Channel { from_host: Box::new(from_host), to_host: Box::new(ToHost(both)), close, is_closed }
    }
}

impl Lane {
    /// Waits until this is so, or the service is closed.
    fn wait(&self, is_so: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| !state.closed && !is_so(state);
        self.changed.wait_while(lock(&self.state), waits).unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it was closed before, and what the host calls it.
    fn close(&self) -> (bool, u32) {
        let mut state = lock(&self.state);
        let was_closed = std::mem::replace(&mut state.closed, true);
        self.changed.notify_all();
        (was_closed, state.theirs)
    }
}

/// Both halves of a service have this; with the last one it is closed.
struct Opened {
    link: Arc<Link>,
    lane: Arc<Lane>,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.link.close_lane(&self.lane);
        lock(&self.link.lanes).remove(&self.lane.ours);
    }
}

struct FromHost {
    opened: Arc<Opened>,
    current: Vec<u8>,
    read: usize,
}

impl Read for FromHost {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.current.len() {
            let Opened { link, lane } = &*self.opened;
            let mut state = lane.wait(|state| !state.incoming.is_empty());
            let Some(next) = state.incoming.pop_front() else { return Ok(0) };
            let theirs = state.theirs;
            drop(state);
            (self.current, self.read) = (next, 0);
            link.send(Packet::new(OKAY, lane.ours, theirs, []))?;
        }
        let count = into.len().min(self.current.len() - self.read);
        into[..count].copy_from_slice(&self.current[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

struct ToHost(Arc<Opened>);

impl Write for ToHost {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Opened { link, lane } = &*self.0;
        let mut state = lane.wait(|state| state.may_write);
        if state.closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        state.may_write = false;
        let theirs = state.theirs;
        drop(state);
        let count = bytes.len().min(link.most.load(Ordering::Relaxed) as usize);
        link.send(Packet::new(WRTE, lane.ours, theirs, &bytes[..count]))?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
