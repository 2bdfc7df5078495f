//! The rows of the history: for each turn the query, each call with its result, the final response.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use session::{CallId, Session};

/// One row. Equal as long as the row shows the same entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RowId {
    /// Its index.
    pub position: usize,
    /// What it shows.
    pub kind: RowKind,
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The user's query of a turn, by its number from 0.
    Query(usize),
    /// A call that has ended; its index among [`Session::calls`].
    Call(usize),
    /// A pending call; its index among [`Session::all_pending`].
    Pending(usize),
    /// The final response of a turn.
    Response(usize),
}

impl RowId {
    /// The id of the row's button in the document.
    #[must_use]
    pub fn element_id(self) -> String {
        format!("row-{}", self.position)
    }

    /// The id of what the row opens.
    #[must_use]
    pub fn detail_id(self) -> String {
        format!("row-{}-detail", self.position)
    }
}

/// The rows of `session`, oldest first.
#[must_use]
pub fn rows(session: &Session) -> Vec<RowId> {
    let mut kinds = Vec::new();
    let pending = session.all_pending().iter().map(|it| session.place_of(&it.call.call_id));
    let mut pending = pending.enumerate().peekable();
    for (number, turn) in session.turns().into_iter().enumerate() {
        kinds.push(RowKind::Query(number));
        for index in turn.calls {
            // The call of an agent that the person acts as comes before the calls within it.
            while let Some((depth, _)) = pending.next_if(|(_, place)| *place == index) {
                kinds.push(RowKind::Pending(depth));
            }
            kinds.push(RowKind::Call(index));
        }
        kinds.extend(turn.final_response.map(|_| RowKind::Response(number)));
    }
    kinds.extend(pending.map(|(depth, _)| RowKind::Pending(depth)));
    kinds.into_iter().enumerate().map(|(position, kind)| RowId { position, kind }).collect()
}

/// The open rows, by index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRows(HashSet<usize>);

impl OpenRows {
    /// Whether the row at `position` is open.
    #[must_use]
    pub fn has(&self, position: usize) -> bool {
        self.0.contains(&position)
    }

    /// Opens a closed row and closes an open one.
    pub fn toggle(&mut self, position: usize) {
        if !self.0.remove(&position) {
            self.0.insert(position);
        }
    }

    /// Opens all `rows` that can be opened.
    pub fn open_all(&mut self, rows: &[RowId]) {
        self.0.extend(
            rows.iter().filter(|row| matches!(row.kind, RowKind::Call(_))).map(|row| row.position),
        );
    }

    /// Closes every row.
    pub fn close_all(&mut self) {
        self.0.clear();
    }

    /// Whether any row is open.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }
}

/// A part of an open row that opens by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RowPart {
    /// The traceback of an error.
    Traceback,
    /// The result of an MCP tool as a whole.
    WholeResult,
}

/// The open parts of rows. By call, because the index of a call changes when the call that it is within ends: its row is
/// drawn again then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenParts(HashSet<(CallId, RowPart)>);

impl OpenParts {
    /// Whether the part is open.
    #[must_use]
    pub fn has(&self, call_id: &CallId, part: RowPart) -> bool {
        self.0.contains(&(call_id.clone(), part))
    }

