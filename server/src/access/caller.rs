//! [`Caller`]: the authenticated sender of a request.

use live::DisplayName;

/// The authenticated sender of a request, stored in the request's extensions. Missing when
/// authentication is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The name in the configuration: of a person, or of a token.
    pub(crate) name: DisplayName,
    /// How the caller authenticated.
    pub(crate) how: How,
    /// The login name, or the token's public id.
    pub(crate) id: String,
}

/// The means of authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A login session.
    Password,
    /// A token.
    Token,
}

impl Caller {
    /// Distinguishes callers: tokens of one program are different callers.
    pub(crate) fn identity(&self) -> String {
        self.how.identity(&self.id)
    }

    /// The caller of a gRPC request.
    pub(crate) fn of<T>(request: &tonic::Request<T>) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

impl How {
    /// The identity of the caller with this id.
    pub(crate) fn identity(self, id: &str) -> String {
        format!("{} {id}", self.word())
    }

    /// The name as the audit log writes it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Token => "token",
        }
    }
}
