//! Pictures that a tool gave, for the model that called it.

use std::path::Path;

use serde_json::Value;
use trailblaze_mcp::server::answer;

use super::resources::report_uri;

/// The largest picture that is shown; models take no larger ones.
const LARGEST: u64 = 3 * 1024 * 1024;
/// So much is shown of one call, which is well below what one message may be.
const MOST: u64 = 8 * 1024 * 1024;

/// The files of a live session, below its folder. What is too large to be shown, or nothing that models can see, can
/// still be read as a resource.
pub(super) fn shown(folder: &Path, files: &[String]) -> Vec<Value> {
    let mut left = MOST;
    let block = |file: &String| {
        let path = folder.join(file);
        let size = path.metadata().map_or(u64::MAX, |about| about.len());
        let bytes = mime_type(file)
            .filter(|_| size <= LARGEST.min(left))
            .and_then(|mime_type| Some((mime_type, std::fs::read(&path).ok()?)));
        match bytes {
            Some((mime_type, bytes)) => {
                left -= size;
                answer::image(mime_type, &bytes)
            }
            None => answer::text(format!("saved as {}", report_uri(folder, file))),
        }
    };
    files.iter().map(block).collect()
}

/// Of the kinds that models can see.
fn mime_type(file: &str) -> Option<&'static str> {
    match Path::new(file).extension()?.to_str()? {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown of files with these names and sizes, in KiB.
    #[track_caller]
    fn check(files: &[(&str, usize)], expected: &[&str]) {
        let folder = std::env::temp_dir().join(format!("trailblaze-pictures-{}", std::process::id()));
        let folder = folder.join(files[0].0);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, size) in files {
            std::fs::write(folder.join(name), vec![0; size * 1024]).expect("a file");
        }
        let names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        let blocks = shown(&folder, &names);
        std::fs::remove_dir_all(&folder).expect("it is there");
        let said = |block: &Value| block["mimeType"].as_str().or(block["text"].as_str()).map(str::to_owned);
        let said: Vec<String> = blocks.iter().filter_map(said).collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn what_is_too_large_can_be_read_as_a_resource() {
        check(&[("a.png", 1), ("b.jpeg", 3072)], &["image/png", "image/jpeg"]);
        check(&[("c.png", 3073)], &["saved as trailblaze://reports/c.png/c.png"]);
        let all = ["image/png", "image/png", "saved as trailblaze://reports/d.png/f.png", "image/gif"];
        check(&[("d.png", 3072), ("e.png", 3072), ("f.png", 3072), ("g.gif", 2048)], &all);
    }

    #[test]
    fn what_models_cannot_see_can_be_read_as_a_resource() {
        check(&[("h.svg", 1)], &["saved as trailblaze://reports/h.svg/h.svg"]);
    }
}
