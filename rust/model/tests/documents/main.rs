//! Documents: what each kind allows, what a person reads when it is broken, and that nothing is lost
//! when one is read and printed or edited.

mod bad_files;
mod common;
mod edit;
mod maestro;
mod places;
mod recordings;
mod round_trip;
mod targets;
mod tool_bodies;
mod tools;
mod toolsets;
mod trails_config;
mod trails_list;
mod trails_unified;
mod workspaces;
