//! A JSON value as rows to read.
//!
//! A [`Tree`] is a value with its view state: what is open, what is shown raw, and the current row.
//! [`Tree::row_count`] rows of it are visible; [`Tree::view`] returns the content of one of them, and a
//! [`Layout`] the rows in a window. Strings that hold JSON, markdown, code, a
//! diff, an address or an image, and lists of like objects, are recognized ([`Shape`]) when they
//! are looked at. A [`Find`] searches a slice at a time.
//!
//! ```
//! use json_text::JsonText;
//! use value_tree::Tree;
//!
//! let value = JsonText::parse(r#"{"id": 9007199254740993, "reply": "{\"fares\": [120, 210]}"}"#)?;
//! let mut tree = Tree::new(value);
//! tree.expand(usize::MAX);
//! let names: Vec<String> = (0..tree.row_count()).map(|row| tree.view(row).name).collect();
//! assert_eq!(names, ["id", "reply", "fares", "0", "1"]);
//! assert_eq!(tree.view(3).path, "json($.reply).fares[0]");
//! # Ok::<(), json_text::JsonTextError>(())
//! ```
//!
//! The values are hostile until shown otherwise: nothing here recurses over the value, every look
//! at a string is bounded, and a number is never parsed.
//!
//! Left to others: drawing (`app`). Why it works as it does: `docs/design/value-viewer.md`.

pub mod excerpt;
pub mod preview;

mod nodes;
mod row;
mod rows;
mod tree;
mod view;

mod layout;

mod case_insensitive;
mod find;

mod highlight;

mod carry_over;
mod path;

mod detect;
mod scan;

pub use case_insensitive::{find_all, find_first, marked};
pub use detect::{Image, Language, Shape, is_more_than_text};
pub use find::{Find, TruncatedSearch};
pub use highlight::{Highlighter, SyntaxColor};
pub use layout::{Layout, Window};
pub use nodes::NodeId;
pub use row::{Row, RowKind, RowState};
pub use tree::{Missing, Tree};
pub use view::{Block, Cell, Column, RowContent, RowView};
