//! Makes the site: the client with its JavaScript, one stylesheet, and the contents of `public/`.
//!
//! The program of this crate makes the quick build's site. `xtask-ship` makes the shipped one, and also
//! splits, shrinks and compresses it, with libraries that a first run does not need.

mod bind;
mod folder;
mod style;

pub use bind::bind;
pub use folder::{Compression, SiteFolder, compressed_path};

/// The name of the package in the page's addresses: `/pkg/rehearsal.js` and its siblings.
pub const NAME: &str = "rehearsal";
