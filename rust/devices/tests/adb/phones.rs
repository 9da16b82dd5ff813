//! A phone of paper whose shell knows a few commands.

use std::io::{self, Read};

use trailblaze_devices::fake_adbd::{FakePhone, Memory, Packages, Process};

pub(crate) struct Paper {
    pub(crate) files: Memory,
    pub(crate) packages: Packages,
    pub(crate) phone: FakePhone,
}

pub(crate) fn paper() -> Paper {
    let (files, packages) = (Memory::default(), Packages::default());
    packages.next_is("com.example.app");
    let answering = packages.clone();
    let commands = move |process: &mut Process| answering.answer(process).unwrap_or_else(|| answer(process));
    let phone = FakePhone::new(commands).files(files.clone());
    Paper { files, packages, phone }
}

fn answer(process: &mut Process) -> io::Result<u8> {
    match process.args.first().map(String::as_str) {
        Some("both") => {
            for _ in 0..3 {
                process.out("out\n")?;
                process.err("err\n")?;
            }
            Ok(7)
        }
        Some("cat") => {
            let mut all = Vec::new();
            process.stdin.read_to_end(&mut all)?;
            process.out(all)?;
            Ok(0)
        }
        _ => {
            process.err(format!("sh: {}: not found\n", process.line))?;
            Ok(127)
        }
    }
}
