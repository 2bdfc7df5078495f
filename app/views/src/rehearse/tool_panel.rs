//! Calling a tool: the catalog, the form of the chosen tool, and the preview of the call.

use std::collections::HashSet;

use api::ToolView;
use json_text::JsonText;
use leptos::prelude::*;
use session::{SessionState, ToolName};

use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::attention::Attention;
use crate::shared::form::{JsonPreview, SchemaForm};
use crate::shared::markdown::Markdown;
use crate::shared::state::catalog::returns;
use crate::shared::state::markdown::{direction, markdown};
use crate::shared::tool_catalog::ToolCatalog;
use app::components::icon::{Glyph, Icon};
use app::components::loading::LazyView;
use app::components::raw_text::RawText;
use app::state::excerpt::{visible_name, visible_text};
use app::state::value_form::ValueForm;

/// The catalog and the form of the chosen tool.
#[component]
pub fn ToolPanel() -> impl IntoView {
    let workspace = use_this_workspace();
    // Redrawn for another agent's tool, another tool or a changed schema: a field that stayed in the
    // document would take input for another argument.
    let agent = Memo::new(move |_| workspace.rehearsal.handed_to());
    let chosen = move || workspace.tool.get().map(|tool| (agent.get(), tool));
    view! {
        <div class="calling">
            <ToolCatalog
                tools=workspace.tools
                chosen=workspace.tool
                filter=workspace.filter
                on_choose=Callback::new(move |name: String| workspace.choose_tool(&name))
            />
            <For each=chosen key=|(agent, tool)| (agent.clone(), tool.name.clone(), tool.parameters.as_ref().map(ToString::to_string)) let:chosen>
                <LazyView part=workspace.code meanwhile="Opening…" draw=move |views| (views.tool_form)(chosen.1.clone())/>
            </For>
            <Show when=move || workspace.tool.read().is_none()><NoTool/></Show>
        </div>
    }
}

/// Shown while no tool is chosen.
#[component]
pub fn NoTool() -> impl IntoView {
    view! {
        <div class="empty centred">
            <Icon glyph=Glyph::Tool/>
            <p>"Choose a tool to see its parameters."</p>
            <p class="quiet"><kbd>"/"</kbd> " to filter, " <kbd>"↵"</kbd> " to choose the first"</p>
        </div>
    }
}

/// The description and the form of the chosen tool.
#[component]
pub fn ToolForm(
    /// The chosen tool.
    tool: ToolView,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let form = workspace.rehearsal.forms.of(&workspace.tool_source(&tool));
    let name = tool.name.clone();
    let recent = tool.name.clone();
    let state = move || rehearsal.session.read().state();
    let is_running = move || rehearsal.session.read().busy_with().is_some();
    let hint = move || match (state(), rehearsal.held_up()) {
        (SessionState::Active, Some(reason)) => reason.into_any(),
        (SessionState::Active, None) => view! { <Attention form=Some(form)/> }.into_any(),
        _ => "Write the user message first".into_any(),
    };
    let cannot_run =
        move || state() != SessionState::Active || is_running() || rehearsal.checking.get();
    view! {
        <form
            class="tool-form"
            on:submit=move |event| {
                event.prevent_default();
                rehearsal.run(name.clone(), form);
            }
        >
            <div class="panel-body">
                <ToolHead tool/>
                <Recent name=recent form/>
                <SchemaForm state=form id="tool-form" label="Arguments" takes_pastes=true/>
            </div>
            <div class="panel-preview"><JsonPreview state=form/></div>
            <footer class="panel-foot">
                <span class="hint" role="status" class:bad=move || form.violation_count() != 0>{hint}</span>
                <span class="grow"></span>
                <button type="button" class="button quiet" on:click=move |_| form.clear()>"Clear"</button>
                <button type="submit" class="button primary" aria-disabled=move || cannot_run().to_string()>
                    <Icon glyph=Glyph::Play/>
                    {move || if rehearsal.checking.get() { "Checking…" } else { "Run" }}
                    <kbd>"Ctrl ↵"</kbd>
                </button>
            </footer>
        </form>
    }
}

/// How many previous arguments are offered at first, and with each "Show more".
const RECENT: usize = 8;

