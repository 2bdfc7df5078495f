//! [`LivePages`]: implements the page's live server functions.

use std::sync::Arc;

use agents::schemas;
use api::host::{ComparisonHost, LiveHost, LiveTurnHost};
use api::{
    Actual, ApiError, CaseComparison, CaseName, ExportReceipt, FieldMessage, LiveCall,
    LiveExportPlan, LiveId, LiveLeaseId, LiveList, LivePlace, LiveResponse, LiveRow, LiveSummary,
    LiveTarget, LiveTurn,
};
use async_trait::async_trait;
use json_text::{JsonText, Kind};
use live::{
    Content, FunctionCall, HumanResponse, LiveSessionId, Note, Part, Refusal, Role, Sequence,
    SessionEvent, Status,
};

use super::answer_format;
use super::error::LiveError;
use super::files::ReadFiles;
use super::page_dto::{checked, ids, lease_id, refused, session_id, summary};
use super::rows::{self, Extent};
use super::sessions::LiveSessions;
use super::tool_choice;
use crate::access;
use crate::actor::{actor, exporter, person};
use crate::evalsets::{self, ComparedCase};
use crate::host::Host;
use crate::page_dto;
use crate::parsing::parse;
use crate::served_file::ServedFile;

/// How many sessions one page of the list has.
const LISTED: u32 = 500;
/// The most events in a window.
const WINDOW: u64 = 500;

/// The live sessions, for the page.
pub(crate) struct LivePages {
    sessions: LiveSessions,
    host: Arc<Host>,
    files: Arc<ReadFiles>,
}

impl LivePages {
    pub(crate) fn new(sessions: LiveSessions, host: Arc<Host>) -> Self {
        Self { sessions, host, files: Arc::default() }
    }

    /// The page's error. Looks up who responded first, because the refusal names only the event.
    async fn api_error(&self, session: LiveSessionId, error: LiveError) -> ApiError {
        let (sequence, cancelled) = match &error {
            LiveError::Refused(Refusal::AlreadyAnswered { sequence, .. }) => (*sequence, false),
            LiveError::Refused(Refusal::AlreadyCancelled { sequence, .. }) => (*sequence, true),
            _ => return refused(&error),
        };
        let by = self.sessions.event(session, sequence).await.ok().and_then(|event| event.by);
        let by = by.map_or_else(|| "Its agent".to_owned(), |by| by.display_name);
        ApiError::LiveClosed { by, cancelled }
    }

    async fn turn(&self, place: &LivePlace) -> Result<LiveTurn, ApiError> {
        let (session, turn) = ids(place)?;
        let found = async {
            let (requested, closed) = self.sessions.places_of(session, turn).await?;
            let request = self.sessions.event(session, requested).await?;
            let closing = match closed {
                Some(place) => Some(self.sessions.event(session, place).await?),
                None => None,
            };
            let after = self.sessions.recorded_of(session, turn).await?;
            Ok((request, closing, after))
        };
        let (request, closing, after) = found.await.map_err(|error: LiveError| refused(&error))?;
        schemas::run_blocking(move || {
            let shown = rows::turn(checked(request)?);
            let mut shown = shown.ok_or_else(|| refused(&Refusal::UnknownTurn(turn).into()))?;
            let closing = closing.map(checked).transpose()?;
            shown.closed = closing.map(|event| rows::row(event, Extent::Whole));
            for event in after {
                rows::add_recorded(&mut shown, checked(event)?);
            }
            Ok(shown)
        })
        .await
    }

