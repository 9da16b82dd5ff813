//! The key that signs: given, or one for developing that is made once and kept.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use trailblaze_apk::key::Key;

use super::problem;
use crate::caches;
use crate::exit_code::{Exit, Problem};
use crate::files;

const FOLDER: &str = "keys";
const NAME: &str = "debug.pem";

/// A key in a file.
#[derive(Clone, Debug)]
pub struct KeyChoice {
    /// PEM or PKCS#12.
    pub path: PathBuf,
    pub password: Option<Password>,
}

/// Where a password is; never on a command line, which others can see.
#[derive(Clone, Debug)]
pub enum Password {
    Variable(String),
    /// The first line of it.
    File(PathBuf),
}

impl Password {
    fn read(&self) -> Result<String, Problem> {
        let bad = |message: String| Problem::new(Exit::Usage, message);
        match self {
            // Some give the password itself, so it is not repeated.
            Self::Variable(name) => std::env::var(name).map_err(|_| {
                bad("'--key-password-env' names a variable that is not set".to_owned())
                    .hint("it takes the name, such as KEY_PASSWORD, and never the password itself")
            }),
            Self::File(path) => {
                let text = fs::read_to_string(path).map_err(|error| {
                    bad(format!("{} cannot be read: {}", files::shown(path), files::why(&error)))
                        .hint("its first line is the password of the key")
                })?;
                Ok(text.lines().next().unwrap_or_default().to_owned())
            }
        }
    }
}

/// The key that is given, or the one for developing.
pub(super) fn open(choice: Option<&KeyChoice>) -> Result<Key, Problem> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64);
    let read = |path: &Path, password: Option<&str>| {
        let hint = "'--key' names a file with a private key and its certificate";
        let bytes = fs::read(path).map_err(|error| cannot("read", path, &error).hint(hint))?;
        Key::read(&bytes, password, now).map_err(|error| problem(error, Some(path)))
    };
    match choice {
        Some(choice) => {
            let password = choice.password.as_ref().map(Password::read).transpose()?;
            read(&choice.path, password.as_deref())
        }
        None => read(&debug_key()?, None)
            .map_err(|problem| problem.hint("remove that file: a new debug key is made in its place")),
    }
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Problem {
    let message = format!("{} cannot be {what}: {}", files::shown(path), files::why(error));
    Problem::new(Exit::BadDocument, message)
}

/// Where the key for developing is, once it was made.
pub(crate) fn debug_key_path() -> Option<PathBuf> {
    Some(caches::folder()?.join(FOLDER).join(NAME))
}

/// The key for developing, made the first time. All later APKs have the same one, so that they can be installed over
/// each other.
fn debug_key() -> Result<PathBuf, Problem> {
    let folder = caches::private(FOLDER).ok_or_else(|| {
        Problem::new(Exit::BadDocument, "there is no private folder to keep a debug key in")
            .hint("give a key with '--key', or set HOME or XDG_CACHE_HOME")
    })?;
    let path = folder.join(NAME);
    if path.exists() {
        return Ok(path);
    }
    let text = Key::debug_pem().map_err(|error| problem(error, None))?;
    let draft = folder.join(format!("{NAME}.draft-{}", std::process::id()));
    let write = || {
        private_file(&draft)?.write_all(text.as_bytes())?;
        // Whoever comes second takes the key of the first.
        match fs::hard_link(&draft, &path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    };
    let written = write();
    let _ = fs::remove_file(&draft);
    written.map_err(|error| cannot("written", &path, &error)).map(|()| path)
}

#[cfg(unix)]
fn private_file(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> std::io::Result<fs::File> {
    fs::File::create(path)
}
