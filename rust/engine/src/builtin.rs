//! The tools that Trailblaze brings along. Each is a struct of its arguments: the schema, the description
//! and the reading of the arguments come from the struct.

mod android;
mod app;
mod check;
mod later;
mod math;
mod memory;
mod reference;
mod selector;
mod swipe;
mod text;
mod touch;
mod world;

pub use later::later;
pub(crate) use selector::SELECTOR_ARGS;

use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use trailblaze_model::diagnostic::Diagnostics;
use trailblaze_model::failure::{Failure, FailureKind};
use trailblaze_model::flags::ToolFlags;
use trailblaze_model::place::Source as Text;
use trailblaze_model::toolset::ToolsetFile;
use trailblaze_model::{tool, toolset};

use crate::dispatch::{Context, Execute, Output};
use crate::registry::{Source, Tool};
use crate::yaml_tool;

/// A built-in tool.
trait BuiltIn: DeserializeOwned + JsonSchema + Send + Sync + 'static {
    const NAME: &'static str;
    /// Arguments whose variables the tool fills in itself.
    const FILLS_IN: &'static [&'static str] = &[];

    fn flags() -> ToolFlags {
        ToolFlags::default()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure>;
}

struct Body<T>(PhantomData<fn() -> T>);

impl<T: BuiltIn> Execute for Body<T> {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        let args: T = serde_json::from_value(Value::Object(args)).map_err(|error| {
            Failure::new(FailureKind::InvalidArguments, format!("'{}': {error}", context.call.name))
        })?;
        args.run(context)
    }

    fn fills_in(&self) -> &'static [&'static str] {
        T::FILLS_IN
    }
}

fn built_in<T: BuiltIn>() -> Tool {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<T>();
    let mut schema = Value::from(schema);
    let mut description = String::new();
    if let Value::Object(map) = &mut schema {
        map.remove("title");
        if let Some(Value::String(text)) = map.remove("description") {
            description = text.replace('\n', " ");
        }
        map.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        map.insert("additionalProperties".into(), false.into());
    }
    Tool {
        name: T::NAME.to_owned(),
        description,
        schema,
        flags: T::flags(),
        source: Source::BuiltIn,
        body: Arc::new(Body::<T>(PhantomData)),
    }
}

/// Flags of a tool for trails and recordings only.
fn not_for_llm() -> ToolFlags {
    ToolFlags { is_for_llm: false, ..ToolFlags::default() }
}

/// Flags of a check.
fn verification() -> ToolFlags {
    ToolFlags { is_verification: true, ..ToolFlags::default() }
}

/// Flags of a helper that is neither offered nor recorded.
fn helper() -> ToolFlags {
    ToolFlags { is_for_llm: false, is_recordable: false, ..ToolFlags::default() }
}

/// All tools that are built in.
pub fn tools() -> Vec<Tool> {
    let mut tools = Vec::new();
    touch::add(&mut tools);
    swipe::add(&mut tools);
    text::add(&mut tools);
    check::add(&mut tools);
    app::add(&mut tools);
    memory::add(&mut tools);
    world::add(&mut tools);
    selector::add(&mut tools);
    reference::add(&mut tools);
    android::add(&mut tools);
    for (name, other) in OTHER_NAMES {
        let same = tools.iter().find(|tool| tool.name == *other).cloned();
        tools.extend(same.map(|tool| Tool { name: (*name).to_owned(), ..tool }));
    }
    for (file, text) in TOOL_FILES {
        let mut problems = Diagnostics::new();
        let file = tool::read(&Text::new(*file, *text), &mut problems);
        tools.extend(file.map(|file| yaml_tool::tool(file, Source::BuiltIn, None)));
        debug_assert!(problems.is_empty(), "{problems:?}");
    }
    tools
}

/// Names of other ages of the file format, each a tool of its own.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("mobile_maestro", "maestro"),
    ("setClipboard", "mobile_setClipboard"),
    ("pasteClipboard", "mobile_pasteClipboard"),
];

/// All toolsets that are built in.
pub fn toolsets() -> Vec<(Source, ToolsetFile)> {
    let mut sets = Vec::new();
    for (file, text) in TOOLSET_FILES {
        let mut problems = Diagnostics::new();
        let file = toolset::read(&Text::new(*file, *text), &mut problems);
        sets.extend(file.map(|file| (Source::BuiltIn, file)));
        debug_assert!(problems.is_empty(), "{problems:?}");
    }
    sets
}

macro_rules! embedded {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$((
            concat!("trailblaze-config/", $folder, "/", $name),
            include_str!(concat!("../../../trailblaze-config/", $folder, "/", $name)),
        )),*]
    };
}

const TOOL_FILES: &[(&str, &str)] = embedded!("tools": "eraseText.yaml", "pressBack.yaml");

const TOOLSET_FILES: &[(&str, &str)] = embedded!(
    "toolsets": "android_framework.yaml", "android_primitives.yaml", "core_interaction.yaml", "memory.yaml",
    "meta.yaml", "mobile_primitives.yaml", "navigation.yaml", "observation.yaml", "verification.yaml",
);
