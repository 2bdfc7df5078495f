//! `cargo xtask`: the commands of the project. Each one sets up what it needs.
//!
//! The README names `run` and `test`.
//! The others are parts of those two (`setup`, `build`), make what is installed (`wheel`, `archive`, `package`)
//! or are for development (`dev`, `bench`, `fuzz`, `commits`, `text`).
//! Installed packages are pinned: npm packages by `end2end/package-lock.json`, Python packages by
//! `xtask/requirements/*.txt`, everything written in Rust by `Cargo.lock`.

mod archive;
mod audit;
mod bench;
mod build;
mod checks;
mod commits;
mod dev;
mod file_times;
mod fuzz;
mod package;
mod run;
mod setup;
mod text;
mod wheel;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::workspace::Workspace;

use checks::{ChangeCheck, ReleaseCheck};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Set up, build, run and test Rehearsal",
    after_help = "Most used:\n  cargo xtask run     build what is missing and serve http://127.0.0.1:4180\n  \
                  cargo xtask test    run every check that this repository has"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build what is missing, then serve the page with the example agents
    Run {
        /// Arguments for `rehearsal serve`, for example `-- my_agents/weather --listen 127.0.0.1:4200`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Run every check of a change: format, lints, tests, wasm, Python, browser stories, `adk eval` acceptance
    Test(checks::Options<ChangeCheck>),
    /// Run the checks of a release: dependencies, packages, the archive, the wheel, and stories with the shipped binary
    ReleaseChecks(checks::Options<ReleaseCheck>),
    /// Install what is missing
    Setup,
    /// Build the site and the release binary, and print its path
    Build,
    /// Build the wheel that `pip install` takes: the program with its page, and the package `rehearsal_adk`
    Wheel,
    /// Build the archive for those who install without pip: the program with its page, manual pages, completions
    /// and the unit for systemd, with SHA256SUMS beside it
    Archive(archive::Options),
    /// Package the crates as crates.io takes them, and build the programs of the Rust guides from the packages alone
    Package,
    /// Run the slow benches; they print what docs/performance.md quotes
    Bench {
        /// Benches to run alone: `host`, `live`, `append`, `list`, `adk`, `eval`, `generated`, `imports`,
        /// `forms`, `values`, or `page` for those in the browser; `real-model`, which downloads a small model, runs only
        /// if it is named
        #[arg(last = true)]
        names: Vec<String>,
    },
    /// Reject commit subjects over 72 characters or with two scopes
    Commits {
        /// The commits to check, as `git log` takes them [default: those after 0da2c83]
        range: Option<String>,
    },
    /// List the text of the page, with file and line
    Text {
        /// Folders or files to read [default: every crate that the page is built from]
        paths: Vec<PathBuf>,
    },
    /// Look for inputs that make the fuzz targets fail (Linux, with a C++ compiler)
    Fuzz {
        /// How long each target runs, in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u32,
        /// Targets to run alone, named as the folders in `fuzz/corpus`
        #[arg(last = true)]
        names: Vec<String>,
    },
    /// Rebuild and reload on every change, through `cargo leptos watch`
    Dev {
        /// Arguments for `cargo leptos watch`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match dispatch(arguments.command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::find()?;
    match command {
        Command::Run { arguments } => run::run(&workspace, &arguments),
        Command::Test(options) => checks::run(&workspace, &options),
        Command::ReleaseChecks(options) => checks::run(&workspace, &options),
        Command::Setup => {
            setup::ensure(&workspace, &checks::PARTS)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Build => {
            let binary = build::run(&workspace)?;
            eprintln!("\nThe binary, which contains the site: {}", binary.display());
            Ok(ExitCode::SUCCESS)
        }
        Command::Wheel => {
            let wheel = wheel::run(&workspace)?;
            eprintln!(
                "\nThe wheel: {}\nInstall it with: pip install '{}[adk]'",
                wheel.display(),
                wheel.display()
            );
            Ok(ExitCode::SUCCESS)
        }
        Command::Archive(options) => {
            let archive = archive::run(&workspace, &options)?;
            eprintln!("\nThe archive: {}", archive.display());
            Ok(ExitCode::SUCCESS)
        }
        Command::Package => {
            let packages = package::run(&workspace)?;
            eprintln!("\nThe packages: {}", packages.display());
            Ok(ExitCode::SUCCESS)
        }
        Command::Bench { names } => bench::run(&workspace, &names),
        Command::Commits { range } => commits::run(&workspace, range.as_deref()),
        Command::Text { paths } => text::run(&workspace, &paths),
        Command::Fuzz { seconds, names } => {
            fuzz::explore(&workspace, &names, seconds)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Dev { arguments } => dev::run(&workspace, &arguments),
    }
}
