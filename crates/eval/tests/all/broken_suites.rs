//! Suites with a mistake anywhere: reading them ends, and every fault says where it is.
//!
//! A fuzz target would need the clients of all models, which take long to build with a fuzzer's instrumentation. So
//! each suite of `tests/suites` is cut, shortened and changed at every place instead.

use std::path::Path;

use eval::file::{ReadOptions, SuiteFault, read_text};
use eval::model::{Models, Variables};

/// What is put in the place of each word and each line.
const MISTAKES: [&str; 8] = ["", "null", "-1", "[]", "{ a: 1 }", "1e999", "\"", "&x *x"];

fn read(text: &str) -> Result<usize, Vec<SuiteFault>> {
    let models = Models::new(Variables::given([("GEMINI_API_KEY", "key")]));
    let folder = Path::new("not-a-folder");
    read_text(text, folder, &ReadOptions::default(), &models).map(|cases| cases.len())
}

fn check(text: &str) {
    let Err(faults) = read(text) else { return };
    assert!(!faults.is_empty(), "no fault of:\n{text}");
    for fault in faults {
        let has_place = !fault.place.is_empty() || fault.message.contains("line ");
        assert!(has_place && !fault.message.is_empty(), "{fault}\n\nis the fault of:\n{text}");
    }
}

/// The text without an end, a line or a word, and with a mistake in the place of a word.
fn broken(text: &str) -> Vec<String> {
    let cuts = text.char_indices().map(|(at, _)| text[..at].to_owned());
    let mut all: Vec<String> = cuts.collect();
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let (before, after) = (lines[..at].join("\n"), lines[at + 1..].join("\n"));
        all.push(format!("{before}\n{after}"));
    }
    let is_word = |it: char| it.is_alphanumeric() || "_-.$".contains(it);
    let mut begin = 0;
    while let Some(at) = text[begin..].find(is_word).map(|at| begin + at) {
        let end = text[at..].find(|it| !is_word(it)).map_or(text.len(), |length| at + length);
        let with = |mistake: &&str| format!("{}{mistake}{}", &text[..at], &text[end..]);
        all.extend(MISTAKES.iter().map(with));
        begin = end;
    }
    all
}

#[test]
fn every_fault_has_a_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites");
    for file in std::fs::read_dir(folder).expect("readable") {
        let path = file.expect("readable").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        check(&text);
        broken(&text).iter().for_each(|text| check(text));
    }
}

#[test]
fn the_suite_with_every_member_is_valid() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suites/every-member");
    let text = std::fs::read_to_string(path).expect("a text");
    let faults = read(&text).err().unwrap_or_default();
    // It has nothing that needs another file.
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(shown, [""; 0]);
}
