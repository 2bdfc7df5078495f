//! The verdict of a person on a continuation.

use api::host::set_verdict;
use api::{ApiError, CaseRunId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use app::state::browser;
use app::state::excerpt::visible_name;

/// The first button of fields whose verdict is open.
const OPEN: &str = ".verdict-fields.open button";

/// The fields for the verdict on a continuation that waits for one.
#[component]
pub(super) fn VerdictFields(
    /// The continuation.
    id: CaseRunId,
    /// Called when the verdict is noted.
    noted: Callback<()>,
    /// The ids of elements in which the next continuation that waits gets the focus: the first that has one.
    #[prop(optional)]
    next: &'static [&'static str],
) -> impl IntoView {
    let note = RwSignal::new(String::new());
    let is_sent = RwSignal::new(false);
    let is_noted = RwSignal::new(false);
    let fault = RwSignal::new(None::<ApiError>);
    let name = format!("repeat {} of {}", id.repeat, visible_name(&id.case));
    let id = StoredValue::new(id);
    let send = move |passed: bool| {
        if is_sent.get_untracked() {
            return;
        }
        is_sent.set(true);
        let (id, note) = (id.get_value(), note.get_untracked());
        spawn_local(async move {
            let answer = set_verdict(id, passed, note).await;
            if is_sent.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(()) => {
                    is_noted.set(true);
                    browser::after_drawing(move || {
                        next.iter().any(|list| browser::focus_first(list, OPEN));
                        noted.run(());
                    });
                }
                Err(error) => fault.set(Some(error)),
            }
        });
    };
    let button = move |passed: bool, label: &'static str, name: &str| {
        view! {
            <button
                type="button"
                class="button"
                aria-label=format!("{label}: {name}")
                aria-disabled=move || is_sent.get().to_string()
                on:click=move |_| send(passed)
            >
                {label}
            </button>
        }
    };
    view! {
        <span class="verdict-fields" class:open=move || !is_noted.get()>
            <input
                class="input"
                type="text"
                autocomplete="off"
                placeholder="Note (optional)"
                aria-label=format!("Note on {name}")
                prop:value=move || note.get()
                on:input=move |event| note.set(event_target_value(&event))
            />
            {button(true, "Pass", &name)}
            {button(false, "Fail", &name)}
            <span class="field-fault" role="alert">{move || fault.get().map(|fault| fault.to_string())}</span>
        </span>
    }
}
