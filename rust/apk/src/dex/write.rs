//! Writing the dex file of all trails.

use std::collections::BTreeSet;

use sha1::{Digest, Sha1};

use super::{ENDIAN, HEADER, MAGIC, NO_INDEX, adler32, at, descriptor, kind};
use crate::bytes::{align, put};
use crate::error::{Error, Result};

const OBJECT: &str = "Ljava/lang/Object;";
const STRING: &str = "Ljava/lang/String;";
const THROWN: &str = "Ljava/lang/UnsupportedOperationException;";
pub(super) const TEST: &str = "Lorg/junit/Test;";
const VOID: &str = "V";
const VOID_OF_OBJECT: &str = "VL";
const INIT: &str = "<init>";
/// What a method says when another runner calls it: a trail that was not run must not look as if it passed.
const MESSAGE: &str = "this is the name of a trail; dev.trailblaze.agent.TrailblazeInstrumentation runs it";

const PUBLIC: u32 = 1;
const CONSTRUCTOR: u32 = 0x1_0000;
const VISIBLE_AT_RUN_TIME: u8 = 1;
/// Indices of methods and strings in code have two bytes.
const MOST: usize = 1 << 16;

/// A class with its test methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// With its package.
    pub class: String,
    pub methods: BTreeSet<String>,
}

/// A method by the places of its class, name and shape in their tables: the order of the format.
type Method = (u32, u32, u32);
/// The shapes of methods, in their order.
const NO_ARGUMENT: u32 = 0;
const WITH_STRING: u32 = 1;

/// The dex file of suites, whose names must be plain Java names in ASCII. Suites without methods are plain classes.
pub fn write(suites: &[Suite]) -> Result<Vec<u8>> {
    for suite in suites {
        let parts = suite.class.split('.').chain(suite.methods.iter().map(String::as_str));
        if let Some(bad) = parts.into_iter().find(|part| !is_java_name(part)) {
            return Err(Error::new(format!("'{bad}' in the class {} is no Java name", suite.class)));
        }
    }
    let mut suites = suites.to_vec();
    suites.sort_by_key(|suite| descriptor(&suite.class));
    let tables = Tables::of(&suites);
    if tables.strings.len() > MOST || tables.methods.len() > MOST {
        let count: usize = suites.iter().map(|suite| suite.methods.len()).sum();
        let error = Error::new(format!("{count} trails are more than one dex file can name"));
        return Err(error.hint("pack a part of the workspace"));
    }
    Ok(tables.print(&suites))
}

/// ASCII only: the order of strings is that of their bytes then.
fn is_java_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Everything that is named, each in the order of the format.
struct Tables {
    strings: Vec<String>,
    types: Vec<String>,
    methods: Vec<Method>,
}

impl Tables {
    fn of(suites: &[Suite]) -> Self {
        let classes: Vec<String> = suites.iter().map(|suite| descriptor(&suite.class)).collect();
        let known = [OBJECT, STRING, THROWN, TEST, VOID].map(str::to_owned);
        let types: BTreeSet<String> = classes.iter().cloned().chain(known).collect();
        let names = suites.iter().flat_map(|suite| suite.methods.iter().cloned());
        let words = [VOID_OF_OBJECT, INIT, MESSAGE].map(str::to_owned);
        let strings: BTreeSet<String> = types.iter().cloned().chain(names).chain(words).collect();
        let mut tables = Self {
            strings: strings.into_iter().collect(),
            types: types.into_iter().collect(),
            methods: Vec::new(),
        };
        let mut methods =
            vec![tables.method(OBJECT, INIT, NO_ARGUMENT), tables.method(THROWN, INIT, WITH_STRING)];
        for (suite, class) in suites.iter().zip(&classes) {
            let own = suite.methods.iter().map(String::as_str).chain([INIT]);
            methods.extend(own.map(|name| tables.method(class, name, NO_ARGUMENT)));
        }
        methods.sort_unstable();
        tables.methods = methods;
        tables
    }

    fn string(&self, text: &str) -> u32 {
        self.strings.binary_search_by(|known| known.as_str().cmp(text)).expect("it was put there") as u32
    }

    fn type_(&self, name: &str) -> u32 {
        self.types.binary_search_by(|known| known.as_str().cmp(name)).expect("it was put there") as u32
    }

    fn method(&self, class: &str, name: &str, shape: u32) -> Method {
        (self.type_(class), self.string(name), shape)
    }

