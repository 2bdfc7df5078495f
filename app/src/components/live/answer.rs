//! The right column: the answer to the turn that is up, or why there is none to give.

use leptos::prelude::*;
use session::ToolName;

use super::basket::Basket;
use super::export::ExportColumn;
use super::name::NameForm;
use crate::api::ToolView;
use crate::components::form::{JsonPreview, SchemaForm};
use crate::components::icon::{Glyph, Icon};
use crate::components::query_panel::mend;
use crate::components::tool_catalogue::ToolCatalogue;
use crate::components::tool_panel::ToolHead;
use crate::state::browser;
use crate::state::live_draft::{Draft, Side};
use crate::state::live_stage::{LiveStage, Question, use_this_live_stage};

/// What the right column shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// The answer to the turn that is up.
    Answer,
    /// The turn waits, and others come first.
    Behind(usize),
    /// The turn has its answer, and something was typed for it.
    Leftover,
    /// The turn has its answer; another waits.
    Done,
    /// Nothing waits.
    Nothing,
    /// The session has ended.
    Export,
}

/// The right column.
#[component]
pub(super) fn AnswerColumn() -> impl IntoView {
    let stage = use_this_live_stage();
    let shown = Memo::new(move |_| {
        let has_begun = stage.draft.get().is_some_and(|draft| draft.is_begun.get());
        match stage.ahead() {
            Some(0) => Shown::Answer,
            Some(ahead) => Shown::Behind(ahead),
            None if has_begun => Shown::Leftover,
            None if stage.up().is_some() => Shown::Done,
            None if stage.is_completed() => Shown::Export,
            None => Shown::Nothing,
        }
    });
    move || {
        match shown.get() {
        Shown::Answer => view! { <Queue/> <Answer/> }.into_any(),
        Shown::Leftover => view! { <Leftover/> }.into_any(),
        Shown::Export => view! { <ExportColumn/> }.into_any(),
        Shown::Behind(ahead) => view! {
            <Queue/>
            <div class="empty centred">
                <p>{if ahead == 1 { "An older turn comes first.".to_owned() } else { format!("{ahead} older turns come first.") }}</p>
                <ToTheOneThatIsUp/>
            </div>
        }
        .into_any(),
        Shown::Done => view! {
            <Queue/>
            <div class="empty centred">
                <p>"This turn is closed."</p>
                <ToTheOneThatIsUp/>
            </div>
        }
        .into_any(),
        Shown::Nothing => view! {
            <div class="empty centred">
                <Icon glyph=Glyph::Clock/>
                <p>"Nothing waits for an answer."</p>
                <p class="quiet">"The agent is at work, or done. Its next call comes here by itself."</p>
                <p class="quiet">"Complete the session to export it."</p>
            </div>
        }
        .into_any(),
    }
    }
}

#[component]
fn ToTheOneThatIsUp() -> impl IntoView {
    let stage = use_this_live_stage();
    view! {
        <a class="button primary" href=format!("/live/{}", stage.id.get_value()) on:click=move |_| stage.go_on()>
            "Go to the turn that is up"
        </a>
    }
}

/// The turns that wait, when there are several.
#[component]
fn Queue() -> impl IntoView {
    let stage = use_this_live_stage();
    let waiting = Memo::new(move |_| {
        stage.summary.with(|it| it.as_ref().map(|it| it.waiting.clone()).unwrap_or_default())
    });
    let depth = move || stage.summary.with(|it| it.as_ref().map_or(0, |it| it.depth));
    let rest = move || depth().saturating_sub(waiting.read().len() as u64);
    view! {
        <Show when=move || { depth() > 1 }>
            <nav class="queue" aria-label="Turns that wait">
                <span class="quiet">{move || format!("{} wait", depth())}</span>
                <ol>
                    <For each=move || waiting.get().into_iter().enumerate() key=|(at, turn)| (*at, turn.turn.clone()) let((at, turn))>
                        {
                            let own = turn.turn.clone();
                            let is_shown = move || stage.shown.read().as_ref() == Some(&own);
                            let address = match at {
                                0 => format!("/live/{}", stage.id.get_value()),
                                _ => format!("/live/{}/{}", stage.id.get_value(), turn.turn),
                            };
                            view! {
                                <li>
                                    <a href=address aria-current=move || is_shown().then_some("true")>
                                        {(at == 0).then(|| view! { <span class="pulse" aria-hidden="true"></span> })}
                                        {turn.agent}
                                    </a>
                                </li>
                            }
                        }
                    </For>
                </ol>
                <Show when=move || { rest() > 0 }><span class="quiet">{move || format!("and {} more", rest())}</span></Show>
            </nav>
        </Show>
    }
}

