//! Esbuild and bun, for sources that import packages.
//!
//! Both find `@trailblaze/scripting` in a temporary folder, so that it need not be installed, and our transport there
//! instead of the one that reads from standard input. Modules that exist on a host only stay imports of the output;
//! where they are allowed, the own linker puts stubs in their place.

pub(crate) mod find;
mod limited;
mod messages;
mod metafile;
mod temp_folder;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use trailblaze_model::bundle::Bundler;
use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::source_map::SourceMap;

use self::metafile::Metafile;
use self::temp_folder::TempFolder;
use crate::graph::{Graph, Loader};
use crate::resolve::{SDK_FOLDER, node_modules};
use crate::sdk::{MCP_SERVE_STDIO, MCP_STDIO, REAL_SERVE_STDIO, Sdk};
use crate::{Output, Request, files, link};

/// The largest toolsets take a second or two.
const LIMIT: Duration = Duration::from_secs(120);

/// The bundler that is there; esbuild before bun.
pub(crate) fn find_any(request: &Request<'_>) -> Option<Bundler> {
    let folder = entry_folder(request);
    [Bundler::Esbuild, Bundler::Bun]
        .into_iter()
        .find(|bundler| find::program(bundler.as_str(), &folder, request.root).is_some())
}

pub(crate) fn bundle(request: &Request<'_>, bundler: Bundler) -> Result<Output, Diagnostics> {
    let name = bundler.as_str();
    let Some(program) = find::program(name, &entry_folder(request), request.root) else {
        let problem = Diagnostic::error(Code::Bundler, format!("{name} is not there"));
        return Err(one(problem.hint(format!("npm install --save-dev {name}, or put it into the PATH"))));
    };
    let trouble =
        |what: &str, error: std::io::Error| one(Diagnostic::error(Code::Bundler, format!("{what}: {error}")));
    let root =
        fs::canonicalize(request.root).map_err(|error| trouble("the workspace cannot be read", error))?;
    let temp = TempFolder::new().map_err(|error| trouble("no temporary folder can be made", error))?;
    let run = Run { request, root: &root, temp: &temp };
    run.write_sdk().map_err(|error| trouble("the SDK cannot be written", error))?;
    let mut command = Command::new(&program);
    match bundler {
        Bundler::Bun => {
            run.bun(&mut command).map_err(|error| trouble("bun's settings cannot be written", error))?
        }
        _ => run.esbuild(&mut command),
    }
    let said = temp.path().join("said");
    let ended = limited::run(command.current_dir(&root), &said, LIMIT);
    match ended.map_err(|error| trouble(&format!("{name} cannot be run"), error))? {
        None => {
            let message = format!("{name} was ended: it was not done after {} s", LIMIT.as_secs());
            Err(one(Diagnostic::error(Code::Bundler, message)))
        }
        Some(status) if !status.success() => {
            let said = fs::read(&said).unwrap_or_default();
            Err(messages::read(bundler, &String::from_utf8_lossy(&said), &root, request.files))
        }
        Some(_) => run.read(bundler),
    }
}

fn entry_folder(request: &Request<'_>) -> PathBuf {
    request.root.join(files::folder(request.entry))
}

fn one(problem: Diagnostic) -> Diagnostics {
    let mut problems = Diagnostics::new();
    problems.push(problem);
    problems
}

struct Run<'a> {
    request: &'a Request<'a>,
    /// Without links, as the bundlers see it.
    root: &'a Path,
    temp: &'a TempFolder,
}

