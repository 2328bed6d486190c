//! The command-line program.

mod command;

fn main() -> std::process::ExitCode {
    command::run()
}
