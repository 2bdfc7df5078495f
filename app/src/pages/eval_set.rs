//! `/evalsets/:set/:case?`: which eval set the address leads to, and the wait for what reads it.
//!
//! The reader itself is a scene, which the browser fetches when it is wanted.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::scene::{self, NotLoaded, Scenes};
use crate::api::SetId;
use crate::components::bars::FootBar;
use crate::state::case_address::use_case_in_address;

/// The eval set that the address names, and a case of it.
#[component]
pub fn EvalSetPage() -> impl IntoView {
    let params = use_params_map();
    let set = Memo::new(move |_| {
        let set = params.with(|params| params.get("set").unwrap_or_default());
        (!set.is_empty()).then(|| SetId::new(set))
    });
    let case = use_case_in_address();
    let scenes = RwSignal::new(None::<Result<Scenes, NotLoaded>>);
    let load = move || {
        spawn_local(async move {
            let loaded = scene::load().await;
            // The person may be on another page by now.
            scenes.try_set(Some(loaded));
        });
    };
    Effect::new(move |_| load());
    let body = move || match (set.get(), scenes.get()) {
        (None, _) => view! {
            <div class="sheet">
                <h1>"There is no such eval set"</h1>
                <p><a class="link" href="/evalsets">"See the eval sets"</a></p>
            </div>
        }
        .into_any(),
        (Some(set), Some(Ok(scenes))) => (scenes.read_eval_set)(set, case),
        (_, Some(Err(error))) => view! {
            <div class="sheet" role="alert">
                <p>{error.to_string()}</p>
                <button type="button" class="button" on:click=move |_| load()>"Try again"</button>
            </div>
        }
        .into_any(),
        (_, None) => {
            view! { <div class="sheet"><p class="quiet">"Opening the eval set…"</p></div> }
                .into_any()
        }
    };
    view! {
        <Title text="Eval set"/>
        <main class="stage">{body}</main>
        <FootBar/>
    }
    .into_any()
}
