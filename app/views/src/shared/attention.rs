//! [`Attention`]: how many fields of a form need attention, with a link to the first.

use leptos::prelude::*;

use app::state::value_form::ValueForm;

/// Announces how many fields need attention, as a link to the first of them; nothing when none does.
#[component]
pub fn Attention(
    /// The form, while there is one.
    #[prop(into)]
    form: Signal<Option<ValueForm>>,
) -> impl IntoView {
    move || {
        let form = form.get()?;
        let text = attention_text(form.violation_count())?;
        let go = move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            form.focus_first_fault();
        };
        Some(view! { <a class="attention" href=form.first_fault_link() on:click=go>{text}</a> })
    }
}

/// How many fields need attention; none if no field does.
fn attention_text(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 field needs attention".to_owned()),
        count => Some(format!("{count} fields need attention")),
    }
}
