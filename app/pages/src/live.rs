//! `/live` and `/live/:session/:turn?`: the live sessions, and one of them. Their views are loaded
//! on demand.

use api::{LiveId, LiveTurnId};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::bars::FootBar;
use app::components::loading::LazyView;
use app::state::use_page;

/// The live sessions.
#[component]
pub fn LivePage() -> impl IntoView {
    let part = use_page().lazy.live;
    view! {
        <Title text="Live sessions"/>
        <main class="sheet filled" tabindex="-1">
            <LazyView part meanwhile="Loading…" draw=|views| (views.list)()/>
        </main>
        <FootBar remark="sessions are stored on the host"/>
    }
    .into_any()
}

/// The live session in the address, and a turn of it.
#[component]
pub fn LiveSessionPage() -> impl IntoView {
    let params = use_params_map();
    let named = move |name: &'static str| params.with(|params| params.get(name));
    let session = Memo::new(move |_| LiveId::new(named("session").unwrap_or_default()));
    let turn = Memo::new(move |_| named("turn").map(LiveTurnId::new));
    let part = use_page().lazy.live;
    view! {
        <Title text="Live session"/>
        <main class="with-head" tabindex="-1">
            <LazyView part meanwhile="Opening the session…" draw=move |views| (views.session)(session.get(), turn)/>
        </main>
        <FootBar remark="sessions are stored on the host"/>
    }
    .into_any()
}
