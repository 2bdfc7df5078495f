//! Random files in random formatting: a case joins each of them and moves nothing.

use std::collections::HashMap;

use evalset_file::{Appended, EvalSetFiles};
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use crate::common::{added, append, case, header, ids};

/// A value with the whitespace of another program.
#[derive(Debug, Clone, Copy)]
struct Hand {
    /// Chooses the white space, differently at each place.
    seed: u64,
    /// What white space it uses.
    blanks: &'static [&'static str],
    ascii: bool,
}

impl Hand {
    fn blank(&mut self) -> &'static str {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.blanks[usize::try_from(self.seed >> 33).expect("32 bits") % self.blanks.len()]
    }

    fn string(&mut self, text: &str, out: &mut String) {
        let quoted = serde_json::to_string(text).expect("JSON");
        if !self.ascii {
            out.push_str(&quoted);
            return;
        }
        for character in quoted.chars() {
            if character.is_ascii() {
                out.push(character);
            } else {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }

    fn write(&mut self, value: &Value, out: &mut String) {
        let mut first = true;
        match value {
            Value::Object(members) => {
                out.push('{');
                for (key, member) in members {
                    if !std::mem::take(&mut first) {
                        out.push(',');
                    }
                    out.push_str(self.blank());
                    self.string(key, out);
                    out.push_str(self.blank());
                    out.push(':');
                    out.push_str(self.blank());
                    self.write(member, out);
                    out.push_str(self.blank());
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for item in items {
                    if !std::mem::take(&mut first) {
                        out.push(',');
                    }
                    out.push_str(self.blank());
                    self.write(item, out);
                    out.push_str(self.blank());
                }
                out.push_str(self.blank());
                out.push(']');
            }
            Value::String(text) => self.string(text, out),
            other => out.push_str(&other.to_string()),
        }
    }
}

fn any_hand() -> impl Strategy<Value = Hand> {
    let blanks: &[&'static [&'static str]] = &[
        &[""],
        &["", " "],
        &["\n  ", "\n", " "],
        &["\r\n", "\t", "\r\n\t\t"],
        &[
            "",
            "\n\n   \t\n",
            "                                                                      ",
        ],
    ];
    (any::<u64>(), prop::sample::select(blanks), any::<bool>())
        .prop_map(|(seed, blanks, ascii)| Hand { seed, blanks, ascii })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-z\"\\\\{}\\[\\],: \n]{0,80}",
        Just("]}".to_owned()),
        Just("eval_cases".to_owned()),
        Just("\\\"".repeat(40)),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i16>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any_text(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn any_set() -> impl Strategy<Value = Value> {
    let case = (any_text(), any_value(), any_value(), any_text()).prop_map(|(id, x, y, session)| {
        json!({"x": x, "eval_id": id, "conversation": [{"y": y, "invocation_id": session}]})
    });
    let cases = prop::collection::vec(case, 0..4);
    (any_value(), cases, any_value(), any::<bool>()).prop_map(|(before, cases, after, last)| {
        let mut set = json!({"before": before, "eval_set_id": "s", "eval_cases": cases});
        if !last {
            set["after"] = after;
        }
        set
    })
}

/// The bytes before the end of the last case, or before the list's content when it is empty.
fn earlier(text: &str, set: &Value, hand: Hand) -> usize {
    let mut out = String::new();
    let mut hand = hand;
    let mut until = set.clone();
    if let Some(members) = until.as_object_mut() {
        members.remove("after");
    }
    hand.write(&until, &mut out);
    let list = out.trim_end_matches('}').trim_end();
    let list = list.strip_suffix(']').expect("the list's end").trim_end();
    assert!(text.starts_with(list));
    list.len()
}

/// Failures are printed; an integration test has no good place to keep them.
fn kept_nowhere(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(kept_nowhere(200))]

    #[test]
    fn case_can_be_appended_to_any_eval_set(set in any_set(), hand in any_hand(), end in "[ \n\t]{0,3}") {
        let mut text = String::new();
        hand.clone().write(&set, &mut text);
        text.push_str(&end);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.json");
        std::fs::write(&path, &text).expect("written");
        let eval_id = added(append(&path, "s1"));

        let after = std::fs::read_to_string(&path).expect("read");
        let kept = earlier(&text, &set, hand);
        prop_assert_eq!(&after[..kept], &text[..kept], "earlier bytes");
        let close = text[kept..].find(']').expect("the list's end") + kept;
        prop_assert!(after.ends_with(&text[close..]), "later bytes");
        let read: Value = serde_json::from_str(&after).expect("valid JSON");
        let mut expected = set;
        let own = read["eval_cases"].as_array().and_then(|cases| cases.last()).expect("a case");
        prop_assert_eq!(&own["eval_id"], &Value::from(eval_id));
        prop_assert_eq!(&own["conversation"][0]["invocation_id"], "s1_inv_0");
        expected["eval_cases"].as_array_mut().expect("a list").push(own.clone());
        prop_assert_eq!(read, expected);
        let again = matches!(append(&path, "s1"), Ok(Appended::AlreadyThere { .. }));
        prop_assert!(again);
    }
}

proptest! {
    // Each append waits for the disk several times.
    #![proptest_config(kept_nowhere(12))]

    #[test]
    fn new_case_gets_the_first_free_number(
        taken in prop::collection::vec(0_u64..12, 0..40),
        sessions in prop::collection::vec(0_u8..30, 1..40),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.json");
        let mut all: Vec<_> = taken.iter().map(|n| evalset::numbered("c", *n)).collect();
        let cases: Vec<_> = all.iter().map(|id| json!({"eval_id": id, "conversation": []})).collect();
        std::fs::write(&path, json!({"eval_set_id": "s", "eval_cases": cases}).to_string()).expect("written");
        let mut recorded = HashMap::new();
        for session in sessions {
            let text = session.to_string();
            let appended = EvalSetFiles::anywhere().append(&path, case(&text, "c"), &header());
            match appended.expect("appended") {
                Appended::Added { eval_id, .. } => {
                    let mut names = (1..).map(|n| evalset::numbered("c", n));
                    let free = names.find(|name| !all.contains(name));
                    prop_assert_eq!(free.as_ref(), Some(&eval_id));
                    all.push(eval_id.clone());
                    prop_assert!(recorded.insert(session, eval_id).is_none());
                }
                Appended::AlreadyThere { eval_id, .. } => {
                    prop_assert_eq!(recorded.get(&session), Some(&eval_id));
                }
            }
        }
        prop_assert_eq!(ids(&path), all);
    }
}
