//! [`FunctionError`]: why a function that the author of a case wrote gave nothing.

use std::error::Error;

/// Why a function that the author of a case wrote gave nothing: a text of its own, or the error of something that it
/// uses.
///
/// ```
/// use eval::FunctionError;
/// let error = FunctionError::from("the form has no name; add one");
/// assert_eq!(error.to_string(), "the form has no name; add one");
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct FunctionError(Box<dyn Error + Send + Sync>);

impl FunctionError {
    /// The error of something that a function uses.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl From<String> for FunctionError {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for FunctionError {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}
