//! Normalized text, and JSON in text.

use json_text::JsonText;
use unicode_normalization::UnicodeNormalization;

/// The text in NFKC and lower case, its white space single and none at the ends.
///
/// ```
/// use scoring::response::normalized;
/// assert_eq!(normalized("  The\u{a0}ANSWER\n is ４２ "), "the answer is 42");
/// ```
#[must_use]
pub fn normalized(text: &str) -> String {
    let folded = text.nfkc().collect::<String>().to_lowercase();
    let mut normalized = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !normalized.is_empty() {
            normalized.push(' ');
        }
        normalized.push_str(word);
    }
    normalized
}

/// The JSON of an answer: the whole of it, or what its one fenced block holds.
///
/// # Errors
/// What keeps it from being JSON.
pub(super) fn json_in(text: &str) -> Result<JsonText, String> {
    let whole = JsonText::parse(text.trim());
    let Some(fenced) = only_block(text) else { return whole.map_err(|error| error.to_string()) };
    whole.or_else(|_| JsonText::parse(fenced)).map_err(|error| error.to_string())
}

/// The content of the fenced block, when there is exactly one.
fn only_block(text: &str) -> Option<&str> {
    let mut parts = text.split("```");
    let (_, inside, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    // The rest of the first line names the language.
    inside.split_once('\n').map(|(_, content)| content.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_extracted_from_an_answer() {
        let found = |text: &str| json_in(text).map(|json| json.as_str().to_owned());
        assert_eq!(found(" {\"a\": 1} ").as_deref(), Ok("{\"a\": 1}"));
        assert_eq!(found("Here:\n```json\n[1]\n```\nDone.").as_deref(), Ok("[1]"));
        assert!(found("```\n1\n```\n```\n2\n```").is_err(), "which one is meant?");
        assert!(found("the answer is 4").is_err());
    }
}
