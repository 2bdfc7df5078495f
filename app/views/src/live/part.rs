//! A piece of a conversation that is neither text nor a call: an image, bytes, a vendor-specific part.

use api::{LiveBytes, LivePart};
use json_text::JsonText;
use leptos::prelude::*;

use crate::live::state::steps::{plain_text_of, whole};
use crate::shared::file_view::{data, not_blank, saved};
use crate::shared::value::ValueBody;
use app::components::raw_text::RawText;
use app::state::base_path::address;
use app::state::excerpt::visible_name;
use app::state::reading::use_reading;
use app::state::times::size;

/// The name of a piece on its line.
pub(super) fn kind(part: &LivePart) -> String {
    let name = match part {
        LivePart::Text(_) => "text".to_owned(),
        LivePart::Thought(_) => "thought".to_owned(),
        LivePart::Call { name, .. } => name.clone(),
        LivePart::Response { name, .. } => format!("result of {name}"),
        LivePart::Data { mime_type, name, .. } => match not_blank(name.as_deref()) {
            Some(name) => name.to_owned(),
            None => {
                let kind = mime_type.split('/').next();
                let kind = kind.filter(|kind| matches!(*kind, "image" | "audio" | "video"));
                kind.unwrap_or("file").to_owned()
            }
        },
        LivePart::Other { kind, .. } => kind.clone(),
    };
    visible_name(&name)
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
                LiveBytes::At(path) | LiveBytes::Text { at: path, .. } => address(path),
            });
            let shown = content.map(|content| data(&mime_type, "in the conversation", content));
            let saved = url.map(|url| saved(url, name.as_deref(), &mime_type));
            let mime_type = visible_name(&mime_type);
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

fn values(value: Option<JsonText>) -> AnyView {
    match value {
        Some(value) => view! { <ValueBody reading=use_reading(&value) label="Value"/> }.into_any(),
        None => view! { <p class="quiet">"nothing"</p> }.into_any(),
    }
}
