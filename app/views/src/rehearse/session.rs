//! The views of a session under way, which are loaded when it starts.

use leptos::prelude::*;

use crate::rehearse::artifacts::Artifacts;
use crate::rehearse::export_panel::ExportPanel;
use crate::rehearse::history::{RawHistory, Timeline};
use crate::rehearse::initial_state::InitialStateEditor;
use crate::rehearse::log_panel::LogPanel;
use crate::rehearse::respond_panel::RespondPanel;
use crate::rehearse::tool_panel::ToolForm;
use crate::shared::attention::Attention;
use crate::shared::form::{JsonPreview, SchemaForm};
use crate::shared::shortcuts::{Group, Shortcuts};
use crate::shared::value::{ValueBody, ValueTools};
use api::{ServerInstructions, ToolView};
use app::components::code_text::with_code;
use app::components::copy_button::CopyButton;
use app::state::excerpt::{visible_name, visible_text};
use app::state::lazy_pages::SessionViews;
use app::state::reading::Reading;
use app::state::rehearsal::{FormSource, Forms, Rehearsal};
use app::state::rehearsals::Rehearsals;

pub const VIEWS: SessionViews = SessionViews {
    keep: Rehearsal::keep,
    act: Rehearsal::act,
    take_in: Rehearsals::take_in,
    host_restarted: Rehearsals::host_restarted,
    query_form,
    server_instructions,
    shortcuts,
    attention,
    initial_state,
    artifacts,
    timeline,
    raw_history,
    log,
    tool_form,
    respond,
    export,
    value,
    value_tools,
};

fn query_form(forms: Forms, source: &FormSource) -> AnyView {
    let form = forms.of(source);
    view! {
        <SchemaForm state=form id="query" label="User message"/>
        <JsonPreview state=form/>
    }
    .into_any()
}

/// What MCP servers say about their use.
fn server_instructions(said: Vec<ServerInstructions>) -> AnyView {
    let each = |said: ServerInstructions| {
        let (text, copied) = (visible_text(&said.text), said.text);
        let note = match said.is_included {
            true => "Part of the instructions above.",
            false => {
                "Not part of the instructions. To add them, set `include_instructions = true` under `[[agent.server]]`."
            }
        };
        view! {
            <h3>
                {visible_name(&said.server)}
                <span class="grow"></span>
                <CopyButton what="the server's instructions" text=Callback::new(move |()| copied.clone())/>
            </h3>
            <p class="quiet">{with_code(note)}</p>
            <div class="as-written">{text}</div>
        }
    };
    view! { <div class="said">{said.into_iter().map(each).collect_view()}</div> }.into_any()
}

fn shortcuts(groups: &'static [Group]) -> AnyView {
    view! { <Shortcuts groups/> }.into_any()
}

fn attention(forms: Forms, source: &FormSource) -> AnyView {
    view! { <Attention form=Some(forms.of(source))/> }.into_any()
}

fn initial_state() -> AnyView {
    view! { <InitialStateEditor/> }.into_any()
}

fn artifacts() -> AnyView {
    view! { <Artifacts/> }.into_any()
}

fn timeline() -> AnyView {
    view! { <Timeline/> }.into_any()
}

fn raw_history() -> AnyView {
    view! { <RawHistory/> }.into_any()
}

fn log() -> AnyView {
    view! { <LogPanel/> }.into_any()
}

fn tool_form(tool: ToolView) -> AnyView {
    view! { <ToolForm tool/> }.into_any()
}

fn respond() -> AnyView {
    view! { <RespondPanel/> }.into_any()
}

fn export(eval_set_path: String) -> AnyView {
    view! { <ExportPanel eval_set_path/> }.into_any()
}

fn value(reading: Reading, label: &'static str) -> AnyView {
    view! { <ValueBody reading label/> }.into_any()
}

fn value_tools(reading: Reading) -> AnyView {
    view! { <ValueTools reading/> }.into_any()
}
