//! The steps of a recorded conversation: texts, and calls that open into their values.

use json_text::JsonText;
use leptos::prelude::*;

use crate::shared::tokens::Tokens;
use crate::shared::value::ValueBody;
use crate::shared::value_pane::ValuePane;
use app::components::icon::{Glyph, Icon};
use app::state::excerpt::{STEP, beginning, visible_name, visible_text};
use app::state::preview::{arguments, preview};
use app::state::reading::{Reading, use_reading};
use app::state::times::size;

/// How many characters of the arguments and of the response the line shows.
const BUDGET: usize = 160;

/// A step that is a text.
#[derive(Debug, Clone)]
pub struct TextStep {
    /// Its position among the rows, from 1.
    pub number: usize,
    /// The row's classes.
    pub class: &'static str,
    /// The icon.
    pub glyph: Glyph,
    /// The speaker.
    pub who: String,
    /// The text.
    pub text: String,
}

/// A text with its actions; a structured text is drawn as a value.
pub fn text_step(row: TextStep, actions: AnyView) -> AnyView {
    let TextStep { number, class, glyph, who, text } = row;
    let body = if value_tree::is_more_than_text(&text) {
        let reading = use_reading(&JsonText::string(&text));
        view! { <ValueBody reading label="Value"/> }.into_any()
    } else {
        folded_text(text)
    };
    view! {
        <li class=class>
            <div class="line">
                <span class="number" aria-hidden="true">{number}</span>
                <Icon glyph/>
                <div class="message"><span class="speaker">{visible_name(&who)}</span>{body}</div>
                {actions}
            </div>
        </li>
    }
    .into_any()
}

/// A text, of which a long one is drawn in parts: the layout of tens of megabytes freezes the page.
fn folded_text(text: String) -> AnyView {
    let total = text.len();
    if total <= STEP {
        return view! { <p dir="auto">{visible_text(&text)}</p> }.into_any();
    }
    let text = StoredValue::new(text);
    let shown = RwSignal::new(STEP);
    let part = move || text.with_value(|text| visible_text(beginning(text, shown.get())));
    view! {
        <p dir="auto">{part}</p>
        <Show when=move || shown.get() < total>
            <p class="more">
                {move || format!("{} of {} shown", size(shown.get() as u64), size(total as u64))}
                <button type="button" class="link" on:click=move |_| shown.update(|it| *it += STEP)>
                    "Show more"
                </button>
            </p>
        </Show>
    }
    .into_any()
}

/// A call with its response.
#[derive(Debug, Clone)]
pub struct Called {
    /// The agent that calls; empty where it is not recorded.
    pub author: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: JsonText,
    /// The response, where one is recorded.
    pub response: Option<JsonText>,
}

/// One call, which opens into its arguments and its response.
#[component]
pub fn CalledStep(
    /// Its position among the rows, from 1.
    number: usize,
    /// The call.
    call: Called,
    /// Shown in place of a missing response.
    none: &'static str,
    /// The buttons at the end of its line. Default: none.
    #[prop(optional, into)]
    actions: ViewFn,
) -> impl IntoView {
    let Called { author, tool, arguments: given, response: result } = call;
    let open = RwSignal::new(false);
    let shown = arguments(&given, BUDGET);
    let answer = result.as_ref().map(|result| preview(result, BUDGET));
    let detail_id = format!("step-{number}-detail");
    let controlled = detail_id.clone();
    let parts = StoredValue::new((given, result));
    // A row that is opened again shows its values as they were left.
    let readings = StoredValue::new(None::<(Reading, Option<Reading>)>);
    let owner = StoredValue::new(Owner::current());
    let begun = move || {
        readings.get_value().unwrap_or_else(|| {
            let make = || {
                parts.with_value(|(given, result)| {
                    (use_reading(given), result.as_ref().map(use_reading))
                })
            };
            let made = match owner.get_value() {
                Some(owner) => owner.with(make),
                None => make(),
            };
            readings.set_value(Some(made));
            made
        })
    };
    view! {
        <li class="row returned" class:open=move || open.get()>
            <div class="line" on:click=move |_| open.update(|open| *open = !*open)>
                <span class="number" aria-hidden="true">{number}</span>
                <Icon glyph=Glyph::Tool/>
                <button
                    type="button"
                    class="signature"
                    aria-expanded=move || open.get().to_string()
                    aria-controls=move || open.get().then(|| controlled.clone())
                >
                    {(!author.is_empty()).then(|| view! { <span class="author">{visible_name(&author)}</span> " " })}
                    <b>{visible_name(&tool)}</b>
                    "("
                    <Tokens tokens=shown/>
                    ")"
                    {answer.map(|tokens| view! { <span class="arrow">" → "</span> <Tokens tokens/> })}
                </button>
                {actions.run()}
            </div>
            <Show when=move || open.get()>
                <div class="detail" id=detail_id.clone()>{call_detail(begun(), none)}</div>
            </Show>
        </li>
    }
}

/// The arguments and the response of a call; `none` in place of a missing response.
fn call_detail((arguments, response): (Reading, Option<Reading>), none: &'static str) -> AnyView {
    let response = match response {
        Some(reading) => {
            view! { <ValuePane title="Response" what="the response" reading/> }.into_any()
        }
        None => view! { <div class="pane"><p class="quiet">{none}</p></div> }.into_any(),
    };
    view! {
        <ValuePane title="Arguments" what="the arguments" reading=arguments/>
        {response}
    }
    .into_any()
}
