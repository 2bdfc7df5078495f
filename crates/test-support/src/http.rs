//! An HTTP client for tests.

/// A client that goes to the host without a proxy.
///
/// # Panics
/// When the client cannot be built.
pub fn http_client() -> reqwest::Client {
    http_client_builder().build().unwrap()
}

/// What [`http_client`] is built of, for tests that need an option more.
pub fn http_client_builder() -> reqwest::ClientBuilder {
    // Together with the host, reqwest is compiled with TLS but without a provider of its own. Where
    // one is installed already, it stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy()
}
