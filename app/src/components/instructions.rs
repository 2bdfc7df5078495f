//! The instructions that the model would get.

use leptos::prelude::*;

use crate::components::facts::Fold;
use crate::state::stage::use_this_stage;
use crate::state::times::counted;

/// The instructions, prominent and foldable.
#[component]
pub fn Instructions() -> impl IntoView {
    let view = use_this_stage().rehearsal.view;
    let open = RwSignal::new(true);
    let text = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|view| view.instruction.clone()).unwrap_or_default())
    });
    let words = move || counted(text.with(|text| text.split_whitespace().count()), "word", "words");
    view! {
        <Fold title="Instructions" open aside=move || view! { <span class="quiet">{words}</span> }>
            <p class="prose">{move || text.get()}</p>
        </Fold>
    }
}
