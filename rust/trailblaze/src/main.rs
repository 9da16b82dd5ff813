//! Parses the command line, wires, prints.

use std::process::ExitCode;

#[cfg(not(target_os = "android"))]
fn main() -> ExitCode {
    trailblaze::cli::main().into()
}

/// A phone has the library only; this lets a plain `cargo ndk build` build every target of the package.
#[cfg(target_os = "android")]
fn main() -> ExitCode {
    trailblaze::exit_code::Exit::Usage.into()
}
