//! Lint rules for tool declarations.
//!
//! [`lint`] checks one declaration and reports what is wrong, where, and what to do ([`Rule`]). It
//! also generates values for the tool's arguments and passes them through the form.
//! [`lint_list`] checks a list of tools together; [`declarations_in`] finds declarations in a text.
//!
//! ```
//! use json_text::JsonText;
//! use tool_lint::{Rule, lint};
//!
//! let report = lint(&JsonText::parse(
//!     r#"{"name": "search", "description": "Searches.", "parameters": {"type": "object",
//!         "properties": {"query": {"type": "string", "description": "Words.",
//!             "minLength": 9, "maxLength": 3}}, "required": ["query"]}}"#,
//! )?);
//! assert_eq!(report.findings[0].rule, Rule::BoundsContradict);
//! assert_eq!(report.findings[0].pointer, "/parameters/properties/query");
//! # Ok::<(), json_text::JsonTextError>(())
//! ```
//!
//! Left to others: reading files and agents, printing (`rehearsal tools lint`).
//! What each rule is for: `docs/guide/linting-tools.md`.

mod report;
mod rule;

mod declarations;
mod error;
mod lint;

mod arguments;
mod constraints;
mod contradictions;
mod diagnostics;
mod drafts;
mod infinite_requirements;
mod keywords;
mod merged;
mod naming;
mod portability;
mod round_trip;
mod schema_values;
mod slow_patterns;
mod sub_schema;

pub use declarations::{FoundDeclaration, declarations_in};
pub use error::DeclarationError;
pub use lint::{lint, lint_list};
pub use portability::{Effect, Limitation, Provider};
pub use report::{Finding, Report, RoundTrip};
pub use rule::{Rule, Severity};
