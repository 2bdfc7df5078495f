//! A schema's form on the page: [`SchemaForm`] draws it and
//! [`JsonPreview`] shows exactly what will be sent.
//!
//! Each input reads its own part of the draft through a memo, so that a keystroke updates one element
//! and never rebuilds an input: the cursor, the focus and an input method stay.

mod field_handle;
mod json_preview;
mod schema_form;

mod batches;
mod choice;
mod entries;
mod formats;
mod help;
mod json_area;
mod list;
mod long_choice;
mod number;
mod paste;
mod pills;
mod row;
mod text;

pub use json_preview::JsonPreview;
pub use schema_form::SchemaForm;
