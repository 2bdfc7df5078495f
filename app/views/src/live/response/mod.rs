//! The right column: the response to the head of the queue, or why none can be given.

mod buttons;
mod form;
mod unsent;

use api::{LiveOutcome, WaitingTurn};
use leptos::prelude::*;

use super::export::ExportColumn;
use crate::live::state::workspace::use_this_live_workspace;
use crate::shared::keys::{focus_now, focus_shown};
use api::host::read_live_rows;
use app::components::icon::{Glyph, Icon};
use app::state::base_path::address;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::live_ending::Ending;
use form::ResponseForm;
use unsent::{ClosedDraft, RejectedResponses};

/// The id of the message that nothing is pending.
const IDLE: &str = "nothing-pending";

/// What the right column shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// The response to the head of the queue, or the draft for a turn that is closed.
    Response,
    /// The turn is pending, and so many come before it.
    Behind(usize),
    /// The turn is closed; another one is pending.
    Done,
    /// The turn cannot be read: it does not exist, or the host does not respond.
    Unread,
    /// Nothing is pending; how the run of the shown turn ended, where that is known.
    Nothing(Option<Ending>),
    /// The session has ended.
    Export,
}

/// The right column.
#[component]
pub(super) fn ResponseColumn() -> impl IntoView {
    let workspace = use_this_live_workspace();
    // The last event says how the run ended, where the turn does not: in a session that is opened after
    // its last turn, and for parallel agents, whose run ends with the turn of one of them.
    let last = LocalResource::new(move || {
        let is_idle = workspace.head().is_none();
        let events = workspace.summary.with(|it| it.as_ref().map_or(0, |it| it.events));
        async move {
            if !is_idle || events == 0 {
                return None;
            }
            let rows = read_live_rows(workspace.id.get_value(), events - 1, 1, false).await.ok()?;
            let row = rows.into_iter().next()?;
            Some((row.run.clone(), Ending::of(&row)?))
        }
    });
    let ending = move || {
        if workspace.shown.read().is_none() {
            return last.get().flatten().map(|(_, ending)| ending);
        }
        workspace.turn.with(|turn| {
            let turn = turn.as_ref()?;
            let of_its_run = || {
                let (run, ending) = last.get().flatten()?;
                (!run.is_empty() && run == turn.run).then_some(ending)
            };
            turn.ended.as_ref().and_then(Ending::of).or_else(of_its_run)
        })
    };
    let shown = Memo::new(move |_| match workspace.ahead() {
        Some(0) => Shown::Response,
        None if workspace.closing().is_some() => Shown::Response,
        None if workspace.is_ahead.get() && !workspace.is_completed() => Shown::Response,
        Some(ahead) => Shown::Behind(ahead),
        None if workspace.turn.read().is_none() && workspace.turn_fault.read().is_some() => {
            Shown::Unread
        }
        None if workspace.head().is_some() => Shown::Done,
        None if workspace.is_completed() => Shown::Export,
        None => Shown::Nothing(ending()),
    });
    // What had the focus is replaced: it goes to what replaces it.
    Effect::new(move |_| {
        shown.track();
        focus_now(|| !browser::nothing_is_focused() || focus_shown() || browser::focus(IDLE));
    });
    let idle_ending = Memo::new(move |_| {
        let is_idle = workspace.is_ahead.get() && workspace.ahead().is_none();
        is_idle.then(ending).flatten()
    });
    let column = move || {
        match shown.get() {
        Shown::Response => view! { <Queue/> <ClosedDraft/> <ResponseForm ending=idle_ending/> }.into_any(),
        Shown::Export => view! { <ExportColumn/> }.into_any(),
        Shown::Behind(ahead) => view! {
            <Queue/>
            <div class="empty centred">
                <p>{if ahead == 1 { "One earlier request is in the queue.".to_owned() } else { format!("{ahead} earlier requests are in the queue.") }}</p>
                <CurrentTurnLink/>
            </div>
        }
        .into_any(),
        Shown::Done => view! {
            <Queue/>
            <div class="empty centred">
                <p>"This request is closed."</p>
                <CurrentTurnLink/>
            </div>
        }
        .into_any(),
        Shown::Unread => view! {
            <Queue/>
            <div class="empty centred">
                <p>"This request cannot be shown."</p>
                <CurrentTurnLink/>
            </div>
        }
        .into_any(),
        Shown::Nothing(ending) => nothing_pending(ending),
    }
    };
    view! { <RejectedResponses/> {column} }
}