/// The arguments of previous calls in this session, to fill in again.
#[component]
fn Recent(
    /// The tool.
    name: ToolName,
    /// The form to fill.
    form: ValueForm,
) -> impl IntoView {
    let workspace = use_this_workspace();
    let sent = Memo::new(move |_| {
        let session = workspace.rehearsal.session.read();
        let mut sent: Vec<JsonText> = Vec::new();
        let mut seen = HashSet::new();
        let calls = session.calls().iter().rev().map(|ended| &ended.call);
        for call in calls.filter(|call| call.tool_name == name) {
            if seen.insert(call.arguments.as_str()) {
                sent.push(call.arguments.clone());
            }
        }
        // A tool without arguments has nothing to fill in.
        sent.retain(|arguments| arguments.compact().as_str() != "{}");
        sent
    });
    let most = RwSignal::new(RECENT);
    let each = move |arguments: JsonText| {
        let text = arguments.compact();
        let shown: String = text.as_str().chars().take(2_000).collect();
        let shown = visible_text(&shown);
        let whole = shown.clone();
        view! {
            <li>
                <button
                    type="button"
                    class="recent-arguments mono"
                    title=whole
                    on:click=move |_| form.fill(&arguments)
                >
                    {shown}
                </button>
            </li>
        }
    };
    view! {
        <Show when=move || !sent.read().is_empty()>
            <details class="recent">
                <summary>
                    "Recent "
                    <span class="ink-count">{move || sent.read().len()}</span>
                </summary>
                <ul aria-label="Previous arguments">
                    {move || {
                        let most = most.get();
                        sent.get().into_iter().take(most).map(each).collect_view()
                    }}
                </ul>
                <Show when=move || { most.get() < sent.read().len() }>
                    <button type="button" class="link" on:click=move |_| most.update(|most| *most += RECENT)>
                        "Show more"
                    </button>
                </Show>
            </details>
        </Show>
    }
}

/// The name, the annotations and the description of a tool.
#[component]
pub fn ToolHead(
    /// The chosen tool.
    tool: ToolView,
) -> impl IntoView {
    let returns = returns(tool.response_schema.as_ref());
    let hints = [
        (tool.hints.read_only == Some(true), "read-only"),
        (tool.hints.destructive == Some(true) && tool.hints.read_only != Some(true), "destructive"),
        (tool.hints.idempotent == Some(true), "idempotent"),
        (tool.hints.open_world == Some(true), "open world"),
    ];
    let hints = hints.into_iter().filter(|(applies, _)| *applies).map(|(_, hint)| {
        view! { <span class="chip" class:warn=hint == "destructive" title="Tool annotations">{hint}</span> }
    });
    let hints = hints.collect_view();
    let flags = [
        tool.agent_model.map(|model| format!("agent: runs {model} only if you choose to")),
        tool.needs_confirmation.then(|| "requires confirmation".to_owned()),
        tool.long_running.then(|| "long-running: you supply the result".to_owned()),
        match tool.provided_by.as_str() {
            "" | "agent" => None,
            "adk" => Some("added by ADK".to_owned()),
            toolset => Some(format!("from {toolset}")),
        },
    ];
    view! {
        <header class="tool-head">
            <h2>{visible_name(tool.name.as_str())}</h2>
            {tool.title.map(|title| view! { <span class="quiet">{visible_name(&title)}</span> })}
            {(!returns.is_empty()).then(|| view! { <span class="ink-count" title="Result schema">"→ " {visible_name(&returns)}</span> })}
            {flags.into_iter().flatten().map(|flag| view! { <span class="chip">{visible_name(&flag)}</span> }).collect_view()}
            {hints}
        </header>
        <Description text=tool.description/>
        {tool.response_schema.map(|schema| view! { <Returned schema/> })}
    }
}

/// The schema of the tool's result, collapsed.
#[component]
fn Returned(
    /// The schema in the declaration.
    schema: JsonText,
) -> impl IntoView {
    let text = schema.pretty();
    view! {
        <details class="returned-schema">
            <summary>"Result schema"</summary>
            <RawText text label="Result schema"/>
        </details>
    }
}

/// A part of a tool's description: as Markdown if it looks like that, else as text with its line breaks
/// and indents, as in a docstring.
fn described(text: &str) -> AnyView {
    if !text.contains(['`', '[']) && !text.contains("**") && !value_tree::is_more_than_text(text) {
        return view! { <p class="tool-description">{visible_text(text)}</p> }.into_any();
    }
    let nodes = markdown(text, &[], "").nodes;
    view! {
        <div class="tool-description prose" dir=direction(text)><Markdown nodes at=Signal::stored(usize::MAX)/></div>
    }
    .into_any()
}

/// A tool's description: its first paragraph, and the rest on request.
#[component]
fn Description(
    /// The whole, may be empty.
    text: String,
) -> impl IntoView {
    let text = text.trim();
    if text.is_empty() {
        return ().into_any();
    }
    let (first, rest) = text.split_once("\n\n").unwrap_or((text, ""));
    let (first, rest) = (first.to_owned(), rest.trim_end().to_owned());
    let open = RwSignal::new(false);
    let has_rest = !rest.is_empty();
    view! {
        {described(&first)}
        {has_rest.then(|| view! {
            <Show when=move || open.get()>{described(&rest)}</Show>
            <button
                type="button"
                class="link rest"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {move || if open.get() { "Show less" } else { "Show full description" }}
            </button>
        })}
    }
    .into_any()
}
