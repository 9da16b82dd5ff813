//! Parses the command line, wires, prints.

use std::process::ExitCode;

fn main() -> ExitCode {
    trailblaze::cli::main().into()
}
