//! Source maps: where in the sources a place of a bundle comes from.
//!
//! Lines and columns are 1-based here, as stacks and people have them; in a map's text they are 0-based.

use serde_json::{Value, json};

use crate::place::Place;

/// One mapping, 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    column: u32,
    /// Source, line and column; none for a place that no source has.
    from: Option<(u32, u32, u32)>,
}

/// A map that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMap {
    sources: Vec<String>,
    lines: Vec<Vec<Segment>>,
}

impl SourceMap {
    /// Reads the JSON of a map (version 3, without sections); the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text)
            .map_err(|error| format!("the source map is not valid JSON: {error}"))?;
        if json.get("version").and_then(Value::as_u64) != Some(3) {
            return Err("the source map is not of version 3".to_owned());
        }
        let names = json.get("sources").and_then(Value::as_array).ok_or("the source map has no sources")?;
        let sources: Vec<String> =
            names.iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect();
        let mappings =
            json.get("mappings").and_then(Value::as_str).ok_or("the source map has no mappings")?;
        Ok(Self { lines: decode(mappings, sources.len())?, sources })
    }

    /// The source and its place for a place in the bundle.
    pub fn lookup(&self, line: u32, column: u32) -> Option<(&str, Place)> {
        let segments = self.lines.get(line.checked_sub(1)? as usize)?;
        let after = segments.partition_point(|segment| segment.column < column);
        let (source, line, column) = segments.get(after.checked_sub(1)?)?.from?;
        let place = Place { line: line.saturating_add(1), column: column.saturating_add(1) };
        Some((self.sources.get(source as usize)?, place))
    }

    /// A stack in which the places in the module `file` are those in its sources: `at f (bundle.js:12:34)` becomes
    /// `at f (tools/login.ts:3:5)`. What the map does not know stays.
    pub fn map_stack(&self, file: &str, stack: &str) -> String {
        let mut mapped = String::with_capacity(stack.len());
        let mut rest = stack;
        while let Some(at) = rest.find(file).filter(|_| !file.is_empty()) {
            let end = at + file.len();
            let begins = rest[..at].chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(');
            let found = place(&rest[end..]).filter(|_| begins);
            let place = found.and_then(|(place, used)| Some((self.lookup(place.line, place.column)?, used)));
            match place {
                Some(((source, place), used)) => {
                    mapped.push_str(&rest[..at]);
                    mapped.push_str(&format!("{source}:{place}"));
                    rest = &rest[end + used..];
                }
                None => {
                    mapped.push_str(&rest[..end]);
                    rest = &rest[end..];
                }
            }
        }
        mapped + rest
    }

    /// The map with columns of the code in bytes, as QuickJS counts them, instead of in UTF-16 units.
    pub fn with_columns_in_bytes(mut self, code: &str) -> Self {
        for (segments, line) in
            self.lines.iter_mut().zip(code.split('\n')).filter(|(_, line)| !line.is_ascii())
        {
            let mut columns = Vec::new();
            let mut bytes = 0;
            for c in line.chars() {
                columns.extend(std::iter::repeat_n(bytes, c.len_utf16()));
                bytes += c.len_utf8() as u32;
            }
            for segment in segments {
                segment.column = columns.get(segment.column as usize).copied().unwrap_or(bytes);
            }
        }
        self
    }

    /// The map of what was made from code that has the map `inner` itself.
    pub fn through(&self, inner: &Self) -> Self {
        let from = |segment: &Segment| {
            let (_, line, column) = segment.from?;
            let segments = inner.lines.get(line as usize)?;
            segments[..segments.partition_point(|inner| inner.column <= column)].last()?.from
        };
        let map = |segment: &Segment| Segment { column: segment.column, from: from(segment) };
        let lines = self.lines.iter().map(|segments| segments.iter().map(map).collect());
        Self { sources: inner.sources.clone(), lines: lines.collect() }
    }

    /// The text of the map again.
    pub fn print(&self) -> String {
        let mut writer = Writer::default();
        for (line, segments) in self.lines.iter().enumerate() {
            for segment in segments {
                writer.add(line as u32, segment.column, segment.from);
            }
        }
        print(&self.sources, &writer.finish(self.lines.len()))
    }
}

