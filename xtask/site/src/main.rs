//! Makes the quick build's site from a compiled client: in one file, not shrunk and not compressed.

use std::fs;

use anyhow::{Context as _, Result};
use xtask::stamp::{self, Inputs};
use xtask::workspace::{Build, Workspace};
use xtask_site::{SiteFolder, bind};

fn main() -> Result<()> {
    let workspace = &Workspace::find()?;
    let module = workspace.client(Build::Quick);
    let bound = workspace.target().join("setup").join("client-quick");
    let stamp = bound.join("stamp");
    let digest = Inputs::default().file(&module)?.digest();
    if !stamp::matches(&stamp, &digest) {
        stamp::clear(&stamp)?;
        fs::create_dir_all(&bound).with_context(|| format!("cannot create {}", bound.display()))?;
        bind(&module, &bound)?;
        stamp::set(&stamp, &digest)?;
    }
    let mut site = SiteFolder::new(workspace.site(Build::Quick), None);
    site.add_package(&bound, &stamp)?;
    site.finish(workspace, |css| Ok(css.to_owned()))
}
