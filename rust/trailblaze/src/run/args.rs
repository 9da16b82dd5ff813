//! The values of a trail's declared arguments.

use serde_json::{Map, Value};
use trailblaze_engine::interpolate::{Lookup, Spelling, Unresolved, interpolate};
use trailblaze_engine::memory::Memory;
use trailblaze_model::trail::{ArgDeclaration, ArgType, Config};

/// Given values first, then defaults; defaults may name memory and each other. A run of several trails may
/// give an argument that only some of them declare.
pub(super) fn resolve(
    config: &Config,
    given: &[(String, String)],
    memory: &Memory,
) -> Result<Map<String, Value>, String> {
    let mut values = Map::new();
    let mut missing = Vec::new();
    for arg in &config.args {
        let text = given.iter().rev().find(|(name, _)| *name == arg.name).map(|(_, text)| text);
        match (text, &arg.default) {
            (Some(text), _) => drop(values.insert(arg.name.clone(), typed(arg, text)?)),
            (None, Some(default)) => drop(values.insert(arg.name.clone(), default.clone())),
            (None, None) => missing.push(arg.name.as_str()),
        }
    }
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(|name| format!("'{name}'")).collect();
        return Err(format!("the trail needs the argument {}", trailblaze_model::names::list(&missing)));
    }
    settle_defaults(&mut values, memory);
    Ok(values)
}

/// Repeats until nothing changes; what names itself in a circle stays as it is.
fn settle_defaults(values: &mut Map<String, Value>, memory: &Memory) {
    for _ in 0..values.len() {
        let before = values.clone();
        for value in values.values_mut() {
            let names = Names { values: &before, memory };
            if let Some(new) = interpolate(value, &names, &mut Unresolved::default()) {
                *value = new;
            }
        }
        if *values == before {
            return;
        }
    }
}

struct Names<'a> {
    values: &'a Map<String, Value>,
    memory: &'a Memory,
}

impl Lookup for Names<'_> {
    fn find(&self, name: &str, spelling: Spelling) -> Result<Option<Value>, String> {
        if let (Spelling::Braces, Some(arg)) = (spelling, name.strip_prefix("args.")) {
            let value = self.values.get(arg);
            // A value that is itself waiting is not passed on.
            return Ok(value.filter(|value| !trailblaze_engine::interpolate::has_tokens(value)).cloned());
        }
        let short = name.strip_prefix("memory.").unwrap_or(name);
        Ok(self.memory.get(short).map(Value::from))
    }
}

fn typed(arg: &ArgDeclaration, text: &str) -> Result<Value, String> {
    let wrong = |wanted: &str| format!("the argument '{}' must be {wanted}, not '{text}'", arg.name);
    match arg.kind {
        ArgType::String => Ok(text.into()),
        ArgType::Integer => text.parse::<i64>().map(Value::from).map_err(|_| wrong("a whole number")),
        ArgType::Boolean => text.parse::<bool>().map(Value::from).map_err(|_| wrong("true or false")),
        ArgType::Array => {
            serde_json::from_str(text).ok().filter(Value::is_array).ok_or_else(|| wrong("a JSON list"))
        }
        ArgType::Object => {
            serde_json::from_str(text).ok().filter(Value::is_object).ok_or_else(|| wrong("a JSON object"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn arg(name: &str, kind: ArgType, default: Option<Value>) -> ArgDeclaration {
        ArgDeclaration { name: name.to_owned(), kind, description: None, default }
    }

    #[track_caller]
    fn check(args: Vec<ArgDeclaration>, given: &[(&str, &str)], expected: Result<Value, &str>) {
        let config = Config { args, ..Config::default() };
        let memory = Memory::default();
        memory.set("email", "a@b.c");
        let given: Vec<(String, String)> =
            given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let actual = resolve(&config, &given, &memory).map(Value::Object);
        assert_eq!(actual, expected.map_err(str::to_owned));
    }

    #[test]
    fn given_values_win_over_defaults() {
        let count = || vec![arg("count", ArgType::Integer, Some(json!(2)))];
        check(count(), &[], Ok(json!({"count": 2})));
        check(count(), &[("count", "5")], Ok(json!({"count": 5})));
        check(count(), &[("count", "x")], Err("the argument 'count' must be a whole number, not 'x'"));
    }

    #[test]
    fn a_required_argument_must_be_given() {
        check(vec![arg("who", ArgType::String, None)], &[], Err("the trail needs the argument 'who'"));
    }

    #[test]
    fn defaults_name_memory_and_each_other_but_not_in_circles() {
        check(
            vec![
                arg("a", ArgType::String, Some(json!("<{{args.b}}>"))),
                arg("b", ArgType::String, Some(json!("{{memory.email}}"))),
            ],
            &[],
            Ok(json!({"a": "<a@b.c>", "b": "a@b.c"})),
        );
        check(
            vec![
                arg("a", ArgType::String, Some(json!("{{args.b}}"))),
                arg("b", ArgType::String, Some(json!("{{args.a}}"))),
            ],
            &[],
            Ok(json!({"a": "{{args.b}}", "b": "{{args.a}}"})),
        );
    }
}
