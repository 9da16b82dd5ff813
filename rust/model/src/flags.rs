//! What the registry knows of a tool besides its name and schema.

use serde::Serialize;
use std::collections::BTreeSet;

use crate::driver::{Driver, Platform};

/// The flags of one tool, with the documented defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFlags {
    /// Offered to a model.
    pub is_for_llm: bool,
    /// Written to recordings.
    pub is_recordable: bool,
    /// Turns into other calls, which are recorded instead.
    pub is_delegating: bool,
    /// A `verify` step may use it.
    pub is_verification: bool,
    /// Only with the agent on the host.
    pub requires_host: bool,
    /// Empty = all.
    pub supported_drivers: Vec<Driver>,
    /// Empty = all.
    pub supported_platforms: Vec<Platform>,
    /// The toolset this tool pushes itself into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset: Option<String>,
    /// Information for other MCP clients only.
    pub requires_context: bool,
    pub groups: BTreeSet<String>,
}

impl Default for ToolFlags {
    fn default() -> Self {
        Self {
            is_for_llm: true,
            is_recordable: true,
            is_delegating: false,
            is_verification: false,
            requires_host: false,
            supported_drivers: Vec::new(),
            supported_platforms: Vec::new(),
            toolset: None,
            requires_context: false,
            groups: BTreeSet::new(),
        }
    }
}
