//! Brotli at its highest quality, once at build time rather than at every request.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// As high as brotli goes.
const QUALITY: u32 = 11;
/// The largest window that every browser accepts, as a power of two.
const WINDOW: u32 = 22;

/// Where the compressed twin of a file lies: its name with `.br` after it.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".br");
    PathBuf::from(name)
}

/// `contents`, compressed.
pub(crate) fn brotli(contents: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(contents.len() / 3);
    let mut writer = brotli::CompressorWriter::new(&mut packed, 64 * 1024, QUALITY, WINDOW);
    writer.write_all(contents).context("brotli refused its input")?;
    drop(writer);
    Ok(packed)
}

/// The reverse of [`brotli`].
#[cfg(test)]
pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<u8>> {
    let mut contents = Vec::new();
    brotli::BrotliDecompress(&mut &packed[..], &mut contents)?;
    Ok(contents)
}
