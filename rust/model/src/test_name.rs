//! What a trail is called where tests are Java methods: on device farms and in Android Studio.

use std::fmt;

use crate::hash::fnv1a;

/// A class and a method, both valid in Java, made from the id of a trail and from nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestName {
    /// With its package.
    pub class: String,
    pub method: String,
}

pub const PACKAGE: &str = "dev.trailblaze.trails";

impl TestName {
    /// `sign-in/wrong-password` is `dev.trailblaze.trails.SignIn#wrongPassword`. Two ids never give one name: where a
    /// sign of the id is lost, a short hash of the id stands at the end.
    pub fn of(id: &str) -> Self {
        let (folder, name) = id.rsplit_once('/').unwrap_or(("", id));
        let words = |text: &str| -> Vec<String> {
            let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
            parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let folders: Vec<String> = folder.split('/').map(|part| camel(&words(part), true)).collect();
        let mut suite = folders.join("_");
        if suite.is_empty() {
            suite = "Trails".to_owned();
        }
        let mut method = camel(&words(name), false);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        // Each word must be found again by its first letter.
        let reads_back = |part: &str| {
            let word =
                |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(plain);
            part.split('-').all(word)
        };
        let is_plain = id.split('/').all(reads_back) && folder != "trails";
        if !is_plain || KEYWORDS.contains(&method.as_str()) {
            let prefix = if method.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "t" };
            method = format!("{prefix}{method}_{:08x}", fnv1a(id) as u32);
            if !suite.starts_with(|c: char| c.is_ascii_alphabetic()) {
                suite.insert(0, 'T');
            }
        }
        Self { class: format!("{PACKAGE}.{suite}"), method }
    }
}

/// `class#method`
impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.class, self.method)
    }
}

fn camel(words: &[String], first_is_large: bool) -> String {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if index > 0 || first_is_large => text.extend(first.to_uppercase()),
            Some(first) => text.push(first),
            None => {}
        }
        text.push_str(chars.as_str());
    }
    text
}

/// Words that cannot name a method.
const KEYWORDS: &[&str] = &[
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, expected: &str) {
        assert_eq!(TestName::of(id).to_string(), format!("{PACKAGE}.{expected}"));
    }

    #[test]
    fn ids_read_as_java_names() {
        check("tour", "Trails#tour");
        check("sign-in/wrong-password", "SignIn#wrongPassword");
        check("a/b-c/d", "A_BC#d");
        check("shop/a2", "Shop#a2");
    }

    #[test]
    fn what_is_lost_is_in_the_hash() {
        check("shop/new", "Shop#new_fd4fe33c");
        check("Sign in", "Trails#SignIn_2e8eb763");
    }

    #[test]
    fn different_ids_have_different_names() {
        let ids = [
            "a/b", "a-b", "a_b", "A/b", "a/B", "ab", "aB", "a b", "", "1", "a/1", "日本", "trails/a", "a-1",
            "a1",
        ];
        let names: std::collections::BTreeSet<TestName> = ids.iter().map(|id| TestName::of(id)).collect();
        assert_eq!(names.len(), ids.len());
        for name in names {
            let parts = name.class.rsplit('.').next().into_iter().chain([name.method.as_str()]);
            for part in parts {
                assert!(part.starts_with(|c: char| c.is_ascii_alphabetic()), "{name}");
                assert!(part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            }
        }
    }
}
