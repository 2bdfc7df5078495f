//! A field as JSON text: where a widget cannot express the schema, or the person prefers it.

use leptos::prelude::*;
use schema_form::{Edit, FieldKind, Path};

use super::field_handle::FieldHandle;
use super::row::faults;
use super::text::described_by;

/// The field as JSON text.
#[component]
pub(super) fn JsonArea(
    /// The field.
    place: FieldHandle,
    /// How many lines it shows at least.
    rows: u32,
) -> impl IntoView {
    let typed = place.follow(|entered| entered.text().map(str::to_owned));
    let typed = Memo::new(move |_| typed.get().flatten().unwrap_or_default());
    let invalid = place.is_faulty();
    let reason = match &place.field().kind {
        FieldKind::Json(reason) => Some(reason.to_string()),
        _ => None,
    };
    let is_root = place.path == Path::root();
    let goes_back = reason.is_none() && !is_root;
    let (typing, leaving, back) = (place.clone(), place.clone(), place.clone());
    view! {
        <div class="json-area">
            <textarea
                id=place.input_id()
                class="mono"
                rows=rows
                spellcheck="false"
                autocomplete="off"
                aria-label=is_root.then_some("JSON")
                aria-labelledby=(!is_root).then(|| place.part_id("label"))
                aria-describedby=described_by(&place)
                aria-invalid=move || invalid.get().to_string()
                prop:value=move || typed.get()
                on:input=move |event| {
                    typing.edit(Edit::SetText(event_target_value(&event)));
                }
                on:blur=move |_| leaving.touch()
            ></textarea>
            {reason.map(|reason| view! { <small class="field-help">"Only JSON is available: " {reason}</small> })}
            {goes_back
                .then(|| view! {
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| {
                            back.edit(Edit::AsWidgets);
                        }
                    >
                        "Edit as a form"
                    </button>
                })}
            {is_root.then(|| faults(&place))}
        </div>
    }
}
