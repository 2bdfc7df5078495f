//! The artifacts that tools saved in the session, each version in a row that opens into its content.

use api::{Artifact, LiveBytes, artifact_url};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::file_view::{data, saved};
use app::state::base_path::address;
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::times::size;

/// The longest text that is shown, in bytes.
const SHOWN: u64 = 1_000_000;

/// Every version of every artifact, in the order in which they were saved.
#[component]
pub fn Artifacts() -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let saved = Memo::new(move |_| {
        rehearsal.view.with(|view| view.as_ref().map(|it| it.artifacts.clone()).unwrap_or_default())
    });
    let rows = move || saved.get().into_iter().enumerate().collect::<Vec<_>>();
    let draw = move |(index, artifact): (usize, Artifact)| {
        let path = artifact_url(&rehearsal.session.read_untracked().id().clone(), index);
        row(artifact, path)
    };
    view! {
        <ul class="artifacts">
            <For each=rows key=|(index, artifact)| (*index, artifact.filename.clone()) children=draw/>
        </ul>
    }
}

fn row(artifact: Artifact, path: String) -> AnyView {
    let is_text = artifact.is_text();
    let Artifact { filename, version, mime_type, bytes } = artifact;
    let mime_type = mime_type.unwrap_or_default();
    let facts = match mime_type.as_str() {
        "" => size(bytes),
        kind => format!("{} · {}", visible_name(kind), size(bytes)),
    };
    let is_open = RwSignal::new(false);
    let save = saved(address(&path), Some(&filename), &mime_type);
    let (title, name) = (visible_name(&filename), filename);
    let content = move || match is_text && bytes <= SHOWN {
        true => view! { <Text path=path.clone() mime_type=mime_type.clone()/> }.into_any(),
        false => data(&mime_type, &name, LiveBytes::At(path.clone())),
    };
    view! {
        <li>
            <button
                type="button"
                class="link"
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                {title}
            </button>
            <span class="chip">"version " {version}</span>
            <figure class="data">
                <Show when=move || is_open.get()>{content()}</Show>
                <figcaption class="quiet"><span>{facts}</span> {save}</figcaption>
            </figure>
        </li>
    }
    .into_any()
}

/// The text of an artifact, or why it cannot be loaded.
#[component]
fn Text(
    /// Its path on the host.
    path: String,
    /// Its type.
    mime_type: String,
) -> impl IntoView {
    let text = RwSignal::new(None);
    let at = path.clone();
    spawn_local(async move {
        let loaded = match browser::fetched(&at).await {
            Ok((200, bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(_) => Err("The host no longer has this session.".to_owned()),
            Err(error) => Err(format!("The artifact cannot be loaded: {error}.")),
        };
        // The row may be closed meanwhile.
        text.try_set(Some(loaded));
    });
    move || match text.get() {
        None => view! { <p class="quiet">"Loading…"</p> }.into_any(),
        Some(Ok(text)) => data(&mime_type, "", LiveBytes::Text { text, at: path.clone() }),
        Some(Err(fault)) => view! { <p class="field-fault" role="alert">{fault}</p> }.into_any(),
    }
}