    /// The text as the model would send it: a value of an enum that is requested as plain text has no
    /// quotation marks, which the page's form writes as JSON.
    async fn as_answered(
        &self,
        place: &LivePlace,
        text: Option<String>,
    ) -> Result<Option<String>, ApiError> {
        let Some(text) = text else { return Ok(None) };
        let (plain, text) = parse(text.len(), || {
            let plain = serde_json::from_str::<String>(&text).ok();
            (plain, text)
        })
        .await;
        let Some(plain) = plain else { return Ok(Some(text)) };
        let Some(config) = self.turn(place).await?.config else { return Ok(Some(text)) };
        let bytes = config.byte_len();
        let is_plain = parse(bytes, move || answer_format::is_plain_enum(&config)).await;
        Ok(Some(if is_plain { plain } else { text }))
    }

    /// One of the parts of an event as a file, by its index; `None` if there is none.
    pub(crate) async fn file(
        &self,
        session: &LiveId,
        event: u64,
        file: usize,
    ) -> Result<Option<ServedFile>, ApiError> {
        let session = session_id(session)?;
        let watch = self.sessions.watch(session).await.map_err(|error| refused(&error))?;
        let last = watch.states.borrow().last;
        if event == 0 || event > last.0 {
            return Ok(None);
        }
        let place = (session, Sequence(event));
        let read = async {
            let event = self.sessions.event(session, Sequence(event)).await;
            let event = event.map_err(|error| refused(&error))?;
            schemas::run_blocking(move || checked(event)).await
        };
        Ok(self.files.of(place, read).await?.get(file).cloned())
    }

    /// Every event of a completed session.
    async fn completed(&self, session: LiveSessionId) -> Result<Vec<SessionEvent>, ApiError> {
        let found = self.sessions.session(session).await.map_err(|error| refused(&error))?;
        if found.state().status != Status::Completed {
            let reason = "it is still active. Complete it first".to_owned();
            return Err(ApiError::NotExportable(reason));
        }
        self.events(session).await
    }

    /// Every event of a session so far, with as much of each request as a case needs.
    async fn events(&self, session: LiveSessionId) -> Result<Vec<SessionEvent>, ApiError> {
        let watch = self.sessions.watch(session).await.map_err(|error| refused(&error))?;
        let last = watch.states.borrow().last;
        let mut events = Vec::new();
        let mut runs = trace_export::Openings::default();
        let mut place = Sequence(0);
        while place < last {
            let page = watch.feed.after(place).await.map_err(|error| refused(&error))?;
            let Some(end) = page.last() else { break };
            place = Sequence(end.sequence);
            for event in page {
                let mut event = Arc::unwrap_or_clone(event);
                runs.trim(&mut event);
                events.push(checked(event)?);
            }
        }
        Ok(events)
    }
}

#[async_trait]
impl ComparisonHost for LivePages {
    async fn compare_cases(
        &self,
        expected: CaseName,
        actual: Actual,
    ) -> Result<CaseComparison, ApiError> {
        let actual = match actual {
            Actual::Case(named) => {
                ComparedCase::Case(Box::new(self.host.set(named.set.clone()).await?), named)
            }
            Actual::Rehearsal(request) => {
                let case = evalsets::case_of_rehearsal(self.host.rehearsal(*request)?).await?;
                ComparedCase::Rehearsed(Box::new(case))
            }
            Actual::Live { session, turns } => {
                let session = session_id(&session)?;
                let events = self.events(session).await?;
                let case = evalsets::case_of_live(&self.host.registry, session, &events, &turns)?;
                ComparedCase::Live(Box::new(case))
            }
        };
        evalsets::compare((self.host.set(expected.set.clone()).await?, expected), actual).await
    }
}

#[async_trait]
impl LiveHost for LivePages {
    async fn list_live_sessions(
        &self,
        search: String,
        before: Option<i64>,
    ) -> Result<LiveList, ApiError> {
        let listed = self.sessions.list(before, search.trim(), LISTED).await;
        let listed = listed.map_err(|error| refused(&error))?;
        let sessions = listed.sessions.iter().map(summary).collect();
        Ok(LiveList { sessions, next: listed.next })
    }

    async fn read_live_session(&self, session: LiveId) -> Result<LiveSummary, ApiError> {
        let found = self.sessions.session(session_id(&session)?).await;
        found.map(|found| summary(&found)).map_err(|error| refused(&error))
    }

