//! [`Replay`]: rehearses a recorded case again, step by step, and compares the tools' results with the
//! recorded ones. Nothing runs by itself: a step is filled in, and the person runs it.

use api::{ApiError, CaseStep, CaseView, SetId};
use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{query_signal_with_options, use_query_map};
use session::{Answer, Call, Session, SessionState, ToolResult};

use crate::rehearse::state::workspace::{Tab, Workspace};
use api::host::read_case;
use app::state::base_path::unresolved;
use app::state::browser;
use app::state::case_address::unescaped;
use app::state::latest_request::use_latest_request;
use app::state::rehearsal::Action;

/// The next step of the case.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The user message.
    Query(String),
    /// A tool call.
    Call {
        /// The tool.
        tool: String,
        /// The arguments.
        arguments: JsonText,
    },
    /// The final response.
    Response(String),
    /// One that follows the call of the agent that the person plays.
    AfterPlay,
    /// None: the case ends here.
    Nothing,
}

/// The last call compared with the recorded one.
#[derive(Debug, Clone, PartialEq)]
pub enum StepComparison {
    /// The same result.
    Same,
    /// Another result than this recorded one.
    OtherResult(JsonText),
    /// Another call than the recorded one of this tool.
    OtherCall(String),
}

/// A case that is rehearsed again in a workspace, as small as its handles.
#[derive(Clone, Copy)]
pub struct Replay {
    workspace: Workspace,
    /// The case; `None` while it is read.
    pub case: RwSignal<Option<Result<CaseView, ApiError>>>,
    /// The id of the case that the address names.
    pub eval_id: Memo<Option<String>>,
    /// Its position in the file, in the address only where other cases share the id.
    pub at: Memo<Option<u64>>,
    set: Memo<Option<SetId>>,
    set_eval_id: SignalSetter<Option<String>>,
}

/// The case that the address names, for `workspace`.
#[must_use]
pub fn use_replay(workspace: Workspace) -> Replay {
    let in_place = NavigateOptions { replace: true, scroll: false, ..unresolved() };
    let (named, set_eval_id) = query_signal_with_options::<String>("case", in_place);
    let eval_id = Memo::new(move |_| named.get().map(|named| unescaped(&named)));
    // The set that the case is of, when it is not the agent's own.
    let query = use_query_map();
    let set = Memo::new(move |_| query.read().get("set").map(SetId::new));
    let at = Memo::new(move |_| query.read().get("at").and_then(|at| at.parse::<u64>().ok()));
    let case = RwSignal::new(None);
    let wanted = use_latest_request();
    // Requests the case from the host.
    Effect::new(move |_| {
        let asked = wanted.ask();
        let index = at.get().unwrap_or_default();
        let named = eval_id.get().map(|eval_id| (eval_id, index));
        // The workspace is drawn again after a reload of the agent, with the same case.
        let is_known = workspace.rehearsal.case.get_value() == named;
        workspace.rehearsal.case.set_value(named.clone());
        let Some((eval_id, _)) = named else {
            case.set(None);
            return;
        };
        // A case begins with the user message: a session under way starts over, after a question if it
        // would be lost.
        let session = workspace.rehearsal.session;
        if !is_known && session.read_untracked().started_at().is_some() {
            // After the page is drawn: the router is still changing to this address.
            browser::after_drawing(move || {
                // Another workspace, with its own replay, may have been opened meanwhile.
                if workspace.filter.try_get_untracked().is_some() {
                    workspace.start_over();
                }
            });
        }
        let set = set.get_untracked();
        let set = set.unwrap_or_else(|| SetId::from(workspace.rehearsal.agent()));
        spawn_local(async move {
            let read = read_case(set, eval_id, index).await;
            if asked.is_wanted() {
                case.set(Some(read));
            }
        });
    });
    // The session starts with the state of the case, also after starting over.
    Effect::new(move |_| {
        let rehearsal = workspace.rehearsal;
        let _ = rehearsal.id();
        if let Some(Ok(case)) = &*case.read()
            && let Some(state) = &case.state
        {
            rehearsal.use_state_of_case(&case.eval_id, state);
        }
    });
    Replay { workspace, case, eval_id, at, set, set_eval_id }
}

impl Replay {
    /// The eval set that the case is of. Untracked.
    #[must_use]
    pub fn set(self) -> SetId {
        let named = self.set.get_untracked();
        named.unwrap_or_else(|| SetId::from(self.workspace.rehearsal.agent()))
    }

    /// Continues without the case.
    pub fn leave(self) {
        self.set_eval_id.set(None);
    }

