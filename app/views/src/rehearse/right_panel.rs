//! The right panel: the next step of the agent, and at the end the export.

use leptos::prelude::*;
use session::SessionState;

use crate::rehearse::state::workspace::{Tab, use_this_workspace};
use crate::rehearse::tool_panel::ToolPanel;
use crate::rehearse::workspace_keys::{go_to_response, go_to_tools};
use app::components::loading::LazyView;
use app::state::lazy_pages::SessionViews;

/// The two choices of an active session; after it, the export.
#[component]
pub fn RightPanel(
    /// The eval-set file that exports go to.
    eval_set_path: String,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let is_completed =
        Memo::new(move |_| workspace.rehearsal.session.read().state() == SessionState::Completed);
    let path = StoredValue::new(eval_set_path);
    let body = move || {
        if is_completed.get() {
            let draw = move |views: SessionViews| (views.export)(path.get_value());
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        } else {
            view! { <Choices/> }.into_any()
        }
    };
    let label = move || if is_completed.get() { "Export" } else { "Act" };
    // The pointer or the focus in the panel announces an action: its code is loaded meanwhile.
    let fetch = move || workspace.code.fetch();
    view! {
        <section class="right" tabindex="-1" aria-label=label on:pointerover=move |_| fetch() on:focusin=move |_| fetch()>
            {body}
        </section>
    }
}

#[component]
fn Choices() -> impl IntoView {
    let workspace = use_this_workspace();
    let tab = move |tab: Tab, id: &'static str, text: &'static str, key: &'static str| {
        view! {
            <button
                type="button"
                role="tab"
                id=id
                aria-selected=move || (workspace.tab.get() == tab).to_string()
                aria-controls="choice"
                disabled=move || tab == Tab::Call && workspace.rehearsal.view.read().is_some() && workspace.tools.read().is_empty()
                on:click=move |_| match tab {
                    Tab::Call => go_to_tools(workspace),
                    Tab::Respond => go_to_response(workspace),
                }
            >
                {text} <kbd>{key}</kbd>
            </button>
        }
    };
    let panel = move || match workspace.tab.get() {
        Tab::Call => view! { <ToolPanel/> }.into_any(),
        Tab::Respond => {
            let draw = |views: SessionViews| (views.respond)();
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        }
    };
    let labelled_by = move || match workspace.tab.get() {
        Tab::Call => "tab-call",
        Tab::Respond => "tab-respond",
    };
    view! {
        <div class="tabs" role="tablist" aria-label="Next step">
            {tab(Tab::Call, "tab-call", "Call a tool", "T")}
            {tab(Tab::Respond, "tab-respond", "Final response", "F")}
        </div>
        <div class="choice" id="choice" role="tabpanel" aria-labelledby=labelled_by>{panel}</div>
    }
}
