//! The right column: the response to the head of the queue, or why there is none to give.

mod foot;
mod form;
mod leftover;

use api::LiveOutcome;
use leptos::prelude::*;

use super::export::ExportColumn;
use crate::live::state::workspace::use_this_live_workspace;
use app::components::icon::{Glyph, Icon};
use app::server_functions::read_live_rows;
use app::state::live_ending::Ending;
use form::Answer;
use leftover::Leftover;

/// What the right column shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// The response to the head of the queue.
    Answer,
    /// The turn waits, and others come first.
    Behind(usize),
    /// The turn has its answer, and something was typed for it.
    Leftover,
    /// The turn has its answer; another waits.
    Done,
    /// The turn cannot be read: there is none, or the host is away.
    Unread,
    /// Nothing waits; how the shown turn's run ended, where that is known.
    Nothing(Option<Ending>),
    /// The session has ended.
    Export,
}

/// The right column.
#[component]
pub(super) fn AnswerColumn() -> impl IntoView {
    let workspace = use_this_live_workspace();
    // A session that is opened after its last turn says by its last event how that run ended, and so
    // does one of agents in parallel, whose run ends with the turn of one of them.
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
    let shown = Memo::new(move |_| {
        let has_begun = workspace.draft.get().is_some_and(|draft| draft.is_begun.get());
        match workspace.ahead() {
            Some(0) => Shown::Answer,
            Some(ahead) => Shown::Behind(ahead),
            None if has_begun => Shown::Leftover,
            None if workspace.turn.read().is_none() && workspace.turn_fault.read().is_some() => {
                Shown::Unread
            }
            None if workspace.head().is_some() => Shown::Done,
            None if workspace.is_completed() => Shown::Export,
            None => Shown::Nothing(match workspace.shown.read().is_some() {
                true => workspace.turn.with(|turn| {
                    let turn = turn.as_ref()?;
                    let of_its_run = || {
                        let (run, ending) = last.get().flatten()?;
                        (!run.is_empty() && run == turn.run).then_some(ending)
                    };
                    turn.ended.as_ref().and_then(Ending::of).or_else(of_its_run)
                }),
                false => last.get().flatten().map(|(_, ending)| ending),
            }),
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
                <p>{if ahead == 1 { "One earlier turn is in the queue.".to_owned() } else { format!("{ahead} earlier turns are in the queue.") }}</p>
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
        Shown::Unread => view! {
            <Queue/>
            <div class="empty centred">
                <p>"This turn cannot be shown."</p>
                <ToTheOneThatIsUp/>
            </div>
        }
        .into_any(),
        Shown::Nothing(ending) => view! {
            <div class="empty centred">
                {match &ending {
                    Some(Ending { outcome: LiveOutcome::Failed, .. }) => view! { <Icon glyph=Glyph::Error/> }.into_any(),
                    Some(_) => view! { <Icon glyph=Glyph::Check/> }.into_any(),
                    None => view! { <Icon glyph=Glyph::Clock/> }.into_any(),
                }}
                <p>"No pending requests"</p>
                {match ending {
                    Some(ending) => view! {
                        <p>{ending.description()}</p>
                        {ending.message.map(|message| view! { <p class="run-fault">{message}</p> })}
                    }
                    .into_any(),
                    None => view! { <p class="quiet">"The agent's next request appears here."</p> }.into_any(),
                }}
                <p class="quiet">"Complete the session to export it."</p>
            </div>
        }
        .into_any(),
    }
    }
}

#[component]
fn ToTheOneThatIsUp() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let label = move || match workspace.head() {
        Some(_) => "Go to the current turn",
        None => "Go to the session",
    };
    view! {
        <a class="button primary" href=format!("/live/{}", workspace.id.get_value()) on:click=move |_| workspace.go_on()>
            {label}
        </a>
    }
}

/// The turns that wait, when there are several.
#[component]
fn Queue() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let waiting = Memo::new(move |_| {
        workspace.summary.with(|it| it.as_ref().map(|it| it.waiting.clone()).unwrap_or_default())
    });
    let depth = move || workspace.summary.with(|it| it.as_ref().map_or(0, |it| it.depth));
    let rest = move || depth().saturating_sub(waiting.read().len() as u64);
    view! {
        <Show when=move || { depth() > 1 }>
            <nav class="queue" aria-label="Pending turns">
                <span class="quiet">{move || format!("{} wait", depth())}</span>
                <ol>
                    <For each=move || waiting.get().into_iter().enumerate() key=|(at, turn)| (*at, turn.turn.clone()) let((at, turn))>
                        {
                            let (own, name) = (turn.turn.clone(), turn.agent.clone());
                            let is_shown = move || workspace.shown.read().as_ref() == Some(&own);
                            let address = match at {
                                0 => format!("/live/{}", workspace.id.get_value()),
                                _ => format!("/live/{}/{}", workspace.id.get_value(), turn.turn),
                            };
                            view! {
                                <li>
                                    <a href=address aria-current=move || is_shown().then_some("true")>
                                        {(at == 0).then(|| view! { <span class="pulse" aria-hidden="true"></span> })}
                                        <span class="cut" title=name>{turn.agent}</span>
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
