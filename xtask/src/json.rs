//! Single values out of the flat JSON objects that `trailblaze` prints for `bench`.

/// The number under `"key":`.
pub(crate) fn number(text: &str, key: &str) -> Option<f64> {
    let (_, after) = text.split_once(&format!("\"{key}\""))?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    let end = value.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c))).unwrap_or(value.len());
    value[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        let text = r#"{"steps": 10000, "stepMicros":62.5,"rssEndKib" : 1.2e4}"#;
        assert_eq!(number(text, "steps"), Some(10_000.0));
        assert_eq!(number(text, "stepMicros"), Some(62.5));
        assert_eq!(number(text, "rssEndKib"), Some(12_000.0));
        assert_eq!(number(text, "appMicros"), None);
    }
}
