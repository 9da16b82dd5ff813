//! adb's server, as far as laptops ask it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use trailblaze_devices::fake_adbd::{Channel, FakePhone};

use super::World;

/// How often the list of phones is looked at for a change.
const LOOK: Duration = Duration::from_millis(10);

/// A phone by its serial.
pub(super) type Served = (&'static str, Arc<FakePhone>, Arc<World>);

/// adb's server, in a thread.
pub(super) fn serve(phones: Vec<Served>, devices: &[(&str, &str)]) -> u16 {
    let line = |(serial, state): &(&str, &str)| format!("{serial:22} {state} model:Paper_9\n");
    let list: String = devices.iter().map(line).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let all = Arc::new((phones, list));
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            socket.set_nodelay(true).unwrap();
            let all = all.clone();
            // A client that is gone hears nothing.
            thread::spawn(move || drop(talk(socket, &all.0, &all.1)));
        }
    });
    port
}

fn talk(mut socket: TcpStream, phones: &[Served], list: &str) -> io::Result<()> {
    let request = request(&mut socket)?;
    let text = |text: &str| format!("OKAY{:04x}{text}", text.len());
    let fail = |text: &str| format!("FAIL{:04x}{text}", text.len());
    let is_away = |world: &World| world.is_away.load(Ordering::SeqCst);
    let by = |name: &str| phones.iter().find(|(serial, _, world)| *serial == name && !is_away(world));
    let is_out =
        |line: &&str| phones.iter().any(|(serial, _, world)| is_away(world) && line.starts_with(serial));
    let now = || list.lines().filter(|line| !is_out(line)).flat_map(|line| [line, "\n"]).collect::<String>();
    let Some((_, phone, world)) = request.strip_prefix("host:transport:").and_then(by) else {
        let features = request.strip_prefix("host-serial:").and_then(|rest| rest.strip_suffix(":features"));
        let answer = match request.as_str() {
            "host:version" => text("0029"),
            "host:devices-l" => text(&now()),
            "host:track-devices-l" => {
                let mut told = now();
                socket.write_all(text(&told).as_bytes())?;
                for (_, _, world) in phones {
                    world.watches.fetch_add(1, Ordering::SeqCst);
                }
                socket.set_read_timeout(Some(LOOK))?;
                while is_waiting(&mut socket) {
                    let list = now();
                    if told != list {
                        socket.write_all(format!("{:04x}{list}", list.len()).as_bytes())?;
                        told = list;
                    }
                }
                return Ok(());
            }
            other => match (features.and_then(by), other.strip_prefix("host:transport:")) {
                (Some((_, phone, _)), _) => text(&phone.features.join(",")),
                (None, Some(serial)) => fail(&format!("device '{serial}' not found")),
                (None, None) => fail(&format!("unknown host service '{other}'")),
            },
        };
        return socket.write_all(answer.as_bytes());
    };
    world.connections.lock().unwrap().push(socket.try_clone()?);
    socket.write_all(b"OKAY")?;
    let service = self::request(&mut socket)?;
    if let Some(name) = service.strip_prefix("localabstract:") {
        world.streams.lock().unwrap().push(socket.try_clone()?);
        return join_abstract(socket, name, &fail("closed"));
    }
    socket.write_all(b"OKAY")?;
    phone.serve(&service, Channel::try_from(socket.try_clone()?)?);
    // What was said must be heard, so what the client still says is taken.
    socket.shutdown(Shutdown::Write)?;
    io::copy(&mut socket, &mut io::sink()).map(drop)
}

/// Whether the client is still there after a moment.
fn is_waiting(socket: &mut TcpStream) -> bool {
    let read = socket.read(&mut [0]);
    read.is_err_and(|error| [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut].contains(&error.kind()))
}

fn request(socket: &mut TcpStream) -> io::Result<String> {
    let mut digits = [0; 4];
    socket.read_exact(&mut digits)?;
    let length = std::str::from_utf8(&digits).ok().and_then(|digits| usize::from_str_radix(digits, 16).ok());
    let mut text = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
    socket.read_exact(&mut text)?;
    String::from_utf8(text).map_err(io::Error::other)
}

/// A socket without a file of this machine stands for that of the phone.
fn join_abstract(mut socket: TcpStream, name: &str, closed: &str) -> io::Result<()> {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream};
    let connected = SocketAddr::from_abstract_name(name).and_then(|at| UnixStream::connect_addr(&at));
    let Ok(mut there) = connected else { return socket.write_all(closed.as_bytes()) };
    socket.write_all(b"OKAY")?;
    let (mut from, mut to) = (there.try_clone()?, socket.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let _ = io::copy(&mut socket, &mut there);
    there.shutdown(Shutdown::Both)
}
