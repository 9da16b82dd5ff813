//! The globals of the web that scripts expect: text, URLs, clones, events, random numbers, `fetch`.
//!
//! Each is an accessor that reads its file (`web/*.js`) when it is first used, and becomes a plain property then: a
//! script that uses none of them pays only for the accessors. What is made of text alone is in Rust, because it is
//! faster there, takes no room in the script's heap, and no script can change it.

mod native;
#[cfg(test)]
mod tests;
mod text;
mod url;

use rquickjs::{Ctx, Exception, Function, Object, Result as JsResult};

use crate::compiled;
use native::Native;

const BOOT: &str = include_str!("web/boot.js");

macro_rules! families {
    ($($name:literal: $native:ident),* $(,)?) => {
        /// A file, its path, its text, and what it needs from Rust.
        const FAMILIES: &[(&str, &str, &str, Native)] = &[$((
            $name,
            concat!("web/", $name, ".js"),
            include_str!(concat!("web/", $name, ".js")),
            Native::$native,
        )),*];
    };
}

families! {
    "abort": Nothing,
    "clone": Clone,
    "crypto": Random,
    "events": Nothing,
    "fetch": Nothing,
    "headers": Nothing,
    "params": Form,
    "text": Text,
    "url": Url,
}

/// Fills the slice with random bytes.
pub(crate) type Random = fn(&mut [u8]);

/// What a runtime may do beyond computing.
#[derive(Debug)]
pub(crate) struct Powers<'js> {
    pub(crate) random: Random,
    /// `fetch(requestJson) -> Promise<responseJson>`, where the target grants `script_hosts`; `fetch.js` says what
    /// the JSON is. The script chooses the URL: whether it may is for this function to decide.
    pub(crate) fetch: Option<Function<'js>>,
}

/// Comes after the prelude, because it keeps copies of what the prelude guards, and of its timers.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, powers: Powers<'js>) -> JsResult<()> {
    let random = powers.random;
    let open = Function::new(ctx.clone(), move |ctx: Ctx<'js>, name: String| open(&ctx, &name, random))?;
    let boot: Function<'js> = compiled::own(ctx, "web/boot.js", BOOT)?;
    boot.call((open, powers.fetch))
}

/// The function of a file, and the object with what it needs from Rust.
fn open<'js>(ctx: &Ctx<'js>, name: &str, random: Random) -> JsResult<Object<'js>> {
    let Some((_, path, source, native)) = FAMILIES.iter().find(|family| family.0 == name) else {
        return Err(Exception::throw_internal(ctx, &format!("no file web/{name}.js")));
    };
    let file = Object::new(ctx.clone())?;
    file.set("factory", compiled::own(ctx, path, source)?)?;
    file.set("native", native.object(ctx, random)?)?;
    Ok(file)
}

/// Random bytes without a library: the keys of a `HashMap` come from the system, once for each thread, and SipHash
/// does not give them away.
pub(crate) fn system_random(bytes: &mut [u8]) {
    use std::hash::{BuildHasher, RandomState};

    let keys = RandomState::new();
    for (at, chunk) in bytes.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&keys.hash_one(at).to_le_bytes()[..chunk.len()]);
    }
}
