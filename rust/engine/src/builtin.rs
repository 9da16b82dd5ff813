//! The tools that Trailblaze brings along. Each is a struct of its arguments: the schema, the description
//! and the reading of the arguments come from the struct, the first two by way of `schemas.json`.

mod android;
mod app;
mod check;
mod later;
mod math;
mod memory;
mod reference;
mod schemas;
mod selector;
mod swipe;
mod text;
mod touch;
mod world;

pub use later::later;
pub(crate) use selector::SELECTOR_ARGS;

use std::sync::Arc;

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
use crate::yaml_tool::{self, Bodies};
use schemas::Described;

/// A built-in tool.
trait BuiltIn: DeserializeOwned + Described + Send + Sync + 'static {
    const NAME: &'static str;
    /// Arguments whose variables the tool fills in itself.
    const FILLS_IN: &'static [&'static str] = &[];

    fn flags() -> ToolFlags {
        ToolFlags::default()
    }

    fn run(self, context: &Context<'_>) -> Result<Output, Failure>;
}

/// What a built-in tool is when nobody knows its struct any more.
#[derive(Clone, Copy)]
struct Entry {
    name: &'static str,
    fills_in: &'static [&'static str],
    flags: fn() -> ToolFlags,
    run: fn(Map<String, Value>, &Context<'_>) -> Result<Output, Failure>,
    #[cfg(test)]
    described: fn() -> Value,
}

impl Entry {
    const fn of<T: BuiltIn>() -> Self {
        Self {
            name: T::NAME,
            fills_in: T::FILLS_IN,
            flags: T::flags,
            run: |args, context| read::<T>(args, context)?.run(context),
            #[cfg(test)]
            described: schemas::tests::described::<T>,
        }
    }

    /// The tool, which has yet to be described.
    fn tool(&self) -> Tool {
        Tool {
            name: self.name.to_owned(),
            description: String::new(),
            schema: Value::Null,
            flags: (self.flags)(),
            source: Source::BuiltIn,
            body: Arc::new(*self),
        }
    }
}

impl Execute for Entry {
    fn execute(&self, args: Map<String, Value>, context: &Context<'_>) -> Result<Output, Failure> {
        (self.run)(args, context)
    }

    fn fills_in(&self) -> &'static [&'static str] {
        self.fills_in
    }
}

fn read<T: BuiltIn>(args: Map<String, Value>, context: &Context<'_>) -> Result<T, Failure> {
    serde_json::from_value(Value::Object(args)).map_err(|error| {
        Failure::new(FailureKind::InvalidArguments, format!("'{}': {error}", context.call.name))
    })
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

const ENTRIES: [&[Entry]; 10] = [
    touch::TOOLS,
    swipe::TOOLS,
    text::TOOLS,
    check::TOOLS,
    app::TOOLS,
    memory::TOOLS,
    world::TOOLS,
    selector::TOOLS,
    reference::TOOLS,
    android::TOOLS,
];

/// All tools that are built in.
pub fn tools() -> Vec<Tool> {
    let mut tools: Vec<Tool> = ENTRIES.into_iter().flatten().map(Entry::tool).collect();
    schemas::describe(&mut tools);
    for (name, other) in OTHER_NAMES {
        let same = tools.iter().find(|tool| tool.name == *other).cloned();
        tools.extend(same.map(|tool| Tool { name: (*name).to_owned(), ..tool }));
    }
    for (file, text) in TOOL_FILES {
        let mut problems = Diagnostics::new();
        let file = tool::read(&Text::new(*file, *text), &mut problems);
        tools.extend(file.map(|file| yaml_tool::tool(file, Source::BuiltIn, Bodies::default())));
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
