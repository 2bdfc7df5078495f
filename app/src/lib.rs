//! What the pages and the views have in common, compiled twice: for the browser, and for the host's first paint.
//!
//! - `server_functions`: the page's requests, with the types of the crate `api`.
//! - `host`: the traits that the host implements for them.
//! - `state`: the reactive state.
//! - `components`: what pages and views draw with.
//! - `lazy_pages`: the views that the browser loads on demand, from the crate `views`.
//!
//! The pages themselves are in the crate `pages`, on which neither this crate nor `views` depends: an edit of a page
//! compiles that crate only.

#![recursion_limit = "256"]
#![allow(
    unreachable_pub,
    reason = "#[component] makes its function pub; parts of components are not"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "a component's props are values, whether it consumes them or only looks"
)]

pub mod components;
pub mod lazy_pages;
pub mod state;
