//! From a schema to a form, from a form to exactly the JSON that is sent.
//!
//! A [`Form`] says what places there are; a [`Draft`] is what a person has entered into them; a
//! [`Reading`] is the JSON that the draft would send, or what stands in its way. All three are
//! plain values: the page draws them, tests drive them.
//!
//! ```
//! use json_text::JsonText;
//! use schema_form::{Draft, Edit, Form};
//!
//! let declaration = JsonText::parse(
//!     r#"{"name": "search", "parameters": {"type": "object", "required": ["query"], "properties": {
//!         "query": {"type": "string"}, "limit": {"type": "integer", "default": 10}}}}"#,
//! )?;
//! let form = Form::of_declaration(&declaration);
//! let mut draft = Draft::blank(&form);
//! assert_eq!(draft.read(&form).messages()[0].text, "Required.");
//!
//! let query = draft.locate(&form, "/query");
//! draft.edit(&form, &query, Edit::SetText("tea".into()))?;
//! // The default of `limit` is shown, not sent.
//! assert_eq!(draft.read(&form).json().map(JsonText::as_str), Some(r#"{"query":"tea"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Left to others: drawing (`app`), and the last word on validity (the host's `jsonschema`), whose
//! messages find their places through [`Draft::locate`]. `pattern` and `format` are the host's.
//! Why it works as it does: `docs/design/forms.md`.

mod address;
mod field;
mod form;
mod format;
mod narrow;
mod range;

mod draft;
mod edit;
mod history;
mod paste;
mod path;
mod read;

mod diagnostic;
mod error;
mod spelling;
mod types;

mod build;
mod canonical;
mod carry;
mod cases;
mod check;
mod conjunction;
mod decimal;
mod document;
mod fill;
mod judge;
mod naming;
mod outline;
mod pattern;

pub use address::address_from;
pub use cases::Cases;
pub use decimal::{begins_number, whole_number};
pub use diagnostic::{Diagnostic, Reason};
pub use draft::{Content, Draft, Entered, Entry, Item, State};
pub use edit::Edit;
pub use error::EditError;
pub use field::{
    Bounds, Branch, ChoiceOption, Extras, Field, FieldKind, Limit, ListField, ObjectField, Slot,
    TextField,
};
pub use form::{Form, Integers};
pub use format::Format;
pub use history::History;
pub use narrow::{Narrowed, Narrowing};
pub use paste::{PasteError, Pasted};
pub use path::{ItemId, Path, Step};
pub use range::Range;
pub use read::{Fault, Message, Reading, Tone};
pub use spelling::{keyword_meant, types_meant};
pub use types::Types;
