//! Where a person enters a value: the one place that knows how.

use leptos::prelude::*;

use crate::state::value_form::ValueForm;

/// The editor of `form`.
#[component]
pub fn ValueEditor(
    /// What is entered.
    form: ValueForm,
    /// The prefix of the ids in the document, unique on the page.
    id: &'static str,
    /// What it is, for those who hear the page.
    label: &'static str,
) -> impl IntoView {
    let has_faults = move || !form.messages.read().is_empty();
    let faults = format!("{id}-faults");
    view! {
        <div class="json-editor" id=id>
            <textarea
                class="input mono"
                rows="6"
                spellcheck="false"
                aria-label=label
                aria-invalid=move || has_faults().to_string()
                aria-describedby=faults.clone()
                prop:value=move || form.text.get()
                on:input=move |event| form.text.set(event_target_value(&event))
            ></textarea>
            <ul class="faults" id=faults.clone()>
                <For
                    each=move || form.messages.get()
                    key=|message| (message.pointer.clone(), message.text.clone())
                    let:message
                >
                    <li class="field-fault">
                        {(!message.pointer.is_empty()).then(|| view! { <code>{message.pointer.clone()}</code> " " })}
                        {message.text.clone()}
                    </li>
                </For>
            </ul>
        </div>
    }
}
