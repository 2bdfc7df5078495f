//! Who acts on a page: the person who has logged in, and where nobody is asked to, the name that the
//! page gives.

use api::ApiError;
use live::DisplayName;

use crate::access;

/// Who acts.
///
/// # Errors
/// [`ApiError::LiveRefused`] when the name that the page gives breaks its rule.
pub(crate) fn actor(given: &str) -> Result<DisplayName, ApiError> {
    match access::caller() {
        Some(caller) => Ok(caller.name),
        None => person(given),
    }
}

/// Who exports: as [`actor`], or nobody where the page knows no name.
///
/// # Errors
/// As those of [`actor`].
pub(crate) fn exporter(given: Option<&str>) -> Result<Option<DisplayName>, ApiError> {
    match (access::caller(), given) {
        (Some(caller), _) => Ok(Some(caller.name)),
        (None, given) => given.map(person).transpose(),
    }
}

/// A person by the name that the page gives.
///
/// # Errors
/// As those of [`actor`].
pub(crate) fn person(name: &str) -> Result<DisplayName, ApiError> {
    DisplayName::given(name).map_err(|fault| ApiError::LiveRefused { reason: fault.to_string() })
}
