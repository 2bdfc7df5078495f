//! The content of an MCP tool's result, block by block: text, images, audio, resources and links.

use json_text::JsonText;
use leptos::prelude::*;
use session::CallId;

use crate::rehearse::linked_resource::{linked_resource, resource};
use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::audio_player::AudioPlayer;
use crate::shared::markdown::Markdown;
use crate::shared::state::markdown::{direction, markdown};
use crate::shared::value::{READ, ValueBody, ValueTools};
use crate::shared::value_pane::{Switch, ValuePane};
use app::components::raw_text::RawText;
use app::state::browser;
use app::state::excerpt::{beginning, visible_name};
use app::state::reading::{Reading, ReadingKey};
use app::state::rows::RowPart;
use app::state::times::size;
use app::state::tool_content::{Block, Body, Repeated, ToolContent};

/// How much of a text is drawn at first and with each step, in bytes.
const STEP: usize = 16 * 1024;

/// The content of a result.
#[component]
pub fn ContentPane(
    /// The content.
    content: ToolContent,
    /// The call that returned it.
    call_id: CallId,
) -> impl IntoView {
    // Servers repeat structured content as text, for clients that do not support it.
    let repeated = content.repeated();
    let ToolContent { blocks, structured } = content;
    let blocks = if repeated == Repeated::Value { Vec::new() } else { blocks };
    let structured = structured.filter(|_| repeated != Repeated::Wrapped);
    let readings = use_this_workspace().rehearsal.readings;
    // The tools of a single value are beside the title.
    let is_alone = blocks.len() == 1;
    let alone = match blocks.as_slice() {
        [Block::Json(value) | Block::Other(value)] => {
            Some(readings.of(ReadingKey::Block(call_id.clone(), 0), value))
        }
        _ => None,
    };
    let has_content = !blocks.is_empty() || structured.is_none();
    let is_empty = blocks.is_empty();
    view! {
        {has_content.then(|| view! { <div class="pane content" role="group" aria-label="Content">
            <header>
                <h3>{if repeated == Repeated::Wrapped { "Content, structured" } else { "Content" }}</h3>
                <span class="grow"></span>
                {alone.map(|reading| view! { <ValueTools reading/> })}
            </header>
            {is_empty.then(|| view! { <p class="quiet">"The tool returned no content."</p> })}
            {blocks
                .into_iter()
                .enumerate()
                .map(|(at, block)| {
                    let read = |value: &JsonText| readings.of(ReadingKey::Block(call_id.clone(), at), value);
                    content_block(block, is_alone, &call_id, &read)
                })
                .collect_view()}
        </div> })}
        {structured.map(|value| view! {
            <ValuePane
                title=if repeated == Repeated::Value { "Content, structured" } else { "Structured content" }
                what="the structured content"
                reading=readings.of(ReadingKey::Structured(call_id.clone()), &value)
            />
        })}
    }
}

/// A value that repeats what is shown above, collapsed.
#[component]
pub fn FoldedPane(
    /// What it is.
    title: &'static str,
    /// What is copied, for the button's label.
    what: &'static str,
    /// The value as its reader left it.
    reading: Reading,
    /// The call that returned it.
    call_id: CallId,
) -> impl IntoView {
    let open_parts = use_this_workspace().rehearsal.open_parts;
    let call_id = StoredValue::new(call_id);
    let open = Memo::new(move |_| {
        call_id.with_value(|call_id| open_parts.read().has(call_id, RowPart::WholeResult))
    });
    let toggle = move |_| {
        call_id.with_value(|call_id| {
            open_parts.update(|open| open.toggle(call_id, RowPart::WholeResult));
        });
    };
    view! {
        <div class="folded">
            <button
                type="button"
                class="link fold"
                aria-expanded=move || open.get().to_string()
                on:click=toggle
            >
                {title}
            </button>
            <Show when=move || open.get()><ValuePane title what reading/></Show>
        </div>
    }
}

