//! The initial state of a session, which the person can edit before the first message.
//!
//! The entered text is in the tab's storage and so survives a reload, also while it is invalid.

use json_text::{Decimal, JsonPlace, JsonText, JsonTextError, Kind, Node};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use session::{AgentId, SessionState};

use super::Rehearsal;
use crate::state::browser;

/// The id of the editor's input in the document.
pub const INITIAL_STATE: &str = "initial-state";

/// An initial state as it was entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnteredState {
    /// The text, which may be invalid.
    pub text: String,
    /// The id of the eval case that it was first taken from, if any.
    pub case: Option<String>,
}

/// Why a text is not a JSON object whose members are all kept.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidState {
    /// It is not JSON.
    #[error("The initial state is not JSON: {0}.")]
    NotJson(JsonTextError),
    /// A member is there twice.
    #[error("In the initial state, {0}. Rename one of the two.")]
    RepeatedMember(JsonTextError),
    /// A number is beyond what a floating-point number holds.
    #[error("The number {0} in the initial state is too large. Use a smaller number, or a string.")]
    TooLarge(String),
    /// It is another value.
    #[error(
        "The initial state must be an object such as {{\"city\": \"Oslo\"}}. Found {}{}.",
        found.phrase(),
        place.as_ref().map(|it| format!(" {it}")).unwrap_or_default()
    )]
    NotAnObject {
        /// Its kind.
        found: Kind,
        /// Where it is.
        place: Option<JsonPlace>,
    },
}

impl EnteredState {
    /// The state.
    ///
    /// # Errors
    /// [`InvalidState`]
    pub fn read(&self) -> Result<JsonText, InvalidState> {
        let state = JsonText::parse(&self.text).map_err(InvalidState::NotJson)?;
        if let Some(error) = json_text::repeated_member(&self.text) {
            return Err(InvalidState::RepeatedMember(error));
        }
        let is_infinite = |number: &str| number.parse::<f64>().is_ok_and(f64::is_infinite);
        if let Some(number) = first_number(state.open(), &is_infinite) {
            return Err(InvalidState::TooLarge(number));
        }
        match state.kind() {
            Kind::Object => Ok(state.compact()),
            found => {
                let place = json_text::place(&self.text, "");
                Err(InvalidState::NotAnObject { found, place })
            }
        }
    }

    /// A note if a number in a valid state has more digits than a floating-point number holds.
    #[must_use]
    pub fn rounding_note(&self) -> Option<String> {
        let state = self.read().ok()?;
        let number = first_number(state.open(), &is_rounded)?;
        let rounded: f64 = number.parse().ok()?;
        Some(format!("{number} has too many digits: a tool reads {rounded} from the state."))
    }
}

/// The first number that `is_wanted`.
fn first_number(node: Node<'_>, is_wanted: &impl Fn(&str) -> bool) -> Option<String> {
    match node {
        Node::Number(text) => is_wanted(text).then(|| text.to_owned()),
        Node::Array(items) => {
            items.into_iter().find_map(|item| first_number(Node::of(item), is_wanted))
        }
        Node::Object(members) => {
            members.into_iter().find_map(|(_, value)| first_number(Node::of(value), is_wanted))
        }
        Node::Null | Node::Bool(_) | Node::String(_) => None,
    }
}

/// Whether a floating-point number has fewer digits than this JSON number. Integers stay integers.
fn is_rounded(number: &str) -> bool {
    let Some(float) = number.parse::<f64>().ok().filter(|_| number.contains(['.', 'e', 'E']))
    else {
        return false;
    };
    // Rust prints the fewest digits that give the same number back.
    Decimal::parse(number) != Decimal::parse(&float.to_string())
}

fn key(agent: &AgentId) -> String {
    format!("rehearsal.initial-state.{agent}")
}

impl Rehearsal {
    /// Whether the first message was not sent yet, so that the initial state can be edited. Tracked.
    #[must_use]
    pub fn is_before_first_message(self) -> bool {
        let session = self.session.read();
        session.state() == SessionState::AwaitingQuery && session.past_turns() == 0
    }

