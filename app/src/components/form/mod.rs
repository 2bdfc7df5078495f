//! A schema's form on the page: [`SchemaForm`] draws it, [`FormState`] holds what is entered, and
//! [`JsonPreview`] shows exactly what will be sent.
//!
//! Each input reads its own place of the draft through a memo, so that a keystroke touches one
//! element and never makes an input anew: the cursor, the focus and an input method stay.

#[cfg(any(not(feature = "ssr"), test))]
mod json_preview;
mod place;
#[cfg(any(not(feature = "ssr"), test))]
mod schema_form;
mod state;
mod undo;

#[cfg(any(not(feature = "ssr"), test))]
mod batches;
#[cfg(any(not(feature = "ssr"), test))]
mod choice;
#[cfg(any(not(feature = "ssr"), test))]
mod entries;
#[cfg(any(not(feature = "ssr"), test))]
mod formats;
#[cfg(any(not(feature = "ssr"), test))]
mod help;
#[cfg(any(not(feature = "ssr"), test))]
mod json_area;
#[cfg(any(not(feature = "ssr"), test))]
mod list;
#[cfg(any(not(feature = "ssr"), test))]
mod long_choice;
#[cfg(any(not(feature = "ssr"), test))]
mod number;
#[cfg(any(not(feature = "ssr"), test))]
mod paste;
#[cfg(any(not(feature = "ssr"), test))]
mod pills;
#[cfg(any(not(feature = "ssr"), test))]
mod row;
#[cfg(any(not(feature = "ssr"), test))]
mod text;

#[cfg(any(not(feature = "ssr"), test))]
pub use json_preview::JsonPreview;
#[cfg(any(not(feature = "ssr"), test))]
pub use schema_form::SchemaForm;
pub use state::{FormState, use_form};
