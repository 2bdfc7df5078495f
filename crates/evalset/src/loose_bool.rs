//! [`LooseBool`]: a boolean in any spelling that google-adk reads.

use json_text::JsonText;

use crate::model::{Out, Value, is_truth, scalar, string_or_text};
use crate::reading::Reader;

/// A boolean with its spelling in the file: `true`, `1`, `"yes"` and others that google-adk reads.
///
/// Two are equal if their texts are; compare [`LooseBool::is_true`] for the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LooseBool(JsonText);

impl LooseBool {
    /// Its value.
    #[must_use]
    pub fn is_true(&self) -> bool {
        let text = string_or_text(&self.0).to_lowercase();
        let is_word = matches!(text.as_str(), "true" | "t" | "yes" | "y" | "on");
        is_word || text.parse() == Ok(1.0)
    }
}

impl From<bool> for LooseBool {
    fn from(value: bool) -> Self {
        Self(JsonText::from_value(&value.into()))
    }
}

impl Value for LooseBool {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        scalar(reader, "true or false", is_truth).map(Self)
    }

    fn write(&self, out: &mut Out) {
        out.push_str(self.0.as_str());
    }
}
