//! [`PendingCalls`]: the finished calls of a response, and its text while a call is in the form.

use api::LiveCall;
use leptos::prelude::*;

use crate::live::state::workspace::use_this_live_workspace;
use crate::shared::tokens::Tokens;
use app::components::icon::{Glyph, Icon};
use app::state::excerpt::visible_name;
use app::state::live_draft::{Draft, Side};
use app::state::preview::arguments;

/// What else the response contains; nothing when it is empty.
#[component]
pub(super) fn PendingCalls(
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let is_pending = move || workspace.ahead().is_some();
    let text = move || {
        let text = draft.text.get();
        (workspace.side() == Side::Call && is_pending() && !text.trim().is_empty()).then_some(text)
    };
    let is_shown = move || !draft.calls.read().is_empty() || text().is_some();
    view! {
        <Show when=is_shown>
            <div class="pending-calls" role="group" aria-label="Also in this response">
                <h3>"Also in this response"</h3>
                <ul>
                    <For each=move || draft.calls.get() key=|call| call.id.clone() let:call>
                        <CallLine call draft/>
                    </For>
                    {move || text().map(|text| view! {
                        <li>
                            <Icon glyph=Glyph::Answer/>
                            <button type="button" class="signature plain" title="Edit the text" on:click=move |_| workspace.show(Side::Text)>{text}</button>
                        </li>
                    })}
                </ul>
            </div>
        </Show>
    }
}

#[component]
fn CallLine(
    /// The call.
    call: LiveCall,
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let shown = arguments(&call.args, 80);
    let name = visible_name(&call.name);
    let id = StoredValue::new(call.id);
    let edit = move |_| {
        let tool = workspace.tools().into_iter().find(|tool| tool.name.as_str() == call.name);
        let form = tool.map(|tool| draft.tool_form(&tool));
        draft.edit_call(&id.get_value(), form);
        workspace.touch();
    };
    let drop_it = move |_| {
        draft.drop_call(&id.get_value());
        workspace.touch();
    };
    let label = format!("Remove the call to {name}");
    view! {
        <li>
            <Icon glyph=Glyph::Tool/>
            <button type="button" class="signature" title="Edit this call" on:click=edit>
                <b>{name}</b> "(" <Tokens tokens=shown/> ")"
            </button>
            <button type="button" class="tool-button" aria-label=label on:click=drop_it><Icon glyph=Glyph::Close/></button>
        </li>
    }
}
