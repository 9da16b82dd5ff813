//! Erases types: what only TypeScript understands becomes blanks, so that all that is left stays where it is.
//!
//! On the way it notes every use of an imported name, every `import(…)`, and what has to be escaped.

use std::collections::{BTreeSet, HashMap, HashSet};

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::{ScopeFlags, Scoping, SymbolId};
use oxc_span::{GetSpan, Span};
use trailblaze_model::diagnostic::Code;

use super::ascii::{self, Piece};
use super::{DefaultEdit, Export, Import, Problem, Request, Site, Use, drop_requests, trivia};
use crate::edit::{Edit, blank};

/// All that is known of a source after the walk.
#[derive(Default)]
pub(super) struct Found {
    pub(super) edits: Vec<Edit>,
    pub(super) requests: Vec<Request>,
    pub(super) imports: Vec<Import>,
    pub(super) sites: Vec<Site>,
    pub(super) exports: Vec<Export>,
    pub(super) stars: Vec<usize>,
    pub(super) types: BTreeSet<String>,
    pub(super) default: Option<DefaultEdit>,
    pub(super) is_async: bool,
    pub(super) problems: Vec<Problem>,
}

pub(super) struct Eraser<'s> {
    pub(super) text: &'s str,
    pub(super) scoping: &'s Scoping,
    is_typescript: bool,
    pub(super) found: Found,
    /// Which import a name stands for.
    pub(super) bound: HashMap<SymbolId, usize>,
    kept: Vec<bool>,
    /// Starts of names that are called.
    called: HashSet<u32>,
    shorthand: HashSet<u32>,
    statements: HashSet<u32>,
    functions: usize,
    pub(super) accessors: usize,
    /// Where the expression of `export default` ends.
    pub(super) default_end: Option<u32>,
}

impl<'s> Eraser<'s> {
    pub(super) fn new(text: &'s str, scoping: &'s Scoping, is_typescript: bool) -> Self {
        Self {
            text,
            scoping,
            is_typescript,
            found: Found::default(),
            bound: HashMap::new(),
            kept: Vec::new(),
            called: HashSet::new(),
            shorthand: HashSet::new(),
            statements: HashSet::new(),
            functions: 0,
            accessors: 0,
            default_end: None,
        }
    }

    pub(super) fn finish(mut self) -> Found {
        for import in &mut self.found.imports {
            import.used |= !self.is_typescript;
            self.kept[import.request] |= import.used;
        }
        drop_requests(&mut self.found, &self.kept);
        self.found
    }

    pub(super) fn request(&mut self, specifier: &str, at: Span, dynamic: Option<(u32, u32)>) -> usize {
        self.found.requests.push(Request { specifier: specifier.to_owned(), at: at.start, dynamic });
        self.kept.push(!self.is_typescript || dynamic.is_some());
        self.found.requests.len() - 1
    }

    /// The request is followed, also when none of its names is used.
    pub(super) fn keep(&mut self, request: usize) {
        self.kept[request] = true;
    }

    pub(super) fn bind(&mut self, symbol: SymbolId, import: Import) {
        self.bound.insert(symbol, self.found.imports.len());
        self.found.imports.push(import);
    }

    pub(super) fn problem(&mut self, problem: Problem) {
        self.found.problems.push(problem);
    }

    /// TypeScript that is more than types.
    pub(super) fn not_erasable(&mut self, at: Span, what: &str, instead: &str) {
        let message = format!("{what} cannot be removed from the code as types can");
        let hint = Some(format!("{instead}, or install esbuild or bun"));
        self.problem(Problem { at: at.start, code: Code::NotErasable, message, hint });
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> &'s str {
        &self.text[start as usize..end as usize]
    }

    pub(super) fn edit(&mut self, start: u32, end: u32, text: impl Into<String>) {
        self.found.edits.push(Edit { start, end, text: text.into() });
    }

    pub(super) fn erase(&mut self, span: Span) {
        let blanks = blank(self.slice(span.start, span.end));
        self.edit(span.start, span.end, blanks);
    }

    /// A semicolon stands for the statement or the member, because the line before may have ended at it.
    pub(super) fn erase_statement(&mut self, span: Span) {
        let blanks = blank(self.slice(span.start, span.end));
        self.edit(span.start, span.end, format!(";{}", blanks.get(1..).unwrap_or_default()));
    }

    /// A single character, such as the `?` of an optional parameter, if it comes next.
    pub(super) fn erase_mark(&mut self, at: u32, mark: u8) {
        if let Some(at) = trivia::mark(self.text, at, mark) {
            self.erase(Span::new(at, at + 1));
        }
    }

