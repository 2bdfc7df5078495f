//! The library `rehearsal` without its default features has no dependency that only the command line
//! uses.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

/// What only the command line uses.
const CLI_ONLY: [&str; 8] = [
    "clap",
    "clap_complete",
    "glob",
    "indicatif",
    "rpassword",
    "rehearsal-score-run",
    "toml_edit",
    "tracing-subscriber",
];

/// The names of the packages that `rehearsal` uses with these arguments of `cargo tree`.
fn dependencies(arguments: &[&str]) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--offline", "-p", "rehearsal", "-e", "normal", "--prefix", "none"])
        .args(["--format", "{p}"])
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("UTF-8");
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn library_without_default_features_has_no_command_line_dependencies() {
    let program = dependencies(&[]);
    for name in CLI_ONLY {
        assert!(program.iter().any(|used| used == name), "the program does not use {name}");
    }
    let library = dependencies(&["--no-default-features"]);
    assert!(library.iter().any(|used| used == "rehearsal-server"), "{library:?}");
    let found: Vec<&String> =
        library.iter().filter(|used| CLI_ONLY.contains(&used.as_str())).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn cargo_leptos_builds_the_program_with_the_features_that_it_requires() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let leptos = &metadata["metadata"]["leptos"][0];
    let given = leptos["bin-features"].as_array().expect("a list");
    let packages = metadata["packages"].as_array().expect("a list");
    let package = packages.iter().find(|package| package["name"] == leptos["bin-package"]);
    let targets = package.expect("the package")["targets"].as_array().expect("a list");
    let program = targets.iter().find(|target| target["kind"][0] == "bin").expect("a program");
    for feature in program["required-features"].as_array().expect("a list") {
        assert!(given.contains(feature), "bin-features lacks {feature}");
    }
}
