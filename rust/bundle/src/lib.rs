//! Turns a toolset's TypeScript or JavaScript into one ES module with a source map, which QuickJS runs.
//!
//! Sources that import only each other and `@trailblaze/scripting` need no other program: `module` erases the types,
//! `graph` follows the imports, `link` makes one module of them. Packages are left to esbuild or bun (`external`).
//!
//! Invariant: a source that cannot be bundled is an error with its place, and never a bundle that fails later.

mod edit;
mod external;
mod files;
mod fresh;
mod graph;
mod link;
mod module;
mod resolve;
mod sdk;

use std::path::Path;

use trailblaze_model::bundle::{Bundle, Bundler, FORMAT, Header};
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};

pub use self::external::find::on_path;
pub use self::files::{Disk, Files};
pub use self::fresh::{is_fresh, is_outdated};
pub use self::module::has_module_syntax;
pub use self::sdk::Sdk;

use self::graph::{Body, Graph, Loader};

/// The version that bundles are made by.
pub const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// Which bundler may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum With {
    /// The own one where it can, else esbuild, else bun.
    #[default]
    Auto,
    Own,
    Esbuild,
    Bun,
}

#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The workspace's folder. Esbuild and bun read from there; the own bundler reads only through `files`.
    pub root: &'a Path,
    /// The entry's path in the workspace, with `/`.
    pub entry: &'a str,
    pub files: &'a dyn Files,
    pub with: With,
    /// Every tool of the entry requires a host, so it may import modules that exist only there.
    pub allow_host_only: bool,
    pub sdk: Sdk<'a>,
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("root", &self.root)
            .field("entry", &self.entry)
            .finish_non_exhaustive()
    }
}

/// What a bundler made, before it gets a header.
struct Output {
    bundler: Bundler,
    code: String,
    map: Option<String>,
    /// Names of files in the workspace.
    inputs: Vec<String>,
    /// Names that would win over one of the inputs if they were there.
    absent: Vec<String>,
    requires_host: bool,
}

/// Makes the bundle, or says all that is wrong with its sources.
pub fn bundle(request: &Request<'_>) -> Result<Bundle, Vec<Diagnostic>> {
    let output = match request.with {
        With::Own => own(request, None),
        With::Esbuild => external::bundle(request, Bundler::Esbuild),
        With::Bun => external::bundle(request, Bundler::Bun),
        With::Auto => own(request, external::find_any(request)),
    };
    let mut output = output.map_err(Diagnostics::sorted)?;
    // Other bundlers may prefer another name than we do.
    output.absent.retain(|name| !request.files.exists(name));
    let mut header = Header {
        format: FORMAT,
        engine: ENGINE.to_owned(),
        source_hash: String::new(),
        name: request.entry.to_owned(),
        bundler: output.bundler,
        requires_host: output.requires_host,
        inputs: output.inputs,
        input_hashes: Vec::new(),
        absent: output.absent,
    };
    fresh::stamp(&mut header, request.files, &request.sdk).map_err(|problem| vec![problem])?;
    Ok(Bundle { header, code: output.code, map: output.map })
}

/// Without any other program, if the sources need none; what they need is left to `other`.
fn own(request: &Request<'_>, other: Option<Bundler>) -> Result<Output, Diagnostics> {
    let loader = Loader { files: request.files, sdk: &request.sdk, allow_host_only: request.allow_host_only };
    let (graph, mut problems) = Graph::load(loader, request.entry);
    let only_others_can = problems.has_errors() || !graph.packages.is_empty();
    let all_left_to_others = problems.errors().all(|problem| problem.code == Code::NotErasable);
    match other {
        Some(bundler) if only_others_can && all_left_to_others => return external::bundle(request, bundler),
        Some(_) => {}
        None => {
            let packages = graph.packages.iter();
            problems.extend(
                packages.map(|(node, at, package)| graph.at(*node, *at, needs_bundler(request, package))),
            );
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let linked = link::link(&graph)?;
    let is_input = |node: &&graph::Node| !matches!(node.body, Body::HostOnly);
    let mut inputs: Vec<String> = graph.nodes.iter().filter(is_input).map(|node| node.name.clone()).collect();
    inputs.retain(|name| !name.starts_with(resolve::SDK_FOLDER));
    let requires_host = graph.requires_host();
    let absent = graph.absent.into_iter().collect();
    Ok(Output {
        bundler: Bundler::Own,
        code: linked.code,
        map: Some(linked.map),
        inputs,
        absent,
        requires_host,
    })
}

fn needs_bundler(request: &Request<'_>, package: &str) -> Diagnostic {
    let problem = |message: String| Diagnostic::error(Code::MissingImport, message);
    match request.with {
        With::Auto => {
            problem(format!("'{package}' is a package, and neither esbuild nor bun is there to bundle it"))
                .hint("npm install --save-dev esbuild")
        }
        _ => problem(format!("'{package}' is a package, which needs esbuild or bun")).hint(
            "leave the choice of the bundler to Trailblaze, or import only files and '@trailblaze/scripting'",
        ),
    }
}
