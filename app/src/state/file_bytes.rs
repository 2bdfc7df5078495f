//! The bytes of a file in a field: how many it takes, and what is said of a file that is not taken.

use super::times::size;

/// The longest file that a field takes, in bytes. It is drawn, checked and sent as one text, four
/// thirds as long.
pub const MOST: usize = 5_000_000;

/// The longest base64 that stands in an input as it is, in characters.
pub const SHOWN_BASE64: usize = 20_000;

/// Why a file of so many bytes is not taken; `None` for one that is.
#[must_use]
pub fn refusal(name: &str, bytes: f64) -> Option<String> {
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
            "{name} is {long} long, and a field takes files of up to {}: choose a shorter one, or \
             give the tool its address if it takes that.",
            size(MOST as u64)
        )
    })
}

/// What is said of a file that the browser could not read.
#[must_use]
pub fn unreadable(name: &str) -> String {
    format!("{name} could not be read: it may have been moved or changed. Choose it once more.")
}

/// How many bytes a base64 text stands for.
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
        let told = refusal("film.mp4", 1_234_567_890.0).expect("too long");
        assert!(told.starts_with("film.mp4 is 1234.6 MB long"), "{told}");
        assert!(told.contains("up to 5.0 MB"), "{told}");
    }

    #[test]
    fn base64_is_counted_as_bytes() {
        for (base64, bytes) in [("", 0), ("AA==", 1), ("AAA=", 2), ("AAAA", 3), ("AAAA\r\nAAAA", 6)]
        {
            assert_eq!(bytes_of(base64), bytes, "{base64:?}");
        }
    }
}
