//! What the pages and the views have in common, compiled twice: for the browser, and for the host's first paint.
//!
//! - `state`: the reactive state, and the views that the browser loads on demand (`state::lazy_pages`).
//! - `components`: what pages and views draw with.
//!
//! The page's requests are in the crate `api`, with their types.
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
pub mod state;
