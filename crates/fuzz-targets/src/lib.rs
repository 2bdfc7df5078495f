//! What each fuzz target checks of an input.
//!
//! The programs that look for new inputs are in `fuzz/`, a workspace of its own, because they are compiled with
//! instrumentation. The test here runs each check on the inputs in `fuzz/corpus`, so that known failures do not
//! return.

#![expect(clippy::expect_used, reason = "a check fails by panicking")]

mod adk_set;
mod agentflow_set;
mod form;
mod lint;
mod live_event;
mod live_messages;
mod model_anthropic;
mod model_api;
mod model_chat;
mod model_gemini;
mod model_paths;
mod model_responses;
mod score;
mod sets;
mod value;

/// A check of an input. It panics if it fails.
type Check = fn(&[u8]);

/// The check of each target.
const CHECKS: [(&str, Check); 13] = [
    ("adk_set", adk_set::check),
    ("agentflow_set", agentflow_set::check),
    ("form", form::check),
    ("lint", |input| with_text(input, lint::check)),
    ("live_event", live_event::check),
    ("live_messages", live_messages::check),
    ("model_anthropic", |input| with_text(input, model_anthropic::check)),
    ("model_chat", |input| with_text(input, model_chat::check)),
    ("model_gemini", |input| with_text(input, model_gemini::check)),
    ("model_paths", |input| with_text(input, model_paths::check)),
    ("model_responses", |input| with_text(input, model_responses::check)),
    ("score", |input| with_text(input, score::check)),
    ("value", value::check),
];

/// Runs the check of a target on one input.
///
/// # Panics
///
/// When the check fails, or there is no target of that name.
pub fn check(target: &str, input: &[u8]) {
    let (_, check) = CHECKS.iter().find(|(name, _)| *name == target).expect("a target");
    check(input);
}

/// Runs a check of a text. Input that is not UTF-8 passes.
fn with_text(input: &[u8], check: impl Fn(&str)) {
    if let Ok(text) = std::str::from_utf8(input) {
        check(text);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn inputs_of_the_corpus_pass_their_check() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        let mut targets = BTreeSet::new();
        for folder in fs::read_dir(corpus).expect("the corpus") {
            let folder = folder.expect("a folder");
            let target = folder.file_name().into_string().expect("UTF-8");
            for file in fs::read_dir(folder.path()).expect("inputs") {
                let path = file.expect("a file").path();
                eprintln!("{}", path.display());
                check(&target, &fs::read(path).expect("an input"));
            }
            targets.insert(target);
        }
        let known = CHECKS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(targets, known, "each target has a folder in fuzz/corpus");
    }
}
