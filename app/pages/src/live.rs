//! `/live` and `/live/:session/:turn?`: the live sessions, and one of them. Their views are loaded
//! on demand.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::bars::FootBar;
use crate::list_page::{draw_list_part, use_parameter};
use app::state::use_page;

/// The live sessions.
#[component]
pub fn LivePage() -> impl IntoView {
    view! {
        <Title text="Live sessions"/>
        <main class="sheet filled" tabindex="-1">{live("Loading…")}</main>
        <FootBar remark="sessions are stored on the host"/>
    }
    .into_any()
}

/// The live session in the address, and a turn of it.
#[component]
pub fn LiveSessionPage() -> impl IntoView {
    view! {
        <Title text="Live session"/>
        <main class="with-head" tabindex="-1">{live("Opening the session…")}</main>
        <FootBar remark="sessions are stored on the host"/>
    }
    .into_any()
}

fn live(meanwhile: &'static str) -> AnyView {
    let (session, turn) = (use_parameter("session"), use_parameter("turn"));
    draw_list_part(use_page().lazy.live, session, turn, meanwhile)
}
