//! Apps on the phone. An APK is streamed to the package manager: it needs no room for a copy.

mod refusal;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use refusal::Refusal;

use super::error::{Error, ErrorKind};
use super::limit::Limit;
use super::phone::Phone;
use super::shell::quote;
use super::stream::{Sent, Stream};

const MOST_DATA: usize = 64 << 10;
/// The package manager says one line, or the stack of an exception.
const MOST_SAID: usize = 1 << 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// Allows an older version than the one that is there. Phones take that only for apps that can be debugged.
    pub allow_downgrade: bool,
    /// Grants all permissions that the app asks for.
    pub grant_permissions: bool,
    /// For this user of the phone only.
    pub user: Option<u32>,
}

impl InstallOptions {
    fn args(&self, size: u64) -> Vec<String> {
        let mut args: Vec<String> = ["package", "install", "-r", "-t"].map(str::to_owned).into();
        args.extend(self.allow_downgrade.then(|| "-d".to_owned()));
        args.extend(self.grant_permissions.then(|| "-g".to_owned()));
        args.extend(self.user.iter().flat_map(|user| ["--user".to_owned(), user.to_string()]));
        args.extend(["-S".to_owned(), size.to_string()]);
        args
    }
}

impl Phone {
    /// Installs an APK, in place of an earlier version where there is one.
    pub fn install(&self, apk: &Path, options: &InstallOptions, limit: &Limit) -> Result<(), Error> {
        let name = apk.file_name().unwrap_or(apk.as_os_str()).to_string_lossy().into_owned();
        let open = || {
            let file = File::open(apk)?;
            let size = file.metadata()?.len();
            Ok((file, size))
        };
        let (mut file, size) = open().map_err(|error: std::io::Error| {
            Error::new(ErrorKind::Local, format!("{} cannot be read: {error}", apk.display()))
        })?;
        self.install_from(&mut file, size, &name, options, limit)
    }

    /// As `install`, of so many bytes from anywhere. The name is for messages.
    pub fn install_from(
        &self,
        apk: &mut dyn Read,
        size: u64,
        name: &str,
        options: &InstallOptions,
        limit: &Limit,
    ) -> Result<(), Error> {
        let mut stream = self.package_manager(&options.args(size), limit)?;
        let mut piece = vec![0; MOST_DATA];
        let mut left = size;
        while left > 0 {
            let most = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = match apk.read(&mut piece[..most]) {
                Ok(0) => return Err(unread(name, "it ends too early")),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unread(name, &error.to_string())),
            };
            match stream.send_unless_answered(&piece[..count]) {
                Ok(Sent::All) => left -= count as u64,
                // It has made up its mind before it has seen all.
                Ok(Sent::Answered) => break,
                Err(error) if error.kind == ErrorKind::Lost => break,
                Err(error) => return Err(error),
            }
        }
        let said = stream.rest(MOST_SAID)?;
        let said = String::from_utf8_lossy(&said);
        if !is_whole(&said) {
            return Err(Error::lost(stream.about()));
        }
        match refusal::read(&said) {
            None if left == 0 => Ok(()),
            None => Err(stream.protocol("a success before the end of the APK")),
            Some(refusal) => Err(refusal.error(&format!("{name} cannot be installed on {}", self.serial()))),
        }
    }

    /// Removes an app with its data. False where it was not there.
    pub fn uninstall(&self, package: &str, limit: &Limit) -> Result<bool, Error> {
        let args = ["package", "uninstall", package].map(str::to_owned);
        let mut stream = self.package_manager(&args, limit)?;
        let said = stream.rest(MOST_SAID)?;
        let said = String::from_utf8_lossy(&said);
        if !is_whole(&said) {
            return Err(Error::lost(stream.about()));
        }
        let Some(refusal) = refusal::read(&said) else { return Ok(true) };
        // The package manager has no word of its own for an app that is not there.
        if self.is_installed(package, limit)? {
            return Err(refusal.error(&format!("{package} cannot be removed from {}", self.serial())));
        }
        Ok(false)
    }

    pub fn is_installed(&self, package: &str, limit: &Limit) -> Result<bool, Error> {
        let output = self.shell(&format!("cmd package list packages {}", quote(package)), limit)?;
        // It lists all whose names contain this one.
        Ok(output.text().lines().any(|line| line.trim().strip_prefix("package:") == Some(package)))
    }

    fn package_manager(&self, args: &[String], limit: &Limit) -> Result<Stream, Error> {
        if self.has("abb_exec", limit)? {
            return self.open(&format!("abb_exec:{}", args.join("\0")), limit);
        }
        if self.has("cmd", limit)? {
            let args: Vec<String> = args.iter().map(|arg| quote(arg)).collect();
            return self.exec(&format!("cmd {}", args.join(" ")), limit);
        }
        let message = format!("{} has an Android that is too old to install apps from here", self.serial());
        Err(Error::new(ErrorKind::NotSupported, message).hint("Trailblaze needs Android 8 or later"))
    }
}

/// Half an answer is what a phone leaves that was unplugged.
fn is_whole(said: &str) -> bool {
    said.ends_with('\n') || said == "Success" || said.starts_with("Failure [") && said.ends_with(']')
}

fn unread(name: &str, why: &str) -> Error {
    Error::new(ErrorKind::Local, format!("{name} cannot be read: {why}"))
}
