//! The dialog that asks before a session under way is lost.

use leptos::prelude::*;

use crate::rehearse::state::workspace::use_this_workspace;
use app::components::dialog::Dialog;

/// Asks, and starts over after a confirmation.
#[component]
pub fn StartOver() -> impl IntoView {
    let workspace = use_this_workspace();
    let open = workspace.asks_to_start_over;
    let is_open = Memo::new(move |_| open.get());
    let start = move |_| {
        open.set(false);
        workspace.begin_again();
    };
    view! {
        <Dialog open=is_open on_close=move |()| open.set(false) label="Start over" class="ask">
            <h2>"Start over?"</h2>
            <p>"The history of this session is not exported and will be lost."</p>
            <div class="choices">
                <button type="button" class="button" autofocus on:click=move |_| open.set(false)>"Keep session"</button>
                <button type="button" class="button primary" on:click=start>"Start over"</button>
            </div>
        </Dialog>
    }
}