/// `:12:34` at the start of a text, and how long that is.
fn place(text: &str) -> Option<(Place, usize)> {
    let (line, after) = number(text.strip_prefix(':')?)?;
    let (column, rest) = number(after.strip_prefix(':')?)?;
    Some((Place { line, column }, text.len() - rest.len()))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// The JSON of a map.
pub fn print(sources: &[String], mappings: &str) -> String {
    json!({ "version": 3, "sources": sources, "names": [], "mappings": mappings }).to_string()
}

/// Writes mappings, which come in the order of their places in the bundle. All numbers are 0-based.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    text: String,
    line: u32,
    column: u32,
    from: (u32, u32, u32),
    in_line: bool,
}

impl Writer {
    pub fn add(&mut self, line: u32, column: u32, from: Option<(u32, u32, u32)>) {
        while self.line < line {
            self.text.push(';');
            (self.line, self.column, self.in_line) = (self.line + 1, 0, false);
        }
        if self.in_line {
            self.text.push(',');
        }
        self.in_line = true;
        self.number(column, self.column);
        self.column = column;
        if let Some(from) = from {
            self.number(from.0, self.from.0);
            self.number(from.1, self.from.1);
            self.number(from.2, self.from.2);
            self.from = from;
        }
    }

    /// The mappings of a module with that many lines.
    pub fn finish(mut self, lines: usize) -> String {
        while (self.line as usize) + 1 < lines {
            self.text.push(';');
            self.line += 1;
        }
        self.text
    }

