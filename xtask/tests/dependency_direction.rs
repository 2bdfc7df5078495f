//! Tests that crates use each other in one direction only, and that the modules of a crate do.
//!
//! The rules are the constants below. A failure names the edge, and the file or the chain of crates.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

mod rust_source;

use rust_source::{NamedPath, paths, texts_as_errors};

/// The crates of this workspace by layer, each by the name that the others use: without the `rehearsal-` of its
/// package. A crate may use those before it, and none after it.
/// Dependencies for tests only are not checked: a form is tested with the validator that is built on it.
const LAYERS: [(&str, &[&str]); 7] = [
    (
        PURE,
        &[
            "json-text",
            "session",
            "schema-form",
            "schema-check",
            "tool-lint",
            "value-tree",
            "live",
            "rpc",
            "model-wire",
            "evalset",
            "scoring",
            "case-trace",
            "score-report",
            "report-view",
            "api",
            "trace-export",
            "case-view",
            "verdict",
        ],
    ),
    (
        "files and processes",
        &[
            "test-needs",
            "evalset-file",
            "score-run",
            "plugin-wheel",
            "base-path",
            "private-files",
            "database-file",
            "live-store",
            "agents",
            "eval",
            "eval-native",
        ],
    ),
    ("page", &["app", "views", "pages", "frontend"]),
    ("host", &["server"]),
    ("program", &["rehearsal"]),
    ("tests", &["test-support", "acceptance", "fuzz-targets"]),
    ("tools", &["xtask", "xtask-site", "xtask-ship"]),
];

/// The layer whose crates compile for the browser and read no clock, no file and no environment.
const PURE: &str = "values";

/// What the sources of that layer must not contain.
const IMPURE: [&str; 8] = [
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "SystemTime::now",
    "Instant::now",
    "Timestamp::now",
    "thread_rng",
];

/// Crates that those of that layer must not use.
const NOT_PURE: [&str; 14] = [
    "axum", "clap", "hyper", "leptos", "procfs", "reqwest", "rmcp", "rustix", "sqlx", "tempfile",
    "tokio", "tonic", "tower", "tracing",
];

/// Exceptions to that rule. A JUnit report gives the number of cases before the first one, so that the
/// cases wait in an unnamed file.
const EXCEPT: [(&str, &str); 2] = [("score-report", "tempfile"), ("score-report", "std::fs")];

/// Crates that a crate must not use, directly or through others, so that its users do not compile them.
const WITHOUT: [(&str, &[&str]); 4] = [
    ("agents", &["app", "axum", "clap", "leptos", "server_fn"]),
    ("server", &["app", "clap", "clap_complete", "indicatif", "pages", "rpassword", "views"]),
    ("rehearsal", &["views"]),
    ("test-support", &["app", "pages", "views"]),
];

/// Where the sources of a crate are, for those that are not in `crates`.
const FOLDERS: [(&str, &str); 10] = [
    ("server", "server/src"),
    ("rehearsal", "rehearsal/src"),
    ("app", "app/src"),
    ("views", "app/views/src"),
    ("pages", "app/pages/src"),
    ("frontend", "frontend/src"),
    ("acceptance", "tests/tests"),
    ("xtask", "xtask/src"),
    ("xtask-site", "xtask/site/src"),
    ("xtask-ship", "xtask/ship/src"),
];

/// Crates whose root declares all modules in layers, each below a comment. A module uses those of its own layer and
/// of the layers before it.
const LAYERED: [&str; 1] = ["eval"];

/// Crates whose root exports all names of a module, or imports those of a framework.
const GLOBS: [&str; 2] = ["api", "frontend"];

