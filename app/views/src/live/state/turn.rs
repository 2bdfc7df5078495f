//! The rules of a live turn as pure functions: which turn is shown, who holds the lease, what a
//! response consists of, and what it would leave out. The signals are in `workspace`.

use api::{LiveCall, LiveId, LiveLease, LiveTurnId, WaitingTurn};

use app::state::live_draft::{Kept, Side};

/// After so long without a keystroke the lease is left to expire, in milliseconds.
const IDLE_MS: i64 = 60 * 1000;

/// What decides which turn is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The turn that the address names.
    pub named: Option<LiveTurnId>,
    /// The head of the queue.
    pub head: Option<LiveTurnId>,
    /// The turn that is shown.
    pub shown: Option<LiveTurnId>,
    /// Whether the person has begun to respond to the shown turn.
    pub is_busy: bool,
    /// Whether the host has reported who is logged in. Before that, the owner of a draft is unknown.
    pub is_greeted: bool,
}

impl Choice {
    /// The turn to show. `left_draft` finds a closed turn with a draft. It reads the whole storage and
    /// is called only when nothing is shown.
    #[must_use]
    pub fn next(self, left_draft: impl FnOnce() -> Option<LiveTurnId>) -> Option<LiveTurnId> {
        let Self { named, head, shown, is_busy, is_greeted } = self;
        match (named, shown) {
            (Some(named), _) => Some(named),
            (None, None) if !is_greeted => None,
            (None, None) => left_draft().or(head),
            (None, shown) if is_busy => shown,
            (None, shown) => head.or(shown),
        }
    }
}

/// The turn of `session` that was closed while `me` had a draft for it. `waiting` is the queue; `None`
/// until the host has reported it, and then no turn counts as closed.
#[must_use]
pub fn closed_with_draft(
    drafts: Vec<Kept>,
    session: &LiveId,
    me: Option<&str>,
    waiting: Option<&[WaitingTurn]>,
) -> Option<LiveTurnId> {
    let waiting = waiting?;
    let own = |kept: &Kept| kept.session == *session && kept.may_be_of(me);
    let is_closed = |kept: &Kept| waiting.iter().all(|it| it.turn != kept.turn);
    let found = |kept: &Kept| own(kept) && !kept.is_ahead() && is_closed(kept);
    drafts.into_iter().find(found).map(|kept| kept.turn)
}

/// Another page that holds the lease, or the person to whom it is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The name.
    pub name: String,
    /// Whether this person has the same name: they respond in another window, or it is a namesake.
    pub shares_name: bool,
    /// Whether the lease is offered and not yet taken.
    pub is_offered: bool,
}

impl Holder {
    /// The holder of `lease`, unless it is this page. `may_hold` says whether this page asked for the
    /// lease of the turn and was not refused.
    #[must_use]
    pub fn other(lease: &LiveLease, me: Option<&str>, may_hold: bool) -> Option<Self> {
        let shares_name = me == Some(lease.holder.as_str());
        let is_mine = shares_name && (may_hold || lease.is_offered);
        (!is_mine).then(|| Self {
            name: lease.holder.clone(),
            shares_name,
            is_offered: lease.is_offered,
        })
    }

    /// The holder in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let name = &self.name;
        match (self.is_offered, self.shares_name) {
            (true, _) => format!("Lease offered to {name}."),
            (false, true) => format!("{name} holds the lease in another window."),
            (false, false) => format!("{name} holds the lease."),
        }
    }
}

/// Whether a keystroke requests the lease: the first one, or one after a long pause. `idle_ms` is the
/// time since the last keystroke.
#[must_use]
pub fn requests_lease(is_begun: bool, idle_ms: i64) -> bool {
    !is_begun || idle_ms > IDLE_MS
}

/// Whether the heartbeat renews the lease.
#[must_use]
pub fn renews_lease(is_begun: bool, idle_ms: i64) -> bool {
    is_begun && idle_ms < IDLE_MS
}

