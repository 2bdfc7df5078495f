//! [`CaseEdits`]: the shown case of an eval set and its edits. One change at a time is sent to the host,
//! and each can be undone, the last first.

use api::{ApiError, CaseChange, CaseVersion, CaseView, SetId, ToolView};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_navigate;
use session::AgentId;

use api::host::{
    change_case, close_session, duplicate_case, insert_case, open_session, read_case, remove_case,
};
use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::case_address::{case_address, in_order_of};
use app::state::form::FormState;
use app::state::latest_request::{LatestRequest, use_latest_request};
use app::state::unsaved::Unsaved;
use app::state::use_page;

/// The part of the case that is edited: one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editing {
    /// The case's id.
    EvalId,
    /// The user message of a turn.
    Query(usize),
    /// The plan of the simulated user.
    Plan,
    /// The expected response of a turn.
    Response(usize),
    /// A call of a turn.
    Call {
        /// The turn.
        turn: usize,
        /// The call.
        call: usize,
    },
    /// A new expected call, after those of the turn.
    NewCall {
        /// The turn.
        turn: usize,
        /// How many calls the turn has.
        at: usize,
    },
    /// The initial state of the session.
    State,
    /// The state expected at the end.
    FinalState,
    /// The whole case, as JSON.
    Whole,
}

impl Editing {
    /// The id of the button that opens it, which is focused again when it closes.
    #[must_use]
    pub fn opener(self) -> String {
        match self {
            Self::EvalId => "case-rename".to_owned(),
            Self::Query(turn) => format!("edit-query-{turn}"),
            Self::Plan => "edit-plan".to_owned(),
            Self::Response(turn) => format!("edit-response-{turn}"),
            Self::Call { turn, call } => format!("edit-call-{turn}-{call}"),
            Self::NewCall { turn, .. } => new_call_button(turn),
            Self::State => "edit-state".to_owned(),
            Self::FinalState => "edit-final-state".to_owned(),
            Self::Whole => "edit-whole".to_owned(),
        }
    }
}

/// The id of the button that adds a call to a turn.
fn new_call_button(turn: usize) -> String {
    format!("new-call-{turn}")
}

/// The id of a button of a call: `earlier`, `later` or `remove`.
#[must_use]
pub fn call_button(what: &str, turn: usize, call: usize) -> String {
    format!("{what}-{turn}-{call}")
}

/// The button that undoes the last change.
pub const UNDO_ID: &str = "case-undo";
/// The id of the case's heading in the document.
pub const HEADING_ID: &str = "case-heading";

/// The ids to focus after `change`: the first one that exists.
fn focus_after(change: &CaseChange) -> Vec<String> {
    match *change {
        CaseChange::RemoveCall { turn, call } => vec![
            call_button("remove", turn, call),
            call_button("remove", turn, call.saturating_sub(1)),
            new_call_button(turn),
        ],
        CaseChange::MoveCall { turn, from, to } => {
            let arrow = if to < from { "earlier" } else { "later" };
            vec![call_button(arrow, turn, to)]
        }
        CaseChange::Response { turn, .. } => vec![Editing::Response(turn).opener()],
        _ => Vec::new(),
    }
}

/// A change that was made, and how to undo it.
#[derive(Debug, Clone, PartialEq)]
struct UndoStep {
    /// The notice after the change.
    done: &'static str,
    action: UndoAction,
}

/// How to undo a change. `repeats` is whether other cases shared the id of `case` or `of` before it.
#[derive(Debug, Clone, PartialEq)]
enum UndoAction {
    /// Replace the current case in the file with the previous one.
    Restore { now: CaseVersion, case: CaseView, repeats: bool },
    /// Insert the removed case at its position again.
    Reinsert { case: CaseView, repeats: bool },
    /// Remove the copy, and show the case it was made from.
    RemoveCopy { copy: CaseVersion, of: CaseView, repeats: bool },
}

/// The result of a change: the case to show, whether others share its id, and the step that undoes it.
type Outcome = (Option<(CaseView, bool)>, Option<UndoStep>);

