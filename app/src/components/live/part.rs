//! A piece of a conversation that is neither words nor a call: a picture, bytes, a vendor's own.

use json_text::JsonText;
use leptos::prelude::*;

use crate::api::{LiveBytes, LivePart};
use crate::components::raw_text::RawText;
use crate::components::sound::Sound;
use crate::components::value::ValueBody;
use crate::state::live_steps::{said_as, whole};
use crate::state::reading::use_reading;
use crate::state::times::size;

/// What a piece is called on its line.
pub(super) fn kind(part: &LivePart) -> String {
    match part {
        LivePart::Text(_) => "text".to_owned(),
        LivePart::Thought(_) => "thought".to_owned(),
        LivePart::Call { name, .. } => name.clone(),
        LivePart::Response { name, .. } => format!("answer of {name}"),
        LivePart::Data { mime_type, .. } => mime_type.clone(),
        LivePart::Other { kind, .. } => kind.clone(),
    }
}

/// The piece.
#[component]
pub(super) fn Piece(
    /// The piece.
    part: LivePart,
) -> impl IntoView {
    match said_as(&part) {
        Some((_, text)) if !value_tree::is_more_than_text(&text) => {
            return view! { <RawText text label="Text"/> }.into_any();
        }
        _ => {}
    }
    match part {
        LivePart::Text(text) | LivePart::Thought(text) => {
            view! { <RawText text label="Text"/> }.into_any()
        }
        LivePart::Call { args, .. } => values(args.as_ref().map(whole)),
        LivePart::Response { response, .. } => values(response.as_ref().map(whole)),
        LivePart::Other { value, .. } => values(Some(whole(&value))),
        LivePart::Data { mime_type, bytes, name, content } => {
            let too_long = content.is_none().then_some(" · too long to be shown here");
            let shown = content.map(|content| data(&mime_type, name.as_deref(), content));
            let name = name.map(|name| format!("{name} · ")).unwrap_or_default();
            view! {
                <figure class="data">
                    {shown}
                    <figcaption class="quiet">{name} {mime_type} " · " {size(bytes)} {too_long}</figcaption>
                </figure>
            }
            .into_any()
        }
    }
}

/// A picture, a sound, words, or a file to save.
fn data(mime_type: &str, name: Option<&str>, content: LiveBytes) -> AnyView {
    match content {
        LiveBytes::Text(text) => match JsonText::parse(&text) {
            Ok(value) => view! { <ValueBody reading=use_reading(&value) label="File"/> }.into_any(),
            Err(_) => view! { <RawText text label="File"/> }.into_any(),
        },
        LiveBytes::Base64(bytes) if mime_type.starts_with("image/") => {
            let url = format!("data:{mime_type};base64,{bytes}");
            view! { <img src=url alt=format!("A picture in the conversation, {mime_type}")/> }
                .into_any()
        }
        LiveBytes::Base64(bytes) if mime_type.starts_with("audio/") => {
            let url = format!("data:{mime_type};base64,{bytes}");
            view! { <Sound url label=format!("A sound in the conversation, {mime_type}")/> }
                .into_any()
        }
        LiveBytes::Base64(bytes) => {
            // Whatever it says it is: it is saved, and opened by nothing here.
            let url = format!("data:application/octet-stream;base64,{bytes}");
            let file = name.unwrap_or("file").to_owned();
            let label = format!("Save {file}");
            view! { <a class="link" href=url download=file>{label}</a> }.into_any()
        }
    }
}

fn values(value: Option<JsonText>) -> AnyView {
    match value {
        Some(value) => view! { <ValueBody reading=use_reading(&value) label="Value"/> }.into_any(),
        None => view! { <p class="quiet">"nothing"</p> }.into_any(),
    }
}
