//! Modules in QuickJS's own form, which load in a third of the time.
//!
//! Reading such bytes is only safe when this engine wrote them, so they carry the engine's version and a checksum,
//! and what does not fit exactly is not read: the source is always there.

#![expect(
    unsafe_code,
    reason = "compiled modules are read as they were written, after their checksum was compared"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rquickjs::module::Declared;
use rquickjs::{Context, Ctx, Function, Module as JsModule, Result as JsResult, Runtime, WriteOptions};
use trailblaze_engine::script::Module;
use trailblaze_model::hash;

/// What stands before the bytes: which engine wrote them, for which kind of machine. All phones and laptops of
/// today are of one kind, so what a laptop compiled runs on a phone.
fn mark() -> String {
    let order = if cfg!(target_endian = "little") { "little" } else { "big" };
    format!("trailblaze {} rquickjs 0.14 {order} {}\n", env!("CARGO_PKG_VERSION"), usize::BITS)
}

/// Of what was compiled and what came of it.
fn checksum(module: &Module, code: &[u8]) -> [u8; 8] {
    hash::fnv1a_of([module.name.as_bytes(), module.source.as_bytes(), code]).to_le_bytes()
}

/// Without the mark and the checksum.
fn code(module: &Module) -> JsResult<Vec<u8>> {
    let runtime = Runtime::new()?;
    let context = Context::full(&runtime)?;
    context.with(|ctx| {
        let declared = JsModule::declare(ctx, module.name.clone(), module.source.clone())?;
        declared.write(WriteOptions { strip_source: true, ..WriteOptions::default() })
    })
}

pub(crate) fn compile(module: &Module) -> JsResult<Vec<u8>> {
    let code = code(module)?;
    let mut bytes = mark().into_bytes();
    bytes.extend(checksum(module, &code));
    bytes.extend(code);
    Ok(bytes)
}

/// The code in compiled bytes, if this engine wrote them for this source.
pub(crate) fn code_of<'a>(module: &Module, compiled: &'a [u8]) -> Option<&'a [u8]> {
    let rest = compiled.strip_prefix(mark().as_bytes())?;
    let (sum, code) = rest.split_first_chunk::<8>()?;
    (*sum == checksum(module, code)).then_some(code)
}

pub(crate) fn declare<'js>(ctx: &Ctx<'js>, module: Module) -> JsResult<JsModule<'js, Declared>> {
    if let Some(code) = module.compiled.as_deref().and_then(|compiled| code_of(&module, compiled)) {
        // SAFETY: the mark and the checksum say that `compile` wrote these bytes with the same engine.
        if let Ok(module) = unsafe { JsModule::load(ctx.clone(), code) } {
            return Ok(module);
        }
        // The engine's own check may refuse them still; the source is always there.
        ctx.catch();
    }
    JsModule::declare(ctx.clone(), module.name, module.source)
}

/// The function that a file of our own is. The first runtime compiles it, for all that come after.
pub(crate) fn own<'js>(ctx: &Ctx<'js>, path: &'static str, source: &str) -> JsResult<Function<'js>> {
    static COMPILED: Mutex<BTreeMap<&str, Arc<[u8]>>> = Mutex::new(BTreeMap::new());

    let mut known = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let code = match known.get(path) {
        Some(code) => code.clone(),
        None => {
            let module = Module::new(format!("trailblaze:{path}"), format!("export default {source}"));
            let code: Arc<[u8]> = code(&module)?.into();
            known.insert(path, code.clone());
            code
        }
    };
    drop(known);
    // SAFETY: these bytes never left this process.
    let module = unsafe { JsModule::load(ctx.clone(), &code) }?;
    let (module, _) = module.eval()?;
    module.get("default")
}
