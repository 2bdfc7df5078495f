//! What was not sent: the draft for a turn that is closed, and responses that the host rejected.

use api::LiveTurnId;
use leptos::prelude::*;

use crate::live::state::workspace::{Rejected, use_this_live_workspace};
use crate::shared::keys::focus_panel;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};

/// Above the form: why its draft can no longer be sent, and what can be done with it.
#[component]
pub(super) fn ClosedDraft() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let closing = Memo::new(move |_| workspace.closing());
    let may_follow = move || !workspace.is_completed();
    let written = Callback::new(move |()| {
        untrack(|| workspace.draft.get().map(|draft| workspace.written(draft)).unwrap_or_default())
    });
    let discard = move |_| {
        workspace.discard_draft();
        focus_panel();
    };
    view! {
        {move || closing.get().map(|closing| view! {
            <section class="unsent" role="alert">
                <h2><Icon glyph=Glyph::Warning/> {closing}</h2>
                <p>
                    {move || match may_follow() {
                        true => "Your draft is kept. It is not sent.",
                        false => "Your draft is kept. No further request follows.",
                    }}
                </p>
                <div class="unsent-actions">
                    <Show when=may_follow>
                        <button type="button" class="button" title="Keeps the draft for the response to the next request" on:click=move |_| workspace.move_to_next()>
                            "Move to next response"
                        </button>
                    </Show>
                    <button type="button" class="button quiet" on:click=discard>"Discard draft"</button>
                    <CopyButton what="the draft" text=written/>
                </div>
            </section>
        })}
    }
}

/// The responses that the host rejected while the person already typed the next one.
#[component]
pub(super) fn RejectedResponses() -> impl IntoView {
    let workspace = use_this_live_workspace();
    view! {
        <For each=move || workspace.rejected.get() key=|it| (it.turn.clone(), it.reason.clone()) let:rejected>
            <RejectedResponse rejected/>
        </For>
    }
}

#[component]
fn RejectedResponse(
    /// The response.
    rejected: Rejected,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let Rejected { turn, draft, reason } = rejected;
    let turn: StoredValue<LiveTurnId> = StoredValue::new(turn);
    let is_waiting = Memo::new(move |_| turn.with_value(|turn| workspace.is_waiting(turn)));
    let is_taken = Memo::new(move |_| !is_waiting.get() && workspace.takes(draft));
    let written = Memo::new(move |_| workspace.written(draft));
    view! {
        <section class="unsent" role="alert">
            <h2><Icon glyph=Glyph::Warning/> "A response was not sent"</h2>
            <p>{reason}</p>
            <textarea class="input prose" rows="2" readonly=true aria-label="Response that was not sent" prop:value=written></textarea>
            <div class="unsent-actions">
                <Show when=move || is_waiting.get()>
                    <button type="button" class="button" on:click=move |_| workspace.edit_rejected(&turn.get_value())>"Edit again"</button>
                </Show>
                <Show when=move || is_taken.get()>
                    <button type="button" class="button" title="Adds it to the response below" on:click=move |_| workspace.insert_rejected(&turn.get_value())>
                        "Insert below"
                    </button>
                </Show>
                <button type="button" class="button quiet" on:click=move |_| workspace.discard_rejected(&turn.get_value())>"Discard"</button>
                <CopyButton what="the response" text=Callback::new(move |()| written.get_untracked())/>
            </div>
        </section>
    }
}
