//! Classes: modifiers, members without code, `implements`, and `accessor`, which QuickJS does not have.

use oxc_ast::ast::{
    AccessorProperty, AccessorPropertyType, Class, ClassElement, MethodDefinition, MethodDefinitionType,
    PropertyDefinition, PropertyDefinitionType, PropertyKey,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use super::erase::Eraser;
use super::trivia;
use crate::edit::blank;

/// Modifiers that only TypeScript has.
const MODIFIERS: &[&str] = &["public", "private", "protected", "readonly", "override", "abstract", "declare"];

impl<'a> Eraser<'_> {
    /// `abstract` and `implements …`
    pub(super) fn class_head(&mut self, it: &Class<'a>) {
        if it.r#abstract {
            let words = trivia::words(self.text, it.span.start, it.body.span.start);
            if let Some((at, word)) = words.into_iter().find(|(_, word)| *word == "abstract") {
                self.erase(Span::new(at, at + word.len() as u32));
            }
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = self.slice(it.span.start, first.span.start);
            if let Some(at) = before.rfind("implements") {
                self.erase(Span::new(it.span.start + at as u32, last.span.end));
            }
        }
    }

    pub(super) fn class_element(&mut self, it: &ClassElement<'a>) {
        match it {
            ClassElement::StaticBlock(_) => walk::walk_class_element(self, it),
            ClassElement::MethodDefinition(it) => self.method(it),
            ClassElement::PropertyDefinition(it) => self.property(it),
            ClassElement::AccessorProperty(it) => self.accessor(it),
            ClassElement::TSIndexSignature(it) => self.erase_statement(it.span),
        }
    }

    fn method(&mut self, it: &MethodDefinition<'a>) {
        let is_abstract = it.r#type == MethodDefinitionType::TSAbstractMethodDefinition;
        if is_abstract || it.value.body.is_none() {
            return self.erase_statement(it.span);
        }
        self.modifiers(it.span.start, &it.key);
        if it.optional {
            self.erase_mark(self.key_end(&it.key, it.computed), b'?');
        }
        walk::walk_method_definition(self, it);
    }

    fn property(&mut self, it: &PropertyDefinition<'a>) {
        let is_abstract = it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition;
        if is_abstract || it.declare {
            return self.erase_statement(it.span);
        }
        self.modifiers(it.span.start, &it.key);
        let end = self.key_end(&it.key, it.computed);
        if it.optional {
            self.erase_mark(end, b'?');
        }
        if it.definite {
            self.erase_mark(end, b'!');
        }
        // A field called `get` must not become the getter of the next line's name.
        if let Some(types) = it.type_annotation.as_ref().filter(|_| it.value.is_none()) {
            self.erase_statement(types.span);
        }
        walk::walk_property_definition(self, it);
    }

    /// `accessor a = 1` becomes a private field with a getter and a setter.
    fn accessor(&mut self, it: &AccessorProperty<'a>) {
        if it.r#type == AccessorPropertyType::TSAbstractAccessorProperty {
            return self.erase_statement(it.span);
        }
        if it.computed {
            return self.not_erasable(
                it.span,
                "an accessor with a computed name",
                "write a getter and a setter",
            );
        }
        let end = self.key_end(&it.key, it.computed);
        let key = super::ascii::name(self.slice(it.key.span().start, end));
        let field = loop {
            let field = format!("#accessor{}", self.accessors);
            self.accessors += 1;
            if !self.text.contains(&field) {
                break field;
            }
        };
        let of = if it.r#static { "static " } else { "" };
        let text = format!(
            "{of}get {key}() {{ return this.{field} }} {of}set {key}(value) {{ this.{field} = value }} {of}{field}"
        );
        let lines = blank(self.slice(it.span.start, end)).replace(' ', "");
        self.edit(it.span.start, end, text + &lines);
        if it.definite {
            self.erase_mark(end, b'!');
        }
        match (&it.type_annotation, &it.value) {
            (Some(types), None) => self.erase_statement(types.span),
            (Some(types), Some(_)) => self.visit_ts_type_annotation(types),
            _ => {}
        }
        for decorator in &it.decorators {
            self.visit_decorator(decorator);
        }
        if let Some(value) = &it.value {
            self.visit_expression(value);
        }
    }

    /// The first modifier leaves a semicolon, because the line before may have ended at it.
    fn modifiers(&mut self, start: u32, key: &PropertyKey<'a>) {
        for (at, word) in trivia::words(self.text, start, key.span().start) {
            let span = Span::new(at, at + word.len() as u32);
            match MODIFIERS.contains(&word) {
                true if at == start => self.erase_statement(span),
                true => self.erase(span),
                false => {}
            }
        }
    }

    /// Behind the name, or behind the bracket of a computed one.
    fn key_end(&self, key: &PropertyKey<'a>, computed: bool) -> u32 {
        let end = key.span().end;
        let bracket = trivia::mark(self.text, end, b']').filter(|_| computed);
        bracket.map_or(end, |at| at + 1)
    }
}
