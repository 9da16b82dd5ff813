//! The SDK for scripts, which is part of the program: a toolset that imports it needs nothing installed.

/// The files of `@trailblaze/scripting`, by their names in its `src` folder.
#[derive(Clone, Copy, Debug)]
pub struct Sdk<'a> {
    pub files: &'a [(&'static str, &'a str)],
    /// What can be imported, and the file that it is.
    pub exports: &'a [(&'static str, &'static str)],
}

/// Our stand-in for the transport of `@modelcontextprotocol/sdk` 1.x.
pub(crate) const MCP_STDIO: &str = "mcp-stdio.js";
/// Our wrapper around `serveStdio` of `@modelcontextprotocol/server` 2.x.
pub(crate) const MCP_SERVE_STDIO: &str = "mcp-serve-stdio.js";
/// The name under which the wrapper imports what it wraps.
pub(crate) const REAL_SERVE_STDIO: &str = "trailblaze:real-serve-stdio";

impl Sdk<'_> {
    pub(crate) fn text(&self, file: &str) -> Option<&str> {
        self.files.iter().find(|(name, _)| *name == file).map(|(_, text)| *text)
    }

    /// The file that a specifier means, if it is there.
    pub(crate) fn file_of(&self, specifier: &str) -> Option<&'static str> {
        let file = self.exports.iter().find(|(known, _)| *known == specifier)?.1;
        self.text(file).map(|_| file)
    }

    pub(crate) fn specifiers(&self) -> Vec<&'static str> {
        self.exports
            .iter()
            .map(|(specifier, _)| *specifier)
            .filter(|known| self.file_of(known).is_some())
            .collect()
    }
}