/// One block; `read` gives the reading of a value in it, whose tools are in the title when it is alone.
fn content_block(
    block: Block,
    is_alone: bool,
    call_id: &CallId,
    read: &dyn Fn(&JsonText) -> Reading,
) -> AnyView {
    match block {
        Block::Text(text) => resource_text(text, "", read),
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
        Block::Image { url, .. } => image(&url, read),
        Block::Audio { mime_type, url } => {
            let mime_type = visible_name(&mime_type);
            let label = format!("Audio from the tool, {mime_type}");
            view! {
                <figure>
                    <AudioPlayer url label/>
                    <figcaption class="quiet">{mime_type}</figcaption>
                </figure>
            }
            .into_any()
        }
        Block::Link(link) => linked_resource(link, call_id),
        Block::Resource { uri, mime_type, body } => {
            let mime_type = mime_type.unwrap_or_default();
            let (facts, url) = match &body {
                Body::Text(text) => {
                    let text = browser::percent_encoded(text);
                    (String::new(), Some(format!("data:text/plain;charset=utf-8,{text}")))
                }
                Body::Image(url) | Body::Audio(url) => (String::new(), Some(url.clone())),
                Body::Bytes { count, url } => {
                    (format!("{}, binary", size(*count as u64)), url.clone())
                }
            };
            let shown = resource_body(body, &uri, &mime_type, read);
            resource(&uri, &mime_type, facts, shown, url)
        }
    }
}

/// The content of a resource; nothing for binary data, whose size is shown.
fn resource_body(
    body: Body,
    uri: &str,
    mime_type: &str,
    read: &dyn Fn(&JsonText) -> Reading,
) -> AnyView {
    match body {
        Body::Text(text) => resource_text(text, mime_type, read),
        Body::Image(url) => image(&url, read),
        Body::Audio(url) => {
            let label = format!("Audio {uri}");
            view! { <AudioPlayer url label/> }.into_any()
        }
        Body::Bytes { .. } => ().into_any(),
    }
}

/// An image as in a value: its dimensions are shown, it can be copied, and a very large one is drawn on
/// request.
fn image(url: &str, read: &dyn Fn(&JsonText) -> Reading) -> AnyView {
    let reading = read(&JsonText::string(url));
    view! { <WithTools reading label="Image"/> }.into_any()
}

/// A value with its tools above it.
#[component]
fn WithTools(
    /// The value.
    reading: Reading,
    /// Its name for screen readers.
    label: &'static str,
) -> impl IntoView {
    view! {
        <div class="content-value">
            <ValueTools reading/>
            <ValueBody reading label/>
        </div>
    }
}

/// A text by its MIME type, else by what it looks like; a long one as a value, which can be searched.
pub(super) fn resource_text(
    text: String,
    mime_type: &str,
    read: &dyn Fn(&JsonText) -> Reading,
) -> AnyView {
    let mime_type = mime_type.split(';').next().unwrap_or_default().trim();
    let is_json = mime_type == "application/json" || mime_type.ends_with("+json");
    if is_json && let Ok(value) = JsonText::parse(&text) {
        return view! { <WithTools reading=read(&value) label="Text"/> }.into_any();
    }
    let is_markdown = matches!(mime_type, "text/markdown" | "text/x-markdown");
    let is_searched = text.len() > READ;
    if (is_searched || value_tree::is_more_than_text(&text)) && !is_markdown {
        return view! { <WithTools reading=read(&JsonText::string(&text)) label="Text"/> }
            .into_any();
    }
    if is_markdown {
        return view! { <MarkdownText text/> }.into_any();
    }
    view! { <RawText text label="Text"/> }.into_any()
}

/// Markdown, with a switch to its source.
#[component]
fn MarkdownText(
    /// The whole text.
    text: String,
) -> impl IntoView {
    let raw = RwSignal::new(false);
    let text = StoredValue::new(text);
    let shown = RwSignal::new(STEP);
    let total = text.with_value(String::len);
    let body = move || {
        if raw.get() {
            return view! { <RawText text=text.get_value() label="Text"/> }.into_any();
        }
        let nodes = text.with_value(|text| markdown(beginning(text, shown.get()), &[], "").nodes);
        view! {
            <div class="prose" dir=text.with_value(|text| direction(text))><Markdown nodes at=Signal::stored(usize::MAX)/></div>
            <Show when=move || shown.get() < total>
                <p class="more">
                    {move || format!("{} of {} shown", size(shown.get() as u64), size(total as u64))}
                    <button type="button" class="link" on:click=move |_| shown.update(|it| *it += STEP)>
                        "Show more"
                    </button>
                </p>
            </Show>
        }
        .into_any()
    };
    view! {
        <div class="content-value">
            <span class="value-tools">
                <Switch on=raw off_label="Markdown" on_label="Raw" label="Text format"/>
            </span>
            {body}
        </div>
    }
}