    fn number(&mut self, new: u32, old: u32) {
        let difference = i64::from(new) - i64::from(old);
        let mut rest = (difference.unsigned_abs() << 1) | u64::from(difference < 0);
        loop {
            let digit = (rest & 31) as usize;
            rest >>= 5;
            self.text.push(char::from(DIGITS[digit | if rest > 0 { 32 } else { 0 }]));
            if rest == 0 {
                break;
            }
        }
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn decode(mappings: &str, sources: usize) -> Result<Vec<Vec<Segment>>, String> {
    let mut from = [0i64; 3];
    let mut lines = Vec::new();
    for (index, line) in mappings.split(';').enumerate() {
        let bad = |what: &str| format!("the source map has {what} in line {}", index + 1);
        let mut segments: Vec<Segment> = Vec::new();
        let mut column = 0i64;
        for text in line.split(',').filter(|text| !text.is_empty()) {
            let numbers = numbers(text).ok_or_else(|| bad("something that is no mapping"))?;
            column += numbers[0];
            let column = u32::try_from(column).map_err(|_| bad("a bad column"))?;
            if segments.last().is_some_and(|last| last.column > column) {
                return Err(bad("columns that are not in order"));
            }
            let from = match numbers.len() {
                1 => None,
                4 | 5 => {
                    from.iter_mut().zip(&numbers[1..]).for_each(|(sum, number)| *sum += number);
                    let place = from.map(|number| u32::try_from(number).ok());
                    let [Some(source), Some(line), Some(column)] = place else {
                        return Err(bad("a bad place"));
                    };
                    if source as usize >= sources {
                        return Err(bad("a source that it does not name"));
                    }
                    Some((source, line, column))
                }
                _ => return Err(bad("something that is no mapping")),
            };
            segments.push(Segment { column, from });
        }
        lines.push(segments);
    }
    Ok(lines)
}

/// The numbers of one mapping, each of at most 33 bits, so that sums cannot overflow; none for anything else.
fn numbers(text: &str) -> Option<Vec<i64>> {
    let mut numbers = Vec::new();
    let (mut value, mut shift) = (0u64, 0);
    for byte in text.bytes() {
        let digit = DIGITS.iter().position(|digit| *digit == byte)? as u64;
        if shift > 30 || numbers.len() == 5 {
            return None;
        }
        value |= (digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            let size = (value >> 1) as i64;
            numbers.push(if value & 1 == 1 { -size } else { size });
            (value, shift) = (0, 0);
        }
    }
    (shift == 0 && !numbers.is_empty()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> SourceMap {
        let mut writer = Writer::default();
        writer.add(1, 0, Some((0, 4, 2)));
        writer.add(1, 10, Some((1, 0, 0)));
        writer.add(1, 20, None);
        writer.add(3, 4, Some((0, 1_000_000, 70_000)));
        let text = print(&["a.ts".to_owned(), "b.ts".to_owned()], &writer.finish(5));
        SourceMap::parse(&text).expect("it reads")
    }

    #[track_caller]
    fn check(line: u32, column: u32, expected: Option<(&str, u32, u32)>) {
        let expected = expected.map(|(source, line, column)| (source, Place { line, column }));
        assert_eq!(map().lookup(line, column), expected);
    }

    #[test]
    fn a_place_is_that_of_the_mapping_before_it() {
        check(2, 1, Some(("a.ts", 5, 3)));
        check(2, 10, Some(("a.ts", 5, 3)));
        check(2, 11, Some(("b.ts", 1, 1)));
        check(2, 21, None);
        check(4, 5, Some(("a.ts", 1_000_001, 70_001)));
        check(4, 4, None);
        check(1, 1, None);
        check(0, 0, None);
        check(99, 1, None);
        assert_eq!(SourceMap::parse(&map().print()), Ok(map()));
        let wide = map().with_columns_in_bytes("\nääääää😀😀+");
        assert_eq!(wide.lookup(2, 21), Some(("b.ts", Place { line: 1, column: 1 })));
        assert_eq!(wide.lookup(2, 20), Some(("a.ts", Place { line: 5, column: 3 })));
        let mut outer = Writer::default();
        outer.add(0, 3, Some((0, 1, 12)));
        let outer = SourceMap::parse(&print(&["x".to_owned()], &outer.finish(1))).expect("it reads");
        assert_eq!(outer.through(&map()).lookup(1, 4), Some(("b.ts", Place { line: 1, column: 1 })));
    }

    #[test]
    fn a_stack_is_rewritten_where_the_map_knows_more() {
        let stack = "    at g (bundle.js:2:3)\n    at <anonymous> (bundle.js:2:12)\n    at bundle.js:4:5\n    \
                     at native (native)\n    at h (other-bundle.js:2:3)\n    at i (bundle.js:1:1)\n";
        let mapped = "    at g (a.ts:5:3)\n    at <anonymous> (b.ts:1:1)\n    at a.ts:1000001:70001\n    \
                      at native (native)\n    at h (other-bundle.js:2:3)\n    at i (bundle.js:1:1)\n";
        assert_eq!(map().map_stack("bundle.js", stack), mapped);
        assert_eq!(map().map_stack("", stack), stack);
        assert_eq!(
            map().map_stack("bundle.js", "bundle.js bundle.js:1 bundle.js:2:"),
            "bundle.js bundle.js:1 bundle.js:2:"
        );
    }

    #[track_caller]
    fn refused(mappings: &str, message: &str) {
        let text = print(&["a".to_owned()], mappings);
        assert!(SourceMap::parse(&text).is_err_and(|error| error.contains(message)), "{mappings}");
    }

    #[test]
    fn garbage_is_refused() {
        refused("!", "no mapping in line 1");
        refused("AA", "no mapping");
        refused(";AAAAAA", "no mapping in line 2");
        refused("g", "no mapping");
        refused("ggggggggggA", "no mapping");
        refused("D", "a bad column");
        refused("AADA", "a bad place");
        refused("ACAA", "a source that it does not name");
        refused("KAAA,DAAA", "not in order");
        for text in ["", "[]", "{\"version\":2}", "{\"version\":3}", "{\"version\":3,\"sources\":[]}"] {
            assert!(SourceMap::parse(text).is_err(), "{text}");
        }
    }
}
