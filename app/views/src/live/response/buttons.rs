//! The buttons of the response: send, add a call, cancel the turn, hand over the lease.

use leptos::prelude::*;

use crate::live::state::workspace::{Question, use_this_live_workspace};
use crate::shared::attention::Attention;
use app::state::live_draft::Side;

/// How many fields need attention, and the actions.
#[component]
pub(super) fn Buttons() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let form = move || {
        let draft = workspace.draft.get()?;
        match (workspace.side(), workspace.tool(), workspace.output_schema()) {
            (Side::Call, Some(tool), _) => Some(draft.tool_form(&tool)),
            (Side::Text, _, Some(schema)) => Some(draft.answer_form(&schema)),
            _ => None,
        }
    };
    let is_closed = Memo::new(move |_| workspace.ahead().is_none());
    let is_idle = Memo::new(move |_| {
        workspace.is_ahead.get() && is_closed.get() && workspace.closing().is_none()
    });
    let is_faulty = move || form().is_some_and(|form| form.violation_count() != 0);
    let is_held = move || {
        workspace.other_lease_holder().is_none()
            && workspace.summary.with(|it| it.as_ref().is_some_and(|it| it.lease.is_some()))
    };
    let has_begun = move || workspace.draft.get().is_some_and(|draft| draft.is_begun.get());
    let adds = move || workspace.side() == Side::Call && workspace.tool().is_some();
    view! {
        <footer class="panel-foot answer-foot">
            <span class="hint" role="status" class:bad=is_faulty>
                <Show
                    when=move || is_idle.get()
                    fallback=move || view! { <Attention form=Signal::derive(form)/> }
                >
                    "No pending requests. Your input is kept for the next one."
                </Show>
            </span>
            <Show when=move || !is_closed.get()>
                <button type="button" class="button quiet" title="Ends the request without a response" on:click=move |_| workspace.ask(Question::Cancel)>
                    "Cancel request"
                </button>
            </Show>
            <Show when=move || is_held() && has_begun()>
                <button type="button" class="button quiet" title="Offers the lease to another person" on:click=move |_| workspace.ask(Question::HandOver)>
                    "Hand over"
                </button>
            </Show>
            <span class="grow"></span>
            <Show when=adds>
                <button type="button" class="button" title="Adds this call to the response" on:click=move |_| workspace.add_call()>
                    "Add call"
                </button>
            </Show>
            <button
                type="submit"
                id="send"
                class="button primary"
                aria-disabled=move || (workspace.is_sending.get() || workspace.is_ahead.get() || is_closed.get() || workspace.other_lease_holder().is_some()).to_string()
            >
                {move || if workspace.is_sending.get() { "Sending…" } else { "Send response" }}
                <kbd>"Ctrl ↵"</kbd>
            </button>
        </footer>
    }
}