/// The answer to the turn that is up.
#[component]
fn Answer() -> impl IntoView {
    let stage = use_this_live_stage();
    let panel = move || {
        let draft = stage.draft.get()?;
        let is_known = stage.turn.read().is_some();
        is_known.then(|| match stage.side() {
            Side::Call => view! { <CallSide stage draft/> }.into_any(),
            Side::Text => view! { <TextSide stage draft/> }.into_any(),
        })
    };
    let side = Memo::new(move |_| stage.side());
    let text_label = Signal::derive(move || match stage.output_schema() {
        Some(_) => "Answer",
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
                disabled=move || this == Side::Call && stage.tools().is_empty()
                on:click=move |_| stage.show(this)
            >
                {text} <kbd>{key}</kbd>
            </button>
        }
    };
    let labelled_by = move || match side.get() {
        Side::Call => "tab-call",
        Side::Text => "tab-respond",
    };
    let draft = move || stage.draft.get();
    let panel = {
        // Made anew for a turn and a side, not for each word of either.
        let shown = Memo::new(move |_| {
            (
                stage.draft.get().is_some(),
                stage.shown.get(),
                side.get(),
                stage.turn.read().is_some(),
            )
        });
        move || {
            // Read, for a memo that nobody reads never runs.
            shown.with(|_| ());
            untrack(panel)
        }
    };
    view! {
        <Holder/>
        <div class="tabs" role="tablist" aria-label="What the model does">
            {tab(Side::Call, "tab-call", Signal::derive(|| "Call tools"), "T")}
            {tab(Side::Text, "tab-respond", text_label, "F")}
        </div>
        <form
            class="answer-form"
            on:submit=move |event| {
                event.prevent_default();
                stage.send();
            }
            on:input=move |_| stage.touch()
            on:change=move |_| stage.touch()
        >
            <div class="choice" id="choice" role="tabpanel" aria-labelledby=labelled_by>{panel}</div>
            <NameForm/>
            {move || draft().map(|draft| view! { <Basket draft/> })}
            <Foot/>
        </form>
    }
}

/// Who holds the turn, where that is somebody else.
#[component]
fn Holder() -> impl IntoView {
    let stage = use_this_live_stage();
    let lease =
        Memo::new(move |_| stage.summary.with(|it| it.as_ref().and_then(|it| it.lease.clone())));
    let offered = move || {
        let lease = lease.get()?;
        (lease.is_offered && stage.live.name.get().as_deref() == Some(lease.holder.as_str()))
            .then_some(())
    };
    let other = move || stage.other_holder();
    view! {
        {move || other().map(|holder| {
            let is_offered = lease.with(|it| it.as_ref().is_some_and(|it| it.is_offered));
            view! {
                <p class="holder" role="status">
                    <Icon glyph=Glyph::User/>
                    {if is_offered { format!("The turn is offered to {holder}.") } else { format!("{holder} is answering this turn.") }}
                </p>
            }
        })}
        {move || offered().map(|()| view! {
            <p class="holder" role="status">
                <Icon glyph=Glyph::User/>
                <span class="grow">"This turn is handed to you."</span>
                <button type="button" class="button" on:click=move |_| { stage.touch(); stage.hold(); }>"Take it"</button>
            </p>
        })}
    }
}

