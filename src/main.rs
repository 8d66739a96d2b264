//! Arguments to exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(omerta::cli::main(std::env::args_os()))
}