/// Modules that another module of the same crate must not use: the folder of the sources, the user, and
/// the used.
const MODULE_WITHOUT: [(&str, &str, &str); 1] = [("app/src", "state", "components")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn crates_use_only_those_before_them() {
    let found = broken_edges(&metadata(&["--no-deps"]));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn crates_do_not_reach_what_their_users_need_not_compile() {
    let mut found = Vec::new();
    for (name, without) in WITHOUT {
        found.extend(forbidden_chains(&tree(name), without));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn modules_of_a_crate_form_no_circle() {
    let mut found = Vec::new();
    for name in LAYERS.iter().flat_map(|(_, crates)| *crates) {
        let folder = FOLDERS.iter().find(|(of, _)| of == name);
        let folder = folder.map_or_else(|| format!("crates/{name}/src"), |it| it.1.to_owned());
        let sources = sources(&root().join(&folder));
        assert!(!sources.is_empty(), "{folder} has no sources");
        let globs = root_globs(&sources);
        let is_checked = !GLOBS.contains(name);
        assert!(globs.is_empty() || !is_checked, "{name}: a glob import hides edges: {globs:?}");
        if let Some(circle) = circle(&edges(&sources)) {
            found.push(format!("modules of {name} use each other in a circle:\n{circle}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn modules_use_none_of_a_later_layer() {
    for name in LAYERED {
        let sources = sources(&root().join("crates").join(name).join("src"));
        let found = layer_faults(&sources);
        assert!(found.is_empty(), "{name}:\n{}", found.join("\n"));
    }
}

#[test]
fn state_does_not_use_components() {
    for (folder, module, without) in MODULE_WITHOUT {
        let sources = sources(&root().join(folder));
        assert!(sources.keys().any(|file| module_of(file) == module), "no {module} in {folder}");
        let found = uses(&sources, module, without);
        assert!(found.is_empty(), "{folder}: {module} uses {without}:\n{}", found.join("\n"));
    }
}

#[test]
fn pure_crates_read_no_clock_file_or_environment() {
    let pure =
        LAYERS.iter().find(|(layer, _)| *layer == PURE).map_or(&[][..], |(_, crates)| *crates);
    let mut found = Vec::new();
    for name in pure {
        let folder = root().join("crates").join(name).join("src");
        for (file, text) in sources(&folder) {
            if Path::new(&file).components().any(|part| part.as_os_str() == "tests")
                || file.ends_with("tests.rs")
            {
                continue;
            }
            let product = paths(&file, &text).into_iter().filter(|path| !path.is_test);
            let product: Vec<String> = product.map(|path| path.segments.join("::")).collect();
            let reads = IMPURE.iter().filter(|it| {
                product.iter().any(|path| path.contains(**it)) && !EXCEPT.contains(&(*name, **it))
            });
            found.extend(reads.map(|it| format!("crates/{name}/src/{file} uses {it}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn errors_of_public_functions_have_a_type() {
    let mut found = Vec::new();
    for name in LAYERS.iter().flat_map(|(_, crates)| *crates) {
        let folder = FOLDERS.iter().find(|(of, _)| of == name);
        let folder = folder.map_or_else(|| format!("crates/{name}/src"), |it| it.1.to_owned());
        for (file, text) in sources(&root().join(&folder)) {
            let functions = texts_as_errors(&file, &text).into_iter();
            found.extend(functions.map(|function| format!("{folder}/{file}: {function}")));
        }
    }
    assert!(found.is_empty(), "these return Result<_, String>:\n{}", found.join("\n"));
}

/// What `cargo metadata` prints with these arguments.
fn metadata(arguments: &[&str]) -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--offline", "--format-version", "1"]).args(arguments);
    let output = command.current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A package's name as [`LAYERS`] has it.
fn short(name: &Value) -> String {
    let name = name.as_str().unwrap_or_default();
    name.strip_prefix("rehearsal-").unwrap_or(name).to_owned()
}

/// What `cargo tree` prints of a crate's normal dependencies on this platform: the depth and the package,
/// a line each, and a package's own dependencies once.
fn tree(name: &str) -> String {
    let packages = metadata(&["--no-deps"]);
    let mut names = packages["packages"].as_array().expect("packages").iter().map(|it| &it["name"]);
    let package = names.find(|it| short(it) == name).and_then(Value::as_str).expect("a package");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["tree", "--offline", "--package", package, "--edges", "normal"]);
    command.args(["--prefix", "depth", "--format", " {p}"]);
    let output = command.current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The dependencies that break a rule about crates, a line each.
fn broken_edges(metadata: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let order: Vec<&str> = LAYERS.iter().flat_map(|(_, crates)| *crates).copied().collect();
    let place = |name: &str| order.iter().position(|known| *known == name);
    let layer = |name: &str| {
        let holds = |(_, crates): &&(&str, &[&str])| crates.contains(&name);
        LAYERS.iter().find(holds).map_or("no layer", |(layer, _)| *layer)
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let ours: BTreeSet<String> = packages.iter().map(|package| short(&package["name"])).collect();
    let mut broken = Vec::new();
    for package in packages {
        let (name, manifest) = (short(&package["name"]), text(&package["manifest_path"]));
        let Some(own) = place(&name) else {
            broken.push(format!("{name} is in no layer: add it to LAYERS ({manifest})"));
            continue;
        };
        let without = WITHOUT.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, it)| it);
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = short(&dependency["name"]);
            if dependency["kind"] == "dev" || used == name {
                continue;
            }
            let edge = format!("{name} -> {used} ({manifest})");
            if ours.contains(&used) && place(&used).is_some_and(|place| place > own) {
                let (one, other) = (layer(&name), layer(&used));
                broken.push(format!("{edge}: {used} ({other}) is above {name} ({one})"));
            }
            let is_always = dependency["optional"] == false && dependency["target"].is_null();
            let is_excepted = EXCEPT.contains(&(name.as_str(), used.as_str()));
            let is_pure = layer(&name) == PURE && !is_excepted;
            if is_pure && is_always && NOT_PURE.contains(&used.as_str()) {
                broken.push(format!("{edge}: a pure crate must not use {used}"));
            }
            if without.contains(&used.as_str()) {
                broken.push(format!("{edge}: {name} must not use {used}"));
            }
        }
    }
    broken
}

/// The chains of dependencies in a `tree` to crates that it must be without, a line each.
fn forbidden_chains(tree: &str, without: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut chain: Vec<String> = Vec::new();
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        let depth = words.next().and_then(|depth| depth.parse().ok()).unwrap_or(0);
        let name = short(&words.next().unwrap_or_default().into());
        chain.truncate(depth);
        chain.push(name);
        if chain.last().is_some_and(|name| without.contains(&name.as_str())) {
            found.push(chain.join(" -> "));
        }
    }
    found
}

/// The text of each file by its path in a folder.
type Sources = BTreeMap<String, String>;

/// The Rust files in a folder and the folders below it.
fn sources(folder: &Path) -> Sources {
    fn look(folder: &Path, root: &Path, found: &mut Sources) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                look(&path, root, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                found.insert(name, fs::read_to_string(&path).expect("text"));
            }
        }
    }
    let mut found = Sources::new();
    look(folder, folder, &mut found);
    found
}

/// The top-level module that a file belongs to; `lib` for the crate's root.
fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

/// The top-level modules that use each other, with the first file that does.
type Edges = BTreeMap<(String, String), String>;

fn edges(sources: &Sources) -> Edges {
    let modules: BTreeSet<&str> = sources.keys().map(|file| module_of(file)).collect();
    let mut edges = Edges::new();
    for reference in references(sources) {
        let (from, to) = (module_of(reference.file), reference.target);
        if from != "lib" && from != to && modules.contains(to.as_str()) {
            edges.entry((from.to_owned(), to)).or_insert_with(|| reference.file.to_owned());
        }
    }
    edges
}

/// The modules that a root declares, each with the number of its layer.
fn module_layers(root: &str) -> BTreeMap<&str, usize> {
    let (mut layers, mut layer) = (BTreeMap::new(), 0);
    for line in root.lines() {
        layer += usize::from(line.starts_with("// "));
        let declared = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ");
        if let Some(module) = declared.and_then(|it| it.strip_suffix(';')) {
            layers.insert(module, layer);
        }
    }
    layers
}

/// The modules that are in no layer, and the edges to those of a later layer, a line each.
fn layer_faults(sources: &Sources) -> Vec<String> {
    let layers = module_layers(sources.get("lib.rs").map_or("", String::as_str));
    let in_none = layers.iter().filter(|(_, layer)| **layer == 0);
    let mut found: Vec<String> =
        in_none.map(|(module, _)| format!("  {module} is in no layer")).collect();
    for ((from, to), file) in edges(sources) {
        let layer = |module: &str| layers.get(module).copied();
        if layer(&from) < layer(&to) {
            found.push(format!("  {from} -> {to} ({file}): {to} is in a later layer"));
        }
    }
    found
}

/// Where `module` uses `other`, a line for each path.
fn uses(sources: &Sources, module: &str, other: &str) -> Vec<String> {
    let references = references(sources).into_iter();
    let found = references.filter(|it| module_of(it.file) == module && it.target == other);
    found.map(|it| format!("  {}: {}", it.file, it.path)).collect()
}

/// The glob imports of a crate's root outside of tests, which hide the modules that are used.
fn root_globs(sources: &Sources) -> Vec<String> {
    let references = references(sources).into_iter();
    let found = references.filter(|it| it.target == "*" && !it.is_test);
    let mut found: Vec<String> = found.map(|it| format!("  {}: {}", it.file, it.path)).collect();
    if let Some(module) = reexports(sources).get("*") {
        found.push(format!("  lib.rs: {module}::*"));
    }
    found
}

/// A path to somewhere in its own crate.
struct Reference<'s> {
    file: &'s str,
    /// As written, those in braces each in full.
    path: String,
    /// The top-level module that it leads to; `*` for all names of the crate's root.
    target: String,
    is_test: bool,
}

fn references(sources: &Sources) -> Vec<Reference<'_>> {
    let reexports = reexports(sources);
    let mut found = Vec::new();
    for (file, text) in sources {
        let is_root = |part: &&str| !["lib", "mod"].contains(part);
        let own: Vec<&str> = file.trim_end_matches(".rs").split('/').filter(is_root).collect();
        for path in paths(file, text) {
            if !["crate", "super", "self"].contains(&path.segments[0].as_str()) {
                continue;
            }
            let mut place: Vec<&str> = own.clone();
            place.extend(path.around.iter().map(String::as_str));
            for segment in &path.segments {
                match segment.as_str() {
                    "crate" => place.clear(),
                    "super" => drop(place.pop()),
                    "self" => {}
                    name => place.push(name),
                }
            }
            let Some(first) = place.first() else { continue };
            found.push(Reference {
                file,
                path: path.segments.join("::"),
                target: match *first {
                    "*" => "*".to_owned(),
                    name => reexports.get(name).map_or(name, String::as_str).to_owned(),
                },
                is_test: own.contains(&"tests") || path.is_test,
            });
        }
    }
    found
}

/// The names that a crate's root imports or exports, each with the module or crate that it comes from.
fn reexports(sources: &Sources) -> BTreeMap<String, String> {
    let root = sources.get("lib.rs").map_or("", String::as_str);
    let imports = paths("lib.rs", root).into_iter().filter(|path| path.is_import && !path.is_test);
    let mut found = BTreeMap::new();
    for NamedPath { mut segments, .. } in imports {
        segments.retain(|part| part != "self" && part != "crate");
        if let [module, .., name] = &segments[..] {
            found.insert(name.clone(), module.clone());
        }
    }
    found
}

/// The steps of JSON pointers are written and read by `json_text::pointer` alone.
#[test]
fn json_pointers_are_escaped_in_one_place() {
    let mut found = Vec::new();
    for folder in ["crates", "app", "server", "rehearsal"] {
        for (file, text) in sources(&root().join(folder)) {
            let is_home = file == "json-text/src/pointer.rs";
            let escapes = ["replace('~', \"~0\")", "replace(\"~1\", \"/\")"];
            if !is_home
                && escapes.iter().any(|escape| text.contains(escape))
                && !file.ends_with("case_address.rs")
            {
                found.push(format!("{folder}/{file}"));
            }
        }
    }
    assert!(found.is_empty(), "use json_text::pointer:\n{}", found.join("\n"));
}

/// A circle of edges, each on a line with its file; `None` if there is none.
fn circle(edges: &Edges) -> Option<String> {
    fn look<'e>(module: &'e str, edges: &'e Edges, way: &mut Vec<&'e str>) -> Option<Vec<&'e str>> {
        if let Some(first) = way.iter().position(|passed| *passed == module) {
            way.push(module);
            return Some(way[first..].to_vec());
        }
        way.push(module);
        let next = edges.keys().filter(|(from, _)| from == module);
        let found = next.into_iter().find_map(|(_, to)| look(to, edges, way));
        if found.is_none() {
            way.pop();
        }
        found
    }
    let way = edges.keys().find_map(|(from, _)| look(from, edges, &mut Vec::new()))?;
    let edge = |pair: &[&str]| {
        let file = edges.get(&(pair[0].to_owned(), pair[1].to_owned()));
        format!("  {} -> {} ({})", pair[0], pair[1], file.map_or("", String::as_str))
    };
    Some(way.windows(2).map(edge).collect::<Vec<_>>().join("\n"))
}

/// Shows that the checks can fail.
mod planted {
    use serde_json::json;

    use super::*;

    fn package(name: &str, used: &[&str]) -> Value {
        let used = used
            .iter()
            .map(|name| json!({ "name": name, "kind": null, "optional": false, "target": null }));
        let used: Vec<Value> = used.collect();
        json!({ "name": name, "manifest_path": format!("{name}/Cargo.toml"), "dependencies": used })
    }

    fn texts(files: &[(&str, &str)]) -> Sources {
        files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn names_a_crate_that_uses_one_after_it() {
        let packages = [
            package("json-text", &["tokio"]),
            package("session", &["json-text"]),
            package("api", &["session", "app"]),
            package("app", &["api"]),
            package("server", &["app", "clap"]),
            package("new", &[]),
        ];
        let found = broken_edges(&json!({ "packages": packages }));
        assert_eq!(
            found,
            [
                "json-text -> tokio (json-text/Cargo.toml): a pure crate must not use tokio",
                "api -> app (api/Cargo.toml): app (page) is above api (values)",
                "server -> app (server/Cargo.toml): server must not use app",
                "server -> clap (server/Cargo.toml): server must not use clap",
                "new is in no layer: add it to LAYERS (new/Cargo.toml)",
            ]
        );
    }

    #[test]
    fn names_the_chain_to_a_crate_that_must_not_be_reached() {
        let tree = "0 rehearsal-agents v0.1.0 (/x)\n1 rmcp v1.0.0\n2 hyper v1.0.0\n3 axum v0.8.0\n\
                    1 serde v1.0.0\n1 hyper v1.0.0 (*)\n";
        let found = forbidden_chains(tree, &["axum", "clap"]);
        assert_eq!(found, ["agents -> rmcp -> hyper -> axum"]);
        assert!(forbidden_chains(tree, &["clap"]).is_empty());
    }

    #[test]
    fn names_a_module_that_uses_another_with_its_paths() {
        let sources = texts(&[
            ("lib.rs", "pub mod components;\npub mod state;\npub use components::icon::{Icon};\n"),
            ("components/icon.rs", "use crate::components::dialog;\n"),
            ("state/mod.rs", "use super::components::icon;\n"),
            (
                "state/rows.rs",
                "use super::{\n    super::{components::{dialog, icon}, pages},\n    log,\n};\n",
            ),
            ("state/form/mod.rs", "fn f() { super::super::components::draw() }\n"),
            ("state/form/undo.rs", "use crate::{Icon, state::rows};\n"),
            ("state/log.rs", "use super::clock;\n// crate::components::icon\n"),
        ]);
        assert_eq!(
            uses(&sources, "state", "components"),
            [
                "  state/form/mod.rs: super::super::components::draw",
                "  state/form/undo.rs: crate::Icon",
                "  state/mod.rs: super::components::icon",
                "  state/rows.rs: super::super::components::dialog",
                "  state/rows.rs: super::super::components::icon",
            ]
        );
    }

    #[test]
    fn names_a_circle_with_its_files() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::{Deep, Other};\n"),
            ("a.rs", "use crate::b::{x, y};\n// crate::c\n"),
            ("b/mod.rs", "mod inner;\n"),
            ("b/inner.rs", "use crate::{\n    Deep,\n    d::{e, a},\n};\n"),
            ("c.rs", "fn f() { crate::b::inner() }\n"),
        ];
        let found = circle(&edges(&texts(&files))).expect("b and c use each other");
        assert_eq!(found, "  b -> c (b/inner.rs)\n  c -> b (c.rs)");
        assert_eq!(circle(&edges(&texts(&files[..4]))), None);
    }

    #[test]
    fn names_an_edge_to_a_later_layer() {
        let files = [
            ("lib.rs", "mod none;\n\n// Values.\nmod a;\npub mod b;\n\n// Above.\nmod c;\n"),
            ("a.rs", "use crate::b;\nuse crate::c::x;\n"),
            ("c.rs", "use crate::a;\n"),
        ];
        assert_eq!(
            layer_faults(&texts(&files)),
            ["  none is in no layer", "  a -> c (a.rs): c is in a later layer"]
        );
        let files = [("lib.rs", "// Values.\nmod a;\n// Above.\nmod c;\n"), files[2]];
        assert!(layer_faults(&texts(&files)).is_empty());
    }

    #[test]
    fn names_a_circle_through_super() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a.rs", "use super::b::x;\nmod tests {\n    use super::super::b::y;\n}\n"),
            ("b/mod.rs", "mod a;\nuse self::a::z;\nuse super::b;\n"),
            // The first leads to `b::a`.
            ("b/deep.rs", "use super::a;\nfn f() {\n    super::super::a::g()\n}\n"),
        ];
        let found = circle(&edges(&texts(&files))).expect("a and b use each other");
        assert_eq!(found, "  a -> b (a.rs)\n  b -> a (b/deep.rs)");
        let found = circle(&edges(&texts(&files[..3])));
        assert_eq!(found, None, "`self::a` and the module `tests` stay inside of their own module");
        let tests = [files[0], ("a.rs", "mod tests {\n    use super::super::b::y;\n}\n"), files[3]];
        assert!(circle(&edges(&texts(&tests))).is_some(), "tests count");
    }

    #[test]
    fn names_paths_in_macros_and_those_for_tests() {
        let code =
            "fn f() { g!(crate::a::b, x + super::c) }\n#[cfg(test)]\nuse crate::d;\n// crate::e\n";
        let found = paths("a.rs", code);
        let found: Vec<_> =
            found.iter().map(|path| (path.segments.join("::"), path.is_test)).collect();
        let named = |path: &str, is_test| (path.to_owned(), is_test);
        assert_eq!(
            found,
            [named("crate::a::b", false), named("super::c", false), named("crate::d", true)]
        );
    }

    #[test]
    fn names_public_functions_whose_error_is_a_text() {
        let code = "pub fn a() -> Result<u8, String> { Ok(1) }\n\
            pub(crate) fn b() -> Result<u8, String> { Ok(1) }\n\
            pub trait T { fn c(&self) -> std::result::Result<Vec<u8>, String>; }\n\
            impl S { pub async fn d() -> Result<String, Fault> { Ok(1) } }\n\
            pub fn e() -> Vec<Result<u8, String>> { f() }\n\
            pub fn g(h: impl Fn(u8) -> Result<u8, String>) {}\n\
            pub type I = dyn Fn(u8) -> Result<u8, String>;\n\
            type J = Result<u8, String>;\n";
        assert_eq!(texts_as_errors("a.rs", code), ["a", "c", "e", "g", "I"]);
    }

    #[test]
    fn names_glob_imports_of_the_root_outside_of_tests() {
        let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n    use crate::*;\n}\n";
        let sources = texts(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::*;\n"),
            ("a.rs", "use super::*;\nuse crate::b::*;\n"),
            ("b/mod.rs", "use crate::{a::X, *};\n"),
            ("b/inner.rs", tests),
        ]);
        assert_eq!(
            root_globs(&sources),
            ["  a.rs: super::*", "  b/mod.rs: crate::*", "  lib.rs: a::*"]
        );
    }
}