    /// The initial state that the person entered; `None` for the agent's own, or while the text is
    /// invalid.
    pub(super) fn initial_state(self) -> Option<JsonText> {
        self.entered_state.with_untracked(|entered| entered.as_ref()?.read().ok())
    }

    /// Enters an initial state, or with `None` restores the agent's own.
    pub fn enter_state(self, entered: Option<EnteredState>) {
        self.entered_state.set(entered);
        // It may be about the text before.
        self.notice.set(None);
        self.store_initial_state();
    }

    /// Starts the session with the initial state of an eval case, unless the person edited it for
    /// that case. For effects.
    pub fn use_state_of_case(self, eval_id: &str, state: &JsonText) {
        let case = Some(eval_id.to_owned());
        let is_known = self
            .entered_state
            .with_untracked(|entered| entered.as_ref().is_some_and(|entered| entered.case == case));
        if !is_known && untrack(|| self.is_before_first_message()) {
            self.enter_state(Some(EnteredState { text: state.pretty(), case }));
            self.open();
        }
    }

    /// Shows why the initial state is invalid, and returns whether it is.
    pub(super) fn rejects_initial_state(self) -> bool {
        let fault = self.entered_state.with_untracked(|entered| entered.as_ref()?.read().err());
        let is_rejected = fault.is_some() && untrack(|| self.is_before_first_message());
        if is_rejected {
            self.edits_state.set(true);
            self.notice.set(fault.map(|fault| fault.to_string()));
            browser::after_drawing(|| browser::focus(INITIAL_STATE));
        }
        is_rejected
    }

    pub(super) fn store_initial_state(self) {
        let entered = self.entered_state.get_untracked();
        let stored = entered.and_then(|entered| serde_json::to_string(&entered).ok());
        browser::tab_store(&key(&self.agent()), stored.as_deref());
    }

    pub(super) fn restore_initial_state(self) {
        let stored = browser::tab_stored(&key(&self.agent()));
        let entered: Option<EnteredState> =
            stored.and_then(|stored| serde_json::from_str(&stored).ok());
        self.edits_state.set(entered.as_ref().is_some_and(|entered| entered.read().is_err()));
        self.entered_state.set(entered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let entered = EnteredState { text: text.to_owned(), case: None };
        entered.read().map(|state| state.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_initial_state_is_an_object_and_a_fault_names_its_place() {
        assert_eq!(read("{\n \"a\": 1.10\n}").as_deref(), Ok(r#"{"a":1.10}"#));
        let fault = read("{\n \"a\": 1,\n}").expect_err("not JSON");
        assert!(fault.starts_with("The initial state is not JSON: "), "{fault}");
        assert!(fault.ends_with(" at line 3, column 1."), "{fault}");
        let fault = read("\n [1]").expect_err("a list");
        assert!(fault.ends_with("Found an array at line 2, column 2."), "{fault}");
        let fault = read(r#"{"a": 1, "a": 2}"#).expect_err("one would be lost");
        assert!(fault.contains("`a` is repeated at line 1, column 10."), "{fault}");
        let fault = read(r#"{"a": [{"b": 1e400}]}"#).expect_err("infinite");
        let expected = "The number 1e400 in the initial state is too large. Use a smaller number, or a string.";
        assert_eq!(fault, expected);
    }

    #[test]
    fn a_number_that_loses_digits_is_noted() {
        let note = |text: &str| EnteredState { text: text.to_owned(), case: None }.rounding_note();
        assert_eq!(
            note(r#"{"a": 0.1, "pi": [3.14159265358979323846]}"#).as_deref(),
            Some(
                "3.14159265358979323846 has too many digits: a tool reads 3.141592653589793 from \
                 the state."
            )
        );
        assert!(note(r#"{"a": 1e-400}"#).is_some_and(|note| note.contains("reads 0 ")));
        for exact in ["0.1", "1.10", "-2.5e3", "1e300", "18446744073709551616", "0.0", "1e2"] {
            assert_eq!(note(&format!(r#"{{"a": {exact}}}"#)), None, "{exact}");
        }
    }
}
