//! The page, compiled twice: for the browser, and for the host's first paint.
//!
//! `api` holds the doorways to the host and the types that cross them, `host` the port behind the
//! doorways, `state` the reactive state of a page, `pages` arranges and `components` draw.

#![recursion_limit = "256"]
#![cfg_attr(
    all(feature = "ssr", not(test)),
    allow(dead_code, reason = "the host is built without the scenes, which call it")
)]
#![allow(
    unreachable_pub,
    reason = "#[component] makes its function pub; pages and parts of components are not"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "a component's props are values, whether it consumes them or only looks"
)]

pub mod api;
pub mod components;
pub mod host;
pub mod pages;
mod shell;
pub mod state;

pub use shell::{App, shell};
