//! Makes the shipped site from a compiled client: split by area, shrunk and compressed.
//!
//! docs/design/client-size.md gives the reasons for the split, docs/design/builds.md those for
//! a separate crate.

mod client;
mod compress;
mod minify;

use anyhow::Result;
use xtask::workspace::{Build, Workspace};
use xtask_site::SiteFolder;

fn main() -> Result<()> {
    let workspace = &Workspace::find()?;
    let made = client::build(workspace)?;
    let mut site = SiteFolder::new(workspace.site(Build::Shipped), Some(compress::brotli));
    site.add_package(&made.folder, &made.stamp)?;
    site.finish(workspace, |css| minify::minified(workspace, minify::Language::Css, css))
}
