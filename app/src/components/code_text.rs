//! Sentences with code in backticks.

use leptos::prelude::*;

use crate::state::excerpt::visible_text;

/// The text, with the parts between backticks drawn as code.
pub fn with_code(text: &str) -> impl IntoView + use<> {
    let text = visible_text(text);
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.to_owned().into_any(),
        _ => view! { <code>{part.to_owned()}</code> }.into_any(),
    };
    text.split('`').enumerate().map(part).collect_view()
}
