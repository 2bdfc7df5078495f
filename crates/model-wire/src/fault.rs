//! [`Fault`]: why there is no answer, before it takes a vendor's shape.

use live::Invalid;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What sort of fault it is, which gives the status.
    pub kind: FaultKind,
    /// What happened and what to do. Of an invalid request, `field: rule`.
    pub message: String,
    /// The field that is meant, where there is one.
    pub field: Option<String>,
}

/// Sorts of faults, by their HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// 400: the request breaks a rule.
    Invalid,
    /// 401: who asks is not known.
    Unauthenticated,
    /// 404: there is no such thing here.
    NotFound,
    /// 405: there is such a thing, and it is asked for by another method.
    WrongMethod,
    /// 409: the session is completed, or the key names another request.
    Conflict,
    /// 413: the body is too long.
    TooLarge,
    /// 422: somebody decided not to answer.
    Cancelled,
    /// 429: too many attempts with wrong tokens.
    TooMany,
    /// 500: a fault of the host.
    Internal,
    /// 501: something that a person cannot do, such as counting tokens.
    NotImplemented,
    /// 503: the host is stopping or its disk is full; to be asked again.
    Unavailable,
}

impl Fault {
    /// A fault without a field.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), field: None }
    }
}

impl From<Invalid> for Fault {
    fn from(invalid: Invalid) -> Self {
        Self { kind: FaultKind::Invalid, message: invalid.to_string(), field: Some(invalid.field) }
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

    /// Whether the same request may fare better later.
    #[must_use]
    pub fn is_passing(self) -> bool {
        matches!(self, Self::TooMany | Self::Internal | Self::Unavailable)
    }
}
