//! Hashes of what a suite says about its cases, by which a stored result is recognized as the case's.

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::format::from_yaml;

/// Members that do not change what a run of the case gives.
const LABELS: [&str; 3] = ["description", "repeats", "tags"];

/// Several models, of which each has results of its own.
const MODELS: &str = "models";

/// A hash of each case of a suite, with the members of the suite that concern all cases.
pub(super) fn of_cases(text: &str) -> Vec<String> {
    // A suite that was read before is valid.
    let mut suite: Value = from_yaml(text).unwrap_or_default();
    let Some(members) = suite.as_object_mut() else { return Vec::new() };
    let cases = members.remove("cases").unwrap_or_default();
    for of_reports in ["description", "prices"] {
        members.remove(of_reports);
    }
    let has_settings =
        members.get_mut(MODELS).and_then(Value::as_object_mut).is_some_and(|settings| {
            settings.remove("each");
            !settings.is_empty()
        });
    if !has_settings {
        members.remove(MODELS);
    }
    let shared = sorted(&suite).to_string();
    let of_case = |case: &Value| {
        let mut case = case.clone();
        if let Some(members) = case.as_object_mut() {
            members.retain(|name, _| !LABELS.contains(&name.as_str()) && name != MODELS);
        }
        of(&[&shared, &sorted(&case).to_string()])
    };
    cases.as_array().map(|cases| cases.iter().map(of_case).collect()).unwrap_or_default()
}

/// A hash of texts.
pub(super) fn of(texts: &[&str]) -> String {
    format!("{:032x}", xxh3_128(texts.join("\0").as_bytes()))
}

/// The value with the members of each object in the order of their names.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_changes_with_what_concerns_the_run_of_its_case() {
        let hashes = |suite: &str, first: &str| {
            of_cases(&format!("{suite}\ncases:\n- {{ name: a, {first} }}\n- {{ name: b }}"))
        };
        let before = hashes("seed: 1", "first_message: Hi");
        let [a, b] = before.as_slice() else { panic!("two cases") };
        assert_ne!(a, b);
        let prices = "seed: 1\nprices: { m: { input: 1, output: 2 } }";
        assert_eq!(hashes(prices, "first_message: Hi"), before);
        assert_eq!(hashes("seed: 1 # a comment", "tags: [x], first_message: Hi"), before);
        let changed = hashes("seed: 1", "first_message: Hello");
        assert!(changed[0] != *a && changed[1] == *b, "only the case that changed");
        let models = "seed: 1\nmodels: [a, b]";
        assert_eq!(hashes(models, "models: [c], first_message: Hi"), before, "each has its own");
        assert!(hashes("seed: 2", "first_message: Hi").iter().all(|it| !before.contains(it)));
    }
}
