//! JSON that keeps its digits.
//!
//! Arguments, results and states pass through Rehearsal as checked text ([`JsonText`]), never as a
//! parsed number: `9007199254740993`, `5` and `1.10` arrive where they are sent as they were typed.
//! Whoever wants to look inside opens one level at a time ([`JsonText::open`]), which costs what is
//! looked at and has no depth limit.
//!
//! What this crate leaves to others: schemas, forms, file formats.
//! Why text and not `serde_json/arbitrary_precision`: `docs/design/json-numbers.md`.

mod fault;
mod node;
mod place;
mod pretty;
mod text;
mod twice;

pub use node::{Kind, Node};
pub use place::{JsonPlace, place};
pub use pretty::Pretty;
pub use text::{JsonText, JsonTextError, Words, misfit_words, nesting};
pub use twice::written_twice;
