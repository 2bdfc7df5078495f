//! The configured folders, below the list of their files.

use api::FolderSummary;
use leptos::prelude::*;

/// The folders, with their faults.
#[component]
pub fn FolderList(
    /// The folders.
    folders: Vec<FolderSummary>,
    /// The text for an empty one.
    nothing: &'static str,
) -> impl IntoView {
    let one = move |folder: FolderSummary| {
        let is_valid = folder.faults.is_empty();
        view! {
            <li>
                <code>{folder.path}</code>
                {(is_valid && folder.found == 0).then(|| view! { " " <span class="quiet">{nothing}</span> })}
                {folder.faults.into_iter().map(|fault| view! { <p class="field-fault" role="alert">{fault}</p> }).collect_view()}
            </li>
        }
    };
    (!folders.is_empty()).then(|| {
        view! { <ul class="folders" aria-label="Folders">{folders.into_iter().map(one).collect_view()}</ul> }
    })
}
