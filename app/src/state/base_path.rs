//! The base path: the path below which the host is served, such as `/team`; empty at the root.
//!
//! An address of the page is whole: [`address`] puts the base path before a path of the app, and
//! [`unresolved`] is how the router goes to it. The host provides the base path to the page that it draws,
//! and writes it into the document, where the browser finds it.

use leptos::prelude::*;
use leptos::server_fn::client::{get_server_url, set_server_url};
use leptos_router::NavigateOptions;
use leptos_router::location::RequestUrl;

/// The attribute of `<html>` that holds the base path.
const ATTRIBUTE: &str = "data-base";

/// The base path, in the context of a page that the host draws.
#[derive(Clone)]
struct BasePath(String);

/// Provides the base path to the page that the host draws. The router then reads the address as the
/// browser has it.
pub fn provide_base_path(base: &str) {
    if let Some(url) = use_context::<RequestUrl>() {
        let url = url.as_ref();
        let host = url.find("://").map_or(0, |at| at + 3);
        let path = url[host..].find('/').map_or(url.len(), |at| host + at);
        provide_context(RequestUrl::new(&format!("{}{base}{}", &url[..path], &url[path..])));
    }
    provide_context(BasePath(base.to_owned()));
}

/// Takes the base path from the document; server functions then use it, too. Call it once, before the
/// page is mounted.
pub fn adopt_base_path() {
    let root = document().document_element();
    if let Some(base) = root.and_then(|root| root.get_attribute(ATTRIBUTE)) {
        set_server_url(base.leak());
    }
}

/// The base path.
#[must_use]
pub fn base_path() -> String {
    // Without an owner, as in event handlers, only the browser asks.
    use_context::<BasePath>().map_or_else(|| get_server_url().to_owned(), |base| base.0)
}

/// The address of a path of the app or of the host, such as `/live`.
#[must_use]
pub fn address(path: &str) -> String {
    base_path() + path
}

/// The path of the app in an address: the inverse of [`address`].
#[must_use]
pub fn path_in(address: &str) -> &str {
    address.strip_prefix(&*base_path()).unwrap_or(address)
}

/// How the router goes to an [`address`].
#[must_use]
pub fn unresolved() -> NavigateOptions {
    // It would otherwise put the base path before the address.
    NavigateOptions { resolve: false, ..NavigateOptions::default() }
}

#[cfg(test)]
mod tests {
    use leptos_router::location::RequestUrl;

    use super::*;

    #[test]
    fn the_host_draws_addresses_below_its_base_path() {
        for (base, path) in
            [("", "/live?x=1"), ("/team", "/live?x=1"), ("/team", "//x"), ("/a/b", "/")]
        {
            Owner::new().with(|| {
                provide_context(RequestUrl::new(&format!("http://leptos.dev{path}")));
                provide_base_path(base);
                let url = use_context::<RequestUrl>().expect("provided");
                assert_eq!(url.as_ref(), format!("http://leptos.dev{base}{path}"));
                assert_eq!(address(path), format!("{base}{path}"));
                assert_eq!(path_in(&address(path)), path);
            });
        }
    }
}
