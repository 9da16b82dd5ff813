//! A package manager of paper: `cmd package install -S SIZE …`, `uninstall`, `list packages`.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::process::Process;

/// What is installed. A clone is the same.
#[derive(Clone, Debug, Default)]
pub struct Packages(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The bytes of each, by the name that the next one is to have.
    installed: BTreeMap<String, Vec<u8>>,
    /// The arguments of each installation.
    asked: Vec<String>,
    next_name: String,
    refuse: Option<String>,
}

impl Packages {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the next APK is called: nobody reads its manifest here.
    pub fn next_is(&self, name: &str) {
        name.clone_into(&mut self.state().next_name);
    }

    /// Refuses every installation with this, such as `INSTALL_FAILED_INSUFFICIENT_STORAGE`, before it reads anything.
    pub fn refuse(&self, why: Option<&str>) {
        self.state().refuse = why.map(str::to_owned);
    }

    pub fn bytes_of(&self, name: &str) -> Option<Vec<u8>> {
        self.state().installed.get(name).cloned()
    }

    pub fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    /// Answers a command, where it is one for the package manager.
    pub fn answer(&self, process: &mut Process) -> Option<io::Result<u8>> {
        let args: Vec<String> = process.args.iter().map(|arg| arg.trim_matches('\'').to_owned()).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let args = args.strip_prefix(&["cmd"]).unwrap_or(&args);
        match args {
            ["package", "install", options @ ..] => Some(self.install(options, process)),
            ["package", "uninstall", .., name] => {
                let (said, exit) = match self.state().installed.remove(*name) {
                    Some(_) => ("Success\n", 0),
                    None => ("Failure [DELETE_FAILED_INTERNAL_ERROR]\n", 1),
                };
                Some(process.out(said).map(|()| exit))
            }
            ["package" | "pm", "list", "packages", ..] => {
                let names: String =
                    self.state().installed.keys().map(|name| format!("package:{name}\n")).collect();
                Some(process.out(names).map(|()| 0))
            }
            _ => None,
        }
    }

    fn install(&self, options: &[&str], process: &mut Process) -> io::Result<u8> {
        self.state().asked.push(options.join(" "));
        if let Some(why) = self.state().refuse.clone() {
            process.out(format!("Failure [{why}]\n"))?;
            return Ok(1);
        }
        let size = options.iter().position(|&option| option == "-S").and_then(|at| options.get(at + 1));
        let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else {
            process.out("Error: no size\n")?;
            return Ok(1);
        };
        let mut bytes = Vec::new();
        (&mut process.stdin).take(size).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let name = self.state().next_name.clone();
        self.state().installed.insert(name, bytes);
        process.out("Success\n")?;
        Ok(0)
    }
}
