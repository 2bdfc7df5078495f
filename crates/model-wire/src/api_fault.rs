//! [`ApiFault`]: an error, before it is written in a vendor's format.

use live::{Invalid, TooLarge};

/// An error response, independent of the vendor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiFault {
    /// The kind, which determines the status.
    pub kind: FaultKind,
    /// What happened and what to do; for an invalid request `field: rule`.
    pub message: String,
    /// The invalid field, if any.
    pub field: Option<String>,
}

/// Kinds of faults, by their HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// 400: the request breaks a rule.
    Invalid,
    /// 401: the client is not authenticated.
    Unauthenticated,
    /// 404: the path does not exist.
    NotFound,
    /// 405: the path requires another method.
    WrongMethod,
    /// 409: the session is completed, or the key names another request.
    Conflict,
    /// 413: the body is too long, or has more than the page can show.
    TooLarge,
    /// 422: a person canceled the request.
    Cancelled,
    /// 429: too many attempts with wrong tokens.
    TooMany,
    /// 500: a fault of the host.
    Internal,
    /// 501: a method that a person cannot do, such as counting tokens.
    NotImplemented,
    /// 503: the host is stopping or its disk is full; retry later.
    Unavailable,
}

impl ApiFault {
    /// A fault without a field.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), field: None }
    }
}

impl From<Invalid> for ApiFault {
    fn from(invalid: Invalid) -> Self {
        Self { kind: FaultKind::Invalid, message: invalid.to_string(), field: Some(invalid.field) }
    }
}

impl From<TooLarge> for ApiFault {
    fn from(error: TooLarge) -> Self {
        Self::new(FaultKind::TooLarge, error.to_string())
    }
}

impl FaultKind {
    /// The HTTP status.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Unauthenticated => 401,
            Self::NotFound => 404,
            Self::WrongMethod => 405,
            Self::Conflict => 409,
            Self::TooLarge => 413,
            Self::Cancelled => 422,
            Self::TooMany => 429,
            Self::Internal => 500,
            Self::NotImplemented => 501,
            Self::Unavailable => 503,
        }
    }

    /// Whether a retry may succeed.
    #[must_use]
    pub fn is_passing(self) -> bool {
        matches!(self, Self::TooMany | Self::Internal | Self::Unavailable)
    }
}
