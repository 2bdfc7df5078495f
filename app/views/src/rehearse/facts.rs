//! The left column below the instructions: the session's state, the agent's facts, warnings.

use api::SessionView;
use leptos::prelude::*;

use crate::rehearse::state::workspace::use_this_workspace;
use app::components::code_text::with_code;
use app::components::icon::{Glyph, Icon};
use app::components::loading::LazyView;
use app::state::excerpt::visible_name;
use app::state::lazy_pages::SessionViews;
use app::state::reading::{Reading, ReadingKey};

/// A part of the left column that can be collapsed.
#[component]
pub fn Fold(
    /// Its title.
    title: &'static str,
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What is shown beside the title.
    #[prop(optional, into)]
    aside: ViewFn,
    /// Its content.
    children: ChildrenFn,
) -> impl IntoView {
    let id = format!("fold-{}", title.to_lowercase().replace(' ', "-"));
    let body = id.clone();
    let children = StoredValue::new(children);
    view! {
        <section class="fold" class:collapsed=move || !open.get() aria-label=title>
            <header>
                <h2>
                    <button
                        type="button"
                        aria-expanded=move || open.get().to_string()
                        aria-controls=move || open.get().then(|| id.clone())
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        <Icon glyph=Glyph::Down/>
                        {title}
                    </button>
                </h2>
                <span class="grow"></span>
                {move || aside.run()}
            </header>
            <Show when=move || open.get()>
                <div class="fold-body" id=body.clone()>{children.with_value(|children| children())}</div>
            </Show>
        </section>
    }
}

/// The session's state as a tree. Before the first message, it can be edited.
#[component]
pub fn StateFold() -> impl IntoView {
    let workspace = use_this_workspace();
    let rehearsal = workspace.rehearsal;
    let view = rehearsal.view;
    let open = RwSignal::new(true);
    let state = Memo::new(move |_| view.with(|view| view.as_ref().map(|view| view.state.clone())));
    // One reading for all states: what is expanded stays so when a tool changes the state.
    let shown = Memo::new(move |_| {
        state.with(|state| match state {
            None => Shown::Nothing,
            Some(state) if state.compact().as_str() == "{}" => Shown::Empty,
            Some(state) => Shown::Value(rehearsal.readings.of(ReadingKey::State, state)),
        })
    });
    let can_edit = Memo::new(move |_| rehearsal.is_before_first_message());
    let is_editing = Memo::new(move |_| can_edit.get() && rehearsal.edits_state.get());
    let body = move || match shown.get() {
        Shown::Nothing => ().into_any(),
        _ if is_editing.get() => {
            let draw = |views: SessionViews| (views.initial_state)();
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        }
        Shown::Empty => {
            view! { <p class="quiet">"Empty. Values that tools write appear here."</p> }.into_any()
        }
        Shown::Value(reading) => {
            let draw = move |views: SessionViews| (views.value)(reading, "State");
            view! { <LazyView part=workspace.code meanwhile="Opening…" draw/> }.into_any()
        }
    };
    let edit = move |_| {
        open.set(true);
        rehearsal.edits_state.set(true);
    };
    let tools = move || match shown.get() {
        Shown::Value(reading) if !is_editing.get() => {
            workspace.code.views().and_then(Result::ok).map(|views| (views.value_tools)(reading))
        }
        _ => None,
    };
    let aside = move || {
        let is_known = !matches!(shown.get(), Shown::Nothing);
        let offers = is_known && can_edit.get() && !is_editing.get();
        let edit = offers.then(|| view! {
            <button type="button" class="link" id="edit-state" aria-label="Edit the initial state" on:click=edit>"Edit"</button>
        });
        view! { {edit} {tools} }
    };
    view! { <Fold title="State" open aside>{body}</Fold> }
}

/// The artifacts that tools saved; nothing without any.
#[component]
pub fn ArtifactsFold() -> impl IntoView {
    let workspace = use_this_workspace();
    let view = workspace.rehearsal.view;
    let open = RwSignal::new(true);
    let count =
        Memo::new(move |_| view.with(|view| view.as_ref().map_or(0, |it| it.artifacts.len())));
    let aside = move || view! { <span class="quiet">{count}</span> };
    view! {
        <Show when=move || { count.get() > 0 }>
            <Fold title="Artifacts" open aside>
                <LazyView part=workspace.code meanwhile="Opening…" draw=|views: SessionViews| (views.artifacts)()/>
            </Fold>
        </Show>
    }
}

