//! A resource that the result of an MCP tool links to: read from the server when it is opened.

use api::{ApiError, LiveBytes, ResourceContent};
use leptos::prelude::*;
use leptos::task::spawn_local;
use session::CallId;

use crate::rehearse::content_pane::resource_text;
use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::file_view::{data, saved};
use api::host::read_resource;
use app::state::base_path::address;
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::use_reading;
use app::state::times::size;
use app::state::tool_content::{Link, file_name};

/// A link to a resource of the server that has the tool of `call_id`. A web address also opens in a new
/// tab: the server may not have it.
pub(super) fn linked_resource(link: Link, call_id: &CallId) -> AnyView {
    let rehearsal = use_this_workspace().rehearsal;
    let is_open = RwSignal::new(false);
    let read = RwSignal::new(None);
    let is_web_address = link.is_web_address();
    let Link { uri, name, mime_type, description, bytes } = link;
    let (call_id, asked) = (call_id.clone(), uri.clone());
    let toggle = move |_| {
        is_open.update(|open| *open = !*open);
        if !is_open.get_untracked() {
            return;
        }
        read.set(None);
        let session = rehearsal.session.read_untracked();
        let called = session.calls().iter().find(|called| called.call.call_id == call_id);
        let Some(tool) = called.map(|called| called.call.tool_name.clone()) else { return };
        let reading = read_resource(session.id().clone(), tool, asked.clone());
        spawn_local(async move {
            let contents = reading.await;
            // The row may be closed meanwhile.
            read.try_set(Some(contents));
        });
    };
    let href = uri.clone();
    let address = match is_web_address {
        true => view! {
            <a class="link" href=href target="_blank" rel="noopener noreferrer">{visible_name(&uri)}</a>
        }
        .into_any(),
        false => view! { <code>{visible_name(&uri)}</code> }.into_any(),
    };
    view! {
        <div class="resource">
            <p>
                <button
                    type="button"
                    class="link"
                    aria-expanded=move || is_open.get().to_string()
                    on:click=toggle
                >
                    {visible_name(&name)}
                </button>
                {address}
                {mime_type.map(|kind| view! { <span class="chip">{visible_name(&kind)}</span> })}
                {bytes.map(|bytes| view! { <span class="quiet">{size(bytes)}</span> })}
                {description.map(|text| view! { <span class="quiet">{visible_text(&text)}</span> })}
            </p>
            {move || is_open.get().then(|| opened(read.get()))}
        </div>
    }
    .into_any()
}

/// What the server returned, or why it did not.
fn opened(read: Option<Result<Vec<ResourceContent>, ApiError>>) -> AnyView {
    match read {
        None => view! { <p class="quiet">"Loading…"</p> }.into_any(),
        Some(Err(error)) => {
            view! { <p class="field-fault" role="alert">{error.to_string()}</p> }.into_any()
        }
        Some(Ok(contents)) => contents.into_iter().map(content).collect_view().into_any(),
    }
}

fn content(content: ResourceContent) -> AnyView {
    let ResourceContent { uri, mime_type, bytes, content } = content;
    let (LiveBytes::At(path) | LiveBytes::Text { at: path, .. }) = &content;
    let url = address(path);
    let kind = mime_type.to_ascii_lowercase();
    let (shown, is_shown) = match content {
        LiveBytes::Text { text, .. } => (resource_text(text, &kind, &use_reading), true),
        at => {
            let is_shown = kind.starts_with("image/") || kind.starts_with("audio/");
            (data(&kind, &uri, at), is_shown)
        }
    };
    let facts = match (is_shown, kind.is_empty()) {
        (true, _) => size(bytes),
        (false, true) => {
            format!("{} without a type. Save it to open it in another program.", size(bytes))
        }
        (false, false) => {
            format!("{}, not shown here. Save it to open it in another program.", size(bytes))
        }
    };
    resource(&uri, &mime_type, facts, shown, Some(url))
}

/// A resource with its content, and a link that saves it.
pub(super) fn resource(
    uri: &str,
    mime_type: &str,
    facts: String,
    shown: AnyView,
    url: Option<String>,
) -> AnyView {
    let kind = (!mime_type.is_empty()).then(|| mime_type.to_owned());
    view! {
        <div class="resource">
            <p>
                <code>{uri.to_owned()}</code>
                {kind.map(|kind| view! { <span class="chip">{visible_name(&kind)}</span> })}
                <span class="quiet">{facts}</span>
                {url.map(|url| saved(url, file_name(uri), mime_type))}
            </p>
            {shown}
        </div>
    }
    .into_any()
}
