//! A page without a browser: runs a [`Session`](session::Session) against a running host, over the
//! same server functions and the same WebSocket as the real page.
//!
//! For tests only, so its methods panic with what went wrong.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod http;
mod page;

pub use http::{http_client, http_client_builder};
pub use page::{Page, arguments};