    async fn read_live_rows(
        &self,
        session: LiveId,
        after: u64,
        most: u64,
        whole: bool,
    ) -> Result<Vec<LiveRow>, ApiError> {
        let watch = self.sessions.watch(session_id(&session)?).await;
        let watch = watch.map_err(|error| refused(&error))?;
        let last = watch.states.borrow().last;
        let end = Sequence(after.saturating_add(most.min(WINDOW)).min(last.0));
        let extent = if whole { Extent::Whole } else { Extent::Line };
        let mut shown = Vec::new();
        let mut place = Sequence(after);
        while place < end {
            let events = watch.feed.after(place).await.map_err(|error| refused(&error))?;
            let Some(next) = events.last() else { break };
            place = Sequence(next.sequence);
            for event in events.into_iter().take_while(|event| event.sequence <= end.0) {
                shown.push(rows::row(checked(Arc::unwrap_or_clone(event))?, extent));
            }
        }
        Ok(shown)
    }

    async fn read_live_turn(&self, place: LivePlace) -> Result<LiveTurn, ApiError> {
        let mut turn = self.turn(&place).await?;
        Ok(schemas::run_blocking(move || {
            let unchecked = schemas::left_unchecked_at_ends((None, turn.output_schema.as_ref()));
            turn.warnings.extend(unchecked);
            let tools = turn.tools.iter();
            turn.warnings.extend(tools.flat_map(|tool| {
                schemas::left_unchecked_of(tool.name.as_str(), tool.parameters.as_ref())
            }));
            turn
        })
        .await)
    }

    async fn plan_live_export(&self, session: LiveId) -> Result<LiveExportPlan, ApiError> {
        let events = self.completed(session_id(&session)?).await?;
        Ok(evalsets::live_plan(&self.host.registry, &events))
    }

    async fn export_live_session(
        &self,
        session: LiveId,
        turns: Vec<u64>,
        by: Option<String>,
    ) -> Result<ExportReceipt, ApiError> {
        let session = session_id(&session)?;
        let by = exporter(by.as_deref())?;
        let events = self.completed(session).await?;
        let entry = access::AuditEntry::new("export")
            .with("session", &session)
            .by_optional(by.as_ref())
            .with_caller();
        let registry = &self.host.registry;
        let receipt = evalsets::export_live(registry, session, &events, &turns, entry).await?;
        tracing::info!(%session, eval_id = %receipt.eval_id, "exported to {}", receipt.path);
        Ok(receipt)
    }
}

#[async_trait]
impl LiveTurnHost for LivePages {
    async fn check_live_value(
        &self,
        place: LivePlace,
        target: LiveTarget,
        value: JsonText,
    ) -> Result<Vec<FieldMessage>, ApiError> {
        let turn = self.turn(&place).await?;
        schemas::run_blocking(move || {
            let found = match target {
                LiveTarget::Output => schemas::check_schema(turn.output_schema.as_ref(), &value),
                LiveTarget::Arguments(name) => {
                    let tool = turn.tools.iter().find(|tool| tool.name.as_str() == name);
                    let tool = tool.ok_or(ApiError::UnknownTool(name))?;
                    schemas::check_arguments(tool.parameters.as_ref(), &value)
                }
            };
            Ok(page_dto::field_messages(found))
        })
        .await
    }

