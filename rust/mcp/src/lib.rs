//! MCP: toolset servers that are programs, what they call back, and Trailblaze as a server itself.

pub mod callback;
pub mod client;
pub mod server;
