//! The draft for a turn that is closed, to copy or to discard.

use leptos::prelude::*;

use super::super::pending_calls::PendingCalls;
use crate::live::state::workspace::use_this_live_workspace;
use crate::shared::form::JsonPreview;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::live_draft::Side;

/// The draft for a turn that is closed.
#[component]
pub(super) fn ClosedDraft() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let closed_by = move || {
        workspace.turn.with(|turn| {
            let row = turn.as_ref()?.closed.as_ref()?;
            row.by.clone().or_else(|| Some(row.agent.clone()))
        })
    };
    let text = move || workspace.draft.get().map(|draft| draft.text.get()).unwrap_or_default();
    let draft = move || workspace.draft.get();
    view! {
        <div class="export">
            <div class="panel-body">
                <h2 class="panel-title bad"><Icon glyph=Glyph::Warning/>
                    {move || closed_by().map_or_else(|| "This turn is closed".to_owned(), |by| format!("{by} responded first"))}
                </h2>
                <p>"This request was already answered. Your draft is kept until you discard it."</p>
                <Show when=move || !text().trim().is_empty()>
                    <textarea class="input prose" rows="8" readonly=true aria-label="Your draft" prop:value=text></textarea>
                </Show>
                {move || draft().map(|draft| view! { <PendingCalls draft/> })}
                {move || (workspace.side() == Side::Call).then(|| workspace.tool()).flatten().and_then(|tool| {
                    let form = draft()?.tool_form(&tool);
                    Some(view! { <h3 class="panel-subtitle">{tool.name.to_string()}</h3> <JsonPreview state=form/> })
                })}
            </div>
            <footer class="panel-foot">
                <span class="grow"></span>
                <button type="button" id="put-away" class="button primary" on:click=move |_| {
                    workspace.discard_draft();
                    browser::after_drawing(|| browser::focus("tool-filter"));
                }>"Discard draft"</button>
            </footer>
        </div>
    }
}
