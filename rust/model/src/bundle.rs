//! A bundle: one ES module made from a toolset's sources, with a line in front that says from what.
//!
//! The file is `//! trailblaze-bundle {json}`, then the code; its source map stands beside it as `<file>.map`.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The format that this version writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

const MARK: &str = "//! trailblaze-bundle ";
pub const REBUILD: &str = "run `trailblaze bundle` to make it anew";

/// What turned the sources into one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bundler {
    /// This program, without any other.
    Own,
    Esbuild,
    Bun,
}

impl Bundler {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Esbuild => "esbuild",
            Self::Bun => "bun",
        }
    }
}

/// The first line of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub format: u32,
    /// The version of Trailblaze that made it.
    pub engine: String,
    /// Over the names and hashes of all inputs and the options, as 16 hexadecimal digits.
    pub source_hash: String,
    /// The entry's path in the workspace.
    pub name: String,
    pub bundler: Bundler,
    /// It imports modules that exist on a host only; using one on a device throws.
    pub requires_host: bool,
    /// The files it was made from, as paths in the workspace, in the order in which they are hashed.
    pub inputs: Vec<String>,
    /// The hash of each input's text, in the same order.
    #[serde(default)]
    pub input_hashes: Vec<String>,
    /// Files that were not there; an import would mean one of them instead of the file that it means now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub header: Header,
    /// The module, without the header's line.
    pub code: String,
    /// The source map of `code`, as JSON. Columns of the code count bytes, as QuickJS does.
    pub map: Option<String>,
}

/// Why a text is no bundle that this version reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleError {
    pub message: String,
    pub hint: String,
}

impl fmt::Display for BundleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BundleError {}

fn problem(message: impl Into<String>) -> BundleError {
    BundleError { message: message.into(), hint: REBUILD.to_owned() }
}

/// Reads the text of a bundle; its map is added by [`Bundle::with_map`].
pub fn parse(text: &str) -> Result<Bundle, BundleError> {
    let Some(rest) = text.strip_prefix(MARK) else {
        return Err(problem(format!(
            "this is not a bundle: its first line does not begin with '{}'",
            MARK.trim_end()
        )));
    };
    let (line, code) = rest.split_once('\n').unwrap_or((rest, ""));
    let json: Value = serde_json::from_str(line.trim_end())
        .map_err(|error| problem(format!("the header of the bundle is not valid JSON: {error}")))?;
    // The format is looked at first: a newer one may have other fields.
    match json.get("format").and_then(Value::as_u64) {
        None => return Err(problem("the header of the bundle has no format")),
        Some(format) if format > u64::from(FORMAT) => {
            return Err(problem(format!(
                "the bundle was made by a newer Trailblaze (format {format}; this version reads {FORMAT})"
            )));
        }
        Some(0) => return Err(problem("the bundle has format 0, which never was")),
        Some(_) => {}
    }
    let header: Header = serde_json::from_value(json)
        .map_err(|error| problem(format!("the header of the bundle cannot be read: {error}")))?;
    Ok(Bundle { header, code: code.to_owned(), map: None })
}

impl Bundle {
    /// The text of the file: the header's line, then the code.
    pub fn print(&self) -> String {
        let header = serde_json::to_string(&self.header).expect("strings, numbers and lists are always JSON");
        format!("{MARK}{header}\n{}", self.code)
    }

    /// The text of the map's file, whose lines count the header's line too.
    pub fn print_map(&self) -> Option<String> {
        let map = self.map.as_ref()?;
        with_mappings(map, |mappings| Some(format!(";{mappings}")))
    }

    /// Takes the map from the text of the map's file; none when that is not a map of a bundle.
    pub fn with_map(mut self, text: &str) -> Self {
        self.map = with_mappings(text, |mappings| mappings.strip_prefix(';').map(str::to_owned));
        self
    }

    /// Whether this version of Trailblaze made it.
    pub fn is_of_engine(&self, version: &str) -> bool {
        self.header.format == FORMAT && self.header.engine == version
    }
}

fn with_mappings(map: &str, change: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut json: Value = serde_json::from_str(map).ok()?;
    let changed = change(json.get("mappings")?.as_str()?)?;
    json["mappings"] = Value::String(changed);
    Some(json.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        Bundle {
            header: Header {
                format: FORMAT,
                engine: "0.1.0".into(),
                source_hash: "00ff00ff00ff00ff".into(),
                name: "tools/a.ts".into(),
                bundler: Bundler::Own,
                requires_host: false,
                inputs: vec!["tools/a.ts".into()],
                input_hashes: vec!["ff00ff00ff00ff00".into()],
                absent: Vec::new(),
            },
            code: "export const a = 1;\n".into(),
            map: Some(r#"{"version":3,"sources":["tools/a.ts"],"names":[],"mappings":"AAAA"}"#.into()),
        }
    }

    #[test]
    fn the_bytes_are_a_contract() {
        let text = bundle().print();
        assert_eq!(
            text,
            "//! trailblaze-bundle {\"format\":1,\"engine\":\"0.1.0\",\"source_hash\":\"00ff00ff00ff00ff\",\
             \"name\":\"tools/a.ts\",\"bundler\":\"own\",\"requires_host\":false,\"inputs\":[\"tools/a.ts\"],\
             \"input_hashes\":[\"ff00ff00ff00ff00\"]}\n\
             export const a = 1;\n"
        );
        let map = bundle().print_map().expect("it has one");
        assert!(map.contains("\"mappings\":\";AAAA\""), "{map}");
        assert_eq!(parse(&text).expect("it reads").with_map(&map), bundle());
        assert_eq!(parse(&text).expect("it reads").with_map("garbage").map, None);
    }

    #[track_caller]
    fn refused(text: &str, message: &str) {
        let error = parse(text).expect_err("it is refused");
        assert!(error.message.contains(message), "{error}");
        assert_eq!(error.hint, REBUILD);
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        refused("", "this is not a bundle");
        refused("export const a = 1", "its first line does not begin with '//! trailblaze-bundle'");
        refused("//! trailblaze-bundle {", "not valid JSON");
        refused("//! trailblaze-bundle {}\n", "has no format");
        refused("//! trailblaze-bundle {\"format\":0}\n", "format 0");
        refused("//! trailblaze-bundle {\"format\":1}\n", "missing field `engine`");
        refused(
            "//! trailblaze-bundle {\"format\":2,\"something\":\"else\"}\n",
            "was made by a newer Trailblaze (format 2; this version reads 1)",
        );
    }
}
