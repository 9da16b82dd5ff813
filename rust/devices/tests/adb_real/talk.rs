//! The list of devices, and commands of the shell.

use std::io::Read;

use trailblaze_devices::adb::{ErrorKind, Output, State};
use trailblaze_devices::fake_adbd::{FakePhone, Process};

use crate::lab::{Lab, limit};

/// A shell that knows a few commands.
pub(crate) fn commands(process: &mut Process) -> std::io::Result<u8> {
    match process.args.first().map(String::as_str) {
        Some("echo") => {
            let line = process.args[1..].join(" ");
            process.out(format!("{line}\n"))?;
            Ok(0)
        }
        Some("both") => {
            process.out("out\n")?;
            process.err("err\n")?;
            process.out("more\n")?;
            Ok(7)
        }
        Some("cat") => {
            let mut all = Vec::new();
            process.stdin.read_to_end(&mut all)?;
            process.out(all)?;
            Ok(0)
        }
        Some("much") => {
            for _ in 0..48 {
                process.out(vec![b'x'; 1 << 20])?;
            }
            Ok(0)
        }
        _ => {
            process.err(format!("sh: {}: not found\n", process.line))?;
            Ok(127)
        }
    }
}

#[test]
fn the_server_is_started_and_lists_the_phone() {
    let lab = Lab::new();
    assert_eq!(lab.server.version(&limit()).unwrap_err().kind, ErrorKind::NoServer);
    assert!(lab.server.ensure_running(&limit()).unwrap() >= 40);
    assert_eq!(lab.server.devices(&limit()).unwrap(), []);
    let (adbd, phone) = lab.connect(FakePhone::new(commands)).unwrap();
    let [device] = &lab.server.devices(&limit()).unwrap()[..] else { panic!("one phone") };
    assert_eq!(device.serial, adbd.serial());
    assert_eq!(device.state, State::Device);
    assert_eq!(device.name(), format!("Paper Phone ({})", adbd.serial()));
    assert!(device.transport_id.is_some());
    assert!(phone.features(&limit()).unwrap().contains("shell_v2"));
}

#[test]
fn commands_have_two_outputs_and_an_exit_code() {
    let (_lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    let run = |command| phone.shell(command, &limit()).unwrap();
    let output = |out: &str, err: &str, exit| Output {
        out: out.as_bytes().to_vec(),
        err: err.as_bytes().to_vec(),
        exit,
    };
    assert_eq!(run("echo a 'b c'"), output("a 'b c'\n", "", Some(0)));
    assert_eq!(run("both"), output("out\nmore\n", "err\n", Some(7)));
    assert_eq!(run("none"), output("", "sh: none: not found\n", Some(127)));
    assert_eq!(run("cat"), output("", "", Some(0)));
    assert_eq!(run("much").out.len(), 48 << 20);
    let mut shell = phone.start_shell("cat", &limit()).unwrap();
    shell.write(&vec![b'y'; 3 << 20]).unwrap();
    shell.close_input().unwrap();
    assert_eq!(shell.output().unwrap().out.len(), 3 << 20);
}

#[test]
fn a_phone_of_old_has_one_output_and_no_exit_code() {
    let (_lab, _adbd, phone) = Lab::with(FakePhone::new(commands).without(&["shell_v2"]));
    let output = phone.shell("both", &limit()).unwrap();
    assert_eq!(output, Output { out: b"out\nerr\nmore\n".to_vec(), err: Vec::new(), exit: None });
}

#[test]
fn a_program_of_the_phone_as_it_is() {
    let (_lab, _adbd, phone) = Lab::with(FakePhone::new(commands));
    let mut said = String::new();
    phone.exec("both", &limit()).unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "out\nerr\nmore\n");
}
