//! The plugin in Python reads the messages from a descriptor set, so that no generated code is kept
//! and no compiler is needed there. It is the contract's: this keeps it current.

use std::path::Path;

#[test]
fn the_descriptors_in_the_python_package_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compiler = protox::Compiler::new([root.join("proto")]).expect("the folder is there");
    compiler
        .include_source_info(false)
        .include_imports(true)
        .open_files(["rehearsal/v1/content.proto", "rehearsal/v1/live.proto"])
        .expect("the contract compiles");
    let current = compiler.encode_file_descriptor_set();
    let path = root.join("python/rehearsal_adk/live/rehearsal_v1.binpb");
    // UPDATE_EXPECT=1 writes it anew, as it does for the other expectations.
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &current).expect("can be written");
    }
    let kept = std::fs::read(&path).expect("UPDATE_EXPECT=1 writes it");
    assert!(kept == current, "{} is not current: run with UPDATE_EXPECT=1", path.display());
}