/// The side of the response that is shown. Without tools there is only the text.
#[must_use]
pub fn shown_side(has_tools: bool, chosen: Option<Side>) -> Side {
    if has_tools { chosen.unwrap_or(Side::Call) } else { Side::Text }
}

/// The warning about input on the side that is not shown, which the response would leave out.
/// `edited_call` is the tool of an unfinished call, `has_edited_value` says whether the form of the
/// final response was edited.
#[must_use]
pub fn left_out(side: Side, edited_call: Option<&str>, has_edited_value: bool) -> Option<String> {
    match side {
        Side::Text => edited_call.map(|tool| {
            format!(
                "Your unfinished call to {tool} is not in this response. Add it under \"Call tools\", or send again to leave it out."
            )
        }),
        Side::Call => has_edited_value.then(|| {
            "Your unfinished response cannot be sent with a call. Send it from the \"Response\" tab, or send again to discard it."
                .to_owned()
        }),
    }
}

/// What the host has accepted of the form that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// No form is shown.
    Nothing,
    /// A call.
    Call(LiveCall),
    /// A final response that follows a schema, as JSON.
    Value(String),
}

/// The text and the calls of a response: what was typed, the finished calls, and the form that is shown.
///
/// # Errors
///
/// What to enter first, when the response would be empty.
pub fn response(
    side: Side,
    typed: String,
    mut calls: Vec<LiveCall>,
    checked: Checked,
) -> Result<(Option<String>, Vec<LiveCall>), &'static str> {
    let mut text = (!typed.trim().is_empty()).then_some(typed);
    match checked {
        Checked::Nothing => {}
        Checked::Call(call) => calls.push(call),
        Checked::Value(value) => text = Some(value),
    }
    if text.is_none() && calls.is_empty() {
        return Err(match side {
            Side::Call => "Choose a tool, or respond with text.",
            Side::Text => "Enter the model response.",
        });
    }
    Ok((text, calls))
}

#[cfg(test)]
mod tests {
    use json_text::JsonText;

    use super::*;

    fn turn(id: &str) -> LiveTurnId {
        LiveTurnId::new(id)
    }

    fn choice() -> Choice {
        Choice { is_greeted: true, ..Choice::default() }
    }

    #[test]
    fn the_address_decides_first() {
        let choice = Choice {
            named: Some(turn("named")),
            head: Some(turn("head")),
            shown: Some(turn("shown")),
            is_busy: true,
            is_greeted: false,
        };
        assert_eq!(choice.next(|| unreachable!()), Some(turn("named")));
    }

    #[test]
    fn the_first_turn_is_a_left_draft_or_the_head_of_the_queue() {
        let first = Choice { head: Some(turn("head")), ..choice() };
        assert_eq!(first.clone().next(|| None), Some(turn("head")));
        assert_eq!(first.clone().next(|| Some(turn("left"))), Some(turn("left")));
        let early = Choice { is_greeted: false, ..first };
        assert_eq!(early.next(|| unreachable!()), None);
    }

    #[test]
    fn the_head_of_the_queue_replaces_a_turn_without_a_draft() {
        let idle = Choice { head: Some(turn("head")), shown: Some(turn("shown")), ..choice() };
        let busy = Choice { is_busy: true, ..idle.clone() };
        assert_eq!(idle.clone().next(|| unreachable!()), Some(turn("head")));
        assert_eq!(busy.next(|| unreachable!()), Some(turn("shown")));
        let empty = Choice { head: None, ..idle };
        assert_eq!(empty.next(|| unreachable!()), Some(turn("shown")));
    }

