//! The fuzz targets as a check: each is built with stable Rust, replays its corpus and runs for a
//! moment.
//!
//! This shows that the targets work and that nothing known does harm again. It looks for little that
//! is new: without the sanitizers, which need a nightly compiler, and for seconds only. CONTRIBUTING
//! says how to look for longer.

use std::process::Command;

use anyhow::{Context, Result, bail};
use xtask::process;
use xtask::workspace::Workspace;

/// How many inputs a target tries besides its corpus.
const RUNS: usize = 4_000;
/// How long a target may take for them, in seconds.
const SECONDS: usize = 60;
/// How long one input may take, in seconds: more is a hang.
const LONGEST_INPUT: usize = 20;

/// What tells the fuzzer which code an input reached. All of it is stable.
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

/// Builds every target and runs each for a moment.
pub(crate) fn smoke(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root().join("fuzz");
    let triple = host_triple()?;
    let mut build = process::cargo(workspace);
    build
        .args(["build", "--release", "--locked", "--bins", "--target", &triple])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .env("RUSTFLAGS", INSTRUMENTED.join(" "));
    eprintln!("{}", process::line(&build));
    process::run(&mut build)?;
    let found = workspace.target().join("fuzz-found");
    let mut targets: Vec<String> = std::fs::read_dir(folder.join("corpus"))
        .with_context(|| format!("{} cannot be read", folder.join("corpus").display()))?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    targets.sort();
    for target in targets {
        let program = workspace.target().join(&triple).join("release").join(&target);
        if !program.is_file() {
            bail!("fuzz/corpus/{target} belongs to no target: add it to fuzz/Cargo.toml");
        }
        // New inputs go to a folder of their own, so that a checkout stays clean.
        let own = found.join(&target);
        std::fs::create_dir_all(&own)
            .with_context(|| format!("{} cannot be made", own.display()))?;
        let mut run = Command::new(program);
        run.arg(&own)
            .arg(folder.join("corpus").join(&target))
            .args([format!("-runs={RUNS}"), format!("-max_total_time={SECONDS}")])
            .args([format!("-timeout={LONGEST_INPUT}"), "-seed=20261121".to_owned()])
            .arg(format!("-artifact_prefix={}/", own.display()))
            .args(["-verbosity=0", "-print_final_stats=0"]);
        eprintln!("{target}: its corpus and {RUNS} inputs");
        process::run(&mut run).with_context(|| {
            format!("{target} failed; the input that does it lies in {}", own.display())
        })?;
    }
    Ok(())
}

/// The platform that the compiler is for: instrumented code must not get into build scripts, which
/// are built for it as well unless it is named.
fn host_triple() -> Result<String> {
    let told =
        process::answer(Command::new("rustc").arg("-vV")).context("rustc does not answer")?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say which platform it is for")?.to_owned())
}
