//! Forms for JSON Schemas, and the exact JSON that a filled form sends.
//!
//! A [`Form`] describes the fields; a [`Draft`] is what a person has entered into them; a
//! [`Reading`] is the JSON that the draft would send, or the messages that prevent it. All three are
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
//! Left to others: drawing (`app`), and final validation (the host's `jsonschema`), whose messages
//! are placed with [`Draft::locate`]. The host alone checks unsupported patterns.
//! Why it works as it does: `docs/design/forms.md`.

mod appearance;
mod docstring;
mod field;
mod form;
mod format;
mod option_search;
mod slider;

mod blank;
mod draft;
mod edit;
mod fill;
mod history;
mod migrate;
mod paste;
mod path;
mod read;

mod diagnostic;
mod error;
mod outline;
mod spelling;
mod types;

mod bounds;
mod canonical;
mod check;
mod condition;
mod document;
mod entry_schemas;
mod merged;
mod partial_validator;
mod pattern;
mod source;
mod typed_number;
mod uri;

pub use appearance::quoted_if_unclear;
pub use bounds::{Bounds, Limit};
pub use diagnostic::{Diagnostic, Reason};
pub use docstring::describe_arguments;
pub use draft::{ConditionState, Content, Draft, Entered, Entry, Item, State};
pub use edit::Edit;
pub use error::EditError;
pub use field::{
    Branch, ChoiceOption, Extras, Field, FieldKind, ListField, ObjectField, Slot, TextField,
};
pub use form::{Form, Integers};
pub use format::Format;
pub use history::History;
pub use option_search::{OptionMatches, OptionSearch};
pub use paste::{PasteError, Pasted};
pub use path::{ItemId, Path, PathStep};
pub use read::{Message, MessageKind, Reading, Tone};
pub use slider::SliderRange;
pub use spelling::{canonical_keyword, canonical_types};
pub use typed_number::{begins_number, whole_number};
pub use types::Types;
pub use uri::resolve_uri;
