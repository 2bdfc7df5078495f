//! [`EditError`]: an edit that does not fit the place it was meant for.

use crate::ItemId;

/// Why an edit changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The path leads nowhere, for instance into a list's item that was removed meanwhile.
    #[error("the draft has no place `{path}`; read the path anew from the draft")]
    NoSuchPlace {
        /// The path, as [`crate::Path`] displays it.
        path: String,
    },
    /// The place is of another kind.
    #[error("`{edit}` does not fit {kind}")]
    WrongKind {
        /// The edit's name.
        edit: &'static str,
        /// What the place takes.
        kind: &'static str,
    },
    /// `null` where the schema does not admit it.
    #[error("`{name}` cannot be null: its schema does not admit it")]
    NotNullable {
        /// The field's key.
        name: String,
    },
    /// A position beyond the options, branches or items there are.
    #[error("there is no number {position}: there are {count}")]
    NoSuchPosition {
        /// The position asked for, from 0.
        position: usize,
        /// How many there are.
        count: usize,
    },
    /// An item or entry that is not there (any more).
    #[error("there is no item {id}; it may have been removed")]
    NoSuchItem {
        /// The identity asked for.
        id: ItemId,
    },
    /// Text that is not JSON yet cannot go back into widgets.
    #[error("not JSON yet: {0}")]
    NotJson(#[from] json_text::JsonTextError),
}
