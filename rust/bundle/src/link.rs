//! Links modules into one.
//!
//! Each module is a generator function of its own scope. Its first step makes the names known that it exports, as
//! getters, its second step runs it. All first steps come before any second one: so functions of a module can be called
//! before it ran, and everything else throws until it did, in circles too, as in modules that are linked by an engine.

mod exports;

use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::source_map;

use self::exports::Exports;
use crate::edit::{Edit, Printer};
use crate::graph::{Body, Graph};
use crate::module::ascii::{name as ascii_name, string};
use crate::module::{DefaultEdit, Module, Taken, Use};

/// The code of the bundle and its map.
pub(crate) struct Linked {
    pub(crate) code: String,
    pub(crate) map: String,
}

pub(crate) fn link(graph: &Graph) -> Result<Linked, Diagnostics> {
    let exports = Exports::resolve(graph)?;
    let linker = Linker { graph, exports: &exports, prefix: prefix(graph) };
    let mut printer = Printer::default();
    linker.print(&mut printer);
    let sources: Vec<String> = graph.nodes.iter().map(|node| node.name.clone()).collect();
    let lines = printer.code.matches('\n').count();
    Ok(Linked { map: source_map::print(&sources, &printer.map.finish(lines)), code: printer.code })
}

/// A start of names that no source has, so that ours are never shadowed.
fn prefix(graph: &Graph) -> String {
    let mut prefix = "__m".to_owned();
    let texts = || (0..graph.nodes.len()).filter_map(|node| graph.source(node));
    while texts().any(|source| source.text.contains(&prefix)) {
        prefix.insert(0, '_');
    }
    prefix
}

struct Linker<'g> {
    graph: &'g Graph,
    exports: &'g Exports,
    prefix: String,
}

impl Linker<'_> {
    fn print(&self, printer: &mut Printer) {
        let p = &self.prefix;
        let count = self.graph.nodes.len();
        let order = self.graph.order(0);
        let dynamic = self.has_dynamic();
        printer.glue(&format!("const {p}ns = {NAMESPACE};\n"));
        if self.graph.nodes.iter().any(|node| matches!(node.body, Body::HostOnly)) {
            printer.glue(&format!("const {p}host = {HOST_ONLY};\n"));
        }
        if dynamic {
            printer.glue(&format!("const {p}once = {ONCE};\nconst {p}import = {IMPORT};\n"));
        }
        let names: Vec<String> = (0..count).map(|node| format!("{p}{node}")).collect();
        printer.glue(&format!("let {};\n", names.join(", ")));
        for node in 0..count {
            self.module(node, printer);
        }
        for node in 0..count {
            let wait = if self.is_async(node) { "await " } else { "" };
            printer.glue(&format!("const {p}run{node} = {p}fn{node}(); {wait}{p}run{node}.next();\n"));
        }
        if dynamic {
            for node in 0..count {
                printer.glue(&format!("const {p}do{node} = {p}once(() => {p}run{node}.next());\n"));
            }
        }
        for node in order {
            let wait = if self.is_async(node) { "await " } else { "" };
            let step = if dynamic { format!("{p}do{node}()") } else { format!("{p}run{node}.next()") };
            printer.glue(&format!("{wait}{step};\n"));
        }
        let names: Vec<&str> = self.exports.names(0).collect();
        for (index, name) in names.iter().enumerate() {
            printer.glue(&format!("const {p}out{index} = {};\n", member(&format!("{p}0"), name)));
        }
        let list: Vec<String> =
            names.iter().enumerate().map(|(index, name)| format!("{p}out{index} as {}", key(name))).collect();
        printer.glue(&format!("export {{ {} }};\n", list.join(", ")));
    }

    fn is_async(&self, node: usize) -> bool {
        matches!(&self.graph.nodes[node].body, Body::Script(module) if module.is_async)
    }

    fn has_dynamic(&self) -> bool {
        self.graph.nodes.iter().any(|node| match &node.body {
            Body::Script(module) => module.requests.iter().any(|request| request.dynamic.is_some()),
            _ => false,
        })
    }

    fn module(&self, node: usize, printer: &mut Printer) {
        let p = &self.prefix;
        // The comma keeps the function from getting a name, which stacks would show.
        let star = if self.is_async(node) { "(0, async function*" } else { "(0, function*" };
        let shown = ascii_comment(&self.graph.nodes[node].name);
        match &self.graph.nodes[node].body {
            Body::Script(module) => {
                let getters = self.getters(node);
                printer.glue(&format!("const {p}fn{node} = {star} () {{ // {shown}\n"));
                printer.glue(&format!("{p}{node} = {p}ns([{getters}]); yield;\n"));
                printer.source(node as u32, &module.source.text, self.edits(node, module));
                printer.glue("\n});\n");
            }
            Body::Json { text, keys } => {
                let data = format!("{p}data");
                let named = keys.iter().filter(|key| *key != "default");
                let mut getters = vec![format!("\"default\", () => {data}")];
                getters.extend(named.map(|key| format!("{}, () => {}", string(key), member(&data, key))));
                printer.glue(&format!(
                    "const {p}fn{node} = function* () {{ // {shown}\nconst {data} = JSON.parse({});\n\
                     {p}{node} = {p}ns([{}]); yield;\n}};\n",
                    string(text),
                    getters.join(", ")
                ));
            }
            Body::HostOnly => {
                let name = string(&self.graph.nodes[node].name);
                printer.glue(&format!(
                    "const {p}fn{node} = function* () {{ {p}{node} = {p}host({name}); yield; }};\n"
                ));
            }
        }
    }

    /// Names and functions that give their values.
    fn getters(&self, node: usize) -> String {
        let getters = self.exports.names(node).map(|name| {
            let value = match self.exports.get(node, name) {
                Some((owner, origin)) if *owner == node => self.local(origin),
                Some((owner, origin)) => self.value(*owner, origin, name),
                None => "undefined".to_owned(),
            };
            format!("{}, () => {value}", string(name))
        });
        getters.collect::<Vec<_>>().join(", ")
    }

    fn local(&self, origin: &exports::Value) -> String {
        match origin {
            exports::Value::Local(name) => ascii_name(name),
            exports::Value::Default => format!("{}default", self.prefix),
            exports::Value::Namespace(node) => format!("{}{node}", self.prefix),
            exports::Value::Member(node, name) => member(&format!("{}{node}", self.prefix), name),
        }
    }

    /// How the value is reached from another module than the one that has it.
    fn value(&self, owner: usize, value: &exports::Value, name: &str) -> String {
        match value {
            exports::Value::Namespace(_) | exports::Value::Member(..) => self.local(value),
            exports::Value::Local(_) | exports::Value::Default => {
                let exported = self.exports.name_of(owner, value).unwrap_or(name);
                member(&format!("{}{owner}", self.prefix), exported)
            }
        }
    }

    fn edits(&self, node: usize, module: &Module) -> Vec<Edit> {
        let p = &self.prefix;
        let mut edits = module.edits.clone();
        for site in &module.sites {
            let import = &module.imports[site.import];
            let target = self.graph.nodes[node].targets.get(import.request).copied().flatten();
            let Some(target) = target else { continue };
            let value = match &import.taken {
                Taken::Namespace => format!("{p}{target}"),
                Taken::Name(name) => match self.exports.get(target, name) {
                    Some((owner, value)) => self.value(*owner, value, name),
                    None => member(&format!("{p}{target}"), name),
                },
            };
            let name = &module.source.text[site.start as usize..site.end as usize];
            let text = match site.used_as {
                Use::Plain => value,
                Use::Call => format!("(0, {value})"),
                Use::StatementCall => format!("0, (0, {value})"),
                Use::Shorthand => format!("{}: {value}", ascii_name(name)),
            };
            edits.push(Edit { start: site.start, end: site.end, text });
        }
        match &module.default {
            Some(DefaultEdit::Expression { head, end }) => {
                let text = format!("const {p}default = {{ default: ");
                edits.push(Edit { start: head.0, end: head.1, text });
                edits.push(Edit { start: *end, end: *end, text: " }.default;".to_owned() });
            }
            Some(DefaultEdit::Function { name_at }) => {
                edits.push(Edit { start: *name_at, end: *name_at, text: format!(" {p}default") });
            }
            None => {}
        }
        for (index, request) in module.requests.iter().enumerate() {
            let target = self.graph.nodes[node].targets[index];
            let (Some((start, end)), Some(target)) = (request.dynamic, target) else { continue };
            let order: Vec<String> =
                self.graph.order(target).iter().map(|node| format!("{p}do{node}")).collect();
            let text = format!("{p}import([{}], () => {p}{target})", order.join(", "));
            edits.push(Edit { start, end, text });
        }
        edits
    }
}