    fn index(&self, class: &str, name: &str, shape: u32) -> u32 {
        let method = self.method(class, name, shape);
        self.methods.binary_search(&method).expect("it was put there") as u32
    }

    fn print(&self, suites: &[Suite]) -> Vec<u8> {
        let counts = [self.strings.len(), self.types.len(), 2, 0, self.methods.len(), suites.len()];
        let widths = [4, 4, 12, 8, 8, 32];
        let mut starts = [HEADER; 6];
        for index in 1..starts.len() {
            starts[index] = starts[index - 1] + counts[index - 1] * widths[index - 1];
        }
        let data_at = starts[5] + counts[5] * widths[5];
        let mut out = vec![0; data_at];
        let mut map = Map::default();
        map.add(kind::HEADER, 1, 0);
        let kinds = [
            kind::STRING_ID,
            kind::TYPE_ID,
            kind::PROTO_ID,
            kind::FIELD_ID,
            kind::METHOD_ID,
            kind::CLASS_DEF,
        ];
        for ((kind, count), start) in kinds.into_iter().zip(counts).zip(starts) {
            map.add(kind, count, start);
        }

        let string_list = out.len();
        map.add(kind::TYPE_LIST, 1, string_list);
        words(&mut out, &[1]);
        out.extend((self.type_(STRING) as u16).to_le_bytes());
        align(&mut out, 4);
        let test_set = out.len();
        map.add(kind::ANNOTATION_SET, 1, test_set);
        // Where the annotation is gets known below.
        words(&mut out, &[1, 0]);

        let bodies = self.bodies(suites, &mut out, &mut map);
        let notes = self.notes(suites, test_set, &mut out, &mut map);
        map.add(kind::STRING_DATA, self.strings.len(), out.len());
        for (index, text) in self.strings.iter().enumerate() {
            let start = out.len() as u32;
            put(&mut out, starts[0] + 4 * index, start);
            uleb(&mut out, text.len() as u32);
            out.extend(text.as_bytes());
            out.push(0);
        }
        let annotation = out.len() as u32;
        map.add(kind::ANNOTATION, 1, out.len());
        put(&mut out, test_set + 4, annotation);
        out.push(VISIBLE_AT_RUN_TIME);
        uleb(&mut out, self.type_(TEST));
        uleb(&mut out, 0);
        let members = self.members(suites, &bodies, &mut out, &mut map);

        for (index, name) in self.types.iter().enumerate() {
            put(&mut out, starts[1] + 4 * index, self.string(name));
        }
        let void = self.type_(VOID);
        let shapes = [[self.string(VOID), void, 0], [self.string(VOID_OF_OBJECT), void, string_list as u32]];
        for (index, word) in shapes.as_flattened().iter().enumerate() {
            put(&mut out, starts[2] + 4 * index, *word);
        }
        for (index, (class, name, shape)) in self.methods.iter().enumerate() {
            let entry = starts[4] + 8 * index;
            put(&mut out, entry, class | shape << 16);
            put(&mut out, entry + 4, *name);
        }
        for (index, suite) in suites.iter().enumerate() {
            let class = self.type_(&descriptor(&suite.class));
            let definition = [
                class,
                PUBLIC,
                self.type_(OBJECT),
                0,
                NO_INDEX,
                notes[index] as u32,
                members[index] as u32,
                0,
            ];
            for (word, value) in definition.into_iter().enumerate() {
                put(&mut out, starts[5] + 32 * index + 4 * word, value);
            }
        }

        align(&mut out, 4);
        let map_at = out.len();
        map.add(kind::MAP_LIST, 1, map_at);
        map.print(&mut out);
        out[..MAGIC.len()].copy_from_slice(MAGIC);
        let (size, data) = (out.len(), out.len() - data_at);
        let header = [
            (at::FILE_SIZE, size),
            (at::HEADER_SIZE, HEADER),
            (at::ENDIAN, ENDIAN as usize),
            (at::MAP, map_at),
            (at::DATA, data),
            (at::DATA + 4, data_at),
        ];
        header.into_iter().for_each(|(place, value)| put(&mut out, place, value as u32));
        let tables = [at::STRINGS, at::TYPES, at::PROTOS, at::FIELDS, at::METHODS, at::CLASSES];
        for ((place, count), start) in tables.into_iter().zip(counts).zip(starts) {
            put(&mut out, place, count as u32);
            put(&mut out, place + 4, if count == 0 { 0 } else { start as u32 });
        }
        seal(&mut out);
        out
    }

