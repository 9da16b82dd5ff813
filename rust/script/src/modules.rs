//! Imports find the modules that the runtime was started with, by their names, and nothing else.

use std::collections::HashMap;

use rquickjs::loader::{BuiltinResolver, ImportAttributes, Loader, Resolver};
use rquickjs::{Ctx, Error, Module, Result};

/// The modules by name. QuickJS asks for each at most once.
pub(crate) struct Sources(pub(crate) HashMap<String, String>);

impl Loader for Sources {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js>> {
        let source = self.0.remove(name).ok_or_else(|| Error::new_loading(name))?;
        Module::declare(ctx.clone(), name, source)
    }
}

/// Takes a name as it stands, else relative to the module that imports it.
pub(crate) struct Names {
    known: Vec<String>,
    relative: BuiltinResolver,
}

impl Names {
    pub(crate) fn new(known: Vec<String>) -> Self {
        let mut relative = BuiltinResolver::default();
        for name in &known {
            relative.add_module(name);
        }
        Self { known, relative }
    }
}

impl Resolver for Names {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        if self.known.iter().any(|known| known == name) {
            return Ok(name.to_owned());
        }
        self.relative.resolve(ctx, base, name, attributes).map_err(|_| {
            Error::new_resolving_message(base, name, "scripts can import only what was loaded with them")
        })
    }
}
