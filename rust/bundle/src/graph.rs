//! All modules that an entry reaches, in the order in which they are evaluated.

use std::collections::{BTreeSet, HashMap};

use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::place::Source;

use crate::files::Files;
use crate::module::{self, Module, Request};
use crate::resolve::{Resolved, SDK_FOLDER, before, resolve};
use crate::sdk::Sdk;

#[derive(Debug)]
pub(crate) enum Body {
    Script(Module),
    /// The text of a JSON file, which is valid, and its keys.
    Json {
        text: String,
        keys: Vec<String>,
    },
    /// A built-in module of a host, by its specifier.
    HostOnly,
}

#[derive(Debug)]
pub(crate) struct Node {
    /// The name of the file, or the specifier of a host's module.
    pub(crate) name: String,
    pub(crate) body: Body,
    /// For each request of the script, the module that it means.
    pub(crate) targets: Vec<Option<usize>>,
    /// Who imported it first, and where.
    parent: Option<(usize, u32)>,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// The imports of packages: the module, where, and which.
    pub(crate) packages: Vec<(usize, u32, String)>,
    /// Names that were tried for imports before the file that is there.
    pub(crate) absent: BTreeSet<String>,
}

#[derive(Clone, Copy)]
pub(crate) struct Loader<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) sdk: &'a Sdk<'a>,
    pub(crate) allow_host_only: bool,
}

impl Graph {
    /// Reads and parses everything; the entry is the first node.
    pub(crate) fn load(loader: Loader<'_>, entry: &str) -> (Self, Diagnostics) {
        let mut graph = Self::default();
        let mut problems = Diagnostics::new();
        let mut known = HashMap::from([(entry.to_owned(), 0)]);
        let mut waiting = vec![(entry.to_owned(), Resolved::File(entry.to_owned()), None)];
        let mut next = 0;
        while next < waiting.len() {
            let (name, resolved, parent) = waiting[next].clone();
            let body = match read(loader, &name, &resolved) {
                Ok(body) => body,
                Err(found) => {
                    problems.extend(found);
                    Body::HostOnly
                }
            };
            let requests: Vec<Request> = match &body {
                Body::Script(module) => module.requests.clone(),
                _ => Vec::new(),
            };
            graph.nodes.push(Node { name, body, targets: vec![None; requests.len()], parent });
            for (index, request) in requests.into_iter().enumerate() {
                let from = &graph.nodes[next].name;
                let resolved = resolve(loader.files, loader.sdk, from, &request.specifier);
                let name = match &resolved {
                    Resolved::File(name) => {
                        graph.absent.extend(before(from, &request.specifier, name));
                        name.clone()
                    }
                    Resolved::Sdk(file) => format!("{SDK_FOLDER}{file}"),
                    Resolved::HostOnly => request.specifier.clone(),
                    Resolved::Package => {
                        graph.packages.push((next, request.at, request.specifier));
                        continue;
                    }
                    Resolved::Missing { .. } | Resolved::Unsupported(_) => {
                        problems.push(graph.missing(next, &request, resolved));
                        continue;
                    }
                };
                let is_ours = from.starts_with(SDK_FOLDER);
                if resolved == Resolved::HostOnly && !loader.allow_host_only && !is_ours {
                    problems.push(graph.host_only(next, &request));
                }
                let number = *known.entry(name.clone()).or_insert_with(|| {
                    waiting.push((name, resolved, Some((next, request.at))));
                    waiting.len() - 1
                });
                graph.nodes[next].targets[index] = Some(number);
            }
            next += 1;
        }
        (graph, problems)
    }

    pub(crate) fn source(&self, node: usize) -> Option<&Source> {
        match &self.nodes[node].body {
            Body::Script(module) => Some(&module.source),
            _ => None,
        }
    }

    /// Puts a problem at its place in a module.
    pub(crate) fn at(&self, node: usize, at: u32, problem: Diagnostic) -> Diagnostic {
        match self.source(node) {
            Some(source) => problem.at(source, module::place(source, at)),
            None => problem.in_file(self.nodes[node].name.as_str()),
        }
    }

    fn missing(&self, node: usize, request: &Request, resolved: Resolved) -> Diagnostic {
        let specifier = &request.specifier;
        let (message, hint) = match resolved {
            Resolved::Unsupported(why) => (format!("'{specifier}' cannot be bundled: {why}"), None),
            Resolved::Missing { looked_for, hint } => {
                let shown = looked_for.first().map(String::as_str).unwrap_or_default();
                let others = looked_for.len().saturating_sub(1);
                let more = if others > 0 { format!(" or {others} other names of it") } else { String::new() };
                (format!("'{specifier}' is not there: there is no {shown}{more}"), hint)
            }
            _ => (format!("'{specifier}' cannot be imported"), None),
        };
        self.at(node, request.at, Diagnostic::error(Code::MissingImport, message).hint_opt(hint))
    }

