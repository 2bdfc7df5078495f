//! [`RehearsalHost`]: the host's part of a rehearsal's session, and its export.

use json_text::JsonText;
use session::{AgentId, SessionId};

use crate::{
    CaseDownload, ExportPreview, ExportReceipt, ExportRequest, FieldMessage, RestoreRequest,
    RestoredSession, SessionView, ValueTarget,
};

super::host_functions! {
    /// The host's part of a rehearsal's session, and its export.
    trait RehearsalHost;

    /// Opens a session on the host with the initial state `state`, a JSON object; without one, as
    /// configured. If the session is open, returns its present view. If it has not begun, it opens again
    /// with another initial state.
    "open_session": fn open_session(
        session: SessionId,
        agent: AgentId,
        state: Option<JsonText>,
    ) -> SessionView;

    /// Opens a session on a host that does not have it any more, and restores what it can. If the session is
    /// open, returns its present view.
    "restore_session": fn restore_session(request: RestoreRequest) -> RestoredSession;

    /// Sends the user's message, and returns what the model would see next.
    "begin_invocation": fn begin_invocation(session: SessionId, content: String) -> SessionView;

    /// Sends the final response, so that the agent's callbacks run, and returns the view with the state
    /// after them. A second call changes nothing.
    "end_invocation": fn end_invocation(session: SessionId, content: String) -> SessionView;

    /// Checks a value against a schema on the host. Without messages, it is valid.
    "check_value": fn check_value(
        session: SessionId,
        target: ValueTarget,
        value: JsonText,
    ) -> Vec<FieldMessage>;

    /// Closes a session on the host.
    "close_session": fn close_session(session: SessionId) -> ();

    /// The case that the session would be exported as.
    "preview_export": fn preview_export(request: ExportRequest) -> ExportPreview;

    /// An eval set with only the case that the session would be exported as, to download.
    "case_file": fn case_file(request: ExportRequest) -> CaseDownload;

    /// Appends the session to the agent's eval set.
    "export_session": fn export_session(
        request: ExportRequest,
        by: Option<String>,
    ) -> ExportReceipt;
}
