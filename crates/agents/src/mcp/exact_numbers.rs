//! Sends numbers with the digits that the person typed.
//!
//! The library carries arguments and answers as `serde_json::Value`, which rounds some numbers. These travel
//! as marked strings, and [`restored`] turns them back to numbers when the message is written.

use std::io;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, ready};

use json_text::scan::{scalar_end, string_end};
use json_text::{JsonText, JsonTextError};
use serde_json::Value;
use tokio::io::AsyncWrite;

/// What a marked string begins with. It is random, so no text that anyone else wrote begins with it.
static MARK: LazyLock<String> = LazyLock::new(|| format!("number-{}:", uuid::Uuid::new_v4()));

/// The value, with a marked string for each number that `Value` would round.
///
/// # Errors
/// The value is nested deeper than 128 levels.
pub(super) fn marked(text: &JsonText) -> Result<Value, JsonTextError> {
    let (text, mut rest, mut marked) = (text.as_str(), 0, String::new());
    while let Some((start, end)) = next_rounded(text, rest) {
        marked.push_str(&text[rest..start]);
        marked.push_str(&format!("\"{}{}\"", *MARK, &text[start..end]));
        rest = end;
    }
    marked.push_str(&text[rest..]);
    JsonText::parse(&marked)?.to_value()
}

/// The message, with its marked strings as numbers again.
pub(super) fn restored(message: String) -> String {
    let opening = format!("\"{}", *MARK);
    if !message.contains(&opening) {
        return message;
    }
    let mut parts = message.split(&opening);
    let mut restored = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // The closing quote: no number contains one.
        restored.push_str(&part.replacen('"', "", 1));
    }
    restored
}

/// Where the first number from `at` on is that `Value` would round. `at` is not inside of a string.
pub(super) fn next_rounded(text: &str, mut at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'"' => string_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let end = scalar_end(bytes, at);
                let number = text.get(at..end).unwrap_or_default();
                let read = serde_json::from_str::<Value>(number).map(|read| read.to_string());
                if read.ok().as_deref() != Some(number) {
                    return Some((at, end));
                }
                end
            }
            _ => at + 1,
        };
    }
    None
}

/// A server's standard input: writes each message [`restored`] when it is flushed.
pub(super) struct ExactNumbers<W> {
    inner: W,
    /// Bytes since the last flush.
    message: Vec<u8>,
    /// What has not been written yet, from `written` on.
    ready: Vec<u8>,
    written: usize,
}

impl<W> ExactNumbers<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, message: Vec::new(), ready: Vec::new(), written: 0 }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for ExactNumbers<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.message.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            while this.written < this.ready.len() {
                let rest = &this.ready[this.written..];
                match ready!(Pin::new(&mut this.inner).poll_write(context, rest))? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    length => this.written += length,
                }
            }
            // The library flushes after whole messages.
            let message = std::mem::take(&mut this.message);
            this.written = 0;
            this.ready = match String::from_utf8(message) {
                Ok(message) => restored(message).into_bytes(),
                Err(error) => error.into_bytes(),
            };
            if this.ready.is_empty() {
                return Pin::new(&mut this.inner).poll_flush(context);
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.as_mut().poll_flush(context))?;
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn sent(text: &str) -> String {
        let value = marked(&JsonText::parse(text).expect("JSON")).expect("a value");
        restored(value.to_string())
    }

    #[test]
    fn numbers_keep_their_digits() {
        for text in [
            r#"{"pi":3.14159265358979323846,"tiny":1e-400,"huge":-1E+400,"price":1.10}"#,
            r#"{"n":[123456789012345678901234567890,7,0.5],"s":"1.10","1e400":[-0.0]}"#,
            "1.10",
        ] {
            assert_eq!(sent(text), text);
        }
    }

    #[test]
    fn other_text_is_unchanged() {
        let text = r#"{"s":"number-1:2 \" 3.14159265358979323846","t":["",null,true]}"#;
        assert_eq!(sent(text), text);
    }

    #[tokio::test]
    async fn a_stream_restores_whole_messages() {
        let message = marked(&JsonText::parse(r#"{"n":1.10}"#).expect("JSON")).expect("a value");
        let (message, mut read) = (format!("{message}\n"), Vec::new());
        let mut writer = ExactNumbers::new(&mut read);
        for _ in 0..2 {
            let (start, end) = message.split_at(9);
            writer.write_all(start.as_bytes()).await.expect("written");
            writer.write_all(end.as_bytes()).await.expect("written");
            writer.flush().await.expect("flushed");
        }
        assert_eq!(String::from_utf8_lossy(&read), "{\"n\":1.10}\n{\"n\":1.10}\n");
    }
}
