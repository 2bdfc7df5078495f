//! The row of a text: the user message and the final response.

use json_text::{JsonText, Kind};
use leptos::prelude::*;

use super::time::RowTime;
use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::value::ValueBody;
use app::components::copy_button::CopyButton;
use app::components::icon::{Glyph, Icon};
use app::state::excerpt::{Lines, beginning, written_out};
use app::state::reading::{ReadingKey, Readings};
use app::state::rows::{RowId, RowKind};

/// How much of a text is drawn at first, in bytes.
const SHOWN: usize = 4_000;

/// The user message or the final response.
#[component]
pub(super) fn TextRow(
    /// The row.
    row: RowId,
    /// The row that the arrow keys are at.
    current: RwSignal<usize>,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let (class, glyph, label) = match row.kind {
        RowKind::Query(_) => ("row asked", Glyph::User, "User"),
        _ => ("row answered", Glyph::Answer, "Final response"),
    };
    let (content, at) = rehearsal.session.with_untracked(|session| match row.kind {
        RowKind::Query(turn) => {
            let query = session.turns().get(turn)?.query;
            Some((query.content.clone(), query.timestamp))
        }
        RowKind::Response(turn) => {
            let response = session.turns().get(turn)?.final_response?;
            Some((response.content.clone(), response.timestamp))
        }
        RowKind::Call(_) | RowKind::Pending(_) => None,
    })?;
    let copied = content.clone();
    Some(view! {
        <li class=class>
            <div class="line">
                <span class="number" aria-hidden="true">{row.position + 1}</span>
                <Icon glyph/>
                <div
                    class="message"
                    id=row.element_id()
                    tabindex=move || if current.get() == row.position { "0" } else { "-1" }
                    role="group"
                    aria-label=label
                >
                    <span class="speaker">{label}</span>
                    {body(content, row.position, rehearsal.readings)}
                </div>
                <span class="took">
                    <CopyButton what=label text=Callback::new(move |()| copied.clone())/>
                </span>
                <RowTime at/>
            </div>
        </li>
    })
}

fn body(content: String, position: usize, readings: Readings) -> AnyView {
    let value = match JsonText::parse(&content) {
        Ok(value) if matches!(value.kind(), Kind::Object | Kind::Array) => Some(value),
        _ => value_tree::is_more_than_text(&content).then(|| JsonText::string(&content)),
    };
    if let Some(value) = value {
        let reading = readings.of(ReadingKey::Text(position), &value);
        return view! { <ValueBody reading label="Value"/> }.into_any();
    }
    let total = content.len();
    let content = StoredValue::new(content);
    let whole = RwSignal::new(false);
    let part = move || {
        let bytes = if whole.get() { usize::MAX } else { SHOWN };
        content.with_value(|text| written_out(beginning(text, bytes), Lines::Kept).into_owned())
    };
    view! {
        <p dir="auto">{part}</p>
        <Show when=move || { total > SHOWN && !whole.get() }>
            <button type="button" class="link" on:click=move |_| whole.set(true)>"Show all"</button>
        </Show>
    }
    .into_any()
}
