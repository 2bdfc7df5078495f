//! The last word on whether a value fits a schema, and values that do.
//!
//! [`Check`] is the `jsonschema` crate behind the spellings that real declarations use: JSON Schema
//! (2020-12, draft 7), google.genai's `Schema`, and loose type names such as `dict` or `float`.
//! [`values`] makes values from a schema alone and keeps those that pass the check: tests and lints
//! need values that owe nothing to a form.
//!
//! ```
//! use json_text::JsonText;
//! use schema_check::{Check, values};
//!
//! let schema = JsonText::parse(r#"{"type": "OBJECT", "required": ["city"], "properties": {
//!     "city": {"type": "STRING"}, "days": {"type": "integer", "minimum": 1, "maximum": 5}}}"#)?;
//! let check = Check::of(&schema)?;
//! let complaints = check.complaints(&JsonText::parse(r#"{"days": 9}"#)?);
//! assert_eq!(complaints.len(), 2);
//! for value in values(&schema, &check, 5) {
//!     assert_eq!(check.complaints(&value), []);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Left to others: forms (`schema-form`), what is said about a schema (`tool-lint`).

mod check;
mod complaint;
mod plain;
mod sentence;

mod around;
mod chance;
mod make;
mod sound;
mod text;

pub use check::{Check, Uncheckable};
pub use complaint::Complaint;
pub use make::{values, values_of_part};
pub use sound::{Sound, Unchecked};
pub use text::pattern_lengths;
