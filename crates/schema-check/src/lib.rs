//! Validates values against a schema, and generates values that the schema accepts.
//!
//! [`Check`] wraps the `jsonschema` crate and accepts the spellings that real declarations use: JSON
//! Schema (2020-12, draft 7), google.genai's `Schema`, and loose type names such as `dict` or `float`.
//! [`values`] generates values from a schema alone and keeps those that pass the check, for tests and
//! lints that need values independent of a form.
//!
//! ```
//! use json_text::JsonText;
//! use schema_check::{Check, values};
//!
//! let schema = JsonText::parse(r#"{"type": "OBJECT", "required": ["city"], "properties": {
//!     "city": {"type": "STRING"}, "days": {"type": "integer", "minimum": 1, "maximum": 5}}}"#)?;
//! let check = Check::of(&schema)?;
//! let violations = check.violations(&JsonText::parse(r#"{"days": 9}"#)?);
//! assert_eq!(violations.len(), 2);
//! for value in values(&schema, &check, 5) {
//!     assert_eq!(check.violations(&value), []);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Left to others: forms (`schema-form`), findings about a schema (`tool-lint`).

mod check;
mod checkable;
mod message;
mod normalize;
mod violation;

mod generate;
mod lookaround;
mod pattern;
mod random;
mod text;

pub use check::{Check, Uncheckable};
pub use checkable::{CheckableSchema, UncheckedPart};
pub use generate::{values, values_of_part};
pub use pattern::pattern_lengths;
pub use violation::Violation;
