//! Compresses with brotli at its highest quality, at build time.

use std::io::Write as _;

use anyhow::{Context, Result};

/// The highest quality of brotli.
const QUALITY: u32 = 11;
/// The largest window that every browser accepts, as a power of two.
const WINDOW: u32 = 22;

/// Compresses `contents`.
pub(crate) fn brotli(contents: &[u8]) -> Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(contents.len() / 3);
    let mut writer = brotli::CompressorWriter::new(&mut packed, 64 * 1024, QUALITY, WINDOW);
    writer.write_all(contents).context("brotli refused its input")?;
    drop(writer);
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decompresses_to_the_same_bytes() -> Result<()> {
        let text = "body { color: red } ".repeat(100);
        let packed = brotli(text.as_bytes())?;
        assert!(packed.len() < text.len() / 10);
        let mut contents = Vec::new();
        brotli::BrotliDecompress(&mut &packed[..], &mut contents)?;
        assert_eq!(contents, text.as_bytes());
        Ok(())
    }
}
