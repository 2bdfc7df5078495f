//! [`EditError`]: an edit that does not apply to its place.

use crate::ItemId;

/// Why an edit changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The path does not exist, for instance because a list item was removed.
    #[error("the draft has no place `{path}`; get the path from the draft again")]
    NoSuchPlace {
        /// The path, as [`crate::Path`] displays it.
        path: String,
    },
    /// The field is of another kind.
    #[error("`{edit}` does not apply to {kind}")]
    WrongKind {
        /// The edit's name.
        edit: &'static str,
        /// What the place takes.
        kind: &'static str,
    },
    /// `null` where the schema does not allow it.
    #[error("`{name}` cannot be null: its schema does not allow it")]
    NotNullable {
        /// The field's key.
        name: String,
    },
    /// A position beyond the last option, branch or item.
    #[error("position {position} does not exist: there are {count}")]
    NoSuchPosition {
        /// The requested position, from 0.
        position: usize,
        /// How many there are.
        count: usize,
    },
    /// An item or entry that does not exist, or was removed.
    #[error("unknown item {id}; it may have been removed")]
    NoSuchItem {
        /// The requested identity.
        id: ItemId,
    },
    /// Text that is not valid JSON cannot go back into widgets.
    #[error("not JSON yet: {0}")]
    NotJson(#[from] json_text::JsonTextError),
}
