//! The page size and the cursor of a list of sessions.

use live::Invalid;

/// The default number of sessions on a page.
const USUAL: u32 = 50;
/// The most sessions on a page.
const MOST: u32 = 500;

/// Checks the number of sessions on a page; 0 means the default of 50.
///
/// # Errors
/// [`Invalid`] beyond 500.
pub fn page_size(asked: u32) -> Result<u32, Invalid> {
    match asked {
        0 => Ok(USUAL),
        size if size <= MOST => Ok(size),
        size => Err(Invalid::new("page_size", format!("must be at most {MOST}, not {size}"))),
    }
}

/// Parses the cursor of the next page, a number above 0; an empty one is the beginning.
///
/// # Errors
/// [`Invalid`] for a text that [`cursor_to_wire`] does not write.
pub fn cursor(text: &str) -> Result<Option<i64>, Invalid> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number > 0 && cursor_to_wire(*number) == text);
    number
        .map(Some)
        .ok_or_else(|| Invalid::new("cursor", "must be a next_cursor of an earlier page"))
}

/// Formats a cursor.
#[must_use]
pub fn cursor_to_wire(number: i64) -> String {
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_cursors_that_the_host_writes() {
        assert_eq!(cursor(""), Ok(None));
        for number in [1, i64::MAX] {
            assert_eq!(cursor(&cursor_to_wire(number)), Ok(Some(number)));
        }
        for other in ["0", "-1", "+1", "01", "1 ", "x", "9223372036854775808"] {
            assert!(cursor(other).is_err(), "{other:?}");
        }
    }
}