/// The shown case of a set and its edits, as small as their handles.
#[derive(Clone, Copy)]
pub struct CaseEdits {
    set: StoredValue<SetId>,
    wanted: LatestRequest,
    /// Whether another case than the shown one is loading.
    is_reading: RwSignal<bool>,
    /// Whether other cases share the id of the shown one.
    repeats: StoredValue<bool>,
    go: StoredValue<Go, LocalStorage>,
    /// The case; `None` while it loads, or when none is chosen.
    pub case: RwSignal<Option<Result<CaseView, ApiError>>>,
    /// The part that is edited.
    pub open: RwSignal<Option<Editing>>,
    /// Whether a change is being saved.
    pub saving: RwSignal<bool>,
    /// Why the last change failed.
    pub fault: RwSignal<Option<String>>,
    /// Whether that is because the file has another version of the case, so that it must be reloaded.
    pub is_stale: RwSignal<bool>,
    /// The case as reloaded while an editor is open, which keeps its input.
    pub reloaded: RwSignal<Option<CaseView>>,
    /// Whether something was typed in the editor that is open.
    touched: StoredValue<bool>,
    /// The forms of the open editor, which may be edited by a button and not typed in.
    forms: StoredValue<Vec<FormState>>,
    unsaved: Unsaved,
    /// Counts the changes, so that the list of cases is reloaded.
    pub revision: RwSignal<u64>,
    /// The agent's tools, for the forms of their arguments; `None` until they are requested and loaded.
    pub tools: RwSignal<Option<Result<Vec<ToolView>, ApiError>>>,
    /// The agent of the tools: the one of the case, if it is registered.
    tools_of: StoredValue<Option<Option<AgentId>>>,
    undo_steps: RwSignal<Vec<UndoStep>>,
    /// Whether cases are shown as JSON text.
    pub as_text: RwSignal<bool>,
}

/// The id of the editor in the document.
pub const EDITOR_ID: &str = "case-editor";

/// How long a case stays in sight while another one loads, in milliseconds.
const STAYS_MS: u32 = 150;

type Go = Box<dyn Fn(&str)>;

/// The shown case of `set` and its edits. The signals belong to the current owner.
#[must_use]
pub fn use_case_edits(set: SetId) -> CaseEdits {
    let navigate = use_navigate();
    let go: Go = Box::new(move |address| navigate(address, unresolved()));
    let edits = CaseEdits {
        set: StoredValue::new(set),
        wanted: use_latest_request(),
        is_reading: RwSignal::new(false),
        repeats: StoredValue::new(false),
        go: StoredValue::new_local(go),
        case: RwSignal::new(None),
        open: RwSignal::new(None),
        saving: RwSignal::new(false),
        fault: RwSignal::new(None),
        is_stale: RwSignal::new(false),
        reloaded: RwSignal::new(None),
        touched: StoredValue::new(false),
        forms: StoredValue::new(Vec::new()),
        unsaved: use_page().unsaved,
        revision: RwSignal::new(0),
        tools: RwSignal::new(None),
        tools_of: StoredValue::new(None),
        undo_steps: RwSignal::new(Vec::new()),
        as_text: RwSignal::new(false),
    };
    edits.unsaved.guard(Callback::new(move |()| edits.blocks_leaving()), EDITOR_ID);
    edits
}

impl CaseEdits {
    /// The position of the shown case in the file. Tracked.
    #[must_use]
    pub fn place(self) -> Option<u64> {
        self.case.with(|case| Some(case.as_ref()?.as_ref().ok()?.index))
    }

    /// Whether other cases share the id of the shown one, as far as the list or the address shows.
    #[must_use]
    pub fn repeats(self) -> bool {
        self.repeats.get_value()
    }

    /// Loads the case, unless it is shown: the one at `index`, where other cases share the id.
    pub fn read(self, eval_id: Option<String>, index: u64, repeats: bool) {
        self.repeats.set_value(repeats);
        let Some(eval_id) = eval_id else {
            self.wanted.give_up();
            self.is_reading.set(false);
            self.case.set(None);
            return;
        };
        let is_shown = self.case.with_untracked(
            |case| matches!(case, Some(Ok(case)) if case.eval_id == eval_id && case.index == index),
        );
        let asked = self.wanted.ask();
        self.is_reading.set(!is_shown);
        if is_shown {
            return;
        }
        self.close();
        let set = self.set.get_value();
        spawn_local(async move {
            let read = read_case(set, eval_id, index).await;
            if asked.is_wanted() {
                self.is_reading.set(false);
                self.case.set(Some(read));
            }
        });
        spawn_local(async move {
            // A short load does not flicker; a long one hides the old case.
            TimeoutFuture::new(STAYS_MS).await;
            if asked.is_wanted() && self.is_reading.get_untracked() {
                self.case.set(None);
            }
        });
    }

    /// Opens an editor, or with `None` closes the open one.
    pub fn edit(self, what: Option<Editing>) {
        let was = self.open.get_untracked();
        let reloaded = self.reloaded.get_untracked();
        self.close();
        if matches!(what, Some(Editing::Call { .. } | Editing::NewCall { .. })) {
            self.want_tools();
        }
        match what {
            Some(_) => {
                self.open.set(what);
                self.unsaved.remember_address();
                browser::after_drawing(|| browser::focus_form(EDITOR_ID));
            }
            None => {
                if let Some(reloaded) = reloaded {
                    self.case.set(Some(Ok(reloaded)));
                }
                focus_one(was.map(Editing::opener).into_iter().collect());
            }
        }
    }