    fn host_only(&self, node: usize, request: &Request) -> Diagnostic {
        let mut chain = self.chain(node);
        chain.push(request.specifier.clone());
        let problem = host_only(&request.specifier, &chain);
        self.at(node, request.at, problem)
    }

    /// The names of the modules from the entry to this one.
    fn chain(&self, node: usize) -> Vec<String> {
        let mut chain = vec![self.nodes[node].name.clone()];
        let mut at = node;
        while let Some((parent, _)) = self.nodes[at].parent {
            chain.push(self.nodes[parent].name.clone());
            at = parent;
        }
        chain.reverse();
        chain
    }

    /// The modules in the order of evaluation when `from` is imported, each after those that it imports.
    pub(crate) fn order(&self, from: usize) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![(from, 0)];
        seen[from] = true;
        while let Some((node, next)) = stack.pop() {
            let targets = &self.nodes[node].targets;
            let Some(target) = targets.get(next) else {
                order.push(node);
                continue;
            };
            stack.push((node, next + 1));
            let followed = target.filter(|_| !self.is_dynamic(node, next));
            if let Some(target) = followed.filter(|target| !std::mem::replace(&mut seen[*target], true)) {
                stack.push((target, 0));
            }
        }
        order
    }

    /// Whether a module other than ours imports one of a host. Ours ask for it only where they run on one.
    pub(crate) fn requires_host(&self) -> bool {
        let own = self.nodes.iter().filter(|node| !node.name.starts_with(SDK_FOLDER));
        let mut targets = own.flat_map(|node| node.targets.iter().flatten());
        targets.any(|target| matches!(self.nodes[*target].body, Body::HostOnly))
    }

    fn is_dynamic(&self, node: usize, request: usize) -> bool {
        match &self.nodes[node].body {
            Body::Script(module) => module.requests[request].dynamic.is_some(),
            _ => false,
        }
    }
}

/// A built-in module of a host where there is none.
pub(crate) fn host_only(specifier: &str, chain: &[String]) -> Diagnostic {
    let message = format!("'{specifier}' exists on a host only ({})", chain.join(" -> "));
    let hint = "do without it, or set requiresHost on every tool of this file: then they run on a host only";
    Diagnostic::error(Code::HostOnly, message).hint(hint)
}

fn read(loader: Loader<'_>, name: &str, resolved: &Resolved) -> Result<Body, Vec<Diagnostic>> {
    let text = match resolved {
        Resolved::HostOnly => return Ok(Body::HostOnly),
        Resolved::Sdk(file) => loader.sdk.text(file).unwrap_or_default().to_owned(),
        _ => {
            let bytes = loader.files.read(name).map_err(|error| {
                vec![Diagnostic::error(Code::Unreadable, format!("it cannot be read: {error}")).in_file(name)]
            })?;
            String::from_utf8(bytes).map_err(|_| {
                vec![Diagnostic::error(Code::Unreadable, "it is not UTF-8 text").in_file(name)]
            })?
        }
    };
    if text.len() > MAX_SOURCE {
        let message = format!("it is larger than {} MiB", MAX_SOURCE >> 20);
        return Err(vec![Diagnostic::error(Code::Limit, message).in_file(name)]);
    }
    if name.ends_with(".json") {
        return json(name, &text).map_err(|problem| vec![problem]);
    }
    // Nothing of a file of declarations is left when the program runs.
    let text = if name.ends_with(".d.ts") { "" } else { text.as_str() };
    module::parse(Source::new(name, text)).map(Body::Script)
}

/// Offsets are 32 bits, and nobody writes a tool of this size.
const MAX_SOURCE: usize = 64 << 20;

fn json(name: &str, text: &str) -> Result<Body, Diagnostic> {
    let source = Source::new(name, text);
    let value: serde_json::Value = serde_json::from_str(source.body()).map_err(|error| {
        let place = trailblaze_model::place::Place {
            line: error.line().max(1) as u32,
            column: error.column().max(1) as u32,
        };
        Diagnostic::error(Code::Syntax, format!("it is not valid JSON: {error}")).at(&source, place)
    })?;
    let keys = value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
    Ok(Body::Json { text: source.body().to_owned(), keys })
}