    async fn respond_to_turn(&self, response: LiveResponse) -> Result<(), ApiError> {
        let (session, turn) = ids(&response.place)?;
        let by = actor(&response.by)?;
        let lease = response.lease.as_ref().map(lease_id).transpose()?;
        let text = response.text.filter(|text| !text.is_empty());
        let text = self.as_answered(&response.place, text).await?.map(Part::Text);
        let is_not_an_object = |call: &&LiveCall| call.args.kind() != Kind::Object;
        if let Some(call) = response.calls.iter().find(is_not_an_object) {
            // The form shows this at the field; this check is for other callers.
            let (tool, kind) = (&call.name, call.args.kind().name());
            let reason = format!("The arguments of {tool} must be an object, not {kind}.");
            return Err(ApiError::LiveRefused(reason));
        }
        let called: Vec<String> = response.calls.iter().map(|call| call.name.clone()).collect();
        if let Some(config) = self.turn(&response.place).await?.config {
            let bytes = config.byte_len();
            let refused = parse(bytes, move || tool_choice::refusal(&config, &called)).await;
            if let Some(reason) = refused {
                return Err(ApiError::LiveRefused(reason));
            }
        }
        let calls = response.calls.into_iter().map(|call| {
            Part::FunctionCall(FunctionCall {
                id: Some(call.id),
                name: call.name,
                args: Some(call.args),
            })
        });
        let parts: Vec<Part> = text.into_iter().chain(calls).collect();
        if parts.is_empty() {
            let reason = "A response needs a text or a call.".to_owned();
            return Err(ApiError::LiveRefused(reason));
        }
        let response = HumanResponse { candidates: vec![Content { role: Role::Model, parts }] };
        match self.sessions.respond(session, turn, response, by.clone(), lease).await {
            Ok(sequence) => {
                tracing::info!(%session, %turn, %by, "responded, event {}", sequence.0);
                Ok(())
            }
            Err(error) => Err(self.api_error(session, error).await),
        }
    }

    async fn take_live_lease(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
        by: String,
    ) -> Result<(), ApiError> {
        let (session, turn) = ids(&place)?;
        let held = self.sessions.take_lease(session, turn, lease_id(&lease)?, actor(&by)?).await;
        match held {
            Ok(_) => Ok(()),
            Err(error) => Err(self.api_error(session, error).await),
        }
    }

    async fn hand_over_live_lease(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
        to: String,
    ) -> Result<(), ApiError> {
        let (session, turn) = ids(&place)?;
        let given =
            self.sessions.hand_over_lease(session, turn, lease_id(&lease)?, person(&to)?).await;
        match given {
            Ok(_) => Ok(()),
            Err(error) => Err(self.api_error(session, error).await),
        }
    }

    async fn release_live_lease(
        &self,
        place: LivePlace,
        lease: LiveLeaseId,
    ) -> Result<(), ApiError> {
        let (session, turn) = ids(&place)?;
        let released = self.sessions.release_lease(session, turn, lease_id(&lease)?).await;
        released.map_err(|error| refused(&error))
    }

    async fn cancel_live_turn(
        &self,
        place: LivePlace,
        reason: String,
        by: String,
    ) -> Result<(), ApiError> {
        let (session, turn) = ids(&place)?;
        let by = actor(&by)?;
        match self.sessions.cancel(session, turn, Note::cut(&reason), Some(by.clone())).await {
            Ok(sequence) => {
                tracing::info!(%session, %turn, %by, "canceled, event {}", sequence.0);
                Ok(())
            }
            Err(error) => Err(self.api_error(session, error).await),
        }
    }

    async fn complete_live_session(
        &self,
        session: LiveId,
        cancel_waiting: bool,
        by: String,
    ) -> Result<(), ApiError> {
        let (session, by) = (session_id(&session)?, actor(&by)?);
        let completed = self.sessions.complete(session, cancel_waiting, Some(by.clone())).await;
        completed.map_err(|error| refused(&error))?;
        tracing::info!(%session, %by, "completed");
        Ok(())
    }

    async fn delete_live_session(&self, session: LiveId, by: String) -> Result<(), ApiError> {
        let (session, by) = (session_id(&session)?, actor(&by)?);
        let deleted = self.sessions.delete(session, Some(&by)).await;
        deleted.map_err(|error| refused(&error))?;
        tracing::info!(%session, %by, "deleted");
        Ok(())
    }
}