    /// Closes the editor and discards its input.
    fn close(self) {
        self.fault.set(None);
        self.is_stale.set(false);
        self.reloaded.set(None);
        self.touched.set_value(false);
        self.forms.set_value(Vec::new());
        self.open.set(None);
    }

    /// Records that something was typed.
    pub fn touch(self) {
        self.touched.set_value(true);
        self.unsaved.remember_address();
    }

    /// Counts edits of `form` as unsaved for as long as the editor is open.
    pub fn add_form(self, form: FormState) {
        self.forms.update_value(|forms| forms.push(form));
    }

    /// Whether there is unsaved input.
    #[must_use]
    pub fn is_unsaved(self) -> bool {
        // The forms of an editor that was left without being closed are gone.
        let is_edited = |form: &FormState| form.is_there() && untrack(|| form.is_edited());
        self.open.get_untracked().is_some()
            && (self.touched.get_value()
                || self.forms.with_value(|forms| forms.iter().any(is_edited)))
    }

    /// Whether unsaved input would be lost; if so, shows a message at the editor.
    pub fn blocks_leaving(self) -> bool {
        let holds = self.is_unsaved();
        if holds {
            self.fault.set(Some("Save or cancel your changes first.".to_owned()));
            browser::reveal(EDITOR_ID);
            browser::focus_form(EDITOR_ID);
        }
        holds
    }

    /// Reloads the case from the file. The editor keeps its input.
    pub fn reload(self) {
        let Some(case) = self.shown() else { return };
        let set = self.set.get_value();
        let asked = self.wanted.asked();
        spawn_local(async move {
            let read = read_case(set, case.eval_id, case.index).await;
            // Another case may be shown meanwhile.
            if !asked.is_wanted() {
                return;
            }
            self.revision.update(|count| *count += 1);
            match read {
                Ok(read) if self.open.get_untracked().is_some() => {
                    self.fault.set(None);
                    self.is_stale.set(false);
                    self.reloaded.set(Some(read));
                    // The button that had the focus is gone.
                    browser::after_drawing(|| browser::focus_form(EDITOR_ID));
                }
                Err(ApiError::UnknownCase(_)) if self.open.get_untracked().is_some() => {
                    self.is_stale.set(false);
                    self.fault.set(Some(
                        "This case was removed from the file, so it cannot be saved. Copy your draft before you cancel."
                            .to_owned(),
                    ));
                    browser::after_drawing(|| browser::focus_form(EDITOR_ID));
                }
                read => {
                    self.close();
                    self.case.set(Some(read));
                    focus_one(Vec::new());
                }
            }
        });
    }

    /// Changes the case. The editor stays open until the host has saved it.
    pub fn change(self, change: CaseChange, done: &'static str) {
        let Some(was) = self.shown() else { return };
        // The change applies to the reloaded case.
        let was = self.reloaded.get_untracked().unwrap_or(was);
        let (set, repeats) = (self.set.get_value(), self.repeats());
        self.act(focus_after(&change), async move {
            let now = change_case(set, as_read(&was), change).await?;
            let repeats_still = repeats && now.eval_id == was.eval_id;
            let action = UndoAction::Restore { now: as_read(&now), case: was, repeats };
            Ok((Some((now, repeats_still)), Some(UndoStep { done, action })))
        });
    }

    /// Inserts a copy after the case and shows it.
    pub fn duplicate(self) {
        let Some(case) = self.shown() else { return };
        let (set, repeats) = (self.set.get_value(), self.repeats());
        self.act(Vec::new(), async move {
            let copy = duplicate_case(set, as_read(&case)).await?;
            let action = UndoAction::RemoveCopy { copy: as_read(&copy), of: case, repeats };
            // A copy has its own id.
            Ok((Some((copy, false)), Some(UndoStep { done: "Case duplicated.", action })))
        });
    }

    /// Removes the case from the set.
    pub fn remove(self) {
        let Some(case) = self.shown() else { return };
        let (set, repeats) = (self.set.get_value(), self.repeats());
        self.act(vec![UNDO_ID.to_owned()], async move {
            remove_case(set, as_read(&case)).await?;
            Ok((
                None,
                Some(UndoStep {
                    done: "Case deleted.",
                    action: UndoAction::Reinsert { case, repeats },
                }),
            ))
        });
    }

