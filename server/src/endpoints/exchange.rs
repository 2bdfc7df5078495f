//! Reads a request to a model endpoint, adds it to its session as a turn, and sends the response.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest as _, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_ENCODING;
use axum::http::request::Parts;
use axum::response::Response;
use live::{Fingerprint, Invalid, LiveSessionId, TurnId};
use model_wire::{ApiFault, CANCEL_AFTER_HEADER, FaultKind, ParsedRequest, ResponseHead};

use super::fault::{of_body, of_host};
use super::request_text::RequestText;
use super::retries::{self, RECENT, RetryHints, Series};
use super::session_lookup::{ResolvedSession, request_target};
use super::waiting_clients::CancelAfter;
use super::waiting_request::{Turn, WaitingRequest};
use super::{Endpoints, reply};
use crate::live::{AgentRequest, LiveError, now};
use crate::vendors::{Api, refusal};

/// The headers in which OpenAI's, Anthropic's and Google's clients send their read timeout, in
/// seconds.
const PATIENCE: [&str; 2] = ["x-stainless-read-timeout", "x-server-timeout"];
const LEAST_PACE: Duration = Duration::from_millis(100);

impl Endpoints {
    /// Reads a request, waits for a person, and responds in the vendor's format.
    pub(super) async fn handle(
        &self,
        api: Api,
        request: Request,
        read: impl AsyncFnOnce(RequestText) -> Result<ParsedRequest, ApiFault>,
    ) -> Response {
        let asked = async {
            let (mut parts, body) = request.into_parts();
            if let Some(encoding) =
                parts.headers.get(CONTENT_ENCODING).filter(|it| *it != "identity")
            {
                let rule = format!(
                    "content-encoding: {encoding:?} is not supported: send the body uncompressed"
                );
                return Err(ApiFault::new(FaultKind::Invalid, rule));
            }
            let asked = {
                // The body is not kept while the request waits for a person.
                let body = Request::from_parts(parts.clone(), body);
                let bytes = Bytes::from_request(body, &()).await.map_err(|it| of_body(&it))?;
                read(RequestText::new(bytes)).await?
            };
            let stream = asked.stream;
            let waiting = self.submit(&mut parts, asked).await?;
            if stream {
                Ok(reply::stream(api, waiting, pace(&parts.headers, self.keep_alive)))
            } else {
                reply::whole(api, waiting).await
            }
        };
        asked.await.unwrap_or_else(|fault| refusal(api, &fault))
    }

    /// Adds the request to its session as a turn, or finds the turn of an earlier attempt.
    async fn submit(
        &self,
        parts: &mut Parts,
        asked: ParsedRequest,
    ) -> Result<WaitingRequest, ApiFault> {
        let target = request_target(parts).await?;
        let hints = RetryHints::of(&parts.headers);
        let cancel_after = cancel_after(&parts.headers)?;
        let ParsedRequest { request, candidates, echo, free_text, include_usage, .. } = asked;
        let agent = target.agent(request.model.as_deref())?;
        let model = request.model.clone().unwrap_or_else(|| agent.to_string());
        let run = target.invocation_id.clone();
        let sessions = &self.sessions;
        let found = ResolvedSession::of(&target, &agent, sessions).await.map_err(of_host)?;
        let request = AgentRequest::new(agent, run, request).await.map_err(of_host)?.awaited();
        let content = request.fingerprint;
        self.waiting_clients.restore().await.map_err(of_host)?;
        let gate = self.waiting_clients.gate(Series::new(found.id, content)).await;
        let matched = self.match_turn(&found, content, &hints).await;
        let (session_id, turn_id) = matched.map_err(of_host)?;
        // Before the request is stored, because the client may disconnect meanwhile.
        let mut client = self.waiting_clients.register(turn_id, content);
        if let Some(wait) = cancel_after {
            client.cancel_after(CancelAfter { session_id, wait });
        }
        if let Err(error) = sessions.submit(session_id, turn_id, request).await {
            if matches!(sessions.turn(turn_id).await, Ok(None)) {
                client.delivered();
            }
            return Err(hints.fault(error));
        }
        drop(gate);
        let head = ResponseHead {
            turn: turn_id.to_string().replace('-', ""),
            model,
            created: now().0 / 1_000,
            echo,
            free_text,
            include_usage,
        };
        let turn = Turn { sessions: sessions.clone(), session_id, turn_id, candidates };
        Ok(WaitingRequest { head, client, turn })
    }

