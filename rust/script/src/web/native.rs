//! What the files of `web/` need from Rust, one object of functions for each file.

use rquickjs::{
    Ctx, Exception, Function, IntoJs, Null, Object, Result as JsResult, String as JsString, TypedArray, Value,
};

use super::Random;
use super::text::Encoding;
use super::url::{Part, Url, form_parse, form_print};

#[derive(Clone, Copy, Debug)]
pub(super) enum Native {
    Nothing,
    Clone,
    Form,
    Random,
    Text,
    Url,
}

impl Native {
    pub(super) fn object<'js>(self, ctx: &Ctx<'js>, random: Random) -> JsResult<Object<'js>> {
        let object = Object::new(ctx.clone())?;
        let new = || ctx.clone();
        match self {
            Self::Nothing => {}
            Self::Clone => {
                object.set("isProxy", Function::new(new(), |value: Value<'js>| value.is_proxy())?)?;
                object.set("isPromise", Function::new(new(), |value: Value<'js>| value.is_promise())?)?;
            }
            Self::Form => {
                object.set("parse", Function::new(new(), |text: String| form_parse(&text))?)?;
                object.set("print", Function::new(new(), |parts: Vec<String>| form_print(&parts))?)?;
            }
            Self::Random => {
                let bytes = move |ctx: Ctx<'js>, length: usize| {
                    let mut bytes = vec![0; length];
                    random(&mut bytes);
                    TypedArray::new(ctx, bytes)
                };
                object.set("bytes", Function::new(new(), bytes)?)?;
            }
            Self::Text => {
                object.set("label", Function::new(new(), label)?)?;
                object.set("encode", Function::new(new(), encode)?)?;
                object.set("decode", Function::new(new(), decode)?)?;
                object.set("unfinished", Function::new(new(), unfinished)?)?;
            }
            Self::Url => {
                object.set("parse", Function::new(new(), parse)?)?;
                object.set("change", Function::new(new(), change)?)?;
            }
        }
        Ok(object)
    }
}

fn encoding(ctx: &Ctx<'_>, label: &str) -> JsResult<Encoding> {
    Encoding::labelled(label)
        .ok_or_else(|| Exception::throw_range(ctx, &format!("the encoding '{label}' is not supported")))
}

/// The standard's name for the encoding.
fn label(ctx: Ctx<'_>, label: String) -> JsResult<&'static str> {
    Ok(encoding(&ctx, &label)?.name())
}

fn encode<'js>(ctx: Ctx<'js>, text: String) -> JsResult<TypedArray<'js, u8>> {
    TypedArray::new_copy(ctx, text.as_bytes())
}

/// Null when `fatal` and the bytes are no text.
fn decode<'js>(
    ctx: Ctx<'js>,
    label: String,
    bytes: TypedArray<'js, u8>,
    fatal: bool,
) -> JsResult<Value<'js>> {
    match encoding(&ctx, &label)?.decode(&copy(&bytes), fatal) {
        Some(text) => JsString::from_str(ctx, &text).map(JsString::into_value),
        None => Null.into_js(&ctx),
    }
}

fn unfinished<'js>(ctx: Ctx<'js>, label: String, bytes: TypedArray<'js, u8>) -> JsResult<usize> {
    Ok(encoding(&ctx, &label)?.unfinished(&copy(&bytes)))
}

#[expect(unsafe_code, reason = "the only way to the bytes; no JavaScript runs before they are copied")]
fn copy(bytes: &TypedArray<'_, u8>) -> Vec<u8> {
    unsafe { bytes.as_bytes() }.map(<[u8]>::to_vec).unwrap_or_default()
}

fn parse(input: String, base: Option<String>, nfkc: Function<'_>) -> Option<Vec<String>> {
    let nfkc = |text: &str| nfkc.call((text,)).ok();
    let base = match base {
        Some(base) => Some(Url::parse(&base, None, &nfkc)?),
        None => None,
    };
    Some(Url::parse(&input, base.as_ref(), &nfkc)?.parts(&nfkc))
}

/// The parts of `href` after one of them was set.
fn change(href: String, part: String, value: String, nfkc: Function<'_>) -> Option<Vec<String>> {
    let nfkc = |text: &str| nfkc.call((text,)).ok();
    let mut url = Url::parse(&href, None, &nfkc)?;
    url.set(Part::named(&part)?, &value, &nfkc);
    Some(url.parts(&nfkc))
}
