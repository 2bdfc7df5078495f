//! A piece of a conversation that is neither text nor a call: an image, bytes, a vendor-specific part.

use api::{LiveBytes, LivePart};
use json_text::JsonText;
use leptos::prelude::*;

use crate::live::state::steps::{plain_text_of, whole};
use crate::shared::audio_player::{AudioPlayer, or_load_error};
use crate::shared::value::ValueBody;
use app::components::raw_text::RawText;
use app::state::excerpt::{Lines, written_out};
use app::state::reading::use_reading;
use app::state::times::size;

/// The name of a piece on its line.
pub(super) fn kind(part: &LivePart) -> String {
    match part {
        LivePart::Text(_) => "text".to_owned(),
        LivePart::Thought(_) => "thought".to_owned(),
        LivePart::Call { name, .. } => name.clone(),
        LivePart::Response { name, .. } => format!("result of {name}"),
        LivePart::Data { mime_type, name, .. } => match not_blank(name.as_deref()) {
            Some(name) => written_out(name, Lines::Escaped).into_owned(),
            None => {
                let kind = mime_type.split('/').next();
                let kind = kind.filter(|kind| matches!(*kind, "image" | "audio" | "video"));
                kind.unwrap_or("file").to_owned()
            }
        },
        LivePart::Other { kind, .. } => kind.clone(),
    }
}

/// A file's name, unless it is blank.
fn not_blank(name: Option<&str>) -> Option<&str> {
    name.filter(|name| !name.trim().is_empty())
}

/// The piece.
#[component]
pub(super) fn Piece(
    /// The piece.
    part: LivePart,
) -> impl IntoView {
    match plain_text_of(&part) {
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
            let url = content.as_ref().map(|content| match content {
                LiveBytes::At(url) | LiveBytes::Text { at: url, .. } => url.clone(),
            });
            let shown = content.map(|content| data(&mime_type, content));
            let saved = url.map(|url| saved(url, name.as_deref(), &mime_type));
            let mime_type = written_out(&mime_type, Lines::Escaped).into_owned();
            view! {
                <figure class="data">
                    {shown}
                    <figcaption class="quiet">
                        <span>{mime_type} " · " {size(bytes)}</span>
                        {saved}
                    </figcaption>
                </figure>
            }
            .into_any()
        }
    }
}

/// Shows an image, audio or text; nothing for other types.
fn data(mime_type: &str, content: LiveBytes) -> AnyView {
    let kind = mime_type.to_ascii_lowercase();
    match content {
        LiveBytes::Text { text, .. } => match JsonText::parse(&text) {
            Ok(value) => view! { <ValueBody reading=use_reading(&value) label="File"/> }.into_any(),
            Err(_) => view! { <RawText text label="File"/> }.into_any(),
        },
        LiveBytes::At(url) if kind.starts_with("image/") => view! {
            <Picture url label=format!("Image in the conversation, {kind}")/>
        }
        .into_any(),
        LiveBytes::At(url) if kind.starts_with("audio/") => view! {
            <AudioPlayer url label=format!("Audio in the conversation, {kind}")/>
        }
        .into_any(),
        LiveBytes::At(_) => ().into_any(),
    }
}

/// The image, or the message that it cannot be shown.
#[component]
fn Picture(
    /// Where it is.
    url: String,
    /// Its text alternative.
    label: String,
) -> impl IntoView {
    or_load_error(["image", "show"], move |fail| {
        let failed = move |_| fail.run(());
        view! {
            <a href=url.clone() target="_blank" rel="noopener external" title="Full size">
                <img src=url.clone() alt=label.clone() loading="lazy" decoding="async" on:error=failed/>
            </a>
        }
        .into_any()
    })
}

/// A link that saves a file. The page never opens it, whatever its type.
fn saved(url: String, name: Option<&str>, mime_type: &str) -> impl IntoView + use<> {
    let file = match not_blank(name) {
        Some(name) => name.to_owned(),
        None => {
            let subtype = mime_type.rsplit('/').next().unwrap_or_default();
            let is_ending = (1..=5).contains(&subtype.len())
                && subtype.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if is_ending { format!("file.{subtype}") } else { "file".to_owned() }
        }
    };
    let label = format!("Save {}", written_out(&file, Lines::Escaped));
    // `external`: the router would take it for a page.
    view! { <a class="link" href=url download=file rel="external" aria-label=label>"Save"</a> }
}

fn values(value: Option<JsonText>) -> AnyView {
    match value {
        Some(value) => view! { <ValueBody reading=use_reading(&value) label="Value"/> }.into_any(),
        None => view! { <p class="quiet">"nothing"</p> }.into_any(),
    }
}
