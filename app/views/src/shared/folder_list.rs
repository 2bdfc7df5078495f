//! The configured folders, below a list of what was found in them.

use api::FolderSummary;
use leptos::prelude::*;

/// The folders, with what is wrong with them.
#[component]
pub fn FolderList(
    /// The folders.
    folders: Vec<FolderSummary>,
    /// The text for an empty one.
    nothing: &'static str,
) -> impl IntoView {
    let one = move |folder: FolderSummary| {
        let is_sound = folder.faults.is_empty();
        view! {
            <li>
                <code>{folder.path}</code>
                {(is_sound && folder.found == 0).then(|| view! { " " <span class="quiet">{nothing}</span> })}
                {folder.faults.into_iter().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> }).collect_view()}
            </li>
        }
    };
    (!folders.is_empty()).then(|| {
        view! { <ul class="folders" aria-label="Folders">{folders.into_iter().map(one).collect_view()}</ul> }
    })
}
