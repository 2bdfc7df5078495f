//! Compiles `proto/` with protox, so that no system `protoc` is needed.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let protos = Path::new("../../proto");
    println!("cargo:rerun-if-changed={}", protos.display());
    let files = ["rehearsal/v1/content.proto", "rehearsal/v1/live.proto"];
    let descriptors = protox::compile(files, [protos])?;
    tonic_prost_build::configure()
        .build_transport(false)
        .client_mod_attribute("rehearsal.v1", "#[cfg(feature = \"client\")]")
        .server_mod_attribute("rehearsal.v1", "#[cfg(feature = \"server\")]")
        .compile_fds(descriptors)?;
    Ok(())
}
