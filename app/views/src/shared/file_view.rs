//! A file that the host serves: shown if it is an image, audio or text, and saved by a link.

use api::LiveBytes;
use json_text::JsonText;
use leptos::prelude::*;

use crate::shared::audio_player::{AudioPlayer, or_load_error};
use crate::shared::value::ValueBody;
use app::components::raw_text::RawText;
use app::state::base_path::address;
use app::state::excerpt::{Lines, written_out};
use app::state::reading::use_reading;

/// A file's name, unless it is blank.
pub fn not_blank(name: Option<&str>) -> Option<&str> {
    name.filter(|name| !name.trim().is_empty())
}

/// Shows an image, audio or text; nothing for other types. `of` is where the file is, or its name.
pub fn data(mime_type: &str, of: &str, content: LiveBytes) -> AnyView {
    let kind = mime_type.to_ascii_lowercase();
    match content {
        LiveBytes::Text { text, .. } => match JsonText::parse(&text) {
            Ok(value) => view! { <ValueBody reading=use_reading(&value) label="File"/> }.into_any(),
            Err(_) => view! { <RawText text label="File"/> }.into_any(),
        },
        LiveBytes::At(path) if kind.starts_with("image/") => view! {
            <Picture url=address(&path) label=format!("Image {of}, {kind}")/>
        }
        .into_any(),
        LiveBytes::At(path) if kind.starts_with("audio/") => view! {
            <AudioPlayer url=address(&path) label=format!("Audio {of}, {kind}")/>
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
pub fn saved(url: String, name: Option<&str>, mime_type: &str) -> impl IntoView + use<> {
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
