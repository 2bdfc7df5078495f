//! A request of an MCP server to the person: a form, a URL to open, or a model response.

use api::{Answer, Asks, Question, SampledMessage, SamplingRequest};
use json_text::JsonText;
use leptos::prelude::*;

use crate::rehearse::facts::WarningList;
use crate::rehearse::state::workspace::use_this_workspace;
use crate::shared::form::{JsonPreview, SchemaForm};
use crate::shared::keys::send_by_key;
use crate::shared::value_pane::ValuePane;
use app::components::icon::{Glyph, Icon};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::use_reading;
use app::state::rehearsal::name_of_question;
use app::state::value_form::use_answer_form;

/// The id of the question in the document.
pub const QUESTION: &str = "question";

/// A longer text, in bytes or in lines, may need to scroll.
const LONG: usize = 400;
const LONG_LINES: usize = 6;

/// The oldest question, and the number of others.
#[component]
pub(super) fn OldestQuestion() -> impl IntoView {
    let questions = use_this_workspace().rehearsal.questions;
    let oldest = Memo::new(move |_| questions.read().first().cloned());
    let behind = move || questions.read().len().saturating_sub(1);
    move || {
        oldest.get().map(|question| {
            view! {
                <li class="row pending asked">
                    <QuestionCard question/>
                    <Show when=move || behind() != 0>
                        <p class="quiet behind">{behind} " more"</p>
                    </Show>
                </li>
            }
        })
    }
}

#[component]
fn QuestionCard(
    /// What is asked.
    question: Question,
) -> impl IntoView {
    let Question { number, asked_by, asks, .. } = question;
    // Focuses the group and not a button: a key that is pressed meanwhile must not answer.
    Effect::new(|_| {
        browser::after_drawing(|| {
            // Not while the person types: then the question is only announced.
            if !browser::is_amid_text() {
                browser::focus_from_its_top(QUESTION);
            }
        });
    });
    match asks {
        Asks::Form { message, schema, unchecked } => {
            view! { <FormQuestion number asked_by message schema unchecked/> }.into_any()
        }
        Asks::Visit { message, url } => {
            view! { <VisitQuestion number asked_by message url/> }.into_any()
        }
        Asks::Message(request) => view! { <MessageQuestion number asked_by request/> }.into_any(),
    }
}

/// The server requests values (elicitation).
#[component]
fn FormQuestion(
    /// The question's number.
    number: u64,
    /// Who asks.
    asked_by: String,
    /// Why.
    message: String,
    /// The schema of the values.
    schema: JsonText,
    /// The parts of the schema that the host cannot check.
    unchecked: Vec<String>,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let form = use_answer_form(&schema);
    rehearsal.forms.keep(name_of_question(number, &message), form);
    let accept = move || {
        if let Some(values) = form.read() {
            rehearsal.answer(number, Answer::Accept(Some(values.compact())), Some(form));
        }
    };
    let on_submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        accept();
    };
    view! {
        <form class="wanted" id=QUESTION tabindex="-1" aria-label="Server request" on:submit=on_submit on:keydown=send_by_key(accept)>
            <Heading asked_by what="requests input"/>
            <QuestionText message/>
            <WarningList warnings=unchecked/>
            <SchemaForm state=form id="answer" label="Your answer"/>
            <JsonPreview state=form label="Answer"/>
            <div class="choices">
                <Refusals number/>
                <button type="submit" class="button primary">"Send answer" <kbd>"Ctrl ↵"</kbd></button>
            </div>
        </form>
    }
}

