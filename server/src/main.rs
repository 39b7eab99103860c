//! The program `harvester-admin`.

use clap::Parser;
use server::command::{Arguments, run};

#[tokio::main]
async fn main() -> std::process::ExitCode {
    match run(Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("harvester-admin: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}
