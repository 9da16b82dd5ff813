//! What a server writes that is no message. The first of it is said to people, the rest only logged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What was heard of each server, by its name. All processes of a server share one.
#[derive(Debug, Default)]
pub struct Noises(Mutex<BTreeMap<String, Arc<Noise>>>);

impl Noises {
    pub(super) fn of(&self, server: &str) -> Arc<Noise> {
        lock(&self.0).entry(server.to_owned()).or_default().clone()
    }
}

#[derive(Debug, Default)]
pub(super) struct Noise(Mutex<Heard>);

#[derive(Debug, Default)]
enum Heard {
    #[default]
    Nothing,
    /// It waits for a session that it can be said to: servers are at their noisiest before the first call.
    First(String),
    Said,
}

impl Noise {
    /// Keeps the first; whether this was it.
    pub(super) fn is_first(&self, text: &str) -> bool {
        let mut heard = lock(&self.0);
        let is_first = matches!(*heard, Heard::Nothing);
        if is_first {
            *heard = Heard::First(text.to_owned());
        }
        is_first
    }

    /// What is to be said now.
    pub(super) fn take(&self) -> Option<String> {
        let mut heard = lock(&self.0);
        if !matches!(*heard, Heard::First(_)) {
            return None;
        }
        match std::mem::replace(&mut *heard, Heard::Said) {
            Heard::First(text) => Some(text),
            Heard::Nothing | Heard::Said => None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_server_is_said_once() {
        let noises = Noises::default();
        let (one, again, two) = (noises.of("one"), noises.of("one"), noises.of("two"));
        assert_eq!(one.take(), None);
        assert!(one.is_first("a") && !again.is_first("b") && two.is_first("c"));
        assert_eq!(
            (again.take(), one.take(), two.take()),
            (Some("a".to_owned()), None, Some("c".to_owned()))
        );
        assert!(!one.is_first("d"));
        assert_eq!(one.take(), None);
    }
}
