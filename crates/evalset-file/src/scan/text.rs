//! [`Text`]: checks the inside of a string byte by byte, across the ends of chunks.

/// Within a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Text {
    #[default]
    Plain,
    /// After a backslash.
    Escape,
    /// This many hexadecimal digits of a `\u` are missing.
    Hex(u8),
}

/// Whether a byte stands for itself in a string.
fn is_plain(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\'
}

/// How many bytes at the beginning stand for themselves in a string.
#[inline]
fn plain_bytes(bytes: &[u8]) -> usize {
    // Without branches within a block, the compiler uses vectors.
    let (blocks, _) = bytes.as_chunks::<16>();
    let is_plain_block =
        |block: &&[u8; 16]| block.iter().fold(true, |plain, byte| plain & is_plain(*byte));
    let at = 16 * blocks.iter().take_while(is_plain_block).count();
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len())
}

impl Text {
    /// Continues with the bytes of a chunk from `at` on: the index after the closing quote, or `None` if
    /// the string goes on in the next chunk.
    ///
    /// # Errors
    /// The index of the wrong byte, and what is wrong.
    #[inline]
    pub(super) fn end(
        &mut self,
        bytes: &[u8],
        mut at: usize,
    ) -> Result<Option<usize>, (usize, &'static str)> {
        loop {
            if *self == Self::Plain {
                at += plain_bytes(bytes.get(at..).unwrap_or_default());
            }
            let Some(&byte) = bytes.get(at) else { return Ok(None) };
            *self = match (*self, byte) {
                (Self::Plain, b'"') => return Ok(Some(at + 1)),
                (Self::Plain, b'\\') => Self::Escape,
                (Self::Plain, b'\n' | b'\r') => {
                    return Err((
                        at,
                        "a string runs past the end of its line; close it with a quote, or write \\n",
                    ));
                }
                (Self::Plain, _) => {
                    return Err((at, "an unescaped control character in a string"));
                }
                (Self::Escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                    Self::Plain
                }
                (Self::Escape, b'u') => Self::Hex(4),
                (Self::Escape, _) => return Err((at, "an invalid escape sequence")),
                (Self::Hex(missing), b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => match missing {
                    ..=1 => Self::Plain,
                    _ => Self::Hex(missing - 1),
                },
                (Self::Hex(_), _) => return Err((at, "\\u needs four hexadecimal digits")),
            };
            at += 1;
        }
    }
}