#[component]
fn CallSide(
    /// The stage.
    stage: LiveStage,
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let tools = Signal::derive(move || stage.tools());
    let chosen = Memo::new(move |_| stage.tool());
    let on_choose = Callback::new(move |name: String| {
        if let Ok(name) = ToolName::parse(&name) {
            stage.choose(&name);
        }
    });
    let form = move || {
        match chosen.get() {
        Some(tool) => view! { <ToolForm tool draft/> }.into_any(),
        None => view! {
            <div class="empty centred">
                <Icon glyph=Glyph::Tool/>
                <p>"Choose a tool to see what it takes."</p>
                <p class="quiet"><kbd>"/"</kbd> " to filter, " <kbd>"↵"</kbd> " to choose the first"</p>
            </div>
        }
        .into_any(),
    }
    };
    view! {
        <div class="calling">
            <ToolCatalogue tools chosen filter=stage.filter on_choose/>
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
    /// The stage.
    stage: LiveStage,
    /// The draft.
    draft: Draft,
) -> impl IntoView {
    let text = draft.text;
    let entry = match stage.output_schema() {
        Some(schema) => {
            let form = draft.answer_form(&schema);
            view! {
                <h2 class="panel-title">"What the model answers"</h2>
                <p class="quiet">"The agent wants a value of its answer schema."</p>
                <SchemaForm state=form id="response" label="Answer"/>
                <JsonPreview state=form/>
            }
            .into_any()
        }
        None => view! {
            <h2 class="panel-title">"What the model answers"</h2>
            <textarea
                id="response"
                class="input prose"
                rows="10"
                placeholder="In the model's words…"
                aria-label="Text"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
        }
        .into_any(),
    };
    view! { <div class="panel-body">{entry}</div> }
}

#[component]
fn Foot() -> impl IntoView {
    let stage = use_this_live_stage();
    let to_mend = move || {
        let draft = stage.draft.get()?;
        match (stage.side(), stage.tool(), stage.output_schema()) {
            (Side::Call, Some(tool), _) => Some(draft.tool_form(&tool).to_mend()),
            (Side::Text, _, Some(schema)) => Some(draft.answer_form(&schema).to_mend()),
            _ => None,
        }
    };
    let is_held = move || {
        stage.other_holder().is_none()
            && stage.summary.with(|it| it.as_ref().is_some_and(|it| it.lease.is_some()))
    };
    let has_begun = move || stage.draft.get().is_some_and(|draft| draft.is_begun.get());
    let adds = move || stage.side() == Side::Call && stage.tool().is_some();
    view! {
        <footer class="panel-foot answer-foot">
            <span class="hint" class:bad=move || to_mend().unwrap_or_default() != 0>
                {move || mend(to_mend().unwrap_or_default())}
            </span>
            <button type="button" class="button quiet" title="Takes the turn out of the queue without an answer" on:click=move |_| stage.question.set(Some(Question::Cancel))>
                "Cancel turn"
            </button>
            <Show when=move || is_held() && has_begun()>
                <button type="button" class="button quiet" title="Gives the turn to somebody else" on:click=move |_| stage.question.set(Some(Question::HandOver))>
                    "Hand over"
                </button>
            </Show>
            <span class="grow"></span>
            <Show when=adds>
                <button type="button" class="button" title="Puts this call into the answer, beside others" on:click=move |_| stage.add_call()>
                    "Add call"
                </button>
            </Show>
            <button
                type="submit"
                id="send"
                class="button primary"
                aria-disabled=move || (stage.is_sending.get() || stage.other_holder().is_some()).to_string()
            >
                {move || if stage.is_sending.get() { "Sending…" } else { "Send" }}
                <kbd>"Ctrl ↵"</kbd>
            </button>
        </footer>
    }
}

/// What was typed for a turn that somebody else closed.
#[component]
fn Leftover() -> impl IntoView {
    let stage = use_this_live_stage();
    let closed_by = move || {
        stage.turn.with(|turn| {
            let row = turn.as_ref()?.closed.as_ref()?;
            row.by.clone().or_else(|| Some(row.agent.clone()))
        })
    };
    let text = move || stage.draft.get().map(|draft| draft.text.get()).unwrap_or_default();
    let draft = move || stage.draft.get();
    view! {
        <div class="export">
            <div class="panel-body">
                <h2 class="panel-title bad"><Icon glyph=Glyph::Warning/>
                    {move || closed_by().map_or_else(|| "This turn is closed".to_owned(), |by| format!("{by} was faster"))}
                </h2>
                <p>"This turn needs no answer any more. What you typed is still here, to copy or to put away."</p>
                <Show when=move || !text().trim().is_empty()>
                    <textarea class="input prose" rows="8" readonly=true aria-label="What you typed" prop:value=text></textarea>
                </Show>
                {move || draft().map(|draft| view! { <Basket draft/> })}
                {move || (stage.side() == Side::Call).then(|| stage.tool()).flatten().and_then(|tool| {
                    let form = draft()?.tool_form(&tool);
                    Some(view! { <h3 class="panel-subtitle">{tool.name.to_string()}</h3> <JsonPreview state=form/> })
                })}
            </div>
            <footer class="panel-foot">
                <span class="grow"></span>
                <button type="button" id="put-away" class="button primary" on:click=move |_| {
                    stage.put_away();
                    browser::after_drawing(|| browser::focus("tool-filter"));
                }>"Put it away and go on"</button>
            </footer>
        </div>
    }
}