    /// `x as T`, where the type may have ended the statement.
    fn erase_suffix(&mut self, start: u32, end: u32) {
        let span = Span::new(start, end);
        match trivia::next(self.text, end) {
            // The linker ends `export default` itself.
            Some((_, b'(' | b'[' | b'`', true)) if self.default_end != Some(end) => {
                self.erase_statement(span)
            }
            _ => self.erase(span),
        }
    }

    fn escape(&mut self, span: Span, piece: Piece) {
        let edits = ascii::escapes(self.slice(span.start, span.end), span.start, piece);
        self.found.edits.extend(edits);
    }

    fn inside_function(&mut self, walk: impl FnOnce(&mut Self)) {
        self.functions += 1;
        walk(self);
        self.functions -= 1;
    }

    fn awaits(&mut self) {
        self.found.is_async |= self.functions == 0;
    }

    /// Type parameters or a return type over several lines would part an arrow function's head from its arrow.
    fn arrow_head(&mut self, it: &ArrowFunctionExpression<'_>) {
        let open = it.params.span.start;
        if let Some(types) = &it.type_parameters {
            let breaks = self.slice(types.span.start, open).contains(['\n', '\r']);
            if breaks && self.text.as_bytes().get(open as usize) == Some(&b'(') {
                let blanks = blank(self.slice(types.span.start, types.span.end));
                self.edit(types.span.start, types.span.end, format!("({}", &blanks[1..]));
                self.edit(open, open + 1, " ");
            }
        }
        let close = it.params.span.end;
        if let Some(returned) = it.return_type.as_ref().filter(|_| close > 0) {
            let breaks = self.slice(close, returned.span.end).contains(['\n', '\r']);
            if breaks && self.text.as_bytes().get(close as usize - 1) == Some(&b')') {
                let blanks = blank(self.slice(close, returned.span.end));
                self.edit(close - 1, close, " ");
                self.edit(close, returned.span.end, format!("{})", &blanks[..blanks.len() - 1]));
            }
        }
    }
}

/// The name under brackets and types.
fn name_under<'e, 'a>(mut expression: &'e Expression<'a>) -> Option<&'e IdentifierReference<'a>> {
    loop {
        expression = match expression {
            Expression::Identifier(name) => return Some(name),
            Expression::ParenthesizedExpression(it) => &it.expression,
            Expression::TSAsExpression(it) => &it.expression,
            Expression::TSSatisfiesExpression(it) => &it.expression,
            Expression::TSTypeAssertion(it) => &it.expression,
            Expression::TSNonNullExpression(it) => &it.expression,
            Expression::TSInstantiationExpression(it) => &it.expression,
            _ => return None,
        }
    }
}

/// A declaration of which nothing is left when the program runs.
pub(super) fn is_only_types(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || is_namespace_of_types(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind == ImportOrExportKind::Type,
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
    }
}

fn is_namespace_of_types(it: &TSNamespaceDeclaration<'_>) -> bool {
    let block = match &it.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => return is_namespace_of_types(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => block,
    };
    block.body.iter().all(|statement| match statement {
        Statement::ExportDeclaration(it) => is_only_types(&it.declaration),
        statement => statement.as_declaration().is_some_and(is_only_types),
    })
}

