//! Names people type: the nearest known one for a hint, and the naming rules of tools.

/// The known name nearest to a misspelt one, if any is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().filter_map(|candidate| Some((nearness(name, candidate)?, candidate)));
    near.min().map(|(_, candidate)| candidate)
}

/// How many letters lie between a misspelt name and one that may be meant; none when it is too far from it.
pub fn nearness(name: &str, candidate: &str) -> Option<usize> {
    let (lower, other) = (name.to_lowercase(), candidate.to_lowercase());
    let limit = (name.chars().count() / 3).clamp(1, 3);
    let begins = lower.len() >= 4 && other.starts_with(&lower);
    // Names of quite different lengths are never near, and a name can be as long as its document.
    if !begins && lower.chars().count().abs_diff(other.chars().count()) > limit {
        return None;
    }
    let distance = edit_distance(&lower, &other);
    // A name of one letter is near to every other one.
    let near = distance <= limit && distance < lower.chars().count();
    (near || begins).then_some(distance)
}

/// `did you mean 'x'?`, or what else to do.
pub fn nearest_hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|found| format!("did you mean '{found}'?"))
}

/// `a, b and c`
pub fn list<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", rest.join(", "), last.as_ref())
        }
    }
}

/// Insertions, deletions, replacements and swaps of neighbours between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Prefixes that belong to platforms, organisations and Trailblaze itself.
pub const RESERVED_PREFIXES: &[&str] = &["android_", "ios_", "web_", "desktop_", "org_", "trailblaze_"];

/// Names that mean something else in a trail file.
pub const RESERVED_NAMES: &[&str] = &["config", "prompts", "tools", "trailhead"];

/// What a tool name breaks of the naming rules, as a sentence; none when it is fine.
pub fn tool_name_problem(name: &str) -> Option<String> {
    if RESERVED_NAMES.contains(&name) {
        return Some(format!("'{name}' is a key of trail files and cannot name a tool"));
    }
    if let Some(prefix) = RESERVED_PREFIXES.iter().find(|prefix| name.starts_with(**prefix)) {
        return Some(format!("the prefix '{prefix}' is reserved"));
    }
    let well_formed = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
        && !name.ends_with('_');
    if !well_formed {
        return Some(format!("'{name}' is not of the form verbNoun or app_verbNoun"));
    }
    let device = ["phone", "tablet"].iter().find(|device| name.split('_').any(|part| part == **device));
    device.map(|device| format!("a device class ('{device}') is never part of a tool name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_found() {
        let known = ["tapOnElement", "tap", "inputText", "assertVisible"];
        assert_eq!(nearest("tapOnElment", known), Some("tapOnElement"));
        assert_eq!(nearest("inptuText", known), Some("inputText"));
        assert_eq!(nearest("INPUTTEXT", known), Some("inputText"));
        assert_eq!(nearest("launchRocket", known), None);
        assert_eq!(nearest("2", ["+", "x"]), None);
        assert_eq!(nearness("discar", "Discard"), Some(1));
        assert_eq!(nearness("Discar", "Discard it?"), Some(5));
        assert_eq!(nearness("Discar", "Keep"), None);
    }

    #[test]
    fn tool_names_follow_the_rules() {
        for good in ["tap", "inputText", "checkout_applyCoupon", "myapp_ios_scroll", "myapp_login_v2"] {
            assert_eq!(tool_name_problem(good), None, "{good}");
        }
        for bad in ["config", "android_reboot", "my.tool", "1st", "a__b", "login_phone", "trailing_"] {
            assert!(tool_name_problem(bad).is_some(), "{bad}");
        }
    }
}