    /// The code of all methods; where it is, by the index of the method.
    fn bodies(&self, suites: &[Suite], out: &mut Vec<u8>, map: &mut Map) -> Vec<u32> {
        let mut bodies = vec![0; self.methods.len()];
        let count = suites.iter().map(|suite| suite.methods.len() + 1).sum();
        map.add(kind::CODE, count, out.len());
        let object = self.index(OBJECT, INIT, NO_ARGUMENT) as u16;
        let thrown = self.index(THROWN, INIT, WITH_STRING) as u16;
        let (class, message) = (self.type_(THROWN) as u16, self.string(MESSAGE) as u16);
        // invoke-direct {v0}, Object.<init>; return-void
        let construct = [0x1070, object, 0x0000, 0x000e];
        // new-instance v0; const-string v1; invoke-direct {v0, v1}; throw v0
        let refuse = [0x0022, class, 0x011a, message, 0x2070, thrown, 0x0010, 0x0027];
        for suite in suites {
            let name = descriptor(&suite.class);
            bodies[self.index(&name, INIT, NO_ARGUMENT) as usize] = out.len() as u32;
            code(out, [1, 1, 1], &construct);
            for method in &suite.methods {
                bodies[self.index(&name, method, NO_ARGUMENT) as usize] = out.len() as u32;
                code(out, [3, 1, 2], &refuse);
            }
        }
        bodies
    }

    /// Which methods of each class are tests.
    fn notes(&self, suites: &[Suite], test_set: usize, out: &mut Vec<u8>, map: &mut Map) -> Vec<usize> {
        map.add(kind::ANNOTATIONS, suites.len(), out.len());
        let mut notes = Vec::with_capacity(suites.len());
        for suite in suites {
            notes.push(out.len());
            words(out, &[0, 0, suite.methods.len() as u32, 0]);
            let name = descriptor(&suite.class);
            for method in &suite.methods {
                words(out, &[self.index(&name, method, NO_ARGUMENT), test_set as u32]);
            }
        }
        notes
    }

    /// The methods of each class.
    fn members(&self, suites: &[Suite], bodies: &[u32], out: &mut Vec<u8>, map: &mut Map) -> Vec<usize> {
        map.add(kind::CLASS_DATA, suites.len(), out.len());
        let mut members = Vec::with_capacity(suites.len());
        for suite in suites {
            members.push(out.len());
            for count in [0, 0, 1, suite.methods.len()] {
                uleb(out, count as u32);
            }
            let name = descriptor(&suite.class);
            let init = self.index(&name, INIT, NO_ARGUMENT);
            for value in [init, PUBLIC | CONSTRUCTOR, bodies[init as usize]] {
                uleb(out, value);
            }
            let mut before = 0;
            for method in &suite.methods {
                let index = self.index(&name, method, NO_ARGUMENT);
                for value in [index - before, PUBLIC, bodies[index as usize]] {
                    uleb(out, value);
                }
                before = index;
            }
        }
        members
    }
}

/// Writes the signature and the checksum of what is there.
pub(super) fn seal(dex: &mut [u8]) {
    let signature = Sha1::digest(&dex[at::FILE_SIZE..]);
    dex[at::SIGNATURE..at::FILE_SIZE].copy_from_slice(&signature);
    let checksum = adler32(&dex[at::SIGNATURE..]);
    put(dex, at::CHECKSUM, checksum);
}

/// Registers, those of them that are arguments, and those that calls need; then the code.
fn code(out: &mut Vec<u8>, [registers, ins, outs]: [u16; 3], units: &[u16]) {
    for half in [registers, ins, outs, 0] {
        out.extend(half.to_le_bytes());
    }
    words(out, &[0, units.len() as u32]);
    units.iter().for_each(|unit| out.extend(unit.to_le_bytes()));
    align(out, 4);
}

fn words(out: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| out.extend(word.to_le_bytes()));
}

fn uleb(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// What lies where, in the order of the file.
#[derive(Default)]
struct Map(Vec<(u16, usize, usize)>);

impl Map {
    fn add(&mut self, kind: u16, count: usize, start: usize) {
        if count > 0 {
            self.0.push((kind, count, start));
        }
    }

    fn print(&self, out: &mut Vec<u8>) {
        words(out, &[self.0.len() as u32]);
        for (kind, count, start) in &self.0 {
            words(out, &[u32::from(*kind), *count as u32, *start as u32]);
        }
    }
}
