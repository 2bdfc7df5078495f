//! Sets `REHEARSAL_SITE_DIR`, the folder of the page that is embedded into the binary.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=REHEARSAL_SITE_DIR");
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/site");
    let site = std::env::var_os("REHEARSAL_SITE_DIR").map_or(default, PathBuf::from);
    println!("cargo:rerun-if-changed={}", site.display());
    println!("cargo:rustc-env=REHEARSAL_SITE_DIR={}", site.display());
}
