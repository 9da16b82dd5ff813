//! What ART asks of a dex file besides its sums: sorted tables, a map that says where everything is, and alignment.

use super::read::{Dex, is_none, short, uleb};
use super::{at, kind};
use crate::bytes::{index, word};
use crate::error::{Error, Result};

/// The tables of the header, and what the map calls them.
const TABLES: [(usize, u16); 6] = [
    (at::STRINGS, kind::STRING_ID),
    (at::TYPES, kind::TYPE_ID),
    (at::PROTOS, kind::PROTO_ID),
    (at::FIELDS, kind::FIELD_ID),
    (at::METHODS, kind::METHOD_ID),
    (at::CLASSES, kind::CLASS_DEF),
];

/// Whether something is as it must be; none where it cannot even be read.
type Check = fn(&Dex) -> Option<bool>;

pub(super) fn check(dex: &Dex) -> Result<()> {
    let checks: [(&str, Check); 5] = [
        ("the map", map),
        ("the strings", strings),
        ("the types", types),
        ("the methods", methods),
        ("the classes", classes),
    ];
    for (what, is_good) in checks {
        if is_good(dex) != Some(true) {
            return Err(Error::new(format!("{what} of the dex file: not as ART wants it")));
        }
    }
    Ok(())
}

/// The map names every table and the whole rest, in the order of the file.
fn map(dex: &Dex) -> Option<bool> {
    let bytes = dex.bytes();
    let start = index(bytes, at::MAP)?;
    let count = index(bytes, start)?;
    let mut items = Vec::new();
    for item in 0..count {
        let place = start.checked_add(4 + item.checked_mul(12)?)?;
        items.push((short(bytes, place)? as u16, index(bytes, place + 4)?, index(bytes, place + 8)?));
    }
    let is_sorted = items.windows(2).all(|pair| pair[0].2 < pair[1].2);
    let is_aligned =
        items.iter().all(|(kind, _, place)| kind::UNALIGNED.contains(kind) || place.is_multiple_of(4));
    let tables = TABLES.iter().map(|(place, kind)| Some((*kind, dex.table(*place)?)));
    let tables: Vec<(u16, (usize, usize))> = tables.collect::<Option<_>>()?;
    let are_there = tables.iter().all(|(kind, (count, place))| {
        let item = items.iter().find(|(known, ..)| known == kind);
        item.map_or(*count == 0 && *place == 0, |(_, known, start)| (known, start) == (count, place))
    });
    let (data, from) = dex.table(at::DATA)?;
    let ends = from + data == bytes.len() && start + 4 + 12 * count == bytes.len();
    Some(is_sorted && is_aligned && are_there && ends && items.first()?.0 == kind::HEADER)
}

/// ASCII only, as we write them, so that the order of bytes is that of the format.
fn strings(dex: &Dex) -> Option<bool> {
    let (count, start) = dex.table(at::STRINGS)?;
    let mut before: Option<&[u8]> = None;
    for string in 0..count {
        let text = dex.string(string)?;
        let mut place = index(dex.bytes(), start + 4 * string)?;
        let is_whole = uleb(dex.bytes(), &mut place)? as usize == text.len() && text.is_ascii();
        if !is_whole || before.is_some_and(|before| before >= text) {
            return Some(false);
        }
        before = Some(text);
    }
    Some(true)
}

fn types(dex: &Dex) -> Option<bool> {
    let (count, start) = dex.table(at::TYPES)?;
    let (strings, _) = dex.table(at::STRINGS)?;
    let types = (0..count).map(|type_| index(dex.bytes(), start + 4 * type_));
    let types: Vec<usize> = types.collect::<Option<_>>()?;
    Some(types.is_sorted_by(|a, b| a < b) && types.iter().all(|string| *string < strings))
}

fn methods(dex: &Dex) -> Option<bool> {
    let (count, start) = dex.table(at::METHODS)?;
    let limits = [at::TYPES, at::STRINGS, at::PROTOS].map(|place| dex.table(place));
    let [Some((types, _)), Some((strings, _)), Some((shapes, _))] = limits else { return None };
    let mut methods = Vec::with_capacity(count);
    for method in 0..count {
        let place = start + 8 * method;
        let (class, shape) = (short(dex.bytes(), place)?, short(dex.bytes(), place + 2)?);
        methods.push((class, index(dex.bytes(), place + 4)?, shape));
    }
    let is_known =
        |(class, name, shape): &(usize, usize, usize)| *class < types && *name < strings && *shape < shapes;
    Some(methods.is_sorted_by(|a, b| a < b) && methods.iter().all(is_known))
}

/// Each class once, with methods in their order and code that is aligned.
fn classes(dex: &Dex) -> Option<bool> {
    let bytes = dex.bytes();
    let (count, start) = dex.table(at::CLASSES)?;
    let (methods, _) = dex.table(at::METHODS)?;
    let mut before = None;
    for class in 0..count {
        let place = start + 32 * class;
        let type_ = word(bytes, place)?;
        if before.is_some_and(|before| before >= type_) || is_none(index(bytes, place + 8)?) {
            return Some(false);
        }
        before = Some(type_);
        let notes = index(bytes, place + 20)?;
        let mut members = index(bytes, place + 24)?;
        let mut next = || uleb(bytes, &mut members).map(|value| value as usize);
        let [fields, instance_fields, direct, virtual_] = [next()?, next()?, next()?, next()?];
        if fields + instance_fields != 0 || !notes.is_multiple_of(4) {
            return Some(false);
        }
        for count in [direct, virtual_] {
            let mut method = 0;
            for number in 0..count {
                let (step, _, code) = (next()?, next()?, next()?);
                method += step;
                let is_good = (number == 0 || step > 0) && method < methods && code.is_multiple_of(4);
                if !is_good || code == 0 || code >= bytes.len() {
                    return Some(false);
                }
            }
        }
    }
    Some(true)
}
