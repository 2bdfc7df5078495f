//! The form of the response: tools and their forms on one side, the text or the JSON value on the other.

use api::ToolView;
use leptos::prelude::*;
use session::ToolName;

use super::super::name::NameForm;
use super::super::pending_calls::PendingCalls;
use super::buttons::Buttons;
use super::described;
use crate::live::state::workspace::{LiveWorkspace, use_this_live_workspace};
use crate::rehearse::tool_panel::{NoTool, ToolHead};
use crate::shared::form::{JsonPreview, SchemaForm};
use crate::shared::keys::{focus_now, focus_panel, focus_shown};
use crate::shared::tool_catalog::ToolCatalog;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::visible_name;
use app::state::live_draft::{Draft, Side};
use app::state::live_ending::Ending;

/// The response to the head of the queue.
#[component]
pub(super) fn ResponseForm(
    /// How the run ended, while nothing is pending.
    ending: Memo<Option<Ending>>,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let panel = move || {
        let draft = workspace.draft.get()?;
        let is_known = workspace.offer.read().is_known;
        is_known.then(|| match workspace.side() {
            Side::Call => view! { <CallSide workspace draft/> }.into_any(),
            Side::Text => view! { <TextSide workspace draft/> }.into_any(),
        })
    };
    let side = Memo::new(move |_| workspace.side());
    let text_label = Signal::derive(move || match workspace.output_schema() {
        Some(_) => "Response",
        None => "Text",
    });
    let tab = move |this: Side, id: &'static str, text: Signal<&'static str>, key: &'static str| {
        view! {
            <button
                type="button"
                role="tab"
                id=id
                aria-selected=move || (side.get() == this).to_string()
                aria-controls="choice"
                disabled=move || this == Side::Call && workspace.tools().is_empty()
                on:click=move |_| {
                    workspace.show(this);
                    focus_panel();
                }
            >
                {text} <kbd>{key}</kbd>
            </button>
        }
    };
    let labelled_by = move || match side.get() {
        Side::Call => "tab-call",
        Side::Text => "tab-respond",
    };
    let draft = move || workspace.draft.get();
    let panel = {
        // Rebuilt for another draft or side, not for each keystroke, nor for the next turn of the draft
        // that the person is typing in.
        let shown = Memo::new_with_compare(
            move |_| {
                let offer = workspace.offer.read();
                let schema = offer.output_schema.clone().filter(|_| side.get() == Side::Text);
                (workspace.draft.get(), side.get(), offer.is_known, schema)
            },
            |before, now| {
                let is_same = |before: Option<Draft>, now: Option<Draft>| {
                    before.zip(now).is_some_and(|(before, now)| before.is(now))
                };
                !before.zip(now).is_some_and(|(before, now)| {
                    is_same(before.0, now.0)
                        && (before.1, before.2, &before.3) == (now.1, now.2, &now.3)
                })
            },
        );
        move || {
            // Read, since a memo without a reader never runs.
            shown.with(|_| ());
            focus_now(|| !browser::nothing_is_focused() || focus_shown());
            untrack(panel)
        }
    };
    view! {
        <Holder/>
        <div class="tabs" role="tablist" aria-label="Response type">
            {tab(Side::Call, "tab-call", Signal::derive(|| "Call tools"), "T")}
            {tab(Side::Text, "tab-respond", text_label, "F")}
        </div>
        <form
            class="answer-form"
            on:submit=move |event| {
                event.prevent_default();
                workspace.send();
            }
            on:input=move |_| workspace.touch()
        >
            <div class="choice" id="choice" role="tabpanel" aria-labelledby=labelled_by>{panel}</div>
            {move || ending.get().map(|ending| view! { <div class="idle">{described(ending)}</div> })}
            <NameForm/>
            {move || draft().map(|draft| view! { <PendingCalls draft/> })}
            <Buttons/>
        </form>
    }
}

/// Who holds the lease, when that is another page, and the lease that is offered to this person.
#[component]
fn Holder() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let lease = Memo::new(move |_| {
        workspace.summary.with(|it| it.as_ref().and_then(|it| it.lease.clone()))
    });
    let offered = move || {
        let lease = lease.get()?;
        (lease.is_offered && workspace.live.name.get().as_deref() == Some(lease.holder.as_str()))
            .then_some(())
    };
    view! {
        {move || workspace.other_lease_holder().map(|holder| view! {
            <p class="holder" role="status">
                <Icon glyph=Glyph::User/>
                {visible_name(&holder.sentence())}
            </p>
        })}
        {move || offered().map(|()| view! {
            <p class="holder" role="status">
                <Icon glyph=Glyph::User/>
                <span class="grow">"The lease is offered to you."</span>
                <button type="button" class="button" on:click=move |_| { workspace.touch(); workspace.take_lease(); }>"Take lease"</button>
            </p>
        })}
    }
}

#[component]
fn CallSide(
    /// The workspace.
    workspace: LiveWorkspace,
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let tools = Signal::derive(move || workspace.tools());
    let chosen = Memo::new(move |_| workspace.tool());
    let on_choose = Callback::new(move |name: String| {
        if let Ok(name) = ToolName::parse(&name) {
            workspace.choose(&name);
        }
    });
    let form = move || match chosen.get() {
        Some(tool) => view! { <ToolForm tool draft/> }.into_any(),
        None => view! { <NoTool/> }.into_any(),
    };
    view! {
        <div class="calling">
            <ToolCatalog tools chosen filter=workspace.filter on_choose/>
            {form}
        </div>
    }
}

#[component]
fn ToolForm(
    /// The chosen tool.
    tool: ToolView,
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let form = draft.tool_form(&tool);
    draft.keep_args(&tool.name, form);
    view! {
        <div class="tool-form">
            <div class="panel-body">
                <ToolHead tool/>
                <SchemaForm state=form id="tool-form" label="Arguments" takes_pastes=true/>
            </div>
            <div class="panel-preview"><JsonPreview state=form/></div>
        </div>
    }
}

#[component]
fn TextSide(
    /// The workspace.
    workspace: LiveWorkspace,
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let text = draft.text;
    let entry = match workspace.output_schema() {
        Some(schema) => {
            let form = draft.answer_form(&schema);
            draft.keep_value(form);
            view! {
                <h2 class="panel-title">"Model response"</h2>
                <p class="quiet">"The response must match the agent's response schema."</p>
                <SchemaForm state=form id="response" label="Response"/>
                <JsonPreview state=form/>
            }
            .into_any()
        }
        None => view! {
            <h2 class="panel-title">"Model response"</h2>
            <textarea
                id="response"
                class="input prose"
                rows="10"
                placeholder="Model response…"
                aria-label="Text"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
        }
        .into_any(),
    };
    view! { <div class="panel-body">{entry}</div> }
}
