//! [`Caller`]: who sends a request.

use live::DisplayName;

/// Who sends a request, in the request's extensions. There is none where nobody is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The name in the configuration: a person's, or that of a token.
    pub(crate) name: DisplayName,
    /// How they showed it.
    pub(crate) how: How,
}

/// How somebody showed who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Logged in.
    Password,
    /// With a token.
    Token,
}

impl Caller {
    /// Who sends a gRPC request.
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

impl How {
    /// As the audit writes it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Token => "token",
        }
    }
}
