//! One source file after parsing: what it imports and exports, and the edits that make it plain JavaScript.
//!
//! Nothing of the syntax tree leaves this file and those below it; places are byte offsets.

pub(crate) mod ascii;
mod class;
mod erase;
mod exports;
mod nesting;
mod trivia;

use std::collections::{BTreeSet, HashMap};

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ImportDeclaration, ImportDeclarationSpecifier, ImportOrExportKind, ModuleExportName, Program, Statement,
};
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use trailblaze_model::diagnostic::{Code, Diagnostic};
use trailblaze_model::place::{Place, Source};

use crate::edit::Edit;

/// What a source asks for: `from "./x"` or `import("./x")`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) specifier: String,
    /// Where the specifier stands.
    pub(crate) at: u32,
    /// The whole `import(…)`, which is evaluated when it is called.
    pub(crate) dynamic: Option<(u32, u32)>,
}

/// What is taken from another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    Name(String),
    Namespace,
}

/// A name that stands for something of another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) request: usize,
    pub(crate) taken: Taken,
    /// Where the name is imported.
    pub(crate) at: u32,
    /// Used as a value, not only as a type.
    pub(crate) used: bool,
}

/// How a reference to an import stands in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Plain,
    /// Called, and `this` must not be the other module.
    Call,
    /// The same at the start of a statement, where a bracket would continue the line before.
    StatementCall,
    /// `{ a }`
    Shorthand,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) import: usize,
    pub(crate) used_as: Use,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A name of this module.
    Local(String),
    /// The value of `export default`, which has no name of its own.
    Default,
    Import(usize),
    From(usize, Taken),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Export {
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) at: u32,
}

/// Where the value of `export default` gets a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DefaultEdit {
    /// `export default` in front of an expression that ends there.
    Expression { head: (u32, u32), end: u32 },
    /// A function without a name gets one here.
    Function { name_at: u32 },
}

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) source: Source,
    pub(crate) edits: Vec<Edit>,
    pub(crate) requests: Vec<Request>,
    pub(crate) imports: Vec<Import>,
    pub(crate) sites: Vec<Site>,
    pub(crate) exports: Vec<Export>,
    /// `export * from`
    pub(crate) stars: Vec<usize>,
    /// What it exports that is only a type.
    pub(crate) types: BTreeSet<String>,
    pub(crate) default: Option<DefaultEdit>,
    /// It awaits outside of functions.
    pub(crate) is_async: bool,
}

/// A problem in one source, by its place.
pub(crate) struct Problem {
    pub(crate) at: u32,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Problem {
    pub(crate) fn diagnostic(self, source: &Source) -> Diagnostic {
        Diagnostic::error(self.code, self.message).hint_opt(self.hint).at(source, place(source, self.at))
    }
}

/// Line and column of a byte.
pub(crate) fn place(source: &Source, at: u32) -> Place {
    let before = source.text.get(..at as usize).unwrap_or(&source.text);
    let body = before.strip_prefix('\u{feff}').unwrap_or(before);
    let lines = body.replace("\r\n", "\n").replace('\r', "\n");
    let last = lines.rsplit('\n').next().unwrap_or_default();
    let line = lines.matches('\n').count() + 1;
    Place { line: line as u32, column: last.chars().count() as u32 + 1 }
}

/// Whether a JavaScript source imports or exports something; none when it cannot be parsed. It may be the body of a
/// function too, with `return`.
pub fn has_module_syntax(source: &str) -> Option<bool> {
    if nesting::too_deep(source).is_some() {
        return None;
    }
    nesting::with_room(|| {
        let allocator = Allocator::default();
        let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, source, SourceType::mjs()).with_options(options).parse();
        let is_valid = !parsed.panicked && parsed.diagnostics.errors().next().is_none();
        is_valid.then(|| parsed.program.body.iter().any(Statement::is_module_declaration))
    })
}

/// Parses a JavaScript or TypeScript source.
pub(crate) fn parse(source: Source) -> Result<Module, Vec<Diagnostic>> {
    if let Some(at) = nesting::too_deep(&source.text) {
        let message = format!("it nests deeper than {} brackets", nesting::MAX);
        return Err(vec![Problem { at, code: Code::Limit, message, hint: None }.diagnostic(&source)]);
    }
    nesting::with_room(|| parse_with_room(source))
}

