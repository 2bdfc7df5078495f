//! The draft for a turn that is closed, to copy or to discard.

use api::LiveEventKind;
use leptos::prelude::*;

use super::super::pending_calls::PendingCalls;
use crate::live::state::workspace::use_this_live_workspace;
use crate::shared::form::JsonPreview;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::live_draft::Side;

/// The draft for a turn that is closed.
#[component]
pub(super) fn ClosedDraft() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let closing = move || {
        workspace.turn.with(|turn| {
            let row = turn.as_ref()?.closed.as_ref()?;
            let by = row.by.clone().unwrap_or_else(|| row.agent.clone());
            Some((by, matches!(row.what, LiveEventKind::Cancelled { .. })))
        })
    };
    let title = move || match closing() {
        _ if workspace.is_ahead.get() => "The session is completed".to_owned(),
        Some((by, true)) => format!("{by} canceled this request"),
        Some((by, false)) => format!("{by} responded first"),
        None => "This request is closed".to_owned(),
    };
    let reason = move || match closing() {
        _ if workspace.is_ahead.get() => {
            "No further request follows. Your draft is kept until you discard it."
        }
        Some((_, true)) => "This request was canceled. Your draft is kept until you discard it.",
        _ => "This request was already answered. Your draft is kept until you discard it.",
    };
    let text = move || workspace.draft.get().map(|draft| draft.text.get()).unwrap_or_default();
    let draft = move || workspace.draft.get();
    view! {
        <div class="export">
            <div class="panel-body">
                <h2 class="panel-title bad"><Icon glyph=Glyph::Warning/>
                    {title}
                </h2>
                <p>{reason}</p>
                <Show when=move || !text().trim().is_empty()>
                    <textarea class="input prose" rows="8" readonly=true aria-label="Your draft" prop:value=text></textarea>
                </Show>
                {move || draft().map(|draft| view! { <PendingCalls draft/> })}
                {move || (workspace.side() == Side::Call).then(|| workspace.tool()).flatten().and_then(|tool| {
                    let form = draft()?.tool_form(&tool);
                    Some(view! { <h3 class="panel-subtitle">{visible_name(tool.name.as_str())}</h3> <JsonPreview state=form/> })
                })}
            </div>
            <footer class="panel-foot">
                <span class="grow"></span>
                <button type="button" id="discard-draft" class="button primary" on:click=move |_| {
                    workspace.discard_draft();
                    browser::after_drawing(|| browser::focus("tool-filter"));
                }>"Discard draft"</button>
            </footer>
        </div>
    }
}
