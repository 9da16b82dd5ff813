//! What a source exports. The statements go; the linker makes the names known.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportAllDeclaration, ExportDeclaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, ExportFromDeclaration, ExportNamedDeclaration, ExportSpecifier,
    ImportOrExportKind, ModuleExportName,
};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;
use oxc_span::Span;
use trailblaze_model::diagnostic::Code;

use super::erase::{Eraser, is_only_types};
use super::{DefaultEdit, Export, Origin, Problem, Taken, export_name};

impl<'a> Eraser<'_> {
    /// `export const a = 1`
    pub(super) fn export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        let declaration = &it.declaration;
        if is_only_types(declaration) {
            let id = match declaration {
                Declaration::TSTypeAliasDeclaration(it) => Some(&it.id),
                Declaration::TSInterfaceDeclaration(it) => Some(&it.id),
                Declaration::TSNamespaceDeclaration(it) => Some(&it.id),
                Declaration::TSEnumDeclaration(it) => Some(&it.id),
                Declaration::FunctionDeclaration(it) => it.id.as_ref(),
                Declaration::ClassDeclaration(it) => it.id.as_ref(),
                _ => None,
            };
            self.found.types.extend(id.map(|id| id.name.to_string()));
            if let Declaration::VariableDeclaration(variables) = declaration {
                let names = variables.declarations.iter().flat_map(|it| names(&it.id));
                self.found.types.extend(names.map(|(name, _)| name));
            }
            self.erase_statement(it.span);
            return;
        }
        let exported: Vec<(String, Span)> = match declaration {
            Declaration::VariableDeclaration(it) => {
                it.declarations.iter().flat_map(|it| names(&it.id)).collect()
            }
            Declaration::FunctionDeclaration(it) => {
                it.id.iter().map(|id| (id.name.to_string(), id.span)).collect()
            }
            Declaration::ClassDeclaration(it) => {
                it.id.iter().map(|id| (id.name.to_string(), id.span)).collect()
            }
            _ => Vec::new(),
        };
        for (name, span) in exported {
            self.export(name.clone(), Origin::Local(name), span);
        }
        self.erase(Span::new(it.span.start, it.span.start + "export".len() as u32));
        self.visit_declaration(declaration);
    }

    /// `export { a, b as c }`
    pub(super) fn export_named(&mut self, it: &ExportNamedDeclaration<'a>) {
        for specifier in &it.specifiers {
            let name = export_name(&specifier.exported);
            if is_type(it.export_kind, specifier) {
                self.found.types.insert(name);
                continue;
            }
            let ModuleExportName::IdentifierReference(local) = &specifier.local else { continue };
            let symbol = self.scoping.get_reference(local.reference_id()).symbol_id();
            let Some(symbol) = symbol else {
                let message = format!("'{}' is exported but declared nowhere", local.name);
                self.problem(Problem { at: local.span.start, code: Code::Syntax, message, hint: None });
                continue;
            };
            let flags = self.scoping.symbol_flags(symbol);
            if let Some(&import) = self.bound.get(&symbol) {
                self.found.imports[import].used = true;
                self.export(name, Origin::Import(import), specifier.span);
            } else if flags.is_value() && !flags.is_ambient() {
                self.export(name, Origin::Local(local.name.to_string()), specifier.span);
            } else {
                self.found.types.insert(name);
            }
        }
        self.erase_statement(it.span);
    }

    /// `export { a } from "./a"`
    pub(super) fn export_from(&mut self, it: &ExportFromDeclaration<'a>) {
        let (types, values): (Vec<_>, Vec<_>) =
            it.specifiers.iter().partition(|specifier| is_type(it.export_kind, specifier));
        self.found.types.extend(types.iter().map(|specifier| export_name(&specifier.exported)));
        if it.export_kind == ImportOrExportKind::Value && (types.is_empty() || !values.is_empty()) {
            let request = self.request(it.source.value.as_str(), it.source.span, None);
            self.keep(request);
            for specifier in values {
                let taken = Taken::Name(export_name(&specifier.local));
                self.export(export_name(&specifier.exported), Origin::From(request, taken), specifier.span);
            }
        }
        self.erase_statement(it.span);
    }

    /// `export * from "./a"`
    pub(super) fn export_all(&mut self, it: &ExportAllDeclaration<'a>) {
        if it.export_kind == ImportOrExportKind::Value {
            let request = self.request(it.source.value.as_str(), it.source.span, None);
            self.keep(request);
            match &it.exported {
                Some(name) => {
                    self.export(export_name(name), Origin::From(request, Taken::Namespace), it.span);
                }
                None => self.found.stars.push(request),
            }
        }
        self.erase_statement(it.span);
    }

    pub(super) fn export_default(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let name = || "default".to_owned();
        let inner = it.declaration.span();
        let head = Span::new(it.span.start, inner.start);
        match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
                self.found.types.insert(name());
                self.erase_statement(it.span);
                return;
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                if function.body.is_none() {
                    self.erase_statement(it.span);
                    return;
                }
                self.erase(head);
                match &function.id {
                    Some(id) => self.export(name(), Origin::Local(id.name.to_string()), it.span),
                    None => {
                        let types = function.type_parameters.as_ref().map(|types| types.span.start);
                        let name_at = types.unwrap_or(function.params.span.start);
                        self.found.default = Some(DefaultEdit::Function { name_at });
                        self.export(name(), Origin::Default, it.span);
                    }
                }
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                self.erase(head);
                let local = class.id.as_ref().map(|id| id.name.to_string()).unwrap_or_default();
                self.export(name(), Origin::Local(local), it.span);
            }
            _ => {
                let head = (head.start, head.end);
                self.found.default = Some(DefaultEdit::Expression { head, end: inner.end });
                self.default_end = Some(inner.end);
                self.export(name(), Origin::Default, it.span);
            }
        }
        self.visit_export_default_declaration_kind(&it.declaration);
    }

    fn export(&mut self, name: String, origin: Origin, span: Span) {
        self.found.exports.push(Export { name, origin, at: span.start });
    }
}

fn is_type(kind: ImportOrExportKind, specifier: &ExportSpecifier<'_>) -> bool {
    kind == ImportOrExportKind::Type || specifier.export_kind == ImportOrExportKind::Type
}

/// The names that a pattern declares.
fn names(pattern: &BindingPattern<'_>) -> Vec<(String, Span)> {
    let identifiers = pattern.get_binding_identifiers();
    identifiers.iter().map(|id| (id.name.to_string(), id.span)).collect()
}
