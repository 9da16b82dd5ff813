//! Which entry of a per-device map fits a device: the closest one wins.

/// What a device is, broad first: `[android, phone]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classifiers(Vec<String>);

impl Classifiers {
    pub fn new<S: Into<String>>(segments: impl IntoIterator<Item = S>) -> Self {
        Self(segments.into_iter().map(Into::into).collect())
    }

    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// `android-phone`
    pub fn joined(&self) -> String {
        self.0.join("-")
    }

    /// Most specific first: the joined segments with the last one dropped step by step,
    /// then the chain of each segment alone, the most specific segment first.
    pub fn chain(&self) -> Vec<String> {
        let mut chain = Vec::new();
        push_chain(&mut chain, &self.joined());
        for segment in self.0.iter().rev() {
            push_chain(&mut chain, segment);
        }
        chain
    }

    /// The value whose key stands first in the chain.
    pub fn closest<'a, V>(&self, get: impl Fn(&str) -> Option<&'a V>) -> Option<&'a V> {
        self.chain().iter().find_map(|key| get(key))
    }
}

fn push_chain(chain: &mut Vec<String>, name: &str) {
    let mut rest = name;
    loop {
        if !rest.is_empty() && !chain.iter().any(|known| known == rest) {
            chain.push(rest.to_owned());
        }
        match rest.rfind('-') {
            Some(end) => rest = &rest[..end],
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(segments: &[&str], expected: &[&str]) {
        assert_eq!(Classifiers::new(segments.iter().copied()).chain(), expected);
    }

    #[test]
    fn the_chain_goes_from_close_to_broad() {
        check(&["android", "phone"], &["android-phone", "android", "phone"]);
        check(&["android", "phone", "37"], &["android-phone-37", "android-phone", "android", "37", "phone"]);
        check(&["web"], &["web"]);
        check(&[], &[]);
    }
}