    /// How many steps are done and how many there are, queries and responses among them. Tracked.
    #[must_use]
    pub fn progress(self) -> (usize, usize) {
        let (turn, done) = self.place();
        let steps = self.with_turns(|turns| turns.iter().map(Turn::steps).collect::<Vec<_>>());
        let steps = steps.unwrap_or_default();
        let before: usize = steps.iter().take(turn).sum();
        let here = steps.get(turn).copied().unwrap_or_default();
        (before + done.min(here), steps.iter().sum())
    }

    /// The current turn and how many turns the case has, both from 1. Tracked.
    #[must_use]
    pub fn turn(self) -> (usize, usize) {
        let all = self.with_turns(|turns| turns.len()).unwrap_or_default();
        ((self.place().0 + 1).min(all), all)
    }

    /// The number of the turn to play, from 0, and how many of its steps are done. Tracked.
    fn place(self) -> (usize, usize) {
        let session = self.workspace.rehearsal.session.read();
        let turn = session.past_turns();
        match session.state() {
            SessionState::SelectingAgent | SessionState::AwaitingQuery => (turn, 0),
            SessionState::Active => {
                let pending = usize::from(session.pending().is_some());
                (turn, 1 + calls_of_case(&session).count() + pending)
            }
            SessionState::Completed => (turn + 1, 0),
        }
    }

    /// The next step. Tracked.
    #[must_use]
    pub fn next(self) -> Next {
        let (turn, done) = self.place();
        if self.workspace.acted_as.read().is_some() {
            return Next::AfterPlay;
        }
        self.with_turns(|turns| {
            let turn = turns.get(turn)?;
            Some(match (done, turn.calls.get(done.wrapping_sub(1)), turn.response) {
                (0, ..) => Next::Query(turn.query.to_owned()),
                (_, Some(call), _) => {
                    Next::Call { tool: call.tool.to_owned(), arguments: call.arguments.clone() }
                }
                (_, None, Some(response)) => Next::Response(response.to_owned()),
                (_, None, None) => Next::Nothing,
            })
        })
        .flatten()
        .unwrap_or(Next::Nothing)
    }

    /// The last call compared with the recorded call at its position. Tracked.
    #[must_use]
    pub fn last(self) -> Option<StepComparison> {
        let session = self.workspace.rehearsal.session.read();
        let (place, ended) = calls_of_case(&session).enumerate().last()?;
        self.with_turns(|turns| {
            let turn = turns.get(session.past_turns())?;
            let RecordedCall { tool, arguments, response, returned } = *turn.calls.get(place)?;
            if ended.call.tool_name.as_str() != tool || !same(&ended.call.arguments, arguments) {
                return Some(StepComparison::OtherCall(tool.to_owned()));
            }
            let response = response?;
            let is_same = match &ended.answer {
                Answer::Output(output) => match &output.result {
                    ToolResult::Whole(now) => is_recorded(now, response, returned),
                    // Stored on the host: not compared here.
                    ToolResult::Stored(_) => return None,
                },
                Answer::Error(error) => member(response, "error")
                    .and_then(|error| member(&error, "type"))
                    .is_some_and(|kind| kind == JsonText::string(&error.error_type)),
            };
            Some(if is_same {
                StepComparison::Same
            } else {
                StepComparison::OtherResult(returned.unwrap_or(response).clone())
            })
        })
        .flatten()
    }

    /// Fills in the next step, for the person to run. For event handlers.
    pub fn fill_in(self) {
        let workspace = self.workspace;
        let forms = workspace.rehearsal.forms;
        let session = workspace.rehearsal.session;
        match untrack(|| self.next()) {
            Next::Query(text) => {
                if session.read_untracked().state() == SessionState::Completed {
                    workspace.continue_session();
                }
                match (untrack(|| workspace.query_source()), JsonText::parse(&text)) {
                    (Some(form), Ok(value)) => workspace.perform(Action::Fill(form, value)),
                    (Some(_), Err(_)) => {
                        self.cannot(
                            "The case's user message is text, but the agent now requires a JSON object. \
                             Fill in the form yourself.",
                        );
                    }
                    (None, _) => forms.query.write(text),
                }
                browser::after_drawing(|| browser::focus_form("query"));
            }
            Next::Call { tool, arguments } => {
                let found = workspace.tools.with_untracked(|tools| {
                    tools.iter().find(|it| it.name.as_str() == tool).cloned()
                });
                let Some(found) = found else {
                    self.cannot(&format!(
                        "The agent has no tool {tool}. Call another tool, or continue without the case."
                    ));
                    return;
                };
                workspace.choose_tool(&tool);
                workspace.perform(Action::Fill(workspace.tool_source(&found), arguments));
                // The address changes in the next frame, the panel after it.
                browser::after_drawing(|| {
                    browser::after_drawing(|| browser::focus_form("tool-form"));
                });
            }
            Next::Response(text) => {
                workspace.show(Tab::Respond);
                match (untrack(|| workspace.response_source()), JsonText::parse(&text)) {
                    (Some(form), Ok(value)) => workspace.perform(Action::Fill(form, value)),
                    (Some(_), Err(_)) => self.cannot(
                        "The case's response is text, but the agent's response schema requires JSON. Fill in \
                         the form yourself.",
                    ),
                    (None, _) => forms.response.write(text),
                }
                browser::after_drawing(|| {
                    browser::after_drawing(|| browser::focus_form("response"));
                });
            }
            Next::AfterPlay | Next::Nothing => {}
        }
    }