    /// The turn of an earlier attempt, in the request's session or in a completed one of the same
    /// name. Otherwise a new turn, in a session that is opened if necessary.
    async fn match_turn(
        &self,
        found: &ResolvedSession,
        content: Fingerprint,
        hints: &RetryHints,
    ) -> Result<(LiveSessionId, TurnId), LiveError> {
        if let Some(turn) = hints.keyed(&found.scope()) {
            if let Some(known) = self.sessions.turn(turn).await? {
                return Ok((known.session_id, turn));
            }
            found.open(&self.sessions).await?;
            return Ok((found.id, turn));
        }
        for turn in self.waiting_clients.without_a_client(content) {
            if let Some(known) = self.sessions.turn(turn).await?
                && found.has_session(known.session_id)
                && retries::is_kept(&known, found.id, &self.sessions).await?
            {
                return Ok((known.session_id, turn));
            }
        }
        let series = Series::new(found.id, content);
        if hints.tries_again {
            if let Some(turn) = series.latest(&self.sessions).await? {
                return Ok((found.id, turn));
            }
            let mut earlier = found.earlier.clone();
            while let Some(before) = earlier.next(RECENT, &self.sessions).await? {
                let series = Series::new(before, content);
                if let Some(turn) = series.latest(&self.sessions).await? {
                    return Ok((before, turn));
                }
            }
        }
        found.open(&self.sessions).await?;
        Ok((found.id, series.next(&self.sessions).await?))
    }
}

/// The interval of keep-alives on a stream: shorter than the read timeout that the client sends.
fn pace(headers: &HeaderMap, usual: Duration) -> Duration {
    let patience = PATIENCE.iter().find_map(|name| headers.get(*name)?.to_str().ok());
    let seconds = patience.and_then(|seconds| seconds.parse::<f64>().ok());
    let third = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds / 3.0).ok());
    third.map_or(usual, |third| third.max(LEAST_PACE).min(usual))
}

/// How long after the client is gone its turn is canceled, if the client wants that.
fn cancel_after(headers: &HeaderMap) -> Result<Option<Duration>, Invalid> {
    let Some(value) = headers.get(CANCEL_AFTER_HEADER) else { return Ok(None) };
    let seconds = value.to_str().ok().and_then(|it| it.parse::<f64>().ok());
    let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wait.map(Some).ok_or_else(|| Invalid::new(CANCEL_AFTER_HEADER, "must be a number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::LiveSessions;

    #[test]
    fn a_short_read_timeout_shortens_the_keep_alive() {
        let interval = |seconds: &'static str, usual: u64| {
            let mut headers = HeaderMap::new();
            headers.insert(PATIENCE[0], http::HeaderValue::from_static(seconds));
            pace(&headers, Duration::from_millis(usual)).as_millis()
        };
        assert_eq!(interval("9", 15_000), 3_000);
        assert_eq!(interval("0.001", 15_000), 100);
        assert_eq!(interval("600", 15_000), 15_000);
        assert_eq!(interval("0.001", 50), 50, "a default below the minimum");
        assert_eq!(interval("nonsense", 50), 50);
    }

    #[test]
    fn rejects_a_keep_alive_interval_that_is_too_short() {
        let lease = Duration::from_secs(30);
        let error = LiveSessions::with_pace("live.sqlite", lease, Duration::from_millis(9));
        let error = error.map(|_| ()).expect_err("too fast");
        assert!(error.to_string().contains("set the keep-alive to 10ms or more"), "{error}");
        assert!(LiveSessions::with_pace("live.sqlite", lease, Duration::from_millis(10)).is_ok());
    }
}