/// What is shown of a state. Equal as long as nothing needs to be redrawn.
#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant, reason = "on 64 bits only, and there is one of it on a page")]
enum Shown {
    /// The state is not known yet.
    Nothing,
    Empty,
    Value(Reading),
}

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing) | (Self::Empty, Self::Empty) => true,
            (Self::Value(one), Self::Value(other)) => one.number == other.number,
            _ => false,
        }
    }
}

/// What the MCP servers say about their use; nothing if they say nothing.
#[component]
pub fn ServerInstructionsFold() -> impl IntoView {
    let workspace = use_this_workspace();
    let view = workspace.rehearsal.view;
    let open = RwSignal::new(true);
    let said = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|it| it.server_instructions.clone()).unwrap_or_default())
    });
    let draw = move |views: SessionViews| (views.server_instructions)(said.get());
    view! {
        <Show when=move || !said.read().is_empty()>
            <Fold title="Server instructions" open>
                <LazyView part=workspace.code meanwhile="Opening…" draw/>
            </Fold>
        </Show>
    }
}

/// The facts about the agent.
#[component]
pub fn AgentFold(
    /// The eval-set file that exports go to.
    eval_set_path: String,
) -> impl IntoView {
    let view = use_this_workspace().rehearsal.view;
    let open = RwSignal::new(true);
    let eval_set_path = StoredValue::new(eval_set_path);
    let facts = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|view| facts(view, &eval_set_path.get_value())))
    });
    view! {
        <Fold title="Agent" open>
            <dl class="facts">
                {move || facts.get().unwrap_or_default().into_iter().map(|(name, value)| {
                    let value = visible_name(&value);
                    let title = value.clone();
                    view! { <dt>{name}</dt><dd title=title>{value}</dd> }
                }).collect_view()}
            </dl>
        </Fold>
    }
}

fn facts(view: &SessionView, eval_set_path: &str) -> Vec<(&'static str, String)> {
    let form = |schema: bool| if schema { "form" } else { "text" }.to_owned();
    let mut facts = vec![("name", view.agent.name.clone())];
    facts.extend((!view.agent.kind.is_empty()).then(|| ("kind", view.agent.kind.clone())));
    facts.extend(view.agent.model.clone().map(|model| ("model", model)));
    facts.push(("tools", view.tools.len().to_string()));
    if !view.model_side_tools.is_empty() {
        facts.push(("model-side tools", view.model_side_tools.join(", ")));
    }
    if !view.sub_agents.is_empty() {
        let names: Vec<_> = view.sub_agents.iter().map(|agent| agent.name.as_str()).collect();
        facts.push(("sub-agents", names.join(", ")));
    }
    facts.push(("input", form(view.input_schema.is_some())));
    facts.push(("output", form(view.output_schema.is_some())));
    facts.push(("eval set", eval_set_path.to_owned()));
    facts
}

/// The warnings about the agent.
#[component]
pub fn Warnings() -> impl IntoView {
    let view = use_this_workspace().rehearsal.view;
    let warnings = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|view| view.warnings.clone()).unwrap_or_default())
    });
    move || {
        let warnings = warnings.get();
        let count = warnings.len();
        let list = view! { <WarningList warnings/> };
        // Several warnings are collapsed, so that the instructions stay in sight.
        match count {
            0 | 1 => list.into_any(),
            _ => view! {
                <details class="all-warnings">
                    <summary><Icon glyph=Glyph::Warning/> {count} " warnings"</summary>
                    {list}
                </details>
            }
            .into_any(),
        }
    }
}

/// A list of warnings; nothing without any.
#[component]
pub fn WarningList(
    /// The sentences.
    warnings: Vec<String>,
) -> impl IntoView {
    let each = |text: String| {
        view! { <li><Icon glyph=Glyph::Warning/> <span>{with_code(&text)}</span></li> }
    };
    (!warnings.is_empty()).then(|| {
        view! {
            <ul class="warnings" aria-label="Warnings">
                {warnings.into_iter().map(each).collect_view()}
            </ul>
        }
    })
}