    fn cannot(self, why: &str) {
        self.workspace.rehearsal.notice.set(Some(why.to_owned()));
    }

    /// The turns of the case. Tracked.
    fn with_turns<T>(self, look: impl FnOnce(&[Turn<'_>]) -> T) -> Option<T> {
        let case = self.case.read();
        let turns = case.as_ref()?.as_ref().ok()?.turns.iter().map(|turn| {
            let calls = turn.steps.iter().filter_map(|step| match step {
                CaseStep::Call { tool, arguments, result, returned, .. } => Some(RecordedCall {
                    tool,
                    arguments,
                    response: result.as_ref(),
                    returned: returned.as_ref(),
                }),
                CaseStep::Message { .. } | CaseStep::Plan(_) => None,
            });
            Turn { query: &turn.query, calls: calls.collect(), response: turn.response.as_deref() }
        });
        Some(look(&turns.collect::<Vec<_>>()))
    }
}

/// The ended calls of the current turn that a case has: without those of agents that the person acted as.
fn calls_of_case(session: &Session) -> impl Iterator<Item = &Call> {
    session.calls_of_turn().iter().filter(|made| made.call.within.is_none())
}

/// The steps of a turn.
struct Turn<'a> {
    query: &'a str,
    calls: Vec<RecordedCall<'a>>,
    response: Option<&'a str>,
}

#[derive(Clone, Copy)]
struct RecordedCall<'a> {
    tool: &'a str,
    arguments: &'a JsonText,
    response: Option<&'a JsonText>,
    returned: Option<&'a JsonText>,
}

impl Turn<'_> {
    /// How many steps the turn has.
    fn steps(&self) -> usize {
        1 + self.calls.len() + usize::from(self.response.is_some())
    }
}

/// Whether two values are equal, in any order of keys.
fn same(one: &JsonText, other: &JsonText) -> bool {
    match (one.to_value(), other.to_value()) {
        _ if one.compact() == other.compact() => true,
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Whether `now` is the result of the recorded response. Without a mark that says what the tool
/// returned, the response may contain the result or be the result.
fn is_recorded(now: &JsonText, response: &JsonText, returned: Option<&JsonText>) -> bool {
    match returned {
        Some(returned) => same(now, returned),
        None => same(now, response) || same_inside(now, response),
    }
}

/// Whether the recorded response wraps the result: `{"result": ...}`.
fn same_inside(now: &JsonText, response: &JsonText) -> bool {
    member(response, "result").is_some_and(|result| same(now, &result))
}

fn member(object: &JsonText, name: &str) -> Option<JsonText> {
    let json_text::Node::Object(members) = object.open() else { return None };
    members.into_iter().rfind(|(key, _)| key == name).map(|(_, value)| JsonText::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> JsonText {
        JsonText::parse(text).expect("valid")
    }

    #[test]
    fn compares_a_result_with_the_recorded_response() {
        assert!(same(&text(r#"{"a":1,"b":2}"#), &text(r#"{ "b": 2, "a": 1 }"#)));
        assert!(!same(&text("9007199254740993"), &text("9007199254740992")));
        assert!(same_inside(&text("8"), &text(r#"{"result": 8}"#)));
        assert!(!same_inside(&text("8"), &text(r#"{"result": 9}"#)));
        assert!(!same_inside(&text("8"), &text("8")));
    }

    #[test]
    fn the_mark_of_a_case_tells_a_value_from_an_object_with_it() {
        let (value, object) = (text("1"), text(r#"{"result":1}"#));
        assert!(is_recorded(&value, &object, None) && is_recorded(&object, &object, None));
        assert!(is_recorded(&value, &object, Some(&value)));
        assert!(!is_recorded(&object, &object, Some(&value)));
        assert!(is_recorded(&object, &object, Some(&object)));
        assert!(!is_recorded(&value, &object, Some(&object)));
    }
}
