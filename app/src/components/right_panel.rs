//! The right panel: what the agent does next, and after that the export.

use leptos::prelude::*;
use session::SessionState;

use crate::components::export_panel::ExportPanel;
use crate::components::respond_panel::RespondPanel;
use crate::components::tool_panel::ToolPanel;
use crate::state::stage::{Tab, use_this_stage};

/// The two choices of an active session; after it, the export.
#[component]
pub fn RightPanel(
    /// The eval-set file that exports go to.
    eval_set_path: String,
) -> impl IntoView {
    let stage = use_this_stage();
    let is_completed =
        Memo::new(move |_| stage.rehearsal.session.read().state() == SessionState::Completed);
    let path = StoredValue::new(eval_set_path);
    let body = move || {
        if is_completed.get() {
            view! { <ExportPanel eval_set_path=path.get_value()/> }.into_any()
        } else {
            view! { <Choices/> }.into_any()
        }
    };
    let label = move || if is_completed.get() { "Export" } else { "Act" };
    view! { <section class="right" aria-label=label>{body}</section> }
}

#[component]
fn Choices() -> impl IntoView {
    let stage = use_this_stage();
    let tab = move |tab: Tab, id: &'static str, text: &'static str, key: &'static str| {
        view! {
            <button
                type="button"
                role="tab"
                id=id
                aria-selected=move || (stage.tab.get() == tab).to_string()
                aria-controls="choice"
                disabled=move || tab == Tab::Call && stage.rehearsal.view.read().is_some() && stage.tools.read().is_empty()
                on:click=move |_| stage.show(tab)
            >
                {text} <kbd>{key}</kbd>
            </button>
        }
    };
    let panel = move || match stage.tab.get() {
        Tab::Call => view! { <ToolPanel/> }.into_any(),
        Tab::Respond => view! { <RespondPanel/> }.into_any(),
    };
    let labelled_by = move || match stage.tab.get() {
        Tab::Call => "tab-call",
        Tab::Respond => "tab-respond",
    };
    view! {
        <div class="tabs" role="tablist" aria-label="What the agent does next">
            {tab(Tab::Call, "tab-call", "Call a tool", "T")}
            {tab(Tab::Respond, "tab-respond", "Final response", "F")}
        </div>
        <div class="choice" id="choice" role="tabpanel" aria-labelledby=labelled_by>{panel}</div>
    }
}
