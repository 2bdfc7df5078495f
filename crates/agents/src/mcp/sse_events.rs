//! [`events`]: a stream of server-sent events whose messages are rewritten for the library. If the stream
//! ends without the response to its request, it gets a JSON-RPC error instead.

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use reqwest::Response;
use rmcp::model::{ErrorCode, ErrorData, NumberOrString, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::SseError;
use serde::Deserialize;
use serde::de::IgnoredAny;
use sse_stream::{Sse, SseStream};

use super::http_fault::innermost;
use super::incoming::{log_line, rewritten};
use super::rejected_response::TOO_LONG;
use super::server_log::ServerLog;

/// The longest event, and the longest response, in bytes. This is the limit of the library.
pub(super) const LONGEST: usize = 16 * 1024 * 1024;
/// The error when the stream ends before the response.
const NO_RESPONSE: &str = "The server ended its event stream without a response.";

/// The request whose response a stream carries.
pub(super) struct PendingRequest {
    pub(super) id: RequestId,
    /// Whether the library resumes the stream after an event with an id.
    pub(super) resumes: bool,
}

/// The events of an HTTP response, which carries the response to `asked`, or to no request.
///
/// A message that is too long becomes the error of `asked`. Without `asked`, it is skipped, and nothing follows.
pub(super) fn events(
    response: Response,
    output: ServerLog,
    asked: Option<PendingRequest>,
) -> BoxedSseResponse {
    reading(response, output, asked, false)
}

/// The events of a stream that carries the responses to all requests. It ends with an error that [`is_too_long`]
/// recognizes after a message that is too long.
pub(super) fn all_events(response: Response, output: ServerLog) -> BoxedSseResponse {
    reading(response, output, None, true)
}

fn reading(
    response: Response,
    output: ServerLog,
    asked: Option<PendingRequest>,
    carries_all: bool,
) -> BoxedSseResponse {
    let chunks = stream::try_unfold(
        (response, EventSize::default()),
        |(mut response, mut meter)| async move {
            let Some(chunk) = response.chunk().await? else { return Ok(None) };
            meter.take(&chunk)?;
            Ok::<_, StreamError>(Some((chunk, (response, meter))))
        },
    );
    let reading = EventReader {
        events: Some(SseStream::from_bytes_stream(chunks.boxed()).boxed()),
        output,
        asked,
        carries_all,
        had_id: false,
        skipped: None,
    };
    stream::unfold(reading, |mut reading| async move {
        let event = reading.next().await?;
        Some((event, reading))
    })
    .boxed()
}

/// Why the bytes of a stream end.
#[derive(Debug, thiserror::Error)]
enum StreamError {
    #[error("an event is longer than {LONGEST} bytes")]
    TooLong,
    #[error(transparent)]
    Broken(#[from] reqwest::Error),
}

/// Measures the event that is being read: it ends with an empty line.
#[derive(Default)]
struct EventSize {
    event: usize,
    line: usize,
    after_return: bool,
}

impl EventSize {
    fn take(&mut self, chunk: &[u8]) -> Result<(), StreamError> {
        for byte in chunk {
            let is_second_half = *byte == b'\n' && self.after_return;
            self.after_return = *byte == b'\r';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => {
                    if self.line == 0 {
                        self.event = 0;
                    }
                    self.line = 0;
                }
                _ => {
                    self.line += 1;
                    self.event += 1;
                }
            }
            if self.event > LONGEST {
                return Err(StreamError::TooLong);
            }
        }
        Ok(())
    }
}

struct EventReader {
    /// Absent once the stream is over.
    events: Option<BoxStream<'static, Result<Sse, SseError>>>,
    output: ServerLog,
    /// Absent once its response has arrived.
    asked: Option<PendingRequest>,
    /// Whether the responses to all requests come over this stream.
    carries_all: bool,
    had_id: bool,
    /// Why a message of this stream was skipped.
    skipped: Option<String>,
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        match self.events.as_mut()?.next().await {
            Some(Ok(event)) => Some(Ok(self.read(event))),
            Some(Err(error)) if is_too_long(&error) && !self.carries_all => {
                self.events = None;
                let Some(asked) = self.asked.take() else {
                    self.output.log("A message is skipped: it is longer than 16 MB.");
                    // The library would resume the stream and get the same message again.
                    return std::future::pending().await;
                };
                Some(Ok(self.error_response(asked.id, TOO_LONG.to_owned())))
            }
            Some(Err(error)) => {
                self.events = None;
                let Some(id) = self.take_unanswered() else { return Some(Err(error)) };
                let why = innermost(&error);
                let reason = format!("The server's event stream failed: {why}.");
                Some(Ok(self.error_response(id, reason)))
            }
            None => {
                self.events = None;
                let id = self.take_unanswered()?;
                let reason = match self.skipped.take() {
                    Some(skipped) => format!("{NO_RESPONSE} {skipped}"),
                    None => NO_RESPONSE.to_owned(),
                };
                Some(Ok(self.error_response(id, reason)))
            }
        }
    }

    /// The request that will not get a response.
    fn take_unanswered(&mut self) -> Option<RequestId> {
        let had_id = self.had_id;
        self.asked.take_if(|asked| !(asked.resumes && had_id)).map(|asked| asked.id)
    }

    /// An error in place of a missing response.
    fn error_response(&self, id: RequestId, reason: String) -> Sse {
        self.output.log(&reason);
        let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, reason, None);
        let message = ServerJsonRpcMessage::error(error, Some(id));
        Sse::default().data(serde_json::to_string(&message).unwrap_or_default())
    }

    fn read(&mut self, mut event: Sse) -> Sse {
        self.had_id |= event.id.is_some();
        if !matches!(event.event.as_deref(), None | Some("" | "message")) {
            return event;
        }
        let Some(data) = event.data.take() else { return event };
        if let Some(text) = log_line(&data) {
            self.output.log(&text);
            // The event's id stays, because the stream is resumed from it.
            return event;
        }
        let message = match rewritten(&data) {
            Some(rewritten) => {
                rewritten.notes.iter().for_each(|note| self.output.log(note));
                if rewritten.message.is_empty() {
                    self.skipped = rewritten.notes.into_iter().next();
                    return event;
                }
                rewritten.message
            }
            None => data,
        };
        if self.asked.as_ref().is_some_and(|asked| answers(&message, &asked.id)) {
            self.asked = None;
        }
        event.data = Some(message);
        event
    }
}

/// Whether the message is the response to the request.
fn answers(message: &str, id: &RequestId) -> bool {
    #[derive(Deserialize)]
    struct Head {
        id: Option<RequestId>,
        method: Option<IgnoredAny>,
    }
    serde_json::from_str::<Head>(message).is_ok_and(|head| {
        head.method.is_none() && head.id.is_some_and(|answered| is_same(&answered, id))
    })
}

/// Whether a response's id is that of the request. Some servers return the number as a string.
pub(super) fn is_same(answered: &RequestId, asked: &RequestId) -> bool {
    match (answered, asked) {
        (NumberOrString::String(text), NumberOrString::Number(number)) => {
            text.parse() == Ok(*number)
        }
        (answered, asked) => answered == asked,
    }
}

/// Whether the stream ended because a message is too long.
pub(super) fn is_too_long(error: &SseError) -> bool {
    let SseError::Body(error) = error else { return false };
    matches!(error.downcast_ref(), Some(StreamError::TooLong))
}