fn member(object: &str, name: &str) -> String {
    if is_name(name) { format!("{object}.{name}") } else { format!("{object}[{}]", string(name)) }
}

fn key(name: &str) -> String {
    if is_name(name) { name.to_owned() } else { string(name) }
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn ascii_comment(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii() && !c.is_ascii_control() { c } else { '?' }).collect()
}

/// The object that `import * as` gives.
const NAMESPACE: &str = r#"pairs => {
  const ns = Object.create(null);
  for (let i = 0; i < pairs.length; i += 2) Object.defineProperty(ns, pairs[i], { enumerable: true, get: pairs[i + 1] });
  return Object.preventExtensions(Object.defineProperty(ns, Symbol.toStringTag, { value: "Module" }));
}"#;

/// A module that exists on a host only: its members can be passed around, and throw when they are used.
pub(crate) const HOST_ONLY: &str = r#"module => {
  const stub = path => new Proxy(function () {}, {
    get: (_, key) => key === "default" && path === "" ? stub(path)
      : key === "prototype" ? Object.prototype
      : key === "then" || key === "__esModule" || key === "toJSON" || typeof key === "symbol" ? undefined
      : stub(path === "" ? key : path + "." + key),
    apply: () => fail(path), construct: () => fail(path),
  });
  const fail = path => { throw new Error(`'${path}' of '${module}' is a part of Node, and this toolset runs inside of Trailblaze`) };
  return stub("");
}"#;

/// Runs a step once; a failure is thrown again to everybody who asks.
const ONCE: &str = r#"step => {
  let done;
  return () => {
    if (!done) { done = {}; try { done.value = step() } catch (error) { done.error = { error } } }
    if (done.error) throw done.error.error;
    return done.value;
  };
}"#;

const IMPORT: &str =
    "async (steps, ns) => { await null; for (const step of steps) await step(); return ns() }";
