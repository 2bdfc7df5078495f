//! [`EditError`]: why a case was not changed.

/// Why a case was not changed. It is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The conversation is shorter.
    #[error("there is no turn {}: the case has {turns}; reload it", turn + 1)]
    NoTurn {
        /// The turn that was meant, from 0.
        turn: usize,
        /// How many there are.
        turns: usize,
    },
    /// The turn has fewer calls.
    #[error("there is no call {}: the turn has {calls}; reload the case", call + 1)]
    NoCall {
        /// The call that was meant, from 0.
        call: usize,
        /// How many there are.
        calls: usize,
    },
    /// A value of another kind than the format takes.
    #[error("{what} must be a JSON object")]
    NotAnObject {
        /// Which value.
        what: &'static str,
    },
    /// The case is no plan for a simulated user.
    #[error("the case is a recorded conversation and has no plan")]
    NoScenario,
    /// What a conversion keeps is not looked into.
    #[error(
        "the case was converted from ADK's format, which keeps the expected state; \
         change it in the JSON, under metadata.adk"
    )]
    KeptState,
    /// An older list has no fields for most of what can be changed.
    #[error(
        "cases of ADK's older lists are not changed here; \
         convert the file with `rehearsal evalset convert` first"
    )]
    OlderList,
    /// Calls of several agents in a list of events keep the order of their events.
    #[error("the calls are recorded as events of several agents; change their order in the JSON")]
    InEvents,
}