/// The server asks the person to open a URL (URL elicitation).
#[component]
fn VisitQuestion(
    /// The question's number.
    number: u64,
    /// Who asks.
    asked_by: String,
    /// Why.
    message: String,
    /// The address.
    url: String,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    let shown = visible_name(&url);
    let address = if is_web {
        view! { <a href=url target="_blank" rel="noopener noreferrer" class="address">{shown}</a> }
            .into_any()
    } else {
        view! { <code class="address">{shown}</code> }.into_any()
    };
    view! {
        <div class="wanted" id=QUESTION tabindex="-1" role="group" aria-label="Server request">
            <Heading asked_by what="asks you to open a URL"/>
            <QuestionText message/>
            <p>{address}</p>
            <p class="quiet">"The server chose this URL. Open it only if you expect it."</p>
            <div class="choices">
                <Refusals number/>
                <button
                    type="button"
                    class="button primary"
                    on:click=move |_| rehearsal.answer(number, Answer::Accept(None), None)
                >
                    "Done"
                </button>
            </div>
        </div>
    }
}

/// The server requests a model response (sampling).
#[component]
fn MessageQuestion(
    /// The question's number.
    number: u64,
    /// Who asks.
    asked_by: String,
    /// The conversation.
    request: SamplingRequest,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    let text = RwSignal::new(String::new());
    let is_empty = move || text.read().trim().is_empty();
    let send = move || {
        if !untrack(is_empty) {
            rehearsal.answer(number, Answer::Message(text.get_untracked()), None);
        }
    };
    let on_submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    let SamplingRequest { system_prompt, messages, max_tokens, rest } = request;
    view! {
        <form class="wanted" id=QUESTION tabindex="-1" aria-label="Model request" on:submit=on_submit on:keydown=send_by_key(send)>
            <Heading asked_by what="requests a model response. You respond as the model."/>
            <dl class="conversation">
                {system_prompt.map(|prompt| view! { <dt>"system"</dt><dd>{visible_text(&prompt)}</dd> })}
                {messages.into_iter().map(|message| view! { <Message message/> }).collect_view()}
            </dl>
            <details class="besides">
                <summary>"Up to " {max_tokens} " tokens, other settings"</summary>
                <ValuePane title="Request" what="the request" reading=use_reading(&rest)/>
            </details>
            <textarea
                class="input prose"
                id="answer"
                rows="4"
                aria-label="Model response"
                placeholder="Model response…"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <div class="choices">
                <Refusals number/>
                <button type="submit" class="button primary" aria-disabled=move || is_empty().to_string()>
                    "Send model response" <kbd>"Ctrl ↵"</kbd>
                </button>
            </div>
        </form>
    }
}

#[component]
fn Message(
    /// One message of the conversation.
    message: SampledMessage,
) -> impl IntoView {
    let SampledMessage { role, text, content } = message;
    let shown = match text {
        Some(text) => visible_text(&text).into_any(),
        None => {
            view! { <ValuePane title="Content" what="the content" reading=use_reading(&content)/> }
                .into_any()
        }
    };
    view! { <dt>{visible_name(&role)}</dt><dd>{shown}</dd> }
}

/// The server's reason, with its line breaks. A long text scrolls.
#[component]
fn QuestionText(
    /// The text.
    message: String,
) -> impl IntoView {
    let is_long = message.len() > LONG || message.lines().count() > LONG_LINES;
    // What scrolls must be reachable by the keyboard.
    let (stop, role, label) =
        if is_long { (Some("0"), Some("region"), Some("Reason")) } else { (None, None, None) };
    view! { <p class="question-text" tabindex=stop role=role aria-label=label>{visible_text(&message)}</p> }
}

#[component]
fn Heading(
    /// Who asks.
    asked_by: String,
    /// What for.
    what: &'static str,
) -> impl IntoView {
    view! {
        <p class="question"><Icon glyph=Glyph::Question/> <b>{visible_name(&asked_by)}</b> " " {what}</p>
    }
}

/// The two ways to refuse: to decline and to dismiss.
#[component]
fn Refusals(
    /// The question's number.
    number: u64,
) -> impl IntoView {
    let rehearsal = use_this_workspace().rehearsal;
    view! {
        <button type="button" class="button quiet" on:click=move |_| rehearsal.answer(number, Answer::Dismiss, None)>
            "Dismiss"
        </button>
        <button type="button" class="button" on:click=move |_| rehearsal.answer(number, Answer::Decline, None)>
            "Decline"
        </button>
    }
}
