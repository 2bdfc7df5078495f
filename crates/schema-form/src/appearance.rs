//! Whether texts can be told apart by sight, and how they are written so that they can.

use std::collections::HashMap;

use json_text::JsonText;

/// The text as quoted JSON with its invisible characters escaped, if it cannot be read off what a page
/// shows of it: because it is empty, or has invisible characters, spaces at an end or several in a row, or
/// accents that are characters of their own.
///
/// ```
/// use schema_form::quoted_if_unclear;
/// assert_eq!(quoted_if_unclear("two words"), None);
/// assert_eq!(quoted_if_unclear("a "), Some(r#""a ""#.to_owned()));
/// assert_eq!(quoted_if_unclear("a\u{200b}b"), Some(r#""a\u200bb""#.to_owned()));
/// ```
#[must_use]
pub fn quoted_if_unclear(text: &str) -> Option<String> {
    (text.is_empty() || skeleton(text) != text || has_accents_apart(text)).then(|| quoted(text))
}

/// For each of `labels`, whether it looks like another one of them.
pub(crate) fn look_alike(labels: &[String]) -> Vec<bool> {
    let skeletons: Vec<String> = labels.iter().map(|label| skeleton(label)).collect();
    let mut times: HashMap<&str, usize> = HashMap::with_capacity(labels.len());
    for skeleton in &skeletons {
        *times.entry(skeleton).or_default() += 1;
    }
    skeletons
        .iter()
        .map(|skeleton| times.get(skeleton.as_str()).is_some_and(|it| *it > 1))
        .collect()
}

/// The text as a JSON string in which no character is invisible and no two spaces are next to each other.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    let mut is_space = false;
    for letter in JsonText::string(text).as_str().chars() {
        let is_second = is_space && letter == ' ';
        is_space = letter == ' ';
        if is_second || is_invisible(letter) || is_accent(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                quoted.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            quoted.push(letter);
        }
    }
    quoted
}

/// What a page shows of the text.
fn skeleton(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| !is_invisible(*letter))
        .collect();
    visible.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn is_invisible(letter: char) -> bool {
    letter.is_control()
        || letter.is_whitespace() && letter != ' '
        || matches!(
            letter,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
        )
        || matches!(letter, '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}')
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}')
        || matches!(letter, '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

/// An accent of Latin, Greek or Cyrillic that is a character of its own, beside the accented letters.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Whether accents of the text are characters of their own.
pub(crate) fn has_accents_apart(text: &str) -> bool {
    text.chars().any(is_accent)
}
