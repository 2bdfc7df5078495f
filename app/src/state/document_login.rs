//! Who is logged in, as the document says. The page then knows it before the host's first event, and also behind
//! a proxy that passes no WebSocket on.

use leptos::prelude::*;

/// The attribute of `<html>` that holds the name of the login.
const ATTRIBUTE: &str = "data-person";

/// The name of the login, in the context of a page that the host draws.
#[derive(Clone)]
struct LoginName(String);

/// Provides the name of the login to the document that the host draws.
pub fn provide_login_name(name: String) {
    provide_context(LoginName(name));
}

/// The name for the document. `None` without a login.
#[must_use]
pub fn login_name() -> Option<String> {
    use_context::<LoginName>().map(|name| name.0)
}

/// The name in the document that the browser has loaded. `None` without a login.
#[must_use]
pub fn login_in_document() -> Option<String> {
    document().document_element().and_then(|root| root.get_attribute(ATTRIBUTE))
}
