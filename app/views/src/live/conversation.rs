//! The conversation that the model would get in a turn, and the response to it.

use api::{ApiError, LiveContent, LiveEventKind, LiveOutcome, LivePart, LiveRole, LiveTurn};
use leptos::html;
use leptos::prelude::*;

use super::part::{Piece, kind};
use crate::live::state::steps::{ConversationStep, steps as steps_of};
use crate::live::state::workspace::use_this_live_workspace;
use crate::shared::steps::{Called, CalledStep, TextStep, text_step};
use app::components::icon::{Glyph, Icon};
use app::components::loading::Loading;
use app::state::browser;
use app::state::live_ending::Ending;

/// The shown turn's conversation.
#[component]
pub(super) fn Conversation() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let list = NodeRef::<html::Ol>::new();
    // Scrolls to the end: the last message is the one to respond to.
    Effect::new(move |_| {
        workspace.turn.track();
        if let Some(list) = list.get() {
            let to_its_end = move |list: &web_sys::HtmlOListElement| {
                list.set_scroll_top(list.scroll_height());
            };
            browser::after_drawing(move || {
                to_its_end(&list);
                // Rows get their heights when they come into sight.
                browser::after_drawing(move || to_its_end(&list));
            });
        }
    });
    let arrived =
        move || workspace.turn.get().map(Ok).or_else(|| workspace.turn_fault.get().map(Err));
    let draw = move |turn| {
        view! { <ol class="timeline spoken" tabindex="0" aria-label="Conversation" node_ref=list>{rows(turn)}</ol> }
            .into_any()
    };
    let draw_error = |_: ApiError| {
        view! { <div class="empty centred"><p>"The conversation cannot be shown because the request cannot be read."</p></div> }
            .into_any()
    };
    let has_turn =
        Memo::new(move |_| workspace.turn.read().is_some() || workspace.shown.read().is_some());
    move || match has_turn.get() {
        true => {
            view! { <Loading arrived meanwhile="Loading the request…" draw draw_error/> }.into_any()
        }
        false => view! {
            <div class="empty centred">
                <p>"No pending requests"</p>
                <p class="quiet">"The agent's next request appears here."</p>
            </div>
        }
        .into_any(),
    }
}

fn rows(turn: LiveTurn) -> AnyView {
    let agent = turn.agent;
    let steps = steps_of(&turn.contents);
    let count = steps.len();
    let is_empty = steps.is_empty();
    let rows = steps.into_iter().enumerate();
    let rows = rows.map(|(at, step)| step_row(at + 1, step, "No response")).collect_view();
    let closed = turn.closed.map(|row| match row.what {
        LiveEventKind::Answered { parts, .. } => {
            let by = row.by.unwrap_or_else(|| "Someone".to_owned());
            let answer = [
                LiveContent { role: LiveRole::Model, parts },
                LiveContent { role: LiveRole::Function, parts: turn.results },
            ];
            let rows = steps_of(&answer).into_iter().enumerate();
            let rows = rows.map(|(at, step)| step_row(count + at + 1, step, "The response is in the session's events."));
            view! {
                <li class="turn">{by} " responded for " {agent}</li>
                {rows.collect_view()}
            }
            .into_any()
        }
        LiveEventKind::Cancelled { reason } => {
            let by = row.by.map(|by| format!("Canceled by {by}")).unwrap_or_else(|| "Canceled by the agent".to_owned());
            view! {
                <li class="turn">{by}</li>
                {spoken(count + 1, "row", Glyph::Stopped, "Reason", if reason.is_empty() { "No reason".to_owned() } else { reason })}
            }
            .into_any()
        }
        _ => ().into_any(),
    });
    let ended = turn.ended.and_then(|row| Ending::of(&row)).map(|ending| {
        let failed = ending.message.clone().filter(|_| ending.outcome == LiveOutcome::Failed);
        view! {
            <li class="turn" class:bad=failed.is_some()>{ending.description()}</li>
            {failed.map(|message| view! { <li class="row failed"><p class="run-fault">{message}</p></li> })}
        }
    });
    view! {
        {is_empty.then(|| view! { <li class="next"><p>"The conversation is empty. The model gets only the instructions."</p></li> })}
        {rows}
        {closed}
        {ended}
    }
    .into_any()
}

fn spoken(number: usize, class: &'static str, glyph: Glyph, who: &str, text: String) -> AnyView {
    text_step(TextStep { number, class, glyph, who: who.to_owned(), text }, ().into_any())
}

/// The word with its first letter in upper case.
fn titled(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn piece_glyph(part: &LivePart) -> Glyph {
    match part {
        LivePart::Data { .. } => Glyph::File,
        LivePart::Response { .. } => Glyph::Tool,
        _ => Glyph::Answer,
    }
}

fn step_row(number: usize, step: ConversationStep, none: &'static str) -> AnyView {
    match step {
        ConversationStep::Message(LiveRole::User, text) => {
            spoken(number, "row asked", Glyph::User, "User", text)
        }
        ConversationStep::Message(LiveRole::Model, text) => {
            spoken(number, "row answered", Glyph::Answer, "Model", text)
        }
        ConversationStep::Message(LiveRole::Function, text) => {
            spoken(number, "row", Glyph::Tool, "Tools", text)
        }
        ConversationStep::VendorMessage(who, text) => {
            spoken(number, "row", Glyph::User, &titled(&who), text)
        }
        ConversationStep::Thought(text) => {
            spoken(number, "row thought", Glyph::Answer, "Model, thinking", text)
        }
        ConversationStep::Call { name, args, response } => {
            let author = String::new();
            let call = Called { author, tool: name, arguments: args, response };
            view! { <CalledStep number call none/> }.into_any()
        }
        ConversationStep::Piece(_, part) => view! {
            <li class="row">
                <div class="line">
                    <span class="number" aria-hidden="true">{number}</span>
                    <Icon glyph=piece_glyph(&part)/>
                    <div class="message"><span class="speaker">{kind(&part)}</span><Piece part/></div>
                </div>
            </li>
        }
        .into_any(),
    }
}
