//! The port that toolset servers and programs call back on.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};

use super::Check;
use crate::loopback::PORT;

const NAME: &str = "port 52525";

pub(super) fn check() -> Check {
    if TcpListener::bind((Ipv4Addr::LOCALHOST, PORT)).is_ok() {
        return Check::fine(NAME, "free");
    }
    let by = taken_by(PORT).map(|by| format!(" by {by}")).unwrap_or_default();
    Check::noted(NAME, format!("taken{by}; a run takes another one, and says so to its tools"))
}

/// The program that listens there, where the system tells.
fn taken_by(port: u16) -> Option<String> {
    let table = fs::read_to_string("/proc/net/tcp").ok()?;
    let inode = table.lines().skip(1).find_map(|line| inode_of(line, port))?;
    let wanted = format!("socket:[{inode}]");
    let owns = |process: &fs::DirEntry| {
        let open = fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten();
        open.filter_map(|open| fs::read_link(open.path()).ok())
            .any(|link| link.as_os_str() == wanted.as_str())
    };
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut processes = processes.filter(|process| process.file_name().to_str().is_some_and(is_number));
    let process = processes.find(owns)?;
    let name = fs::read_to_string(process.path().join("comm")).ok()?;
    Some(format!("'{}', process {}", name.trim(), process.file_name().to_string_lossy()))
}

/// The socket of a line of `/proc/net/tcp`, where it listens on this port.
fn inode_of(line: &str, port: u16) -> Option<&str> {
    const LISTENS: &str = "0A";
    let words: Vec<&str> = line.split_whitespace().collect();
    let (_, own) = words.get(1)?.rsplit_once(':')?;
    let is_it = u16::from_str_radix(own, 16) == Ok(port) && words.get(3) == Some(&LISTENS);
    words.get(9).copied().filter(|_| is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table() {
        let line = "   1: 0100007F:CD2D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 654321 1 0000000000000000 100 0 0 10 0";
        assert_eq!(inode_of(line, 52525), Some("654321"));
        assert_eq!(inode_of(line, 52526), None);
        assert_eq!(inode_of(&line.replace(" 0A ", " 01 "), 52525), None);
        assert_eq!(inode_of("", 52525), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_program_that_listens_is_named() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let by = taken_by(listener.local_addr().unwrap().port()).unwrap();
        assert!(by.ends_with(&format!("process {}", std::process::id())), "{by}");
    }
}