    /// Opens a closed part and closes an open one.
    pub fn toggle(&mut self, call_id: &CallId, part: RowPart) {
        let part = (call_id.clone(), part);
        if !self.0.remove(&part) {
            self.0.insert(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use json_text::JsonText;
    use session::{AgentId, CallId, Event, Outcome, SessionId, ToolName, ToolResult, step};

    use super::*;

    fn after(events: Vec<Event>) -> Session {
        let session = Session::new(SessionId::parse("s").expect("valid"));
        events.into_iter().fold(session, |session, event| step(&session, event).expect("fits").0)
    }

    #[test]
    fn a_call_and_its_result_share_a_row() {
        let at = Timestamp::UNIX_EPOCH;
        let call_id = CallId::parse("c").expect("valid");
        let mut events = vec![
            Event::SelectAgent { agent: AgentId::parse("a").expect("valid") },
            Event::SubmitQuery { content: "q".to_owned(), at },
            Event::CallTool {
                call_id: call_id.clone(),
                tool_name: ToolName::parse("t").expect("valid"),
                arguments: JsonText::parse("{}").expect("valid"),
                is_agent: false,
                at,
            },
        ];
        assert_eq!(rows(&after(events.clone()))[1].kind, RowKind::Pending(0));
        events.push(Event::Settle {
            call_id,
            outcome: Outcome::returned(ToolResult::Whole(JsonText::null())),
            duration_ms: 1.0,
            at,
        });
        events.push(Event::Respond { content: "r".to_owned(), at });
        events.push(Event::Continue);
        events.push(Event::SubmitQuery { content: "q".to_owned(), at });
        let kinds: Vec<_> =
            rows(&after(events)).iter().map(|row| (row.position, row.kind)).collect();
        assert_eq!(
            kinds,
            [
                (0, RowKind::Query(0)),
                (1, RowKind::Call(0)),
                (2, RowKind::Response(0)),
                (3, RowKind::Query(1)),
            ]
        );
    }

    #[test]
    fn the_calls_of_an_agent_that_is_acting_follow_its_call() {
        let at = Timestamp::UNIX_EPOCH;
        let id = |name: &str| CallId::parse(name).expect("valid");
        let call = |name: &str| Event::CallTool {
            call_id: id(name),
            tool_name: ToolName::parse("t").expect("valid"),
            arguments: JsonText::parse("{}").expect("valid"),
            is_agent: false,
            at,
        };
        let settle = |name: &str| Event::Settle {
            call_id: id(name),
            outcome: Outcome::returned(ToolResult::Whole(JsonText::null())),
            duration_ms: 1.0,
            at,
        };
        let kinds = |events: &[Event]| -> Vec<_> {
            rows(&after(events.to_vec())).iter().skip(1).map(|row| row.kind).collect()
        };
        let mut events = vec![
            Event::SelectAgent { agent: AgentId::parse("a").expect("valid") },
            Event::SubmitQuery { content: "q".to_owned(), at },
            call("outer"),
            Event::AskConfirmation { call_id: id("outer"), hint: String::new(), payload: None },
            Event::ActAsAgent { call_id: id("outer") },
            Event::BeginActing { call_id: id("outer") },
            call("first"),
            settle("first"),
            call("second"),
        ];
        let nested = [RowKind::Pending(0), RowKind::Call(0), RowKind::Pending(1)];
        assert_eq!(kinds(&events), nested);
        events.extend([settle("second"), Event::Respond { content: "r".to_owned(), at }]);
        events.push(settle("outer"));
        assert_eq!(kinds(&events), [0, 1, 2].map(RowKind::Call));
    }

    #[test]
    fn a_part_stays_open_for_its_call() {
        let ids = ["c1", "c2"].map(|id| CallId::parse(id).expect("valid"));
        let mut open = OpenParts::default();
        open.toggle(&ids[0], RowPart::Traceback);
        assert!(open.has(&ids[0], RowPart::Traceback));
        assert!(!open.has(&ids[0], RowPart::WholeResult) && !open.has(&ids[1], RowPart::Traceback));
        open.toggle(&ids[0], RowPart::Traceback);
        assert_eq!(open, OpenParts::default());
    }

    #[test]
    fn rows_open_and_close() {
        let row = |position, kind| RowId { position, kind };
        let mut open = OpenRows::default();
        open.open_all(&[
            row(0, RowKind::Query(0)),
            row(1, RowKind::Call(0)),
            row(2, RowKind::Pending(0)),
        ]);
        assert!(open.has(1) && !open.has(0) && !open.has(2));
        open.toggle(1);
        assert!(!open.any());
    }
}
