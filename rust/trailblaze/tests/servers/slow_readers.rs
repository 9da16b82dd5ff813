//! Clients that ask the program for large answers and do not read them: the others do not notice, memory has a limit, and
//! nothing stays behind. That they are let go after a time stands with the server, in `src/loopback/slow_readers.rs`.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use trailblaze_rpc::client::Client;

use crate::lab::lab;
use crate::serve::{Served, has_text, launch};

const LARGE: usize = 8 << 20;
/// 128 MiB are for answers that wait.
const ROOM: usize = 15;

impl Served {
    /// What the system says of it in KiB, such as `VmRSS`.
    fn memory(&self, key: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// How many files and connections it has open.
    fn open(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    /// Asks for all that the session remembers, and reads the status of the answer, no more.
    fn asked(&self) -> (String, TcpStream) {
        let mut stream = self.stream();
        let path = "/trailblaze.v1.TrailblazeCommands/ListMemory";
        let head = format!("POST {path} HTTP/1.1\r\nHost: {}\r\n", self.host());
        write!(stream, "{head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}").unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).unwrap();
        (String::from_utf8_lossy(&status[9..]).into_owned(), stream)
    }
}

fn is_quick(client: &Client) {
    let began = Instant::now();
    for _ in 0..50 {
        assert!(has_text(client, "Count: 0"));
    }
    // Usually it is a hundredth of that.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn who_does_not_read_uses_up_no_memory_and_keeps_nobody_waiting() {
    let space = lab(&[]);
    let served = Served::start(&space, &[]);
    let client = served.client("");
    launch(&client);
    let large = "x".repeat(LARGE);
    client.call("TrailblazeCommands/SetMemory", json!({ "key": "large", "value": large })).unwrap();
    is_quick(&client);
    let open = served.open();
    let mut most = 0;
    for round in 1..=2 {
        let mut slow = Vec::new();
        let status = loop {
            let (status, stream) = served.asked();
            slow.push(stream);
            if status != "200" || slow.len() > 8 * ROOM {
                break status;
            }
        };
        assert_eq!(status, "429", "in round {round}");
        assert!(slow.len() > ROOM, "{} in round {round}", slow.len());
        is_quick(&client);
        let used = served.memory("VmRSS");
        assert!(used < 384 << 10, "{used} KiB in round {round}");
        let highest = served.memory("VmHWM");
        // What was needed once is enough again.
        assert!(round == 1 || highest < most + (64 << 10), "{highest} KiB after {most} KiB");
        most = highest;
        drop(slow);
        let until = Instant::now() + Duration::from_secs(60);
        while served.open() > open {
            assert!(Instant::now() < until, "{} connections stay behind", served.open() - open);
        }
        is_quick(&client);
    }
    let listed = client.call("TrailblazeCommands/ListMemory", json!({})).unwrap();
    assert_eq!(listed["entries"]["large"].as_str().unwrap().len(), LARGE);
}
