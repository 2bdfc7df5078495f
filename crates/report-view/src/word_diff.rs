//! Two texts word by word: which words both have, and which only one.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

/// Texts longer than this, in bytes, are shown without marking their words.
const LONGEST: usize = 64 * 1024;
/// How long the words of one text may be compared; then it is marked as a whole.
const PATIENCE: Duration = Duration::from_millis(200);

/// A run of words in the comparison of two texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextPart {
    /// In both.
    Both(String),
    /// In the expected one only.
    Expected(String),
    /// In the actual one only.
    Actual(String),
}

/// Both texts in parts, in their order: those of [`TextPart::Both`] and [`TextPart::Expected`] make
/// up the expected one, those of [`TextPart::Both`] and [`TextPart::Actual`] the actual one.
///
/// Empty where the texts are equal, or longer than 64 KiB.
#[must_use]
pub fn marked(expected: &str, actual: &str) -> Vec<TextPart> {
    if expected == actual || expected.len().max(actual.len()) > LONGEST {
        return Vec::new();
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(expected, actual);
    let mut parts: Vec<TextPart> = Vec::new();
    for change in diff.iter_all_changes() {
        let words = change.value();
        // Words of one kind that follow one another are one part.
        match (change.tag(), parts.last_mut()) {
            (ChangeTag::Equal, Some(TextPart::Both(text)))
            | (ChangeTag::Delete, Some(TextPart::Expected(text)))
            | (ChangeTag::Insert, Some(TextPart::Actual(text))) => text.push_str(words),
            (ChangeTag::Equal, _) => parts.push(TextPart::Both(words.to_owned())),
            (ChangeTag::Delete, _) => parts.push(TextPart::Expected(words.to_owned())),
            (ChangeTag::Insert, _) => parts.push(TextPart::Actual(words.to_owned())),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn side(parts: &[TextPart], is_expected: bool) -> String {
        let of_side = parts.iter().filter_map(|part| match part {
            TextPart::Both(text) => Some(text.as_str()),
            TextPart::Expected(text) => is_expected.then_some(text.as_str()),
            TextPart::Actual(text) => (!is_expected).then_some(text.as_str()),
        });
        of_side.collect()
    }

    #[test]
    fn words_of_one_side_are_marked() {
        let parts = marked("It is 21 degrees.", "It is 23 degrees.");
        let other: Vec<_> = parts.iter().filter(|it| !matches!(it, TextPart::Both(_))).collect();
        assert_eq!(other, [&TextPart::Expected("21".into()), &TextPart::Actual("23".into())]);
        assert_eq!(marked("same", "same"), []);
        assert_eq!(marked("a", &"b ".repeat(LONGEST)), []);
    }

    proptest! {
        #[test]
        fn diff_parts_rebuild_both_texts(one in "[ab \n]{0,12}", other in "[ab \n]{0,12}") {
            let parts = marked(&one, &other);
            prop_assert_eq!(parts.is_empty(), one == other);
            if one != other {
                prop_assert_eq!(side(&parts, true), one);
                prop_assert_eq!(side(&parts, false), other);
            }
        }
    }
}
