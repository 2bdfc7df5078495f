//! The client: compiled to WebAssembly, bound to the browser, made small.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;

use super::{NAME, cannot, put};
use crate::process;
use crate::progress::elapsed;
use crate::stamp::{self, Inputs};
use crate::workspace::Workspace;

/// Changes when this module does something else with the same inputs.
const RECIPE: &str = "bind, shrink";

/// How small: size before speed, with every feature that the compiler's output uses by default.
///
/// What counts is the size after brotli. Inlining and sharing of expressions make the module
/// smaller and its compressed twin larger, by a tenth.
const WASM_OPT: [&str; 10] = [
    "-Os",
    "--skip-pass=inlining-optimizing",
    "--skip-pass=local-cse",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-producers",
];

/// Compiles and binds the client into `pkg`, and answers with the files that belong there.
pub(crate) fn build(workspace: &Workspace, pkg: &Path) -> Result<Vec<PathBuf>> {
    let module = compile(workspace)?;
    let made = workspace.target().join("setup").join("client");
    let stamp = made.join("stamp");
    let digest = Inputs::default()
        .file(&module)?
        .file(&workspace.end2end().join("package-lock.json"))?
        .text(&WASM_OPT.join(" "))
        .text(RECIPE)
        .digest();
    if !stamp::matches(&stamp, &digest) {
        stamp::lift(&stamp)?;
        bind(&module, &made)?;
        shrink(workspace, &made.join(format!("{NAME}_bg.wasm")))?;
        stamp::set(&stamp, &digest)?;
    }
    let mut files = Vec::new();
    for source in stamp::files_below(&made)? {
        if source == stamp {
            continue;
        }
        let path = pkg.join(source.strip_prefix(&made).context("a file of the client's")?);
        let contents = fs::read(&source).with_context(|| cannot("read", &source))?;
        put(&path, &contents)?;
        files.push(path);
    }
    Ok(files)
}

fn compile(workspace: &Workspace) -> Result<PathBuf> {
    const TARGET: &str = "wasm32-unknown-unknown";
    const PROFILE: &str = "wasm-release";
    let mut command = process::shipping_cargo(workspace);
    command.args(["build", "-p", "frontend", "--lib", "--target", TARGET, "--profile", PROFILE]);
    eprintln!("{}", process::line(&command));
    process::run(&mut command)?;
    Ok(workspace.target().join(TARGET).join(PROFILE).join("frontend.wasm"))
}

/// wasm-bindgen as a library: its program would take four minutes to install.
fn bind(module: &Path, into: &Path) -> Result<()> {
    let since = Instant::now();
    if into.exists() {
        fs::remove_dir_all(into).with_context(|| cannot("empty", into))?;
    }
    Bindgen::new()
        .input_path(module)
        .out_name(NAME)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(into))
        .map_err(|error| anyhow!("wasm-bindgen on {}: {error:#}", module.display()))?;
    eprintln!("wasm-bindgen --target web: {}", elapsed(since.elapsed()));
    Ok(())
}

fn shrink(workspace: &Workspace, module: &Path) -> Result<()> {
    let since = Instant::now();
    let before = size(module)?;
    // Through node, which finds the program on Windows too.
    let program = workspace.end2end().join("node_modules/binaryen/bin/wasm-opt");
    let mut command = Command::new("node");
    command.arg(program).args(WASM_OPT).arg(module).arg("-o").arg(module);
    process::run(&mut command)?;
    let after = size(module)?;
    eprintln!(
        "wasm-opt -Os: {} KB to {} KB in {}",
        before / 1000,
        after / 1000,
        elapsed(since.elapsed())
    );
    Ok(())
}

fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).with_context(|| cannot("read", path))?.len())
}
