//! [`StdioMessages`]: a stdio server's standard output, line by line, rewritten for the library.

use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use super::incoming::{log_line, rewritten};
use super::rejected_response::{RejectedResponse, TOO_LONG};
use super::server_log::ServerLog;

/// How much of a line that is not a message is checked, in bytes.
const SAMPLE: usize = 480;
/// How many bytes are enough to recognize a line that is not a message.
const ENOUGH: usize = 120;
/// The longest line that is read, in bytes. The library drops longer ones.
const LONGEST: usize = 16 * 1024 * 1024 - 1;
/// The note about replaced bytes.
const INVALID_UTF8: &str =
    "A message of the server contains invalid UTF-8, which is read as \u{fffd}.";
/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// The messages of a server, rewritten so that the library can read them. Other lines go to [`ServerLog`],
/// because the library skips them silently. A response that is too long becomes an error.
pub(super) struct StdioMessages<R> {
    inner: R,
    output: ServerLog,
    chunk: Box<[u8]>,
    /// The line that is being read.
    line: Vec<u8>,
    /// Whether the start of that line was checked.
    is_checked: bool,
    /// That line instead, if it is too long.
    skipped: Option<RejectedResponse>,
    /// What the library has not taken yet, from `taken` on.
    ready: Vec<u8>,
    taken: usize,
}

impl<R> StdioMessages<R> {
    pub(super) fn new(inner: R, output: ServerLog) -> Self {
        Self {
            inner,
            output,
            chunk: vec![0; CHUNK].into_boxed_slice(),
            line: Vec::new(),
            is_checked: false,
            skipped: None,
            ready: Vec::new(),
            taken: 0,
        }
    }

    fn take_in(&mut self, length: usize) {
        let chunk = std::mem::take(&mut self.chunk);
        for part in chunk[..length].split_inclusive(|byte| *byte == b'\n') {
            let ends = part.ends_with(b"\n");
            if let Some(skipped) = &mut self.skipped {
                skipped.take(part);
                if ends {
                    self.end_skipped();
                }
                continue;
            }
            self.line.extend_from_slice(part);
            if !self.is_checked && (ends || self.line.len() >= ENOUGH) {
                self.check_start();
            }
            if self.line.len() > LONGEST {
                self.output.log("A message is skipped: it is longer than 16 MB.");
                self.skipped = Some(RejectedResponse::of(&std::mem::take(&mut self.line)));
                self.is_checked = false;
                if ends {
                    self.end_skipped();
                }
            } else if ends {
                self.pass_line();
            }
        }
        self.chunk = chunk;
    }

    /// Passes on an error for the request whose response was skipped.
    fn end_skipped(&mut self) {
        if let Some(answer) = self.skipped.take().and_then(|it| it.answer(TOO_LONG)) {
            self.ready.extend_from_slice(answer.as_bytes());
            self.ready.push(b'\n');
        }
    }

    /// Passes the line on, rewritten if necessary.
    fn pass_line(&mut self) {
        self.is_checked = false;
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        if let Some(text) = log_line(&line) {
            self.output.log(&text);
            return;
        }
        let rewritten = rewritten(&line);
        if rewritten.as_ref().is_some_and(|rewritten| rewritten.message.is_empty()) {
            if !may_be_message(&bytes) {
                // It is in the log already.
                return;
            }
            self.output.log_invalid_line(beginning(&bytes));
        } else if matches!(line, Cow::Owned(_)) {
            self.output.log(INVALID_UTF8);
        }
        match rewritten {
            Some(rewritten) => {
                rewritten.notes.iter().for_each(|note| self.output.log(note));
                self.ready.extend_from_slice(rewritten.message.as_bytes());
                self.ready.push(b'\n');
            }
            None => self.ready.extend_from_slice(line.as_bytes()),
        }
    }

    fn check_start(&mut self) {
        self.is_checked = true;
        if !may_be_message(&self.line) {
            self.output.log_invalid_line(beginning(&self.line));
        }
    }
}

fn beginning(line: &[u8]) -> &[u8] {
    line[..line.len().min(SAMPLE)].trim_ascii()
}

/// Whether the line may be a message, which is an object, or a batch, which is an array. Empty lines are
/// allowed.
fn may_be_message(line: &[u8]) -> bool {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    matches!(beginning(line).first(), None | Some(b'{' | b'['))
}