/// The message that nothing is pending, and how the run ended, where that is known.
fn nothing_pending(ending: Option<Ending>) -> AnyView {
    view! {
        <div class="empty centred" id=IDLE tabindex="-1">
            {match &ending {
                Some(Ending { outcome: LiveOutcome::Failed, .. }) => view! { <Icon glyph=Glyph::Error/> }.into_any(),
                Some(_) => view! { <Icon glyph=Glyph::Check/> }.into_any(),
                None => view! { <Icon glyph=Glyph::Clock/> }.into_any(),
            }}
            <p>"No pending requests"</p>
            {match ending {
                Some(ending) => described(ending),
                None => view! { <p class="quiet">"The agent's next request appears here."</p> }.into_any(),
            }}
            <p class="quiet">"Complete the session to export it."</p>
        </div>
    }
    .into_any()
}

/// How the run ended.
fn described(ending: Ending) -> AnyView {
    view! {
        <p>{ending.description()}</p>
        {ending.message.map(|message| view! { <p class="run-fault">{visible_text(&message)}</p> })}
    }
    .into_any()
}

#[component]
fn CurrentTurnLink() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let label = move || match workspace.head() {
        Some(_) => "Go to the current request",
        None => "Go to the session",
    };
    view! {
        <a class="button primary" href=address(&format!("/live/{}", workspace.id.get_value())) on:click=move |_| workspace.show_head()>
            {label}
        </a>
    }
}

/// The pending turns, when there are several.
#[component]
fn Queue() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let waiting = Memo::new(move |_| {
        workspace.summary.with(|it| it.as_ref().map(|it| it.waiting.clone()).unwrap_or_default())
    });
    let entries = move || {
        let waiting = waiting.get();
        let several = |agent: &str| waiting.iter().filter(|turn| turn.agent == agent).count() > 1;
        let several: Vec<bool> = waiting.iter().map(|turn| several(&turn.agent)).collect();
        let turns = waiting.into_iter().zip(several).enumerate();
        turns.map(|(at, (turn, several))| (at, turn, several)).collect::<Vec<_>>()
    };
    let depth = move || workspace.summary.with(|it| it.as_ref().map_or(0, |it| it.depth));
    let rest = move || depth().saturating_sub(waiting.read().len() as u64);
    view! {
        <Show when=move || { depth() > 1 }>
            <nav class="queue" aria-label="Pending requests">
                <span class="quiet">{move || format!("{} waiting", depth())}</span>
                <ol>
                    <For each=entries key=|(at, turn, several)| (*at, turn.turn.clone(), *several) let((at, turn, several))>
                        <QueueEntry turn is_head={at == 0} is_one_of_several=several/>
                    </For>
                </ol>
                <Show when=move || { rest() > 0 }><span class="quiet">{move || format!("and {} more", rest())}</span></Show>
            </nav>
        </Show>
    }
}

/// A pending turn, which leads to it.
#[component]
fn QueueEntry(
    /// The turn.
    turn: WaitingTurn,
    /// Whether it is the head of the queue.
    is_head: bool,
    /// Whether its agent has other pending turns.
    is_one_of_several: bool,
) -> impl IntoView {
    let workspace = use_this_live_workspace();
    let session = workspace.id.get_value();
    let WaitingTurn { turn, agent, sequence, .. } = turn;
    let agent = visible_name(&agent);
    let title = format!("{agent}, event {sequence}");
    let address = address(&match is_head {
        true => format!("/live/{session}"),
        false => format!("/live/{session}/{turn}"),
    });
    let is_shown = move || workspace.shown.read().as_ref() == Some(&turn);
    view! {
        <li>
            <a href=address aria-current=move || is_shown().then_some("true")>
                {is_head.then(|| view! { <span class="pulse" aria-hidden="true"></span> })}
                <span class="cut" title=title>{agent}</span>
                {is_one_of_several.then(|| view! { <span class="quiet">{format!("#{sequence}")}</span> })}
            </a>
        </li>
    }
}
