//! `/live` and `/live/:session/:turn?`: the wait for what draws live sessions.
//!
//! The list and a session are scenes, which the browser fetches when they are wanted.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::once_loaded::once_loaded;
use crate::api::{LiveId, LiveTurnId};
use crate::components::bars::FootBar;

/// The live sessions.
#[component]
pub fn LivePage() -> impl IntoView {
    let body = once_loaded("Opening the list…", |scenes| (scenes.list_live)());
    view! {
        <Title text="Live sessions"/>
        <main class="sheet">{body}</main>
        <FootBar remark="sessions are kept on the host"/>
    }
    .into_any()
}

/// The live session that the address names, and a turn of it.
#[component]
pub fn LiveSessionPage() -> impl IntoView {
    let params = use_params_map();
    let named = move |name: &'static str| params.with(|params| params.get(name));
    let session = Memo::new(move |_| LiveId::new(named("session").unwrap_or_default()));
    let turn = Memo::new(move |_| named("turn").map(LiveTurnId::new));
    let body = once_loaded("Opening the session…", move |scenes| {
        (scenes.show_live)(session.get(), turn)
    });
    view! {
        <Title text="Live session"/>
        <main class="stage">{body}</main>
        <FootBar remark="sessions are kept on the host"/>
    }
    .into_any()
}
