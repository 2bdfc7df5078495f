//! [`DeclarationError`]: why a text has no declaration where one is expected.

use json_text::JsonTextError;

/// Why a text has no declaration where one is expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationError {
    /// A line that is not JSON, among lines of declarations. Its place counts within the line.
    #[error(
        "Not JSON: {} at column {}. Write one declaration per line, or the whole file as one JSON \
         array.", .0.reason, .0.column
    )]
    Line(JsonTextError),
    /// A JSON value of several lines that breaks off. Its place counts in the whole text.
    #[error(
        "Not JSON: {} at line {}, column {}, in a value of several lines. Correct it there, or \
         write one declaration per line.", .0.reason, .0.line, .0.column
    )]
    Value(JsonTextError),
}
