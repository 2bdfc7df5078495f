//! What a person or a model would stumble over in a tool's declaration.
//!
//! [`lint`] looks at one declaration and says, rule by rule ([`Rule`]), what is wrong, where, and
//! what to do; it also makes values for the tool's arguments and sends them through the form.
//! [`lint_list`] looks at a list of tools together; [`declarations_in`] finds declarations in a
//! text.
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
mod editions;
mod endless;
mod naming;
mod place;
mod survival;

pub use declarations::{Found, declarations_in};
pub use error::DeclarationError;
pub use lint::{lint, lint_list};
pub use report::{Finding, Report, Survival};
pub use rule::{Rule, Severity};
