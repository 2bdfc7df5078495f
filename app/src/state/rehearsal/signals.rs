//! [`SessionSignals`]: the state of one session, a signal for each part, and its reset.

use std::collections::HashMap;

use api::{ApiError, CallProgressed, CatalogChange, FieldMessage, Question, SessionView};
use leptos::prelude::*;
use session::CallId;

use super::{EnteredState, Export, ExportFile, Keeping, Restart};
use crate::state::rows::{OpenParts, OpenRows};

/// Declares a struct of signals with their defaults, and `reset`, which sets all of them back. Each
/// field is written once, so that a new one cannot be missing from the reset.
macro_rules! signals {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])+ $field:ident: $value:ty,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        pub struct $name { $($(#[$doc])+ pub $field: RwSignal<$value>,)+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: RwSignal::new(<$value>::default()),)+ }
            }
        }

        impl $name {
            /// Sets every signal to its default, as at the start of a session.
            pub fn reset(self) {
                $(self.$field.set(<$value>::default());)+
            }
        }
    };
}

signals! {
    /// What belongs to one session besides its history and its forms. A signal for each part, so
    /// that a change redraws only what shows it.
    pub struct SessionSignals {
        /// What the model would see; `None` until the host has opened the session.
        view: Option<SessionView>,
        /// The name of the agent that the session began with; a transfer may put another in charge.
        began_with: Option<String>,
        /// Why the host could not open its part of the session.
        fault: Option<ApiError>,
        /// The last error, for a banner.
        notice: Option<String>,
        /// The last event, for screen readers.
        announcement: String,
        /// Whether the host is checking a value.
        checking: bool,
        /// Whether the focus goes to the row that replaces the pending call: the person pressed a
        /// button that disappears with it.
        returns_focus: bool,
        /// The progress of the pending call, as its tool reports it.
        progress: Option<CallProgressed>,
        /// Where results violate the output schemas of their tools. Not part of the history: only
        /// the person sees it.
        broken: HashMap<CallId, Vec<FieldMessage>>,
        /// The open questions of servers, oldest first.
        questions: Vec<Question>,
        /// The last change of the catalog, until it is dismissed.
        catalog_change: Option<CatalogChange>,
        /// How often the agent had been loaded when the session began.
        loads: Option<u64>,
        /// The restarts of the host and of the agent's process.
        restarts: Vec<Restart>,
        /// How far the export is.
        export: Export,
        /// The file to export to; that of the agent without a choice.
        export_file: Option<ExportFile>,
        /// The tags that the person gave the case.
        tags: Vec<String>,
        /// The note that the person gave the case.
        note: String,
        /// The calls that the person leaves out of the export.
        left_out: Vec<CallId>,
        /// The numbers of the turns that the person leaves out of the export.
        left_out_turns: Vec<usize>,
        /// The numbers of the turns whose final response the person leaves out of the export.
        left_out_responses: Vec<usize>,
        /// The id that the person gave the case.
        case_id: Option<String>,
        /// Whether the export writes results as google-adk records them; as configured without a
        /// choice.
        adk_tool_responses: Option<bool>,
        /// The initial state that the person entered; the agent's own without one.
        entered_state: Option<EnteredState>,
        /// Whether the editor of the initial state is shown.
        edits_state: bool,
        /// Whether this tab keeps the session over a reload.
        keeping: Keeping,
        /// Which rows of the history are open.
        open_rows: OpenRows,
        /// Which parts of them are open.
        open_parts: OpenParts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::rehearsal::Restarted;

    #[test]
    fn reset_restores_the_defaults_and_keeps_the_signals() {
        let owner = Owner::new();
        owner.set();
        let signals = SessionSignals::default();
        let copy = signals;
        signals.notice.set(Some("Not sent.".to_owned()));
        signals.restarts.set(vec![Restart { of: Restarted::Host, rows: 2, lost: Vec::new() }]);
        signals.export.set(Export::Writing);
        signals.returns_focus.set(true);
        signals.open_rows.update(|open| open.toggle(1));
        signals.reset();
        assert_eq!(copy.notice.get_untracked(), None);
        assert_eq!(copy.restarts.get_untracked(), []);
        assert_eq!(copy.export.get_untracked(), Export::NotYet);
        assert!(!copy.returns_focus.get_untracked());
        assert!(!copy.open_rows.get_untracked().any());
    }
}
