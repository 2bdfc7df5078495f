//! `/evalsets/:set/:case?`: one eval set. Its view is loaded on demand.

use api::SetId;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use crate::bars::FootBar;
use app::components::loading::LazyView;
use app::state::base_path::address;
use app::state::case_address::use_case_in_address;
use app::state::use_page;

/// The eval set in the address, and a case of it.
#[component]
pub fn EvalSetPage() -> impl IntoView {
    let params = use_params_map();
    let set = Memo::new(move |_| {
        let set = params.with(|params| params.get("set").unwrap_or_default());
        (!set.is_empty()).then(|| SetId::new(set))
    });
    let case = use_case_in_address();
    let part = use_page().lazy.evalsets;
    let body = move || {
        match set.get() {
        None => view! {
            <div class="sheet">
                <h1>"Eval set not found"</h1>
                <p><a class="link" href=address("/evalsets")>"View eval sets"</a></p>
            </div>
        }
        .into_any(),
        Some(set) => view! {
            <LazyView part meanwhile="Loading the eval set…" draw=move |views| (views.set)(set.clone(), case)/>
        }
        .into_any(),
    }
    };
    view! {
        <Title text="Eval set"/>
        <main class="with-head" tabindex="-1">{body}</main>
        <FootBar/>
    }
    .into_any()
}