impl Run<'_> {
    fn sdk_file(&self, name: &str) -> String {
        slashes(&self.temp.path().join("sdk").join(name))
    }

    fn write_sdk(&self) -> std::io::Result<()> {
        fs::create_dir(self.temp.path().join("sdk"))?;
        let real = find::serve_stdio(&entry_folder(self.request));
        for (name, text) in self.request.sdk.files {
            let text = match &real {
                Some(real) => text.replace(REAL_SERVE_STDIO, &slashes(real)),
                None => (*text).to_owned(),
            };
            fs::write(self.temp.path().join("sdk").join(name), text)?;
        }
        fs::write(
            self.temp.path().join("sdk").join("package.json"),
            "{\"type\":\"module\",\"sideEffects\":true}",
        )
    }

    /// What is imported, and our file that is meant.
    fn aliases(&self) -> Vec<(&'static str, String)> {
        let sdk = &self.request.sdk;
        let own = sdk.specifiers().into_iter().filter_map(|known| Some((known, sdk.file_of(known)?)));
        let transports = [
            ("@modelcontextprotocol/sdk/server/stdio.js", MCP_STDIO),
            ("@modelcontextprotocol/server/stdio", MCP_SERVE_STDIO),
        ];
        let transports = transports.into_iter().filter(|(_, file)| sdk.text(file).is_some());
        own.chain(transports).map(|(specifier, file)| (specifier, self.sdk_file(file))).collect()
    }

    fn esbuild(&self, command: &mut Command) {
        command.arg(slashes(&self.root.join(self.request.entry)));
        command.args([
            "--bundle",
            "--format=esm",
            "--platform=neutral",
            "--main-fields=module,main",
            "--target=es2023",
            "--conditions=browser",
            "--charset=ascii",
            "--sourcemap=external",
            "--sources-content=false",
            "--color=false",
            "--log-level=error",
            "--log-limit=0",
            "--legal-comments=none",
        ]);
        command.arg(format!("--outfile={}", slashes(&self.out())));
        command.arg(format!("--metafile={}", slashes(&self.metafile())));
        for (specifier, file) in self.aliases() {
            command.arg(format!("--alias:{specifier}={file}"));
        }
        command.args(externals().map(|external| format!("--external:{external}")));
    }

    /// Bun has no flag for aliases, but it reads the paths of a TypeScript configuration.
    fn bun(&self, command: &mut Command) -> std::io::Result<()> {
        let paths: serde_json::Map<String, Value> = self
            .aliases()
            .into_iter()
            .map(|(specifier, file)| (specifier.to_owned(), json!([file])))
            .collect();
        let config = self.temp.path().join("tsconfig.json");
        fs::write(&config, json!({ "compilerOptions": { "baseUrl": "/", "paths": paths } }).to_string())?;
        command.arg("build").arg(slashes(&self.root.join(self.request.entry)));
        command.args(["--target=browser", "--format=esm", "--conditions=browser", "--sourcemap=external"]);
        command.args(["--entry-naming=bundle.[ext]", "--env=disable"]);
        command.arg(format!("--outdir={}", slashes(&self.temp.path().join("out"))));
        command.arg(format!("--metafile={}", slashes(&self.metafile())));
        command.arg(format!("--tsconfig-override={}", slashes(&config)));
        command.args(externals().map(|external| format!("--external={external}")));
        Ok(())
    }

    fn out(&self) -> PathBuf {
        self.temp.path().join("out").join("bundle.js")
    }

    fn metafile(&self) -> PathBuf {
        self.temp.path().join("meta.json")
    }

    fn read(&self, bundler: Bundler) -> Result<Output, Diagnostics> {
        let read = |path: PathBuf| {
            fs::read_to_string(&path).map_err(|error| {
                one(Diagnostic::error(
                    Code::Bundler,
                    format!("what {} wrote cannot be read: {error}", bundler.as_str()),
                ))
            })
        };
        let code = without_last_comment(read(self.out())?);
        let map = self.map(&read(self.out().with_extension("js.map"))?);
        let meta = Metafile::read(&read(self.metafile())?, self.request.entry);
        let host_only = meta.host_only(|name| self.is_temporary(name));
        if !self.request.allow_host_only && !host_only.is_empty() {
            let mut problems = Diagnostics::new();
            problems.extend(host_only.iter().map(|import| import.diagnostic(self.request.files)));
            return Err(problems);
        }
        let requires_host = !host_only.is_empty();
        let (code, map) = match requires_host {
            true => relink(code, map)?,
            false => {
                let map = map.map(|map| map.with_columns_in_bytes(&code).print());
                (code, map)
            }
        };
        let inputs = meta.inputs(|name| self.is_temporary(name));
        let absent = meta.absent(|name| self.is_temporary(name));
        Ok(Output { bundler, code, map, inputs, absent, requires_host })
    }

    fn is_temporary(&self, name: &str) -> bool {
        absolute(self.root, name).starts_with(self.temp.path())
    }

    /// The map with the sources' names as they are in the workspace.
    fn map(&self, text: &str) -> Option<SourceMap> {
        let mut map: Value = serde_json::from_str(text).ok()?;
        let sdk = self.temp.path().join("sdk");
        let out = self.temp.path().join("out");
        let name = |source: &Value| {
            let source = source.as_str().unwrap_or_default();
            let path = absolute(&out, source);
            match path.strip_prefix(&sdk) {
                Ok(inside) => format!("{SDK_FOLDER}{}", slashes(inside)),
                Err(_) if source.starts_with('.') => files::name_of(self.root, &path),
                Err(_) => source.to_owned(),
            }
        };
        let sources: Vec<String> = map.get("sources")?.as_array()?.iter().map(name).collect();
        let object = map.as_object_mut()?;
        object.insert("sources".to_owned(), json!(sources));
        SourceMap::parse(&map.to_string()).ok()
    }
}

/// Bun ends its output with a comment about it.
fn without_last_comment(code: String) -> String {
    match code.rfind("\n//# ") {
        Some(at) if !code[at + 1..].trim_end().contains('\n') => format!("{}\n", &code[..at].trim_end()),
        _ => code,
    }
}

fn externals() -> impl Iterator<Item = String> {
    let bare = node_modules().flat_map(|name| [name.to_owned(), format!("{name}/*")]);
    ["node:*", "bun:*", "bun"].into_iter().map(str::to_owned).chain(bare)
}

/// A path with `/` seen from a folder.
fn absolute(folder: &Path, path: &str) -> PathBuf {
    let folder = slashes(folder);
    let root = if folder.starts_with('/') { "/" } else { "" };
    PathBuf::from(format!("{root}{}", files::join(&folder, path)))
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The output as a module of the own linker, which puts stubs in the place of a host's modules.
fn relink(code: String, map: Option<SourceMap>) -> Result<(String, Option<String>), Diagnostics> {
    let name = "bundle.js".to_owned();
    let made: BTreeMap<String, String> = [(name.clone(), code)].into();
    let loader = Loader { files: &made, sdk: &Sdk { files: &[], exports: &[] }, allow_host_only: true };
    let (graph, problems) = Graph::load(loader, &name);
    if problems.has_errors() {
        return Err(problems);
    }
    let linked = link::link(&graph)?;
    let map = map.and_then(|inner| Some(SourceMap::parse(&linked.map).ok()?.through(&inner).print()));
    Ok((linked.code, map))
}
