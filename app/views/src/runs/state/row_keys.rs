//! [`row_after`]: the row that a key moves to.

/// How many rows the page keys move by.
const PAGE: usize = 15;

/// The row of `count` that `key` moves to from row `current`, from 0; none for other keys.
#[must_use]
pub fn row_after(key: &str, current: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let to = match key {
        "ArrowDown" | "j" => current + 1,
        "ArrowUp" | "k" => current.saturating_sub(1),
        "PageDown" => current + PAGE,
        "PageUp" => current.saturating_sub(PAGE),
        "Home" => 0,
        "End" => last,
        _ => return None,
    };
    Some(to.min(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_the_list() {
        for (key, from, to) in
            [("j", 0, 1), ("ArrowDown", 2, 2), ("k", 0, 0), ("End", 0, 2), ("PageUp", 2, 0)]
        {
            assert_eq!(row_after(key, from, 3), Some(to), "{key}");
        }
        assert_eq!(row_after("x", 0, 3), None);
        assert_eq!(row_after("j", 0, 0), None);
    }
}
