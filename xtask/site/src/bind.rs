//! Runs wasm-bindgen as a library, because its program takes minutes to install.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;
use xtask::progress::elapsed;

use crate::NAME;

/// Writes the bound module and its JavaScript into the folder `into`.
///
/// # Errors
///
/// When `module` cannot be read or was compiled with another version of wasm-bindgen.
pub fn bind(module: &Path, into: &Path) -> Result<()> {
    let since = Instant::now();
    Bindgen::new()
        .input_path(module)
        .out_name(NAME)
        .typescript(false)
        // Parts that are loaded later import symbols that the linker exports.
        .keep_lld_exports(true)
        .demangle(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(into))
        .map_err(|error| anyhow!("wasm-bindgen on {}: {error:#}", module.display()))?;
    eprintln!("wasm-bindgen --target web: {}", elapsed(since.elapsed()));
    Ok(())
}
