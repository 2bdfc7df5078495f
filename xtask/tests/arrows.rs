//! Which crate may use which, and that the modules of a crate use each other in one direction only.
//!
//! The rules are the constants below. What breaks one is named with its edge and the file.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates of this workspace by layer. A crate uses those before it, and none behind it.
/// What only its tests use is not looked at: a form is tested with the validator that is built on it.
const LAYERS: [(&str, &[&str]); 7] = [
    (
        PURE,
        &[
            "test-needs",
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
            "trace-export",
            "api",
        ],
    ),
    ("files and processes", &["evalset-file", "score-run", "agents"]),
    ("page", &["app", "views", "frontend"]),
    ("host", &["rehearsal-server"]),
    ("program", &["rehearsal"]),
    ("tests", &["test-support", "acceptance"]),
    ("tools", &["xtask", "xtask-site", "xtask-ship"]),
];

/// The layer whose crates compile for the browser and read no clock, no file and no environment.
const PURE: &str = "values";

/// What the crates of that layer do without.
const NOT_PURE: [&str; 14] = [
    "axum", "clap", "hyper", "leptos", "procfs", "reqwest", "rmcp", "rustix", "sqlx", "tempfile",
    "tokio", "tonic", "tower", "tracing",
];

/// What one of them uses all the same: a JUnit report counts its cases before the first, so that they
/// wait in an unnamed file.
const EXCEPT: [(&str, &str); 1] = [("score-report", "tempfile")];

/// What single crates do without, so that whoever uses them does not compile it.
const WITHOUT: [(&str, &[&str]); 2] = [
    ("agents", &["axum", "leptos", "clap"]),
    ("rehearsal-server", &["clap", "clap_complete", "indicatif", "rpassword"]),
];

/// The crates whose modules are looked at, each with the folder of its sources.
const WITHIN: [(&str, &str); 3] = [
    ("rehearsal-server", "server/src"),
    ("agents", "crates/agents/src"),
    ("trace-export", "crates/trace-export/src"),
];

/// Modules that another module of the same crate does without: the folder of the sources, who does
/// without, and what.
const MODULE_WITHOUT: [(&str, &str, &str); 1] = [("app/src", "state", "components")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn crates_use_only_those_before_them() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let found = broken_edges(&metadata);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn modules_of_a_crate_are_in_no_circle() {
    for (name, folder) in WITHIN {
        let sources = sources(&root().join(folder));
        assert!(sources.len() > 1, "{folder} has no sources");
        if let Some(circle) = circle(&edges(&sources)) {
            panic!("modules of {name} use each other in a circle:\n{circle}");
        }
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

/// What breaks a rule about crates, a line each.
fn broken_edges(metadata: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let order: Vec<&str> = LAYERS.iter().flat_map(|(_, crates)| *crates).copied().collect();
    let place = |name: &str| order.iter().position(|known| *known == name);
    let layer = |name: &str| {
        let holds = |(_, crates): &&(&str, &[&str])| crates.contains(&name);
        LAYERS.iter().find(holds).map_or("no layer", |(layer, _)| *layer)
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let ours: BTreeSet<String> = packages.iter().map(|package| text(&package["name"])).collect();
    let mut broken = Vec::new();
    for package in packages {
        let (name, manifest) = (text(&package["name"]), text(&package["manifest_path"]));
        let Some(own) = place(&name) else {
            broken.push(format!("{name} is in no layer: add it to LAYERS ({manifest})"));
            continue;
        };
        let without = WITHOUT.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, it)| it);
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = text(&dependency["name"]);
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
                broken.push(format!("{edge}: a pure crate does without {used}"));
            }
            if without.contains(&used.as_str()) {
                broken.push(format!("{edge}: {name} does without {used}"));
            }
        }
    }
    broken
}

