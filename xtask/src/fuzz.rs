//! The fuzz targets, built with stable Rust: replays their corpus as a check, and looks for new inputs in
//! `cargo xtask fuzz`.
//!
//! Sanitizers need a nightly compiler. CONTRIBUTING says how to run with them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use xtask::process;
use xtask::workspace::Workspace;

/// How long one input may take, in seconds: more is a hang.
const LONGEST_INPUT: usize = 20;

/// Flags for coverage, which the fuzzer needs. All of them are stable.
const INSTRUMENTED: [&str; 5] = [
    "--cfg fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// Whether the targets can be built here.
pub(crate) fn is_possible() -> bool {
    cfg!(target_os = "linux")
        && ["c++", "g++", "clang++"].iter().any(|name| process::on_path(name).is_some())
}

/// Builds every target and replays its corpus, so that known failures do not return.
pub(crate) fn replay(workspace: &Workspace) -> Result<()> {
    for target in build(workspace)? {
        eprintln!("{}: its corpus", target.name);
        let mut run = Command::new(&target.program);
        run.arg(&target.corpus).arg("-runs=0");
        target.run(&mut run)?;
    }
    Ok(())
}

/// Looks for new inputs with the targets of these names, or with each, for `seconds` a target.
pub(crate) fn explore(workspace: &Workspace, names: &[String], seconds: u32) -> Result<()> {
    if !is_possible() {
        bail!("fuzz targets need Linux and a C++ compiler");
    }
    let targets = build(workspace)?;
    if let Some(unknown) = names.iter().find(|name| targets.iter().all(|it| it.name != **name)) {
        let known = targets.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
        bail!("no fuzz target is named {unknown}. The targets are {known}");
    }
    for target in targets.iter().filter(|it| names.is_empty() || names.contains(&it.name)) {
        eprintln!("{}: {seconds} s", target.name);
        let mut run = Command::new(&target.program);
        run.arg(&target.found).arg(&target.corpus).arg(format!("-max_total_time={seconds}"));
        target.run(&mut run)?;
    }
    Ok(())
}

/// A target that is built.
struct Target {
    name: String,
    program: PathBuf,
    /// Inputs in the repository.
    corpus: PathBuf,
    /// Where new inputs go, so that a checkout stays clean.
    found: PathBuf,
}

impl Target {
    /// Runs its program with the options that every run has.
    fn run(&self, command: &mut Command) -> Result<()> {
        command
            .arg(format!("-timeout={LONGEST_INPUT}"))
            .arg(format!("-artifact_prefix={}/", self.found.display()))
            .args(["-verbosity=0", "-print_final_stats=0"]);
        process::run(command).with_context(|| {
            format!("{} failed. The input is in {}", self.name, self.found.display())
        })
    }
}

/// Builds every target that has a corpus.
fn build(workspace: &Workspace) -> Result<Vec<Target>> {
    let folder = workspace.root().join("fuzz");
    // Instrumented code must not get into build scripts, which are compiled for the host as well
    // unless it is named.
    let triple = process::host_triple()?;
    let mut build = workspace.cargo();
    build
        .args(["build", "--release", "--locked", "--bins", "--target", &triple])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .env("RUSTFLAGS", INSTRUMENTED.join(" "));
    eprintln!("{}", process::line(&build));
    process::run(&mut build)?;
    let programs = workspace.target().join(&triple).join("release");
    let mut names: Vec<String> = std::fs::read_dir(folder.join("corpus"))
        .with_context(|| format!("{} cannot be read", folder.join("corpus").display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names.into_iter().map(|name| target(workspace, &programs, name)).collect()
}

fn target(workspace: &Workspace, programs: &Path, name: String) -> Result<Target> {
    let program = programs.join(&name);
    if !program.is_file() {
        bail!("fuzz/corpus/{name} has no target. Add it to fuzz/Cargo.toml");
    }
    let corpus = workspace.root().join("fuzz/corpus").join(&name);
    let found = workspace.target().join("fuzz-found").join(&name);
    std::fs::create_dir_all(&found)
        .with_context(|| format!("{} cannot be made", found.display()))?;
    Ok(Target { name, program, corpus, found })
}
