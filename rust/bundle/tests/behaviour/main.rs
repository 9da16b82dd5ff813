//! What bundles do in QuickJS, and what is said about sources that cannot be bundled.

#![expect(clippy::unwrap_used, reason = "these are tests, their helpers too")]

mod errors;
#[cfg(unix)]
mod external;
mod linking;
mod places;
mod random;
mod types;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use trailblaze_bundle::{Request, Sdk, With, bundle};
use trailblaze_engine::script::{Module, ScriptEngine, ScriptError, ScriptLimits};
use trailblaze_model::bundle::Bundle;
use trailblaze_model::diagnostic::Diagnostic;
use trailblaze_script::QuickJs;

pub(crate) const SDK: Sdk<'static> = Sdk {
    files: &[
        (
            "index.js",
            "import { success } from './result.js'; export const trailblaze = { tool: x => success(x) };",
        ),
        ("result.js", "export const success = text => ({ ok: text });"),
    ],
    exports: &[("@trailblaze/scripting", "index.js"), ("@trailblaze/scripting/result", "result.js")],
};

pub(crate) fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Bundles the first file with the own bundler.
pub(crate) fn own(sources: &[(&str, &str)], allow_host_only: bool) -> Result<Bundle, Vec<Diagnostic>> {
    bundle(&Request {
        root: Path::new("."),
        entry: sources[0].0,
        files: &files(sources),
        with: With::Own,
        allow_host_only,
        sdk: SDK,
    })
}

#[track_caller]
pub(crate) fn made(sources: &[(&str, &str)]) -> Bundle {
    match own(sources, false) {
        Ok(bundle) => bundle,
        Err(problems) => panic!("{}", problems.iter().map(|p| format!("{p}\n")).collect::<String>()),
    }
}

/// Loads the text of a bundle under the name `bundle.js` and calls an export of it.
pub(crate) fn call(text: &str, function: &str) -> Result<Value, ScriptError> {
    let module = Module::new("bundle.js", text);
    let limits = ScriptLimits { call_ms: 20_000, ..ScriptLimits::default() };
    let runtime = QuickJs.start(vec![module], limits)?;
    runtime.call(function, vec![])
}

/// The export `f` of the bundle of these files gives that value.
#[track_caller]
pub(crate) fn check(sources: &[(&str, &str)], expected: Value) {
    let text = made(sources).print();
    assert_eq!(call(&text, "f"), Ok(expected), "{text}");
}
