//! Our own types as JSON.

use json_text::JsonText;
use serde::Serialize;

/// Serializes a value with text keys, which cannot fail.
#[must_use]
pub fn object(value: &impl Serialize) -> JsonText {
    JsonText::serialize(value).unwrap_or_else(|_| JsonText::null())
}
