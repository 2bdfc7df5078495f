//! What the pages of a list and of one of its entries have in common.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use app::components::loading::LazyView;
use app::state::lazy_pages::{LazyPart, ListViews};

/// The parameter `name` of the path; `None` if it is not there. Tracked.
pub(crate) fn use_parameter(name: &'static str) -> Memo<Option<String>> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get(name)))
}

/// The list of `part`; with an id, the one with this id and the `entry` of it, such as a case. Not generic, so that
/// its code is there once.
pub(crate) fn draw_list_part(
    part: LazyPart<ListViews>,
    id: Memo<Option<String>>,
    entry: Memo<Option<String>>,
    meanwhile: &'static str,
) -> AnyView {
    view! { <LazyView part meanwhile draw=move |views: ListViews| (views.page)(id.get(), entry)/> }
        .into_any()
}
