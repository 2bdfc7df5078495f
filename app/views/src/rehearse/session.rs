//! The views of a session under way, which are loaded when it starts.

use leptos::prelude::*;

use crate::rehearse::export_panel::ExportPanel;
use crate::rehearse::history::{RawHistory, Timeline};
use crate::rehearse::log_panel::LogPanel;
use crate::rehearse::respond_panel::RespondPanel;
use crate::rehearse::tool_panel::ToolForm;
use crate::shared::form::{JsonPreview, SchemaForm};
use crate::shared::value::{ValueBody, ValueTools};
use api::ToolView;
use app::lazy_pages::SessionViews;
use app::state::reading::Reading;
use app::state::value_form::ValueForm;

pub const VIEWS: SessionViews = SessionViews {
    query_form,
    timeline,
    raw_history,
    log,
    tool_form,
    respond,
    export,
    value,
    value_tools,
};

fn query_form(form: ValueForm) -> AnyView {
    view! {
        <SchemaForm state=form id="query" label="User message"/>
        <JsonPreview state=form/>
    }
    .into_any()
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