impl<'a> Visit<'a> for Eraser<'_> {
    fn visit_declaration(&mut self, it: &Declaration<'a>) {
        if is_only_types(it) {
            return self.erase_statement(it.span());
        }
        match it {
            Declaration::TSEnumDeclaration(it) => {
                self.not_erasable(it.span, "an enum", "use a union of strings instead of an enum");
            }
            Declaration::TSNamespaceDeclaration(it) => {
                self.not_erasable(it.span, "a namespace with values", "use a module instead of a namespace");
            }
            Declaration::TSImportEqualsDeclaration(it) => {
                self.not_erasable(it.span, "'import … ='", "write 'import … from'");
            }
            _ => walk::walk_declaration(self, it),
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        self.erase_statement(it.span);
    }

    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        self.export_declaration(it);
    }

    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        self.export_named(it);
    }

    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        self.export_from(it);
    }

    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        self.export_all(it);
    }

    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        self.export_default(it);
    }

    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.not_erasable(it.span, "'export ='", "write 'export default'");
    }

    fn visit_ts_namespace_export_declaration(&mut self, it: &TSNamespaceExportDeclaration<'a>) {
        self.erase_statement(it.span);
    }

    fn visit_decorator(&mut self, it: &Decorator<'a>) {
        self.not_erasable(it.span, "a decorator", "call the function yourself instead");
    }

    fn visit_hashbang(&mut self, it: &Hashbang<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.erase(it.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.erase(it.span);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.erase_mark(it.id.span().end, b'!');
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.kind == VariableDeclarationKind::AwaitUsing {
            self.awaits();
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let Some(this) = &it.this_param {
            let comma = trivia::mark(self.text, this.span.end, b',');
            self.erase(Span::new(this.span.start, comma.map_or(this.span.end, |at| at + 1)));
        }
        self.inside_function(|eraser| walk::walk_function(eraser, it, flags));
    }

    fn visit_ts_this_parameter(&mut self, _: &TSThisParameter<'a>) {}

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.arrow_head(it);
        self.inside_function(|eraser| walk::walk_arrow_function_expression(eraser, it));
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let instead = "declare the field in the class and set it in the constructor";
            self.not_erasable(it.span, "a parameter property", instead);
        }
        if it.optional {
            self.erase_mark(it.pattern.span().end, b'?');
        }
        walk::walk_formal_parameter(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class_head(it);
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        if let Some(id) = &it.id {
            self.visit_binding_identifier(id);
        }
        if let Some(types) = &it.type_parameters {
            self.visit_ts_type_parameter_declaration(types);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_class_body(&it.body);
    }

    fn visit_class_element(&mut self, it: &ClassElement<'a>) {
        self.class_element(it);
    }

    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase_suffix(it.expression.span().end, it.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase_suffix(it.expression.span().end, it.span.end);
    }

    /// `<T>x` becomes `(x)`, so that a line end inside of the type does not end a `return`.
    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        let start = it.expression.span().start;
        let blanks = blank(self.slice(it.span.start, start));
        self.edit(it.span.start, start, format!("({}", &blanks[1..]));
        self.visit_expression(&it.expression);
        self.edit(it.span.end, it.span.end, ")");
    }

    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.visit_expression(&it.expression);
        self.erase(Span::new(it.expression.span().end, it.span.end));
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if let Some(name) = name_under(&it.callee) {
            self.called.insert(name.span.start);
            self.check_require(name, &it.arguments);
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.called.extend(name_under(&it.tag).map(|name| name.span.start));
        for part in &it.quasi.quasis {
            self.escape(part.span, Piece::Raw);
        }
        walk::walk_tagged_template_expression(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        self.statements.insert(it.span.start);
        walk::walk_expression_statement(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand {
            self.shorthand.insert(it.span.start);
            return self.visit_expression(&it.value);
        }
        walk::walk_object_property(self, it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let symbol = self.scoping.get_reference(it.reference_id()).symbol_id();
        let Some(&import) = symbol.and_then(|symbol| self.bound.get(&symbol)) else {
            return self.name(it.span);
        };
        let start = it.span.start;
        let used_as = match (self.called.contains(&start), self.shorthand.contains(&start)) {
            (true, _) if self.statements.contains(&start) => Use::StatementCall,
            (true, _) => Use::Call,
            (_, true) => Use::Shorthand,
            _ => Use::Plain,
        };
        self.found.imports[import].used = true;
        self.found.sites.push(Site { start, end: it.span.end, import, used_as });
    }

    fn visit_identifier_name(&mut self, it: &IdentifierName<'a>) {
        self.name(it.span);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.name(it.span);
    }

    fn visit_label_identifier(&mut self, it: &LabelIdentifier<'a>) {
        self.name(it.span);
    }

    fn visit_private_identifier(&mut self, it: &PrivateIdentifier<'a>) {
        self.name(it.span);
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.escape(it.span, Piece::Literal);
    }

    fn visit_reg_exp_literal(&mut self, it: &RegExpLiteral<'a>) {
        self.escape(it.span, Piece::Literal);
    }

    fn visit_template_element(&mut self, it: &TemplateElement<'a>) {
        self.escape(it.span, Piece::Literal);
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        self.awaits();
        walk::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if it.r#await {
            self.awaits();
        }
        walk::walk_for_of_statement(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        match &it.source {
            Expression::StringLiteral(source) => {
                let whole = (it.span.start, it.span.end);
                self.request(source.value.as_str(), source.span, Some(whole));
            }
            other => {
                let message = "what is imported here is known only when the script runs".to_owned();
                let hint = Some("write the path as a string: import(\"./file.ts\")".to_owned());
                let at = other.span().start;
                self.problem(Problem { at, code: Code::MissingImport, message, hint });
            }
        }
    }
}

impl Eraser<'_> {
    fn name(&mut self, span: Span) {
        self.escape(span, Piece::Name);
    }

    /// `require("./x")`, which would fail only when the bundle runs.
    fn check_require(&mut self, callee: &IdentifierReference<'_>, arguments: &[Argument<'_>]) {
        let is_global = self.scoping.get_reference(callee.reference_id()).symbol_id().is_none();
        if is_global && callee.name == "require" && matches!(arguments, [Argument::StringLiteral(_)]) {
            let message = "'require' is not there in a module".to_owned();
            let hint = Some("write 'import … from …'".to_owned());
            self.problem(Problem { at: callee.span.start, code: Code::Syntax, message, hint });
        }
    }
}
