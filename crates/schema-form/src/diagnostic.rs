//! [`Diagnostic`]: a problem of a schema, and where it is.
//!
//! A schema with problems still makes a form; the affected places take JSON text and give the reason.

use std::fmt;

/// A problem in a schema that its author should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The JSON pointer in the given text.
    pub pointer: String,
    /// What the problem is.
    pub reason: Reason,
}

/// Why no widget can express a schema.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A `$ref` leads back to itself without a constraint.
    RefCycle {
        /// The reference that closes the cycle.
        reference: String,
    },
    /// A `$ref` to something that is not in the document.
    RefNotFound {
        /// The reference as written.
        reference: String,
    },
    /// A type name that is not known.
    UnknownType {
        /// The type as written.
        name: String,
    },
    /// A keyword with a value of the wrong type.
    WrongShape {
        /// The keyword.
        keyword: String,
    },
    /// The schema is neither an object nor a boolean.
    NotASchema,
    /// No value can be valid: the schema is `false` or contradicts itself.
    NothingValid,
    /// No value can be valid in one branch of a union; others may have valid values.
    BranchDead,
    /// The text is nested too deep to be parsed.
    TooDeep {
        /// How deep it is.
        levels: usize,
    },
    /// The schema begins a chain of references that is too long to follow.
    LongChain {
        /// How many `$ref`s and `allOf`s are followed.
        followed: usize,
    },
}

impl Reason {
    /// The reason's name, for counting.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::RefCycle { .. } => "ref_cycle",
            Self::RefNotFound { .. } => "ref_not_found",
            Self::UnknownType { .. } => "unknown_type",
            Self::WrongShape { .. } => "wrong_shape",
            Self::NotASchema => "not_a_schema",
            Self::NothingValid => "nothing_valid",
            Self::BranchDead => "branch_dead",
            Self::TooDeep { .. } => "too_deep",
            Self::LongChain { .. } => "long_chain",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RefCycle { reference } => {
                write!(formatter, "The schema's $ref `{reference}` leads back to itself.")
            }
            Self::RefNotFound { reference } => {
                write!(formatter, "The schema's $ref `{reference}` is not in its document.")
            }
            Self::UnknownType { name } => {
                write!(formatter, "The schema's type `{name}` is unknown.")
            }
            Self::WrongShape { keyword } => {
                write!(formatter, "The schema's `{keyword}` has a value of the wrong type.")
            }
            Self::NotASchema => formatter.write_str("The schema must be an object or a boolean."),
            Self::NothingValid => formatter.write_str("No value is valid for this schema."),
            Self::BranchDead => formatter.write_str("No value is valid for this alternative."),
            Self::TooDeep { levels } => {
                write!(formatter, "The schema is nested {levels} levels deep.")
            }
            Self::LongChain { followed } => write!(
                formatter,
                "The schema starts a chain of more than {followed} references (`$ref`, `allOf`)."
            ),
        }
    }
}