fn parse_with_room(source: Source) -> Result<Module, Vec<Diagnostic>> {
    let allocator = Allocator::default();
    let text = source.text.clone();
    let is_typescript = [".ts", ".mts", ".cts"].iter().any(|end| source.file.ends_with(end));
    let kind = if is_typescript { SourceType::ts() } else { SourceType::mjs() };
    let parsed = Parser::new(&allocator, &text, kind.with_module(true)).parse();
    let mut problems: Vec<Problem> = parsed.diagnostics.errors().map(syntax_problem).collect();
    if problems.is_empty() && parsed.panicked {
        problems.push(Problem {
            at: 0,
            code: Code::Syntax,
            message: "it cannot be parsed".into(),
            hint: None,
        });
    }
    if !problems.is_empty() {
        return Err(problems.into_iter().map(|problem| problem.diagnostic(&source)).collect());
    }
    let checked = SemanticBuilder::new_compiler().build(&parsed.program);
    problems.extend(checked.diagnostics.errors().map(syntax_problem));
    let scoping = checked.semantic.into_scoping();

    let mut eraser = erase::Eraser::new(&text, &scoping, is_typescript);
    imports(&parsed.program, &mut eraser);
    eraser.visit_program(&parsed.program);
    let found = eraser.finish();
    problems.extend(found.problems);
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.at);
        return Err(problems.into_iter().map(|problem| problem.diagnostic(&source)).collect());
    }
    Ok(Module {
        source,
        edits: found.edits,
        requests: found.requests,
        imports: found.imports,
        sites: found.sites,
        exports: found.exports,
        stars: found.stars,
        types: found.types,
        default: found.default,
        is_async: found.is_async,
    })
}

fn syntax_problem(error: &oxc_diagnostics::OxcDiagnostic) -> Problem {
    let at = error.labels.first().map_or(0, |label| label.offset());
    let mut message = error.message.to_string();
    if message.ends_with('.') {
        message.pop();
    }
    Problem { at, code: Code::Syntax, message, hint: error.help.as_ref().map(|help| help.to_string()) }
}

/// The names that a source imports, before anything that uses them is looked at: imports may stand at its end.
fn imports(program: &Program<'_>, eraser: &mut erase::Eraser<'_>) {
    for statement in &program.body {
        let Statement::ImportDeclaration(declaration) = statement else { continue };
        if declaration.import_kind == ImportOrExportKind::Type {
            continue;
        }
        import(declaration, eraser);
    }
}

fn import(declaration: &ImportDeclaration<'_>, eraser: &mut erase::Eraser<'_>) {
    let request = eraser.request(declaration.source.value.as_str(), declaration.source.span, None);
    if declaration.specifiers.as_ref().is_none_or(|specifiers| specifiers.is_empty()) {
        eraser.keep(request);
    }
    for specifier in declaration.specifiers.iter().flatten() {
        let (local, taken) = match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(it) => {
                if it.import_kind == ImportOrExportKind::Type {
                    continue;
                }
                (&it.local, Taken::Name(export_name(&it.imported)))
            }
            ImportDeclarationSpecifier::ImportDefaultSpecifier(it) => {
                (&it.local, Taken::Name("default".into()))
            }
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(it) => (&it.local, Taken::Namespace),
        };
        eraser.bind(local.symbol_id(), Import { request, taken, at: local.span.start, used: false });
    }
}

fn export_name(name: &ModuleExportName<'_>) -> String {
    match name {
        ModuleExportName::IdentifierName(it) => it.name.to_string(),
        ModuleExportName::IdentifierReference(it) => it.name.to_string(),
        ModuleExportName::StringLiteral(it) => it.value.to_string(),
    }
}

/// Requests that nothing but types came from are left out, and the numbers of the others adjusted.
fn drop_requests(found: &mut erase::Found, keep: &[bool]) {
    let mut numbers = HashMap::new();
    let mut kept = Vec::new();
    for (old, request) in std::mem::take(&mut found.requests).into_iter().enumerate() {
        if keep[old] {
            numbers.insert(old, kept.len());
            kept.push(request);
        }
    }
    found.requests = kept;
    let number = |old: usize| numbers.get(&old).copied().unwrap_or(usize::MAX);
    found.imports.iter_mut().for_each(|import| import.request = number(import.request));
    found.stars.iter_mut().for_each(|star| *star = number(*star));
    for export in &mut found.exports {
        if let Origin::From(request, _) = &mut export.origin {
            *request = number(*request);
        }
    }
}
