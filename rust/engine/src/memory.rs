//! What a session remembers: texts by name, some of them secret.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use trailblaze_model::order;

/// A text that cannot be printed. The only way to its value is [`Secret::reveal`].
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// What stands in place of a secret.
pub const REDACTED: &str = "***";

#[derive(Clone, Debug)]
enum Remembered {
    Plain(String),
    Secret(Secret),
}

impl Remembered {
    fn reveal(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(secret) => secret.reveal(),
        }
    }
}

#[derive(Debug, Default)]
struct Inner {
    values: BTreeMap<String, Remembered>,
    /// Names that stay secret whatever happens to their values.
    secret_names: Vec<String>,
    /// Every value that ever was secret, longest first, so that one inside another is removed whole.
    secret_values: Vec<Secret>,
}

/// The memory of one session. Every value is a text.
#[derive(Debug, Default)]
pub struct Memory {
    inner: Mutex<Inner>,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.lock().values.get(name).map(|value| value.reveal().to_owned())
    }

    /// Remembers a text. A name that was secret once stays secret.
    pub fn set(&self, name: &str, text: impl Into<String>) {
        let text = text.into();
        let mut inner = self.lock();
        if inner.secret_names.iter().any(|known| known == name) {
            inner.add_secret(name, Secret::new(text));
        } else {
            inner.values.insert(name.to_owned(), Remembered::Plain(text));
        }
    }

    pub fn set_secret(&self, name: &str, secret: Secret) {
        let mut inner = self.lock();
        inner.secret_names.push(name.to_owned());
        inner.add_secret(name, secret);
    }

    pub fn remove(&self, name: &str) {
        self.lock().values.remove(name);
    }

    /// Keeps another form of a secret out of everything that is said, such as its base64.
    pub fn hide(&self, text: String) {
        self.lock().add_secret_value(Secret::new(text));
    }

    /// Names and values for people: secrets are not in it.
    pub fn redacted(&self) -> BTreeMap<String, String> {
        let show = |value: &Remembered| match value {
            Remembered::Plain(text) => self.redact(text).unwrap_or_else(|| text.clone()),
            Remembered::Secret(_) => REDACTED.to_owned(),
        };
        let values = self.lock().values.clone();
        order::map(values.iter().map(|(name, value)| (name.clone(), show(value))))
    }

    /// What is not secret.
    pub fn plain(&self) -> impl Iterator<Item = (String, String)> {
        let plain = |(name, value): (&String, &Remembered)| match value {
            Remembered::Plain(text) => Some((name.clone(), text.clone())),
            Remembered::Secret(_) => None,
        };
        self.lock().values.iter().filter_map(plain).collect::<Vec<_>>().into_iter()
    }

    pub fn has_secrets(&self) -> bool {
        !self.lock().secret_values.is_empty()
    }

    /// The text without secrets; none when there is none in it.
    pub fn redact(&self, text: &str) -> Option<String> {
        let inner = self.lock();
        let mut found: Option<String> = None;
        for secret in &inner.secret_values {
            let current = found.as_deref().unwrap_or(text);
            if current.contains(secret.reveal()) {
                found = Some(current.replace(secret.reveal(), REDACTED));
            }
        }
        found
    }
}

impl Inner {
    fn add_secret(&mut self, name: &str, secret: Secret) {
        self.add_secret_value(secret.clone());
        self.values.insert(name.to_owned(), Remembered::Secret(secret));
    }

    /// The value, and the forms that it has inside of JSON.
    fn add_secret_value(&mut self, secret: Secret) {
        let quoted = serde_json::Value::from(secret.reveal()).to_string();
        let escaped = &quoted[1..quoted.len() - 1];
        // Some writers of JSON escape slashes too.
        let forms = [escaped.to_owned(), escaped.replace('/', "\\/")];
        forms.into_iter().for_each(|form| self.add_secret_form(Secret(form)));
        self.add_secret_form(secret);
    }

    fn add_secret_form(&mut self, secret: Secret) {
        if !secret.reveal().is_empty() && !self.secret_values.contains(&secret) {
            self.secret_values.push(secret);
            order::sort_by_key(&mut self.secret_values, |secret| std::cmp::Reverse(secret.reveal().len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_stays_secret() {
        let memory = Memory::default();
        memory.set_secret("pin", Secret::new("4711"));
        memory.remove("pin");
        memory.set("pin", "0815");
        assert_eq!(memory.get("pin").as_deref(), Some("0815"));
        assert_eq!(memory.redact("4711 and 0815").as_deref(), Some("*** and ***"));
        assert_eq!(memory.redacted()["pin"], "***");
        assert_eq!(format!("{:?}", Secret::new("4711")), "***");
    }

    #[test]
    fn a_secret_inside_another_text_is_removed() {
        let memory = Memory::default();
        memory.set_secret("short", Secret::new("ab"));
        memory.set_secret("long", Secret::new("abcd"));
        memory.set("greeting", "hello abcd");
        assert_eq!(memory.redacted()["greeting"], "hello ***");
        assert_eq!(memory.redact("plain"), None);
    }

    #[test]
    fn a_secret_is_removed_from_json_as_well() {
        let memory = Memory::default();
        memory.set_secret("key", Secret::new("a\"b\\c\nd/ä"));
        assert_eq!(memory.redact(r#"{"key":"a\"b\\c\nd/ä"}"#).as_deref(), Some(r#"{"key":"***"}"#));
        assert_eq!(memory.redact(r#"{"key":"a\"b\\c\nd\/ä"}"#).as_deref(), Some(r#"{"key":"***"}"#));
        assert_eq!(memory.redact("a\"b\\c\nd/ä!").as_deref(), Some("***!"));
    }
}
