//! `proto/` is the contract. What is made of it is kept: the types here, since making them at every
//! build would cost a newcomer forty crates, and the descriptors from which the plugin in Python reads
//! the messages. This compares both with the contract; UPDATE_EXPECT=1 rewrites them.

use std::fs;
use std::path::{Path, PathBuf};

const FILES: [&str; 2] = ["rehearsal/v1/content.proto", "rehearsal/v1/live.proto"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compiled without a system `protoc`.
fn compiled(with_comments: bool) -> protox::Compiler {
    let mut compiler = protox::Compiler::new([root().join("proto")]).expect("the folder is there");
    compiler
        .include_source_info(with_comments)
        .include_imports(true)
        .open_files(FILES)
        .expect("the contract compiles");
    compiler
}

#[track_caller]
fn assert_kept(current: &[u8], path: &Path) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, current).expect("can be written");
    }
    let kept = fs::read(path).expect("UPDATE_EXPECT=1 writes it");
    assert!(kept == current, "{} is not current: run with UPDATE_EXPECT=1", path.display());
}

#[test]
fn the_descriptors_in_the_python_package_are_current() {
    let current = compiled(false).encode_file_descriptor_set();
    assert_kept(&current, &root().join("python/rehearsal_adk/live/rehearsal_v1.binpb"));
}

#[test]
fn the_types_are_current() {
    let folder = tempfile::tempdir().expect("a folder");
    tonic_prost_build::configure()
        .build_transport(false)
        .codec_path("crate::MessageCodec")
        .client_mod_attribute("rehearsal.v1", "#[cfg(feature = \"client\")]")
        .server_mod_attribute("rehearsal.v1", "#[cfg(feature = \"server\")]")
        .out_dir(folder.path())
        .compile_fds(compiled(true).file_descriptor_set())
        .expect("types are made");
    let current = fs::read(folder.path().join("rehearsal.v1.rs")).expect("they are there");
    assert_kept(&current, &root().join("crates/rpc/src/generated/rehearsal.v1.rs"));
}
