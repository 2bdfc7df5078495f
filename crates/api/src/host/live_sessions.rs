//! [`LiveHost`]: live sessions to read and to export.

use crate::{
    ExportReceipt, LiveExportPlan, LiveId, LiveList, LivePlace, LiveRow, LiveSummary, LiveTurn,
};

super::host_functions! {
    /// Live sessions to read and to export.
    trait LiveHost;

    /// The sessions that hold `search` in their description or among their agents' names, newest first, from a place of the list on.
    "list_live_sessions": fn list_live_sessions(search: String, before: Option<i64>) -> LiveList;

    /// One session in little.
    "read_live_session": fn read_live_session(session: LiveId) -> LiveSummary;

    /// At most `most` events (and never more than 500) after the one with this number, in order; with
    /// `whole` nothing in them is shortened.
    "read_live_rows": fn read_live_rows(
        session: LiveId,
        after: u64,
        most: u64,
        whole: bool,
    ) -> Vec<LiveRow>;

    /// What the model would be given in a turn.
    "read_live_turn": fn read_live_turn(place: LivePlace) -> LiveTurn;

    /// What can be exported of a session, and where it would go.
    "plan_live_export": fn plan_live_export(session: LiveId) -> LiveExportPlan;

    /// Appends these turns of a session, by the sequence numbers of their answers, as one case.
    "export_live_session": fn export_live_session(
        session: LiveId,
        turns: Vec<u64>,
        by: Option<String>,
    ) -> ExportReceipt;
}
