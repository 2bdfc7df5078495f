//! The site: the client bound for the browser, one stylesheet, and the contents of `public/`.
//!
//! The program of this crate makes the quick build's site. The shipped one is made by `xtask-ship`,
//! which also splits, shrinks and compresses: libraries that a first run need not wait for.

mod bind;
mod folder;
mod style;

pub use bind::bind;
pub use folder::{Compression, SiteFolder, compressed_path};

/// The name of the package in the page's addresses: `/pkg/rehearsal.js` and its siblings.
pub const NAME: &str = "rehearsal";
