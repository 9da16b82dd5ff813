//! The TypeScript SDK, as it stands in `sdks/typescript/scripting`, for scripts that have nothing else to import it from.

use trailblaze_engine::script::Module;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        /// The files of the SDK by their names.
        pub const FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../sdks/typescript/scripting/src/", $name)))),*];
    };
}

files![
    "callback.js",
    "client.js",
    "context.js",
    "index.js",
    "invocation.js",
    "mcp-serve-stdio.js",
    "mcp-stdio.js",
    "outcome.js",
    "result.js",
    "schema.js",
    "server.js",
    "test.js",
    "tool.js",
    "transport.js",
];

/// The name of the package.
pub const PACKAGE: &str = "@trailblaze/scripting";
/// What can be imported, and the file that it is.
pub const EXPORTS: &[(&str, &str)] = &[
    ("@trailblaze/scripting", "index.js"),
    ("@trailblaze/scripting/result", "result.js"),
    ("@trailblaze/scripting/test", "test.js"),
];

/// The SDK as modules that a script can import.
pub fn modules() -> Vec<Module> {
    let files = FILES.iter().map(|(name, text)| Module::new(format!("{PACKAGE}/src/{name}"), *text));
    let entries = EXPORTS.iter().map(|(name, file)| {
        Module::new(*name, format!("export * from {:?};\n", format!("{PACKAGE}/src/{file}")))
    });
    files.chain(entries).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_whole_sdk_is_here() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdks/typescript/scripting");
        let names = fs::read_dir(folder.join("src"))
            .expect("the SDK is there")
            .map(|entry| entry.expect("its files can be listed").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".js")).collect();
        names.sort();
        assert_eq!(FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);

        let package = fs::read(folder.join("package.json")).expect("its package is there");
        let package: serde_json::Value = serde_json::from_slice(&package).expect("its package is JSON");
        let exports = package["exports"].as_object().expect("it says what it exports");
        let exports = exports.iter().filter_map(|(key, value)| Some((key, value.get("default")?.as_str()?)));
        let exports: Vec<(String, String)> =
            exports.map(|(key, file)| (key.replacen('.', PACKAGE, 1), file.replace("./src/", ""))).collect();
        let known = EXPORTS.iter().map(|(key, file)| ((*key).to_owned(), (*file).to_owned()));
        assert_eq!(known.collect::<Vec<_>>(), exports);
    }
}
