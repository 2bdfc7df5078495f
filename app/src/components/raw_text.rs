//! Unformatted text, drawn in parts, so that a megabyte on one line does not freeze the page.

use api::ApiError;
use json_text::{JsonText, Pretty};
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::{CallId, SessionId, StoredResult};

use crate::state::excerpt::{Lines, STEP, beginning, written_out};
use crate::state::times::size;
use api::host::read_stored_result;

/// The beginning of `text`, and a button for more.
#[component]
pub fn RawText(
    /// The whole text.
    text: String,
    /// Its accessible name.
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

/// A value as indented text from a place in it on, and a button for more. Only the shown part is
/// formatted.
#[component]
pub fn RawValue(
    /// The value.
    value: JsonText,
    /// Where in the value's text to begin, in bytes.
    from: RwSignal<usize>,
    /// Its accessible name.
    label: &'static str,
) -> impl IntoView {
    let total = value.byte_len();
    let value = StoredValue::new(value);
    move || {
        let begin = from.get();
        let pretty = value.with_value(|value| match begin {
            0 => Pretty::of(value),
            place => Pretty::near(value, place, BEFORE),
        });
        let pretty = StoredValue::new(pretty);
        let text = RwSignal::new(String::new());
        let read = RwSignal::new(0);
        let more = move || {
            let part = pretty.try_update_value(|pretty| {
                let part = pretty.next_part(STEP).unwrap_or_default();
                (part, pretty.read())
            });
            if let Some((part, at)) = part {
                text.update(|text| text.push_str(&part));
                read.set(at);
            }
        };
        more();
        let part = move || text.with(|text| written_out(text, Lines::Kept).into_owned());
        view! {
            {(begin > 0).then(|| view! {
                <p class="more">
                    {format!("Starts at {}", size(begin as u64))}
                    <button type="button" class="link" on:click=move |_| from.set(0)>"From the beginning"</button>
                </p>
            })}
            <pre class="raw" tabindex="0" role="group" aria-label=label>{part}</pre>
            <Show when=move || read.get() < total>
                <p class="more">
                    {move || format!("{} of {} shown", size(read.get() as u64), size(total as u64))}
                    <button type="button" class="link" on:click=move |_| more()>"Show more"</button>
                </p>
            </Show>
        }
    }
}

/// How much of a value is shown before that place, in bytes.
const BEFORE: usize = 400;

/// The beginning of a result that is stored on the host, and a button that loads more.
#[component]
pub fn StoredResultText(
    /// The session it belongs to.
    session: SessionId,
    /// The call that returned it.
    call_id: CallId,
    /// The beginning and the size.
    stored: StoredResult,
    /// The loaded part.
    text: RwSignal<String>,
) -> impl IntoView {
    let total = stored.bytes;
    let fetching = RwSignal::new(false);
    let fault = RwSignal::new(None::<ApiError>);
    let fetch = move |_| {
        if fetching.get_untracked() {
            return;
        }
        fetching.set(true);
        let (session, call_id) = (session.clone(), call_id.clone());
        let offset = text.with_untracked(String::len) as u64;
        spawn_local(async move {
            let slice = read_stored_result(session, call_id, offset).await;
            // The row may have been closed.
            match slice {
                Ok(slice) => {
                    text.try_update(|text| {
                        if text.len() as u64 == slice.offset {
                            text.push_str(&slice.text);
                        }
                    });
                    fault.try_set(None);
                }
                Err(error) => drop(fault.try_set(Some(error))),
            }
            fetching.try_set(false);
        });
    };
    let part = move || text.with(|text| written_out(text, Lines::Kept).into_owned());
    let here = move || text.with(String::len) as u64;
    let is_gone = move || matches!(&*fault.read(), Some(ApiError::ResultGone(_)));
    view! {
        <pre class="raw" tabindex="0" role="group" aria-label="Result, in part">{part}</pre>
        <p class="more">
            {move || match here() < total {
                true if is_gone() => format!("{} of {} shown.", size(here()), size(total)),
                true => format!("{} of {} shown. The rest is stored on the host. An export includes the whole result.", size(here()), size(total)),
                false => format!("All {} shown.", size(total)),
            }}
            <Show when=move || here() < total>
                <button type="button" class="link" on:click=fetch.clone()>
                    {move || if fetching.get() { "Loading…" } else { "Show more" }}
                </button>
            </Show>
        </p>
        <Show when=move || fault.read().is_some()>
            <p class="field-fault" role="alert">{move || fault.get().map(|fault| fault.to_string())}</p>
        </Show>
    }
}
