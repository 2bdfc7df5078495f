//! The case as the export would write it now.

use api::{ApiError, ExportPreview};
use leptos::prelude::*;
use leptos::task::spawn_local;

use api::host::preview_export;
use app::state::Rehearsal;
use app::state::latest_request::use_latest_request;
use app::state::rehearsal::ExportFile;

/// The preview for the current choices; `None` until the host has responded first.
#[must_use]
pub fn use_export_preview(
    rehearsal: Rehearsal,
) -> RwSignal<Option<Result<ExportPreview, ApiError>>> {
    let preview = RwSignal::new(None);
    let wanted = use_latest_request();
    Effect::new(move |before: Option<Option<ExportFile>>| {
        let asked = wanted.ask();
        let file = rehearsal.export_file.get();
        if before.is_some_and(|before| before != file) {
            // What is shown is about the other file.
            preview.set(None);
        }
        let _ = rehearsal.export_choices();
        let request = rehearsal.export_request();
        spawn_local(async move {
            let arrived = preview_export(request).await;
            if asked.is_wanted() {
                preview.set(Some(arrived));
            }
        });
        file
    });
    preview
}
