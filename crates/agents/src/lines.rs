//! Reads lines of any length from a pipe with bounded memory.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Reads the next line without its end into `line`; at most `cap` bytes of it are kept and the rest
/// is read past. `None` at the end of the input, else whether the line was kept whole.
pub(super) async fn next_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    cap: usize,
) -> io::Result<Option<bool>> {
    line.clear();
    let mut whole = true;
    let mut any = false;
    loop {
        let available = input.fill_buf().await?;
        if available.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        let kept = part.len().min(cap - line.len());
        line.extend_from_slice(&part[..kept]);
        whole &= kept == part.len();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::next_line;

    #[tokio::test]
    async fn cuts_a_long_line_and_keeps_the_next_one() {
        let mut input = tokio::io::BufReader::with_capacity(4, &b"abcdefghij\nxy\n\nlast"[..]);
        let mut line = Vec::new();
        let mut read = Vec::new();
        while let Some(whole) = next_line(&mut input, &mut line, 6).await.expect("reads") {
            read.push((String::from_utf8_lossy(&line).into_owned(), whole));
        }
        let expected = [("abcdef", false), ("xy", true), ("", true), ("last", true)];
        assert_eq!(read, expected.map(|(text, whole)| (text.to_owned(), whole)));
    }
}
