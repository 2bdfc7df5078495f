//! A result that is stored on the host: its beginning, and the whole result once it is fetched.

use json_text::JsonText;
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::{CallId, SessionId, StoredResult};

use crate::shared::value_pane::ValuePane;
use api::host::read_stored_result;
use app::components::copy_button::CopyButton;
use app::components::raw_text::StoredResultText;
use app::state::reading::{ReadingKey, Readings};
use app::state::times::size;

/// A result that is stored on the host: its beginning as text, and the whole result once it is fetched.
#[component]
pub fn StoredResultPane(
    /// The session it belongs to.
    session: SessionId,
    /// The call that returned it.
    call_id: CallId,
    /// Its size and its beginning.
    stored: StoredResult,
    /// The values that were opened in this rehearsal.
    readings: Readings,
) -> impl IntoView {
    let key = ReadingKey::Result(call_id.clone());
    let reading = RwSignal::new(readings.begun(&key));
    let whole = RwSignal::new(Whole::NotAsked);
    let stored = StoredValue::new(stored);
    let place = StoredValue::new((session, call_id));
    let fetch = move |_| {
        if matches!(whole.get_untracked(), Whole::Fetching(_)) {
            return;
        }
        whole.set(Whole::Fetching(0));
        let ((session, call_id), total) =
            (place.get_value(), stored.with_value(|stored| stored.bytes));
        let key = key.clone();
        spawn_local(async move {
            let on_progress = move |bytes| whole.try_set(Whole::Fetching(bytes)).is_none();
            match fetch_whole(session, call_id, total, on_progress).await {
                // The row was closed meanwhile.
                Ok(None) => {}
                Ok(Some(value)) => drop(reading.try_set(Some(readings.of(key, &value)))),
                Err(error) => drop(whole.try_set(Whole::Failed(error))),
            }
        });
    };
    let text = RwSignal::new(stored.with_value(|stored| stored.head.clone()));
    move || match reading.get() {
        Some(reading) => view! { <ValuePane title="Result" what="the result" reading/> }.into_any(),
        None => {
            let (session, call_id) = place.get_value();
            let stored = stored.get_value();
            let can_read = stored.bytes <= READ_BYTES;
            view! {
                <div class="pane" role="group" aria-label="Result">
                    <header>
                        <h3>"Result"</h3>
                        <span class="quiet">{size(stored.bytes)}</span>
                        <span class="grow"></span>
                        {can_read.then(|| view! {
                            <button type="button" class="link" on:click=fetch.clone()>{move || whole.read().label()}</button>
                        })}
                        <CopyButton what="the part shown" text=Callback::new(move |()| text.get_untracked())/>
                    </header>
                    {move || match whole.get() {
                        Whole::Failed(error) => Some(view! { <p class="field-fault" role="alert">{error}</p> }),
                        _ => None,
                    }}
                    <StoredResultText session call_id stored text/>
                </div>
            }
            .into_any()
        }
    }
}

/// The longest result that is fetched into the page to be read, in bytes.
const READ_BYTES: u64 = 64 * 1024 * 1024;

/// How far the fetching of a whole result is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Whole {
    NotAsked,
    /// So many bytes are here.
    Fetching(u64),
    Failed(String),
}

impl Whole {
    fn label(&self) -> String {
        match self {
            Self::NotAsked => "Load all".to_owned(),
            Self::Fetching(bytes) => format!("{} loaded…", size(*bytes)),
            Self::Failed(_) => "Retry".to_owned(),
        }
    }
}

/// Fetches a result part by part; `None` once `on_progress` returns false.
async fn fetch_whole(
    session: SessionId,
    call_id: CallId,
    total: u64,
    on_progress: impl Fn(u64) -> bool,
) -> Result<Option<JsonText>, String> {
    let mut text = String::new();
    while (text.len() as u64) < total {
        let offset = text.len() as u64;
        let slice = read_stored_result(session.clone(), call_id.clone(), offset).await;
        let slice = slice.map_err(|error| error.to_string())?;
        if slice.offset != offset || slice.text.is_empty() {
            return Err(format!(
                "The host returned the wrong part of the result (byte {offset}). Retry."
            ));
        }
        text.push_str(&slice.text);
        if !on_progress(text.len() as u64) {
            return Ok(None);
        }
    }
    JsonText::parse(&text).map(Some).map_err(|error| error.to_string())
}
