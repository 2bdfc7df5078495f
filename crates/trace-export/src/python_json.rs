//! JSON as Python writes it.

use evalset::{CaseText, Layout};
use json_text::JsonText;

/// The text of `value` as google-adk writes a final response: on one line, with spaces.
pub(crate) fn as_adk_writes(value: &JsonText) -> String {
    let layout = Layout::OneLine { after_comma: " ", after_colon: " " };
    CaseText::unchecked(value).laid_out(&layout)
}
