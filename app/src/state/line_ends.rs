//! [`keep_line_ends`]: a text area shows `\r\n` as a line end, and returns `\n` for it.

/// What was typed into a text area that showed `before`, with the line ends that `before` has. A line end
/// that was typed becomes like the first one of `before`.
///
/// ```
/// use app::state::line_ends::keep_line_ends;
/// assert_eq!(keep_line_ends("a\r\nb", "a\nbc"), "a\r\nbc");
/// ```
#[must_use]
pub fn keep_line_ends(before: &str, typed: &str) -> String {
    let Some(first) = before.find('\r') else { return typed.to_owned() };
    let shown = parts(before);
    let letters: Vec<char> = typed.chars().collect();
    let is_same = |part: &&str, letter: &char| {
        part.chars().next().is_some_and(|it| it == *letter || it == '\r' && *letter == '\n')
    };
    let head =
        shown.iter().zip(&letters).take_while(|(part, letter)| is_same(part, letter)).count();
    let most = shown.len().min(letters.len()) - head;
    let tail = shown.iter().rev().zip(letters.iter().rev()).take(most);
    let tail = tail.take_while(|(part, letter)| is_same(part, letter)).count();
    let is_first = !before[..first].contains('\n');
    let line_end = match (is_first, before[first..].starts_with("\r\n")) {
        (false, _) => "\n",
        (true, true) => "\r\n",
        (true, false) => "\r",
    };
    let mut kept = shown[..head].concat();
    for letter in &letters[head..letters.len() - tail] {
        match letter {
            '\n' => kept.push_str(line_end),
            letter => kept.push(*letter),
        }
    }
    kept + &shown[shown.len() - tail..].concat()
}

/// The characters of the text, with `\r\n` as one.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("\r\n") { 2 } else { first.len_utf8() };
        let (part, more) = rest.split_at(length);
        parts.push(part);
        rest = more;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::keep_line_ends;

    #[test]
    fn line_ends_survive_an_edit_anywhere() {
        for (before, typed, kept) in [
            ("a\r\nb\r\n", "xa\nb\n", "xa\r\nb\r\n"),
            ("a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"),
            ("a\r\nb\nc", "a\nb\ncd", "a\r\nb\ncd"),
            ("a\nb\r\nc", "a\nx\nb\nc", "a\nx\nb\r\nc"),
            ("a\rb", "a\nb\n", "a\rb\r"),
            ("é\r\n\r\n", "é\n\n\n", "é\r\n\r\n\r\n"),
            ("a\r\nb", "", ""),
            ("a\r\nb", "ab", "ab"),
            ("a\r\na\r\na", "a\na", "a\r\na"),
            ("a\nb", "a\nb\n", "a\nb\n"),
        ] {
            assert_eq!(keep_line_ends(before, typed), kept, "{before:?} {typed:?}");
        }
    }
}