/// The files of a folder and those below, each by its path from there, with their texts.
fn sources(folder: &Path) -> BTreeMap<String, String> {
    fn look(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
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
    let mut found = BTreeMap::new();
    look(folder, folder, &mut found);
    found
}

/// The module that a file belongs to, of those that the crate's root declares.
fn module_of(file: &str) -> &str {
    file.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

/// Which module uses which, and a file where it does.
type Edges = BTreeMap<(String, String), String>;

fn edges(sources: &BTreeMap<String, String>) -> Edges {
    let modules: BTreeSet<&str> =
        sources.keys().map(|file| module_of(file)).filter(|it| *it != "lib").collect();
    // What the root hands on is its module's.
    let handed_on = handed_on(sources.get("lib.rs").map_or("", String::as_str));
    let mut edges = Edges::new();
    for (file, text) in sources {
        let from = module_of(file);
        if from == "lib" {
            continue;
        }
        for name in named_after(&without_comments(text), "crate::") {
            let to = handed_on.get(&name).unwrap_or(&name);
            if to != from && modules.contains(to.as_str()) {
                edges.entry((from.to_owned(), to.clone())).or_insert_with(|| file.clone());
            }
        }
    }
    edges
}

/// The names that a root gives again, each with the module that it comes from.
fn handed_on(root: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in without_comments(root).split(';') {
        let Some((_, path)) = line.split_once("use ") else { continue };
        let Some((module, rest)) = path.trim().trim_start_matches("self::").split_once("::") else {
            continue;
        };
        let names = rest.rsplit("::").next().unwrap_or_default();
        for name in names.trim_matches(|it: char| "{} \n".contains(it)).split(',') {
            found.insert(name.trim().to_owned(), module.to_owned());
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| line.find("//").map_or(line, |at| &line[..at]));
    code.collect::<Vec<_>>().join("\n")
}

/// The first name of each path that begins with `prefix`, also of those in braces.
fn named_after(text: &str, prefix: &str) -> Vec<String> {
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    let name = |text: &str| text.chars().take_while(|it| is_name(*it)).collect::<String>();
    let mut found = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let begins = text[..at].chars().next_back().is_none_or(|before| !is_name(before));
        let rest = &text[at + prefix.len()..];
        if !begins {
            continue;
        }
        let Some(group) = rest.strip_prefix('{') else {
            found.push(name(rest));
            continue;
        };
        let (mut depth, mut is_first) = (0_usize, true);
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_first = true,
                _ if is_first && depth == 0 && is_name(letter) => {
                    found.push(name(&group[at..]));
                    is_first = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// Where `module` names `other`, by the crate's root or by `super`: a line for each file and path.
fn uses(sources: &BTreeMap<String, String>, module: &str, other: &str) -> Vec<String> {
    let handed_on = handed_on(sources.get("lib.rs").map_or("", String::as_str));
    let mut found = Vec::new();
    for (file, text) in sources.iter().filter(|(file, _)| module_of(file) == module) {
        let own: Vec<&str> =
            file.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").collect();
        for path in relative_paths(&without_comments(text)) {
            let mut place = own.clone();
            for part in &path {
                match part.as_str() {
                    "crate" => place.clear(),
                    "super" => drop(place.pop()),
                    "self" => {}
                    name => place.push(name),
                }
            }
            let first = place.first().copied().unwrap_or_default();
            if handed_on.get(first).map_or(first, String::as_str) == other {
                found.push(format!("  {file}: {}", path.join("::")));
            }
        }
    }
    found
}

/// The paths of a text that begin with `crate` or `super`, those in braces each in full.
fn relative_paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for prefix in ["crate::", "super::"] {
        for (at, _) in text.match_indices(prefix) {
            let before = text[..at].chars().next_back();
            if before.is_none_or(|it| !it.is_alphanumeric() && !"_:".contains(it)) {
                expand(&text[at..], &[], &mut found);
            }
        }
    }
    found
}

/// Reads the path at the start of a text, and of a group in braces each path behind `prefix`.
fn expand(text: &str, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = prefix.to_vec();
    let mut rest = text.trim_start();
    loop {
        let end = rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_owned());
        }
        match rest[end..].strip_prefix("::") {
            Some(after) => rest = after,
            None => break,
        }
        let Some(group) = rest.strip_prefix('{') else { continue };
        let (mut depth, mut from) = (0_usize, 0);
        for (at, letter) in group.char_indices() {
            match letter {
                ',' | '}' if depth == 0 => {
                    expand(&group[from..at], &path, found);
                    from = at + 1;
                    if letter == '}' {
                        return;
                    }
                }
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
        }
        return;
    }
    if path.len() > prefix.len() {
        found.push(path);
    }
}

/// A circle, an edge on each line with its file; `None` where there is none.
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

/// That the checks can fail.
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

    #[test]
    fn a_crate_that_reaches_above_itself_is_named() {
        let packages = [
            package("json-text", &["tokio"]),
            package("session", &["json-text"]),
            package("api", &["session", "app"]),
            package("app", &["api"]),
            package("rehearsal-server", &["app", "clap"]),
            package("new", &[]),
        ];
        let found = broken_edges(&json!({ "packages": packages }));
        assert_eq!(
            found,
            [
                "json-text -> tokio (json-text/Cargo.toml): a pure crate does without tokio",
                "api -> app (api/Cargo.toml): app (page) is above api (values)",
                "rehearsal-server -> clap (rehearsal-server/Cargo.toml): rehearsal-server does \
                 without clap",
                "new is in no layer: add it to LAYERS (new/Cargo.toml)",
            ]
        );
    }

    #[test]
    fn a_module_that_uses_another_is_named_with_its_paths() {
        let files = [
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
        ];
        let sources: BTreeMap<String, String> =
            files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
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
    fn a_circle_is_named_with_its_files() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::{Deep, Other};\n"),
            ("a.rs", "use crate::b::{x, y};\n// crate::c\n"),
            ("b/mod.rs", "mod inner;\n"),
            ("b/inner.rs", "use crate::{\n    Deep,\n    d::{e, a},\n};\n"),
            ("c.rs", "fn f() { crate::b::inner() }\n"),
        ];
        let sources = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
            files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
        };
        let found = circle(&edges(&sources(&files))).expect("b and c use each other");
        assert_eq!(found, "  b -> c (b/inner.rs)\n  c -> b (c.rs)");
        assert_eq!(circle(&edges(&sources(&files[..4]))), None);
    }
}
