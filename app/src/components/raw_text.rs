//! Text as it is, a part at a time: a megabyte on one line must not freeze the page.

use leptos::prelude::*;
use leptos::task::spawn_local;
use session::{CallId, HeldResult, SessionId};

use crate::api::read_held_result;
use crate::state::excerpt::{Lines, STEP, beginning, written_out};
use crate::state::times::size;

/// The beginning of `text`, and more of it when asked.
#[component]
pub fn RawText(
    /// The whole text.
    text: String,
    /// What it is, for those who hear the page.
    label: &'static str,
) -> impl IntoView {
    let total = text.len();
    let text = StoredValue::new(text);
    let shown = RwSignal::new(STEP);
    let part = move || {
        text.with_value(|text| written_out(beginning(text, shown.get()), Lines::Kept).into_owned())
    };
    view! {
        <pre class="raw" tabindex="0" role="group" aria-label=label>{part}</pre>
        <Show when=move || shown.get() < total>
            <p class="more">
                {move || format!("{} of {} shown", size(shown.get() as u64), size(total as u64))}
                <button type="button" class="link" on:click=move |_| shown.update(|it| *it += STEP)>
                    "Show more"
                </button>
            </p>
        </Show>
    }
}

/// The beginning of a result that the host holds, and more of it, fetched when asked.
#[component]
pub fn HeldText(
    /// The session it belongs to.
    session: SessionId,
    /// The call that returned it.
    call_id: CallId,
    /// What the page knows of it.
    held: HeldResult,
    /// The part that was fetched.
    text: RwSignal<String>,
) -> impl IntoView {
    let total = held.bytes;
    let fetching = RwSignal::new(false);
    let fault = RwSignal::new(None::<String>);
    let fetch = move |_| {
        if fetching.get_untracked() {
            return;
        }
        fetching.set(true);
        let (session, call_id) = (session.clone(), call_id.clone());
        let offset = text.with_untracked(String::len) as u64;
        spawn_local(async move {
            let slice = read_held_result(session, call_id, offset).await;
            // The row may be closed by now.
            match slice {
                Ok(slice) => {
                    text.try_update(|text| {
                        if text.len() as u64 == slice.offset {
                            text.push_str(&slice.text);
                        }
                    });
                    fault.try_set(None);
                }
                Err(error) => drop(fault.try_set(Some(error.to_string()))),
            }
            fetching.try_set(false);
        });
    };
    let part = move || text.with(|text| written_out(text, Lines::Kept).into_owned());
    let here = move || text.with(String::len) as u64;
    view! {
        <pre class="raw" tabindex="0" role="group" aria-label="Result, in part">{part}</pre>
        <p class="more">
            {move || format!("{} of {} shown, the rest is on the host and goes into the export whole", size(here()), size(total))}
            <Show when=move || here() < total>
                <button type="button" class="link" on:click=fetch.clone()>
                    {move || if fetching.get() { "Fetching…" } else { "Show more" }}
                </button>
            </Show>
        </p>
        <Show when=move || fault.read().is_some()>
            <p class="field-fault" role="alert">{move || fault.get()}</p>
        </Show>
    }
}
