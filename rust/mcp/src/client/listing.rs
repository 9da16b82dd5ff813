//! All pages of `tools/list`.

use serde_json::Value;

use super::trouble::Trouble;

const MOST_TOOLS: usize = 10_000;

/// Asks for page after page. A server that has no end is an error, and so is one that goes in a circle.
pub(super) fn all(
    mut page: impl FnMut(Option<&Value>) -> Result<Value, Trouble>,
) -> Result<Vec<Value>, Trouble> {
    let nonsense = |why: &str| Err(Trouble::Nonsense(why.to_owned()));
    let mut tools = Vec::new();
    let mut cursors: Vec<Value> = Vec::new();
    loop {
        let mut result = page(cursors.last())?;
        let Value::Array(more) = result["tools"].take() else {
            return nonsense("it has no list 'tools'");
        };
        let is_empty = more.is_empty();
        tools.extend(more);
        if tools.len() > MOST_TOOLS {
            return nonsense(&format!("it lists more than {MOST_TOOLS} tools"));
        }
        match result["nextCursor"].take() {
            Value::Null => return Ok(tools),
            cursor if cursors.contains(&cursor) => return nonsense("its pages go in a circle"),
            // Pages with something in them are bounded by what is in them.
            _ if is_empty && cursors.len() > MOST_EMPTY => return nonsense("its pages have no end"),
            cursor => cursors.push(cursor),
        }
    }
}

/// After so many pages an empty one is the last.
const MOST_EMPTY: usize = 100;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(page: impl FnMut(Option<&Value>) -> Value, expected: Result<usize, &str>) {
        let mut page = page;
        let found = all(|cursor| Ok(page(cursor))).map(|tools| tools.len());
        assert_eq!(found, expected.map_err(|why| Trouble::Nonsense(why.to_owned())));
    }

    #[test]
    fn pages() {
        check(|_| json!({ "tools": [1, 2] }), Ok(2));
        check(
            |cursor| match cursor {
                None => json!({ "tools": [1], "nextCursor": "b" }),
                Some(_) => json!({ "tools": [2] }),
            },
            Ok(2),
        );
        check(|_| json!({}), Err("it has no list 'tools'"));
        check(|_| json!({ "tools": [], "nextCursor": "a" }), Err("its pages go in a circle"));
        let mut number = 0;
        let mut next = move |tools: usize| {
            number += 1;
            json!({ "tools": vec![0; tools], "nextCursor": number })
        };
        check(|_| next(0), Err("its pages have no end"));
        check(|_| next(100), Err("it lists more than 10000 tools"));
    }
}
