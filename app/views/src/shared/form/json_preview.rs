//! [`JsonPreview`]: the JSON that will be sent.

use leptos::prelude::*;
use schema_form::Tone;

use app::state::excerpt::{Lines, written_out};
use app::state::form::FormState;

/// How much of a large value is drawn, in bytes.
const MOST: usize = 4_000;

/// Shows what `state` would send, with invalid parts in their own color.
#[component]
pub fn JsonPreview(
    /// The form and what is entered.
    state: FormState,
    /// Its name for screen readers, where another form is beside it.
    #[prop(default = "What will be sent")]
    label: &'static str,
) -> impl IntoView {
    let pieces = move || {
        let reading = state.reading.read();
        let mut drawn = Vec::new();
        let mut length = 0;
        for (piece, tone) in reading.pieces() {
            let room = MOST.saturating_sub(length);
            length += piece.len();
            let end = (0..=room.min(piece.len())).rev().find(|end| piece.is_char_boundary(*end));
            // In a string or a name, an escape is the same character, and shows where it is.
            let piece = written_out(&piece[..end.unwrap_or(0)], Lines::Kept).into_owned();
            if !piece.is_empty() {
                let class = class(tone);
                drawn.push(match class {
                    "" => piece.into_any(),
                    class => view! { <span class=class>{piece}</span> }.into_any(),
                });
            }
        }
        if length > MOST {
            let more = format!(" … {} more bytes", length - MOST);
            drawn.push(view! { <span class="ink-nothing">{more}</span> }.into_any());
        }
        drawn
    };
    view! { <pre class="json-preview" tabindex="0" role="region" aria-label=label>{pieces}</pre> }
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Mark | Tone::Json => "",
        Tone::Key => "ink-key",
        Tone::String => "ink-text",
        Tone::Number => "ink-number",
        Tone::Word => "ink-nothing",
        Tone::Error => "ink-fault",
    }
}
