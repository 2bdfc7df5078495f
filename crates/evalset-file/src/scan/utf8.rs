//! Checks UTF-8 chunk by chunk; a character may cross the end of a chunk.

/// The bytes of an incomplete character.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Utf8 {
    pending: [u8; 4],
    held: usize,
}

impl Utf8 {
    /// Checks the next chunk. The error is the offset of the first invalid byte in the chunk; zero if the
    /// fault began in an earlier one.
    pub(super) fn take(&mut self, mut chunk: &[u8]) -> Result<(), usize> {
        let mut skipped = 0;
        while self.held > 0 {
            let Some((&first, rest)) = chunk.split_first() else { return Ok(()) };
            self.pending[self.held] = first;
            self.held += 1;
            match std::str::from_utf8(&self.pending[..self.held]) {
                Ok(_) => self.held = 0,
                Err(error) if error.error_len().is_none() && self.held < 4 => {}
                Err(_) => return Err(skipped),
            }
            chunk = rest;
            skipped += 1;
        }
        match simdutf8::compat::from_utf8(chunk) {
            Ok(_) => Ok(()),
            Err(error) if error.error_len().is_none() => {
                let rest = &chunk[error.valid_up_to()..];
                self.pending[..rest.len()].copy_from_slice(rest);
                self.held = rest.len();
                Ok(())
            }
            Err(error) => Err(skipped + error.valid_up_to()),
        }
    }

    /// Whether a character is incomplete.
    pub(super) fn is_between(self) -> bool {
        self.held == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_boundaries_may_split_characters() {
        let text = "aé😀語z".as_bytes();
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let mut utf8 = Utf8::default();
                for part in [&text[..first], &text[first..second], &text[second..]] {
                    assert_eq!(utf8.take(part), Ok(()));
                }
                assert!(utf8.is_between());
            }
        }
    }

    #[test]
    fn faults_are_found() {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.take(b"ab\xff"), Err(2));
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.take(b"ab\xe2\x82"), Ok(()));
        assert!(!utf8.is_between());
        assert_eq!(utf8.take(b"x"), Err(0));
    }
}