    #[test]
    fn a_left_draft_belongs_to_this_session_and_person_and_to_a_closed_turn() {
        let session = LiveId::new("session");
        let kept = |id: &str, of: &str, by: Option<&str>| Kept {
            key: id.to_owned(),
            turn: turn(id),
            by: by.map(str::to_owned),
            session: LiveId::new(of),
            typed_ms: 0,
        };
        let drafts = vec![
            kept("other session", "other", Some("Ann")),
            kept("other person", "session", Some("Bo")),
            kept("waiting", "session", Some("Ann")),
            kept("closed", "session", Some("Ann")),
        ];
        let waiting = [WaitingTurn {
            turn: turn("waiting"),
            agent: "agent".to_owned(),
            sequence: 1,
            since_ms: 0,
            is_awaited: true,
        }];
        let find = |me, waiting| closed_with_draft(drafts.clone(), &session, me, waiting);
        assert_eq!(find(Some("Ann"), Some(&waiting[..])), Some(turn("closed")));
        assert_eq!(find(Some("Cy"), Some(&waiting[..])), None);
        assert_eq!(find(Some("Ann"), None), None);
    }

    #[test]
    fn the_lease_belongs_to_this_page_when_the_name_matches_and_it_was_granted_or_offered() {
        let lease = |is_offered| LiveLease {
            turn: turn("a"),
            holder: "Ann".to_owned(),
            until_ms: 0,
            is_offered,
        };
        let other = |is_offered, me, may_hold| {
            Holder::other(&lease(is_offered), me, may_hold).map(|it| it.sentence())
        };
        assert_eq!(other(false, Some("Ann"), true), None);
        assert_eq!(other(true, Some("Ann"), false), None);
        let elsewhere = "Ann holds the lease in another window.";
        assert_eq!(other(false, Some("Ann"), false).as_deref(), Some(elsewhere));
        assert_eq!(other(false, Some("Bo"), true).as_deref(), Some("Ann holds the lease."));
        assert_eq!(other(true, None, false).as_deref(), Some("Lease offered to Ann."));
    }

    #[test]
    fn a_keystroke_requests_the_lease_at_first_and_after_a_pause() {
        assert!(requests_lease(false, 0) && requests_lease(true, IDLE_MS + 1));
        assert!(!requests_lease(true, IDLE_MS));
        assert!(renews_lease(true, IDLE_MS - 1));
        assert!(!renews_lease(true, IDLE_MS) && !renews_lease(false, 0));
    }

    #[test]
    fn without_tools_the_text_is_shown() {
        assert_eq!(shown_side(false, Some(Side::Call)), Side::Text);
        assert_eq!(shown_side(true, None), Side::Call);
        assert_eq!(shown_side(true, Some(Side::Text)), Side::Text);
    }

    #[test]
    fn input_on_the_hidden_side_is_named() {
        let warning = left_out(Side::Text, Some("weather"), true).expect("a call is unfinished");
        assert!(warning.starts_with("Your unfinished call to weather "), "{warning}");
        assert!(left_out(Side::Call, Some("weather"), true).is_some());
        assert_eq!(left_out(Side::Text, None, true), None);
        assert_eq!(left_out(Side::Call, Some("weather"), false), None);
    }

    #[test]
    fn a_response_holds_the_text_the_finished_calls_and_the_form() {
        let call = |id: &str| LiveCall {
            id: id.to_owned(),
            name: "weather".to_owned(),
            args: JsonText::parse("{}").expect("valid"),
        };
        let typed = || " as typed ".to_owned();
        assert_eq!(
            response(Side::Call, typed(), vec![call("1")], Checked::Call(call("2"))),
            Ok((Some(typed()), vec![call("1"), call("2")]))
        );
        assert_eq!(
            response(Side::Text, typed(), Vec::new(), Checked::Value("{}".to_owned())),
            Ok((Some("{}".to_owned()), Vec::new()))
        );
        let empty = |side| response(side, " \n".to_owned(), Vec::new(), Checked::Nothing);
        assert_eq!(empty(Side::Call), Err("Choose a tool, or respond with text."));
        assert_eq!(empty(Side::Text), Err("Enter the model response."));
    }
}
