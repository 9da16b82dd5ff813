//! Which module has the value behind every exported name.

use std::collections::BTreeMap;

use trailblaze_model::diagnostic::{Code, Diagnostic, Diagnostics};
use trailblaze_model::names;

use crate::graph::{Body, Graph};
use crate::module::{Module, Origin, Taken};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Local(String),
    Default,
    /// All that another module exports.
    Namespace(usize),
    /// A member of a module whose exports are not known, or of data.
    Member(usize, String),
}

/// What a name of a module leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lookup {
    Value(usize, Value),
    Type,
    /// Two `export *` have it, with different values.
    Ambiguous,
    None,
}

#[derive(Debug)]
pub(super) struct Exports {
    /// For each module its names, sorted, with the module that has the value.
    tables: Vec<BTreeMap<String, (usize, Value)>>,
}

impl Exports {
    pub(super) fn resolve(graph: &Graph) -> Result<Self, Diagnostics> {
        let resolver = Resolver { graph };
        let mut problems = Diagnostics::new();
        let mut tables = Vec::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            let mut table = BTreeMap::new();
            let mut names = Vec::new();
            resolver.names(index, &mut Vec::new(), &mut names);
            for name in names {
                if let Lookup::Value(owner, value) = resolver.find(index, &name, &mut Vec::new()) {
                    table.insert(name, (owner, value));
                }
            }
            if let Body::Script(module) = &node.body {
                problems.extend(resolver.missing(index, module));
            }
            tables.push(table);
        }
        if problems.has_errors() { Err(problems) } else { Ok(Self { tables }) }
    }

    pub(super) fn names(&self, node: usize) -> impl Iterator<Item = &str> {
        self.tables[node].keys().map(String::as_str)
    }

    pub(super) fn get(&self, node: usize, name: &str) -> Option<&(usize, Value)> {
        self.tables[node].get(name)
    }

    /// A name under which a module exports a value of its own.
    pub(super) fn name_of(&self, node: usize, value: &Value) -> Option<&str> {
        let own = |(_, (owner, known)): &(&String, &(usize, Value))| *owner == node && known == value;
        self.tables[node].iter().find(own).map(|(name, _)| name.as_str())
    }
}

struct Resolver<'g> {
    graph: &'g Graph,
}

impl Resolver<'_> {
    fn target(&self, node: usize, request: usize) -> Option<usize> {
        self.graph.nodes[node].targets.get(request).copied().flatten()
    }

    /// The names that a module may export, without those of a circle that leads back to it.
    fn names(&self, node: usize, seen: &mut Vec<usize>, names: &mut Vec<String>) {
        if seen.contains(&node) {
            return;
        }
        seen.push(node);
        match &self.graph.nodes[node].body {
            Body::HostOnly => {}
            Body::Json { keys, .. } => {
                names.push("default".to_owned());
                names.extend(keys.iter().cloned());
            }
            Body::Script(module) => {
                names.extend(module.exports.iter().map(|export| export.name.clone()));
                for star in module.stars.iter().filter_map(|star| self.target(node, *star)) {
                    let mut others = Vec::new();
                    self.names(star, seen, &mut others);
                    names.extend(others.into_iter().filter(|name| name != "default"));
                }
            }
        }
    }

    fn find(&self, node: usize, name: &str, seen: &mut Vec<(usize, String)>) -> Lookup {
        let step = (node, name.to_owned());
        if seen.contains(&step) {
            return Lookup::None;
        }
        seen.push(step);
        let module = match &self.graph.nodes[node].body {
            Body::HostOnly => return Lookup::Value(node, Value::Member(node, name.to_owned())),
            Body::Json { keys, .. } if name == "default" || keys.iter().any(|key| key == name) => {
                return Lookup::Value(node, Value::Member(node, name.to_owned()));
            }
            Body::Json { .. } => return Lookup::None,
            Body::Script(module) => module,
        };
        // A file of declarations has no values, and its types are not looked at.
        if self.graph.nodes[node].name.ends_with(".d.ts") {
            return Lookup::Type;
        }
        if let Some(export) = module.exports.iter().find(|export| export.name == name) {
            return match &export.origin {
                Origin::Local(local) => Lookup::Value(node, Value::Local(local.clone())),
                Origin::Default => Lookup::Value(node, Value::Default),
                Origin::From(request, taken) => self.taken(node, *request, taken, seen),
                Origin::Import(import) => {
                    let import = &module.imports[*import];
                    self.taken(node, import.request, &import.taken, seen)
                }
            };
        }
        if module.types.contains(name) {
            return Lookup::Type;
        }
        let mut found = Lookup::None;
        let stars = module.stars.iter().filter_map(|star| self.target(node, *star));
        for star in stars.filter(|_| name != "default") {
            // The names of a host's module are not known, so none is taken from it.
            if matches!(self.graph.nodes[star].body, Body::HostOnly) {
                continue;
            }
            found = match (found, self.find(star, name, seen)) {
                (found, Lookup::None) => found,
                (Lookup::None | Lookup::Type, other) => other,
                (found, Lookup::Type) => found,
                (found, other) if found == other => found,
                _ => Lookup::Ambiguous,
            };
        }
        found
    }

    fn taken(&self, node: usize, request: usize, taken: &Taken, seen: &mut Vec<(usize, String)>) -> Lookup {
        match (self.target(node, request), taken) {
            (None, _) => Lookup::None,
            (Some(target), Taken::Namespace) => Lookup::Value(node, Value::Namespace(target)),
            (Some(target), Taken::Name(name)) => self.find(target, name, seen),
        }
    }

    /// Imported and re-exported names that the other module does not have.
    fn missing(&self, node: usize, module: &Module) -> Vec<Diagnostic> {
        let imported = module.imports.iter().filter(|import| import.used);
        let imported = imported.map(|import| (import.request, &import.taken, import.at));
        let exported = module.exports.iter().filter_map(|export| match &export.origin {
            Origin::From(request, taken) => Some((*request, taken, export.at)),
            _ => None,
        });
        let mut problems = Vec::new();
        for (request, taken, at) in imported.chain(exported) {
            let (Some(target), Taken::Name(name)) = (self.target(node, request), taken) else { continue };
            let other = &self.graph.nodes[target].name;
            let found = self.find(target, name, &mut Vec::new());
            let message = match &found {
                Lookup::Value(..) | Lookup::Type => continue,
                Lookup::None if name == "default" => format!("'{other}' has no default export"),
                Lookup::None => format!("'{other}' does not export '{name}'"),
                Lookup::Ambiguous => {
                    format!("'{other}' exports '{name}' from two modules, of different values")
                }
            };
            let mut known = Vec::new();
            self.names(target, &mut Vec::new(), &mut known);
            let others = known.iter().map(String::as_str).filter(|other| other != name);
            let hint = names::nearest_hint(name, others).filter(|_| found == Lookup::None);
            let problem = Diagnostic::error(Code::MissingImport, message).hint_opt(hint);
            problems.push(self.graph.at(node, at, problem));
        }
        problems
    }
}
