//! Scores equal google-adk's beyond the vectors: every character, and words that no
//! list holds.

use acceptance::{python, run_python};
use scoring::json::{Equality, equal};
use scoring::rouge::tokens;
use serde_json::Value;

/// Prints the tokens of ADK's own tokenizer for the JSON string in each line of a file.
const TOKENS: &str = "
import json, sys
from google.adk.evaluation.final_response_match_v1 import _UnicodeAwareTokenizer
tokenizer = _UnicodeAwareTokenizer(use_stemmer=True)
for line in open(sys.argv[1], encoding='utf-8'):
    print(json.dumps(tokenizer.tokenize(json.loads(line))))
";

/// Pseudorandom numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn tokens_are_adks(texts: &[String]) {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts");
    let lines: Vec<String> =
        texts.iter().map(|text| Value::from(text.as_str()).to_string()).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let theirs = run_python(&python, TOKENS, &[path.to_str().unwrap()]);
    let theirs: Vec<Vec<String>> =
        theirs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(theirs.len(), texts.len());
    let mut wrong = Vec::new();
    for (text, theirs) in texts.iter().zip(theirs) {
        let ours = tokens(text);
        if ours.len() != theirs.len() {
            wrong.push(format!("{text:?} has {} tokens and not {}", ours.len(), theirs.len()));
        }
        let differing = ours.iter().zip(&theirs).filter(|(ours, theirs)| ours != theirs);
        wrong.extend(differing.map(|(ours, theirs)| format!("{ours:?} and not {theirs:?}")));
    }
    assert!(wrong.is_empty(), "{} differ: {:#?}", wrong.len(), &wrong[..wrong.len().min(40)]);
}

#[test]
fn tokenizes_every_character_as_adk_does() {
    // Alone, between letters, after a capital sigma and before one, and after a mark: a hundred
    // characters a line.
    // The planes between and above these are unassigned or for private use.
    let planes = (0..0x3_2000).chain(0xe_0000..0xe_1000).chain(0x10_0000..0x10_0100);
    let characters: Vec<char> = planes.filter_map(char::from_u32).collect();
    let texts: Vec<String> = characters
        .chunks(100)
        .flat_map(|some| {
            let written = |around: fn(char) -> String| some.iter().map(|c| around(*c)).collect();
            [
                written(|c| format!("x{c}y ")),
                written(|c| format!("{c} ")),
                written(|c| format!("aΣ{c} {c}Σ a{c}Σ ")),
                written(|c| format!("e\u{301}{c}\u{323} ")),
            ]
        })
        .collect::<Vec<String>>();
    tokens_are_adks(&texts);
}

#[test]
fn stems_generated_words_as_adk_does() {
    const ENDINGS: [&str; 62] = [
        "s", "es", "ies", "sses", "ed", "ied", "eed", "ing", "at", "bl", "iz", "y", "ational",
        "tional", "enci", "anci", "izer", "bli", "alli", "entli", "eli", "ousli", "ization",
        "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti",
        "fulli", "logi", "icate", "ative", "alize", "iciti", "ical", "ful", "ness", "al", "ance",
        "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
        "ate", "iti", "ous", "ive", "ize", "e", "ll",
    ];
    const LETTERS: &[u8] = b"aeiouybcdfglnrstwxz7";
    let mut chance = Chance(41);
    let mut word = || {
        let mut word = String::new();
        for _ in 0..=chance.below(5) {
            word.push(char::from(LETTERS[chance.below(LETTERS.len())]));
        }
        for _ in 0..chance.below(4) {
            word.push_str(ENDINGS[chance.below(ENDINGS.len())]);
        }
        word
    };
    let texts: Vec<String> =
        (0..1_000).map(|_| (0..200).map(|_| word()).collect::<Vec<_>>().join(" ")).collect();
    tokens_are_adks(&texts);
}

/// Prints whether the two JSON values of each line are equal in Python, as pydantic reads them.
const EQUAL: &str = "
import sys
from google.genai import types
for line in open(sys.argv[1], encoding='utf-8'):
    one, other = line.rstrip('\\n').split('\\t')
    read = lambda text: types.FunctionCall.model_validate_json('{\"name\":\"t\",\"args\":{\"v\":%s}}' % text)
    print(int(read(one).args == read(other).args))
";

#[test]
fn values_are_equal_as_in_python() {
    let Some(python) = python() else { return };
    let mut scalars: Vec<String> = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "1.0",
        "1e0",
        "-1",
        "\"1\"",
        "\"\"",
        "0.1",
        "1e-1",
        "0.30000000000000004",
        "1e22",
        "10000000000000000000000",
        "1e23",
        "100000000000000000000000",
        "5e-324",
        "1e-400",
        "1.7976931348623157e308",
        "\"a\"",
        "\"\\u0061\"",
        "\"é\"",
        "\"e\u{301}\"",
        "[]",
        "{}",
        "[1]",
        "[true]",
        "{\"a\":1}",
        "{\"a\":1.0,\"a\":true}",
        "{\"b\":null,\"a\":[1.0]}",
        "{\"a\":[1],\"b\":null}",
    ]
    .map(str::to_owned)
    .to_vec();
    for power in [52, 53, 54, 62, 63, 64, 65, 100] {
        let number = 1_u128 << power;
        for number in [number - 1, number, number + 1] {
            scalars.push(number.to_string());
            scalars.push(format!("{number}.0"));
        }
    }
    let pairs: Vec<(&String, &String)> =
        scalars.iter().flat_map(|one| scalars.iter().map(move |other| (one, other))).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs");
    let lines: Vec<String> = pairs.iter().map(|(one, other)| format!("{one}\t{other}")).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let theirs = run_python(&python, EQUAL, &[path.to_str().unwrap()]);
    let theirs: Vec<&str> = theirs.lines().collect();
    assert_eq!(theirs.len(), pairs.len());
    for ((one, other), theirs) in pairs.into_iter().zip(theirs) {
        let text = |text: &str| json_text::JsonText::parse(text).unwrap();
        let ours = equal(&text(one), &text(other), Equality::Python);
        assert_eq!(ours, theirs == "1", "{one} {other}");
    }
}
