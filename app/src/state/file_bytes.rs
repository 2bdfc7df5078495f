//! The bytes of a file in a form field: the limit, the messages for rejected files, and base64.

use crate::state::times::size;

/// The longest file that a field accepts, in bytes. Its base64 text, a third longer, is drawn,
/// checked and sent.
pub const MOST: usize = 5_000_000;

/// The longest base64 that is shown in an input, in characters. For a longer one the input shows
/// its size.
pub const TYPED_BASE64: usize = 20_000;

/// Why a file of `bytes` bytes is rejected; `None` if it is accepted.
#[must_use]
pub fn refusal(name: &str, bytes: f64) -> Option<String> {
    if bytes < 1.0 {
        return Some(format!("{name} is empty. Choose another file."));
    }
    #[expect(clippy::cast_precision_loss, reason = "the limit is a small number")]
    let is_taken = bytes <= MOST as f64;
    (!is_taken).then(|| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a file's length is a whole number"
        )]
        let long = size(bytes as u64);
        format!(
            "{name} is {long}. The limit is {}. Choose a smaller file, or use a URL if the tool accepts one.",
            size(MOST as u64)
        )
    })
}

/// The message for a file that the browser could not read.
#[must_use]
pub fn unreadable(name: &str) -> String {
    format!("{name} cannot be read. It may have moved or changed. Choose it again.")
}

/// The base64 of a file that was read as a `data:` URL; `None` if it is empty.
#[must_use]
pub fn base64_in(data_url: &str) -> Option<&str> {
    let (_, base64) = data_url.split_once(',')?;
    (!base64.is_empty()).then_some(base64)
}

/// The number of bytes that a base64 text encodes.
#[must_use]
pub fn bytes_of(base64: &str) -> usize {
    let digits = base64.bytes().filter(|byte| !b"=\r\n".contains(byte)).count();
    digits * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_refused_with_its_length_and_the_limit() {
        assert_eq!(refusal("a.bin", 5_000_000.0), None);
        let message = refusal("film.mp4", 1_234_567_890.0).expect("too long");
        assert!(message.starts_with("film.mp4 is 1234.6 MB"), "{message}");
        assert!(message.contains("The limit is 5.0 MB"), "{message}");
    }

    #[test]
    fn an_empty_file_is_rejected() {
        let message = refusal("notes.txt", 0.0).expect("empty");
        assert!(message.starts_with("notes.txt is empty"), "{message}");
        assert_eq!(refusal("one.bin", 1.0), None);
    }

    #[test]
    fn the_base64_follows_the_comma() {
        assert_eq!(base64_in("data:text/plain;base64,AAEC"), Some("AAEC"));
        // The URL of an empty file.
        for nothing in ["data:", "data:application/octet-stream;base64,", ""] {
            assert_eq!(base64_in(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn base64_is_counted_as_bytes() {
        for (base64, bytes) in [("", 0), ("AA==", 1), ("AAA=", 2), ("AAAA", 3), ("AAAA\r\nAAAA", 6)]
        {
            assert_eq!(bytes_of(base64), bytes, "{base64:?}");
        }
    }
}
