//! The editor of the initial state, before the first message.

use leptos::ev;
use leptos::prelude::*;

use crate::rehearse::state::workspace::use_this_workspace;
use app::state::browser;
use app::state::rehearsal::{EnteredState, INITIAL_STATE};

/// The initial state as JSON text. The session opens with it when the person leaves the field.
#[component]
pub fn InitialStateEditor() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let entered = rehearsal.entered_state;
    let text = move || match &*entered.read() {
        Some(entered) => entered.text.clone(),
        None => rehearsal
            .view
            .with(|view| view.as_ref().map(|view| view.state.pretty()).unwrap_or_default()),
    };
    let fault = Memo::new(move |_| {
        entered.read().as_ref().and_then(|it| it.read().err().map(|error| error.to_string()))
    });
    let note = Memo::new(move |_| entered.read().as_ref().and_then(EnteredState::rounding_note));
    let type_text = move |event: ev::Event| {
        let case = entered.read_untracked().as_ref().and_then(|entered| entered.case.clone());
        rehearsal.enter_state(Some(EnteredState { text: event_target_value(&event), case }));
    };
    // Also called by the change event of a field that is being removed, when its memos are gone.
    let take = move || {
        let is_invalid =
            |it: &Option<EnteredState>| it.as_ref().is_some_and(|it| it.read().is_err());
        if !entered.with_untracked(is_invalid) {
            rehearsal.open();
        }
    };
    let close = move || {
        if fault.read_untracked().is_none() {
            rehearsal.edits_state.set(false);
            browser::after_drawing(|| browser::focus("edit-state"));
        } else {
            browser::focus(INITIAL_STATE);
        }
    };
    let restore = move |_| {
        rehearsal.enter_state(None);
        rehearsal.open();
        browser::focus(INITIAL_STATE);
    };
    let on_key = move |event: ev::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            close();
        }
    };
    browser::after_drawing(|| browser::nothing_is_focused() && browser::focus(INITIAL_STATE));
    view! {
        <div class="initial-state">
            <textarea
                id=INITIAL_STATE
                class="input mono"
                rows="6"
                spellcheck="false"
                autocomplete="off"
                aria-label="Initial state as JSON"
                aria-describedby="initial-state-fault initial-state-note"
                aria-invalid=move || fault.read().is_some().to_string()
                prop:value=text
                on:input=type_text
                on:change=move |_| take()
                on:keydown=on_key
            ></textarea>
            <p class="field-fault" id="initial-state-fault" role="status">{move || fault.get()}</p>
            <p class="quiet" id="initial-state-note" role="status">{move || note.get()}</p>
            <footer>
                <Show when=move || entered.read().is_some()>
                    <button type="button" class="link" title="Restores the configured state of the agent" on:click=restore>"Restore"</button>
                </Show>
                <span class="grow"></span>
                <button type="button" class="button" on:click=move |_| close()>"Done"</button>
            </footer>
        </div>
    }
}