impl<R: AsyncRead + Unpin> AsyncRead for StdioMessages<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = &mut *self;
        loop {
            if this.taken < this.ready.len() {
                let rest = &this.ready[this.taken..];
                let taken = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..taken]);
                this.taken += taken;
                return Poll::Ready(Ok(()));
            }
            this.ready.clear();
            this.taken = 0;
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(Pin::new(&mut this.inner).poll_read(context, &mut chunk))?;
            match chunk.filled().len() {
                // A last line without its end is not a message.
                0 => return Poll::Ready(Ok(())),
                length => this.take_in(length),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::AgentLog;

    async fn read(written: &[u8]) -> (String, ServerLog, Arc<AgentLog>) {
        let log = Arc::new(AgentLog::default());
        let output = ServerLog::new("s", Arc::clone(&log));
        let mut read = Vec::new();
        StdioMessages::new(written, output.clone()).read_to_end(&mut read).await.expect("reads");
        (String::from_utf8(read).expect("text"), output, log)
    }

    #[tokio::test]
    async fn passes_messages_on_and_logs_other_lines() {
        let long = format!("{{\"x\":\"{}\"}}", "y".repeat(200_000));
        let written = format!("{{\"id\":1}}\nWelcome\n{{\"half\":\n{long}\n");
        let (passed, output, log) = read(written.as_bytes()).await;
        assert_eq!(passed.replace("\n\n", "\n"), format!("{{\"id\":1}}\n{long}\n"));
        assert_eq!(output.invalid_line().as_deref(), Some("Welcome"));
        let logged: Vec<String> = log.lines().into_iter().map(|line| line.text).collect();
        assert_eq!(
            logged,
            [
                "[s] wrote a line that is not a message: Welcome",
                "[s] wrote a line that is not a message: {\"half\":",
                "[s] A message of the server is skipped: the text ends here, but a value is missing at \
                 line 1, column 9.",
            ]
        );
    }

    #[tokio::test]
    async fn keeps_the_order_of_log_lines() {
        let line = |number: usize| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":\"{number}\"}}}}\n"
            )
        };
        let written: String = (0..1_000).map(line).collect();
        let (passed, _, log) = read(written.as_bytes()).await;
        assert_eq!(passed, "", "the library has nothing to do with them");
        let texts: Vec<String> = log.lines().into_iter().map(|line| line.text).collect();
        let expected: Vec<String> = (0..1_000).map(|it| format!("[s] info {it}")).collect();
        assert_eq!(texts, expected);
    }

    #[tokio::test]
    async fn replaces_a_response_that_is_too_long_with_an_error() {
        let long = "x".repeat(LONGEST);
        let written = format!(
            "{{\"result\":{{\"text\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":4}}\n{{\"id\":5,\"result\":{{}}}}\n"
        );
        let (passed, _, log) = read(written.as_bytes()).await;
        let lines: Vec<&str> = passed.lines().collect();
        assert_eq!(lines.len(), 2, "{} bytes", passed.len());
        assert!(lines[0].contains("\"id\":4") && lines[0].contains("longer than 16 MB"));
        assert_eq!(lines[1], "{\"id\":5,\"result\":{}}");
        assert!(log.lines().iter().any(|line| line.text.contains("is skipped")));
    }

    #[tokio::test]
    async fn replaces_invalid_utf8() {
        let (passed, output, log) = read(b"{\"id\":1,\"result\":{\"text\":\"\xff\"}}\n").await;
        assert_eq!(passed, "{\"id\":1,\"result\":{\"text\":\"\u{fffd}\"}}\n");
        assert_eq!(output.invalid_line(), None);
        assert!(log.lines()[0].text.contains("contains invalid UTF-8"));
    }

    #[tokio::test]
    async fn replaces_a_response_nested_too_deep_with_an_error() {
        let deep = format!("{}{}", "[".repeat(900), "]".repeat(900));
        let written =
            format!("{{\"id\":1,\"result\":{deep}}}\n{{\"method\":\"x\",\"params\":{deep}}}\n");
        let (passed, _, log) = read(written.as_bytes()).await;
        let lines: Vec<&str> = passed.lines().collect();
        assert!(lines[0].contains("nested deeper than 127 levels"), "{}", lines[0]);
        assert!(log.lines().iter().any(|line| line.text.contains("is skipped")));
    }
}
