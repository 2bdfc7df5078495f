//! What an MCP tool answered, block by block: text, images, sounds, resources and links.

use json_text::JsonText;
use leptos::prelude::*;
use session::CallId;

use crate::components::raw_text::RawText;
use crate::components::value::{ValueBody, ValueTools};
use crate::components::value_pane::ValuePane;
use crate::state::reading::{Reading, ReadingKey};
use crate::state::stage::use_this_stage;
use crate::state::times::size;
use crate::state::tool_content::{Block, ToolContent};

/// The content of a result.
#[component]
pub fn ContentPane(
    /// What the tool answered.
    content: ToolContent,
    /// The call that it answers.
    call_id: CallId,
) -> impl IntoView {
    let ToolContent { blocks, structured } = content;
    let readings = use_this_stage().rehearsal.readings;
    // The tools of the only value stand beside the title.
    let is_alone = blocks.len() == 1;
    let alone = match blocks.as_slice() {
        [Block::Json(value) | Block::Other(value)] => {
            Some(readings.of(ReadingKey::Block(call_id.clone(), 0), value))
        }
        _ => None,
    };
    let is_empty = blocks.is_empty() && structured.is_none();
    view! {
        <div class="pane content" role="group" aria-label="Content">
            <header>
                <h3>"Content"</h3>
                <span class="grow"></span>
                {alone.map(|reading| view! { <ValueTools reading/> })}
            </header>
            {is_empty.then(|| view! { <p class="quiet">"The tool answered with nothing."</p> })}
            {blocks
                .into_iter()
                .enumerate()
                .map(|(at, block)| {
                    let read = |value: &JsonText| readings.of(ReadingKey::Block(call_id.clone(), at), value);
                    content_block(block, is_alone, read)
                })
                .collect_view()}
        </div>
        {structured.map(|value| view! {
            <ValuePane
                title="Structured content"
                what="the structured content"
                reading=readings.of(ReadingKey::Structured(call_id.clone()), &value)
            />
        })}
    }
}

/// One block; `read` gives the reading of a value in it, whose tools stand elsewhere when it is alone.
fn content_block(block: Block, is_alone: bool, read: impl Fn(&JsonText) -> Reading) -> AnyView {
    match block {
        Block::Text(text) if value_tree::is_more_than_text(&text) => {
            let reading = read(&JsonText::string(&text));
            view! { <ValueBody reading label="Text"/> }.into_any()
        }
        Block::Text(text) => view! { <RawText text label="Text"/> }.into_any(),
        Block::Json(value) | Block::Other(value) => {
            let reading = read(&value);
            view! {
                <div class="content-value">
                    {(!is_alone).then(|| view! { <ValueTools reading/> })}
                    <ValueBody reading label="Content"/>
                </div>
            }
            .into_any()
        }
        Block::Image { mime_type, url } => view! {
            <figure>
                <img src=url alt=format!("An image that the tool returned, {mime_type}")/>
                <figcaption class="quiet">{mime_type}</figcaption>
            </figure>
        }
        .into_any(),
        Block::Audio { mime_type, url } => view! {
            <figure>
                <audio controls=true src=url aria-label=format!("A sound that the tool returned, {mime_type}")></audio>
                <figcaption class="quiet">{mime_type}</figcaption>
            </figure>
        }
        .into_any(),
        Block::Link { uri, name, mime_type, description } => view! {
            <p class="resource">
                <b>{name}</b>
                " "
                <code>{uri}</code>
                {mime_type.map(|kind| view! { <span class="chip">{kind}</span> })}
                {description.map(|text| view! { <span class="quiet">{text}</span> })}
            </p>
        }
        .into_any(),
        Block::Resource { uri, mime_type, text, base64 } => view! {
            <div class="resource">
                <p>
                    <code>{uri}</code>
                    {mime_type.map(|kind| view! { <span class="chip">{kind}</span> })}
                    {text.is_none().then(|| view! {
                        <span class="quiet">{size(base64 as u64 / 4 * 3)} " of bytes"</span>
                    })}
                </p>
                {text.map(|text| view! { <RawText text label="Resource"/> })}
            </div>
        }
        .into_any(),
    }
}
