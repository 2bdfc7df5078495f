//! Sets `REHEARSAL_SITE_DIR`, the folder of the page that is embedded into the binary.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=REHEARSAL_SITE_DIR");
    // Without `..`: a debug build serves only files whose path begins with this one.
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A published package contains the page.
    let packaged = manifest.join("site");
    let default = if packaged.is_dir() {
        packaged
    } else {
        manifest.parent().unwrap_or(manifest).join("target/site")
    };
    let site = std::env::var_os("REHEARSAL_SITE_DIR").map_or(default, PathBuf::from);
    // A debug build reads the page from disk.
    if std::env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_none() {
        println!("cargo:rerun-if-changed={}", site.display());
    }
    println!("cargo:rustc-env=REHEARSAL_SITE_DIR={}", site.display());
}
