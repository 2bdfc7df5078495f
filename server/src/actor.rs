//! The name of the person who acts on a page: the logged-in person, or, when authentication is off,
//! the name that the page sends.

use api::ApiError;
use live::DisplayName;

use crate::access;

/// The name of the acting person.
///
/// # Errors
/// [`ApiError::LiveRefused`] if the name that the page sends is not a valid name.
pub(crate) fn actor(given: &str) -> Result<DisplayName, ApiError> {
    match access::caller() {
        Some(caller) => Ok(caller.name),
        None => person(given),
    }
}

/// The name of the exporting person, as [`actor`] returns it; `None` if the page sends no name.
///
/// # Errors
/// As for [`actor`].
pub(crate) fn exporter(given: Option<&str>) -> Result<Option<DisplayName>, ApiError> {
    match (access::caller(), given) {
        (Some(caller), _) => Ok(Some(caller.name)),
        (None, given) => given.map(person).transpose(),
    }
}

/// Parses the name that the page sends.
///
/// # Errors
/// As for [`actor`].
pub(crate) fn person(name: &str) -> Result<DisplayName, ApiError> {
    DisplayName::given(name).map_err(|fault| ApiError::LiveRefused(fault.to_string()))
}
