//! JSON that keeps its digits.
//!
//! Arguments, results and states pass through Rehearsal as checked text ([`JsonText`]), never as a
//! parsed number: `9007199254740993`, `5` and `1.10` arrive where they are sent as they were typed.
//! [`JsonText::open`] opens one level at a time, [`JsonIndex`] gives random access to all values;
//! both have no depth limit. [`Decimal`] computes with numbers exactly, and [`Position`] counts lines
//! and columns. [`written_out`](mod@written_out) makes texts safe to show to people.
//!
//! What this crate leaves to others: schemas, forms, file formats.
//! Why text and not `serde_json/arbitrary_precision`: `docs/design/json-numbers.md`.

pub mod index;
pub mod pointer;
pub mod scan;
pub mod written_out;

mod decimal;
mod document;
mod node;
mod place;
mod position;
mod pretty;
mod repeated;
mod syntax;
mod text;

pub use decimal::{Decimal, is_number};
pub use document::{JsonIndex, JsonValue};
pub use node::{Kind, Node};
pub use place::{JsonPlace, place};
pub use position::Position;
pub use pretty::{Pretty, pretty_text};
pub use repeated::repeated_member;
pub use text::{JsonText, JsonTextError, Terms, nesting, serde_message};
