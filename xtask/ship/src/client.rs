//! The client: split by area, bound to the browser, made small.
//!
//! The first module is all that the first page needs; each area has a part of its own, and what
//! several parts need is in chunks that each of them loads. docs/design/client-size.md gives the reasons.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use wasm_split_cli_support::{Options, transform};
use xtask::process;
use xtask::progress::elapsed;
use xtask::stamp::{self, Inputs};
use xtask::workspace::{Build, Workspace};
use xtask_site::{NAME, bind};

use crate::minify::{Language, minified};

/// Increase this when the output changes for the same inputs.
const RECIPE: &str = "split, name, bind, shrink, minify";

/// The script that fetches the later parts.
const LOADER: &str = "./__wasm_split.js";

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

/// The client as the browser loads it.
pub(crate) struct Made {
    /// Where its files are.
    pub(crate) folder: PathBuf,
    /// A file among them that is not part of the client: the stamp of its inputs.
    pub(crate) stamp: PathBuf,
}

/// Splits, binds and shrinks the client, unless that was done with the same inputs.
pub(crate) fn build(workspace: &Workspace) -> Result<Made> {
    let module = workspace.client(Build::Shipped);
    let folder = workspace.target().join("setup").join("client");
    let stamp = folder.join("stamp");
    let digest = Inputs::default()
        .file(&module)?
        .file(&workspace.end2end().join("package-lock.json"))?
        .text(&WASM_OPT.join(" "))
        .text(RECIPE)
        .digest();
    if !stamp::matches(&stamp, &digest) {
        stamp::clear(&stamp)?;
        let first = workspace.target().join("setup").join("client-first.wasm");
        let later = split(&module, &first, &folder, &digest)?;
        bind(&first, &folder)?;
        let mut modules = vec![folder.join(format!("{NAME}_bg.wasm"))];
        modules.extend(later);
        shrink_all(workspace, &modules)?;
        for script in [format!("{NAME}.js"), "__wasm_split.js".to_owned()] {
            let path = folder.join(script);
            let text = fs::read_to_string(&path).with_context(|| cannot("read", &path))?;
            let small = minified(workspace, Language::JavaScript, &text)?;
            fs::write(&path, small).with_context(|| cannot("write", &path))?;
        }
        stamp::set(&stamp, &digest)?;
    }
    Ok(Made { folder, stamp })
}

/// Splits the module: writes the part that is loaded first to `first` and all other files into `into`, and
/// returns the parts that are loaded later.
///
/// A part must not be loaded by the first module of another build, because it would corrupt the memory. So its
/// name contains `digest`: an open page of an older build requests a file that does not exist.
fn split(module: &Path, first: &Path, into: &Path, digest: &str) -> Result<Vec<PathBuf>> {
    let since = Instant::now();
    if into.exists() {
        fs::remove_dir_all(into).with_context(|| cannot("empty", into))?;
    }
    let whole = fs::read(module).with_context(|| cannot("read", module))?;
    let glue = format!("./{NAME}.js");
    let mut options = Options::new(&whole);
    options.output_dir = into;
    options.main_out_path = first;
    options.link_name = LOADER;
    options.main_module = &glue;
    let parts = transform(options)
        .map_err(|error| anyhow!("splitting {}: {error:#}", module.display()))?
        .split_modules
        .into_iter()
        .map(|part| name(&part, &into.join(LOADER), digest))
        .collect::<Result<Vec<_>>>()?;
    eprintln!("wasm-split: {} parts in {}", parts.len() + 1, elapsed(since.elapsed()));
    Ok(parts)
}

/// Adds the beginning of `digest` to the name of `part`, also in the loader.
fn name(part: &Path, loader: &Path, digest: &str) -> Result<PathBuf> {
    let stem = part.file_stem().and_then(OsStr::to_str).context("a part's name is not text")?;
    let named = format!("{stem}.{}.wasm", digest.get(..16).unwrap_or(digest));
    let script = fs::read_to_string(loader).with_context(|| cannot("read", loader))?;
    let renamed = script.replace(&format!("\"./{stem}.wasm\""), &format!("\"./{named}\""));
    if renamed == script {
        bail!("{} does not name {stem}.wasm as this build expects", loader.display());
    }
    fs::write(loader, renamed).with_context(|| cannot("write", loader))?;
    let path = part.with_file_name(named);
    fs::rename(part, &path).with_context(|| cannot("rename", part))?;
    Ok(path)
}

/// Shrinks the modules, as many at once as there are processors.
fn shrink_all(workspace: &Workspace, modules: &[PathBuf]) -> Result<()> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some(module) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
            shrink(workspace, module)?;
        }
        Ok(())
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().map_err(|_| anyhow!("a thread that ran wasm-opt panicked"))?
        })
    })
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
        "wasm-opt -Os on {}: {} KB to {} KB in {}",
        module.file_name().unwrap_or_default().display(),
        before / 1000,
        after / 1000,
        elapsed(since.elapsed())
    );
    Ok(())
}

fn size(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).with_context(|| cannot("read", path))?.len())
}

fn cannot(verb: &str, path: &Path) -> String {
    format!("cannot {verb} {}", path.display())
}
