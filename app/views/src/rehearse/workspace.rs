//! The workspace of an agent: instructions on the left, history in the middle, actions on the right.

use api::AgentSummary;
use leptos::prelude::*;
use session::{CallId, PendingPhase, SessionState};

use crate::rehearse::facts::{
    AgentFold, ArtifactsFold, ServerInstructionsFold, StateFold, Warnings,
};
use crate::rehearse::history::History;
use crate::rehearse::instructions::WorkspaceInstructions;
use crate::rehearse::notices::Notices;
use crate::rehearse::right_panel::RightPanel;
use crate::rehearse::start_over::StartOver;
use crate::rehearse::state::replay::use_replay;
use crate::rehearse::state::workspace::{EXPORT, Tab, Workspace, use_workspace};
use crate::rehearse::workspace_head::WorkspaceHead;
use crate::rehearse::workspace_keys::{SHORTCUTS, listen_to_keys, offer_commands};
use crate::shared::columns::{left_separator, resize_columns, right_separator};
use crate::shared::tool_catalog::FILTER;
use app::components::loading::LazyView;
use app::state::lazy_pages::SessionViews;
use app::state::rows::{RowKind, rows};
use app::state::{Rehearsal, browser, typed_ahead, use_page};

/// The three columns.
pub fn workspace(agent: AgentSummary, rehearsal: Rehearsal) -> AnyView {
    let workspace = use_workspace(rehearsal);
    provide_context(workspace);
    let replay = use_replay(workspace);
    listen_to_keys(workspace, replay);
    offer_commands(workspace);
    follow_with_focus(rehearsal);
    follow_acting(workspace);
    resize_columns();
    let path = agent.eval_set_path.clone();
    let opened = use_page().palette.shows_shortcuts;
    // Once drawn, the dialog opens and closes by itself.
    let wanted = Memo::new(move |before| before == Some(&true) || opened.get());
    let shortcuts = move || {
        let draw = |views: SessionViews| (views.shortcuts)(SHORTCUTS);
        wanted.get().then(|| view! { <LazyView part=workspace.code meanwhile="" draw/> })
    };
    view! {
        <WorkspaceHead agent workspace/>
        <Notices/>
        <div class="columns">
            <section class="left" tabindex="-1" aria-label="What the model sees">
                <Warnings/>
                <WorkspaceInstructions/>
                <ServerInstructionsFold/>
                <StateFold/>
                <ArtifactsFold/>
                <AgentFold eval_set_path=path.clone()/>
            </section>
            {left_separator()}
            <History replay/>
            {right_separator()}
            <RightPanel eval_set_path=path/>
        </div>
        <StartOver/>
        {shortcuts}
        <p class="unseen" role="status" aria-live="polite">{move || rehearsal.announcement.get()}</p>
    }
    .into_any()
}

/// Moves the focus to the next step: the user message, then the tools, then the export.
fn follow_with_focus(rehearsal: Rehearsal) {
    let state = Memo::new(move |_| {
        rehearsal.view.read().is_some().then(|| rehearsal.session.read().state())
    });
    let has_fault = Memo::new(move |_| rehearsal.fault.read().is_some());
    Effect::new(move |before: Option<Option<SessionState>>| {
        let now = state.get();
        let moved = before.flatten() != now;
        match now {
            // The field for the user message is to come, unless the agent cannot be loaded.
            None if has_fault.get() => typed_ahead::pause(),
            None => typed_ahead::begin(),
            Some(SessionState::AwaitingQuery) => {}
            Some(_) => typed_ahead::end(),
        }
        // After a reload of the page, the person may be typing again before the host has answered.
        let is_loaded = before.is_some_and(|before| before.is_none());
        if moved {
            browser::after_drawing(move || match now {
                Some(SessionState::AwaitingQuery) if browser::is_typing() => typed_ahead::pause(),
                Some(SessionState::AwaitingQuery) => {
                    typed_ahead::focus_form("query");
                }
                _ if is_loaded && !browser::nothing_is_focused() => {}
                Some(SessionState::Active) if before.is_some() => {
                    let _ = browser::focus(FILTER) || browser::focus_form("response");
                }
                Some(SessionState::Completed) if before.is_some() => {
                    browser::focus(EXPORT);
                }
                _ => {}
            });
        }
        now
    });
}

/// Shows the tools of an agent that the person begins to play. At its end, goes back to the tools of its
/// caller and to the row of its call.
fn follow_acting(workspace: Workspace) {
    let session = workspace.rehearsal.session;
    Effect::new(move |before: Option<Vec<CallId>>| {
        let before = before.unwrap_or_default();
        let now: Vec<CallId> = session.with(|session| {
            let pending = session.all_pending().iter();
            // Until the host has ended it, the person acts as an agent.
            let acted_as = pending
                .filter(|it| it.phase == PendingPhase::Acting || before.contains(&it.call.call_id));
            acted_as.map(|it| it.call.call_id.clone()).collect()
        });
        if now != before {
            let ended = before.get(now.len()).cloned();
            workspace.show(Tab::Call);
            // The address changes in the next frame, the panel after it.
            browser::after_drawing(move || {
                browser::after_drawing(move || focus_after_acting(workspace, ended.as_ref()));
            });
        }
        now
    });
}

/// Moves the focus to the tools of an agent that begins to be acted as, or to the row of its `ended` call.
fn focus_after_acting(workspace: Workspace, ended: Option<&CallId>) {
    let Some(ended) = ended else {
        let _ = browser::focus(FILTER) || browser::focus_form("response");
        return;
    };
    let row = workspace.rehearsal.session.with_untracked(|session| {
        let index = session.calls().iter().position(|made| made.call.call_id == *ended)?;
        rows(session).into_iter().find(|row| row.kind == RowKind::Call(index))
    });
    if let Some(row) = row {
        browser::focus(&row.element_id());
    }
}
