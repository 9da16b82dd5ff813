//! Names of calls that nobody can guess: whoever knows one can run tools in its session.

use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::{Mutex, PoisonError};

/// Read in pieces that serve many calls. No other process sees this memory, and nothing here forks without `exec`.
static RANDOM: Mutex<Option<BufReader<File>>> = Mutex::new(None);

/// A name that nobody can guess.
pub fn unguessable() -> io::Result<String> {
    let mut random = RANDOM.lock().unwrap_or_else(PoisonError::into_inner);
    let source = match &mut *random {
        Some(source) => source,
        none => none.insert(BufReader::with_capacity(1024, File::open("/dev/urandom")?)),
    };
    let mut bytes = [0; 16];
    source.read_exact(&mut bytes)?;
    let mut name = String::with_capacity(32);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::unguessable;

    #[test]
    fn no_two_are_the_same() {
        let names: BTreeSet<String> = (0..1_000).map(|_| unguessable().unwrap()).collect();
        assert_eq!(names.len(), 1_000);
        assert!(names.iter().all(|name| name.len() == 32));
    }
}
