//! Writes a small stand-in for the agent's APK, for tests of other layers that pack: `stand_in_agent FILE`

#![expect(clippy::unwrap_used, reason = "this serves tests only")]

#[path = "../tests/apk/template.rs"]
mod template;

fn main() {
    let path = std::env::args_os().nth(1).unwrap();
    // The framework reads a table of resources where there is one, and that of the stand-in is none.
    std::fs::write(path, template::with(&[("resources.arsc", b"")])).unwrap();
}
