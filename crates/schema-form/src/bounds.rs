//! [`Bounds`]: the constraints of a number.

/// The constraints of a number; the limits are JSON numbers as the schema writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// `minimum` or `exclusiveMinimum`
    pub minimum: Option<Limit>,
    /// `maximum` or `exclusiveMaximum`
    pub maximum: Option<Limit>,
    /// `multipleOf`
    pub multiple_of: Option<String>,
}

/// An end of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The JSON number as the schema writes it.
    pub number: String,
    /// Whether the number itself is excluded.
    pub exclusive: bool,
}
