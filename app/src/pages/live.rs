//! `/live` and `/live/:session/:turn?`: the wait for what draws live sessions.
//!
//! The list and a session are scenes, which the browser fetches when they are wanted.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::scene::{self, NotLoaded, Scenes};
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

/// What `draw` makes of the scenes, once they are there.
fn once_loaded(
    meanwhile: &'static str,
    draw: impl Fn(Scenes) -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    let scenes = RwSignal::new(None::<Result<Scenes, NotLoaded>>);
    let load = move || {
        spawn_local(async move {
            let loaded = scene::load().await;
            // The person may be on another page by now.
            scenes.try_set(Some(loaded));
        });
    };
    Effect::new(move |_| load());
    move || match scenes.get() {
        Some(Ok(scenes)) => draw(scenes),
        Some(Err(error)) => view! {
            <div class="empty centred" role="alert">
                <p>{error.to_string()}</p>
                <button type="button" class="button" on:click=move |_| load()>"Try again"</button>
            </div>
        }
        .into_any(),
        None => view! { <p class="quiet veil">{meanwhile}</p> }.into_any(),
    }
}