    /// The last change, if it can be undone. Tracked.
    #[must_use]
    pub fn undoable(self) -> Option<&'static str> {
        self.undo_steps.with(|steps| steps.last().map(|step| step.done))
    }

    /// Undoes the last change; false when there is none.
    pub fn undo(self) -> bool {
        if self.blocks_leaving() {
            return true;
        }
        let Some(UndoStep { action, .. }) =
            self.undo_steps.with_untracked(|steps| steps.last().cloned())
        else {
            return false;
        };
        let set = self.set.get_value();
        self.act(Vec::new(), async move {
            let undone = match action {
                UndoAction::Restore { now, case, repeats } => {
                    let was = change_case(set, now, CaseChange::Was(case.text)).await;
                    was.map(|case| Some((case, repeats)))
                }
                UndoAction::Reinsert { case, repeats } => {
                    let inserted = insert_case(set, case.index, case.text).await;
                    inserted.map(|case| Some((case, repeats)))
                }
                UndoAction::RemoveCopy { copy, of, repeats } => {
                    remove_case(set, copy).await.map(|()| Some((of, repeats)))
                }
            };
            // After an error it can be retried, unless the case has changed since.
            if matches!(undone, Ok(_) | Err(ApiError::CaseChanged)) {
                self.undo_steps.try_update(Vec::pop);
            }
            undone.map(|shown| (shown, None))
        });
        true
    }

    /// The case that a change applies to; `None` while another one loads.
    fn shown(self) -> Option<CaseView> {
        if self.is_reading.get_untracked() {
            return None;
        }
        self.case.with_untracked(|case| case.clone()?.ok())
    }

    /// Runs a change on the host and shows its outcome. Then focuses the first of `focus` that exists,
    /// else the button that opened the editor, else the one that was pressed.
    fn act(
        self,
        mut focus: Vec<String>,
        work: impl Future<Output = Result<Outcome, ApiError>> + 'static,
    ) {
        if self.saving.get_untracked() {
            return;
        }
        self.saving.set(true);
        self.fault.set(None);
        self.is_stale.set(false);
        let set = self.set.get_value();
        let asked = self.wanted.asked();
        focus.extend(self.open.get_untracked().map(Editing::opener));
        focus.push(browser::focused_id());
        spawn_local(async move {
            let outcome = work.await;
            // Another page may be shown meanwhile.
            if self.saving.try_set(false).is_some() {
                return;
            }
            match outcome {
                Ok((shown, step)) => {
                    if let Some(step) = step {
                        self.undo_steps.update(|steps| steps.push(step));
                    }
                    self.revision.update(|count| *count += 1);
                    // Another case may be shown meanwhile.
                    if !asked.is_wanted() {
                        return;
                    }
                    self.close();
                    let address = match &shown {
                        Some((case, repeats)) => {
                            let at = repeats.then_some(case.index);
                            case_address(set.as_str(), &case.eval_id, at)
                        }
                        None => address(&format!("/evalsets/{set}")),
                    };
                    self.repeats.set_value(shown.as_ref().is_some_and(|(_, repeats)| *repeats));
                    self.case.set(shown.map(|(case, _)| Ok(case)));
                    let here = browser::page_address();
                    let address = in_order_of(&here, &address);
                    // A case with the same address adds no entry to the browser's history.
                    if !here.ends_with(&address) {
                        self.go.with_value(|go| go(&address));
                    }
                    focus_one(focus);
                }
                Err(error) => {
                    self.is_stale.set(error == ApiError::CaseChanged);
                    self.fault.set(Some(error.to_string()));
                    // The undo button that was pressed may be gone.
                    if self.open.get_untracked().is_none() {
                        focus_one(focus);
                    }
                }
            }
        });
    }

    /// Requests the agent's tools once.
    fn want_tools(self) {
        let agent = self.shown().and_then(|case| case.agent);
        if self.tools_of.with_value(|asked| *asked == Some(agent.clone())) {
            return;
        }
        self.tools_of.set_value(Some(agent.clone()));
        self.tools.set(None);
        let Some(agent) = agent else {
            self.tools.set(Some(Err(ApiError::EvalSet(
                "No agent on this host matches the case's app name.".to_owned(),
            ))));
            return;
        };
        let session = browser::new_session_id();
        spawn_local(async move {
            let opened = open_session(session.clone(), agent, None).await;
            self.tools.try_set(Some(opened.map(|view| view.tools)));
            // Otherwise the host closes it after ten minutes.
            let _ = close_session(session).await;
        });
    }
}

/// Focuses the first of these that exists once all is drawn, else the case's heading, unless the person
/// has moved the focus meanwhile.
fn focus_one(ids: Vec<String>) {
    let still_here = browser::focus_watch();
    // The address changes first, then the page.
    browser::after_drawing(|| {
        browser::after_drawing(move || {
            if still_here() && !ids.iter().any(|id| !id.is_empty() && browser::focus(id)) {
                browser::focus(HEADING_ID);
            }
        });
    });
}

fn as_read(case: &CaseView) -> CaseVersion {
    CaseVersion { index: case.index, digest: case.digest.clone() }
}
