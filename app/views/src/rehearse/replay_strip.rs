//! The strip of a case that is rehearsed again: its progress, its next step, and whether the last result
//! is the recorded one.

use leptos::prelude::*;

use crate::rehearse::state::replay::{Next, Replay, StepComparison};
use crate::shared::tokens::Tokens;
use app::components::icon::{Glyph, Icon};
use app::state::case_address::case_address;
use app::state::excerpt::{visible_name, visible_text};
use app::state::preview::{arguments, preview};

/// How many characters of a value the strip shows.
const BUDGET: usize = 80;

/// The case of `replay` above the history; nothing without one.
#[component]
pub fn ReplayStrip(
    /// The case.
    replay: Replay,
) -> impl IntoView {
    let next = Memo::new(move |_| replay.next());
    let progress = move || {
        let (done, all) = replay.progress();
        format!("{done} of {all} steps")
    };
    let next_text = move || match next.get() {
        Next::Query(text) => {
            let text: String = text.chars().take(BUDGET).collect();
            view! { "Next, user message: " <span class="replayed">{visible_text(&text)}</span> }
                .into_any()
        }
        Next::Call { tool, arguments: given } => view! {
            "Next: "
            <span class="signature">
                <b>{visible_name(&tool)}</b> "(" <Tokens tokens=arguments(&given, BUDGET)/> ")"
            </span>
        }
        .into_any(),
        Next::Response(text) => {
            let text: String = text.chars().take(BUDGET).collect();
            view! { "Next, final response: " <span class="replayed">{visible_text(&text)}</span> }
                .into_any()
        }
        Next::AfterPlay => "Next: finish acting as the called agent".into_any(),
        Next::Nothing => "End of the case".into_any(),
    };
    let comparison = move || {
        replay.last().map(|comparison| match comparison {
            StepComparison::Same => {
                view! { <span class="chip done">"same result as recorded"</span> }.into_any()
            }
            StepComparison::OtherResult(recorded) => view! {
                <span class="chip warn" title=visible_text(&recorded.pretty())>
                    "expected: " <Tokens tokens=preview(&recorded, 40)/>
                </span>
            }
            .into_any(),
            StepComparison::OtherCall(tool) => view! {
                <span class="chip warn">"different call: the case has " {visible_name(&tool)} " here"</span>
            }
            .into_any(),
        })
    };
    let can_fill = move || !matches!(&*next.read(), Next::Nothing | Next::AfterPlay);
    let body = move || match replay.case.get() {
        None => view! { <p class="quiet">"Loading the case…"</p> }.into_any(),
        Some(Err(error)) => {
            view! { <p class="field-fault" role="alert">{error.to_string()}</p> }.into_any()
        }
        Some(Ok(case)) => {
            let at = replay.at.get_untracked().map(|_| case.index);
            let address = case_address(replay.set().as_str(), &case.eval_id, at);
            let has_turns = case.turns.len() > 1;
            let turn = move || {
                let (turn, all) = replay.turn();
                format!("turn {turn} of {all}")
            };
            view! {
                <Icon glyph=Glyph::Retry/>
                <a class="link case-id" href=address>{visible_name(&case.eval_id)}</a>
                <span class="quiet">{progress}</span>
                {has_turns.then(|| view! { <span class="quiet">{turn}</span> })}
                <span class="replay-next">{next_text}</span>
                {comparison}
                <Show when=can_fill>
                    <button type="button" class="button" title="Fills in the step. You run it." on:click=move |_| replay.fill_in()>
                        "Fill in" <kbd>"N"</kbd>
                    </button>
                </Show>
            }
            .into_any()
        }
    };
    view! {
        <Show when=move || replay.eval_id.read().is_some()>
            <section class="replay" aria-label="Case to rehearse">
                {body}
                <button
                    type="button"
                    class="close"
                    aria-label="Continue without the case"
                    title="Continue without the case"
                    on:click=move |_| replay.leave()
                >
                    <Icon glyph=Glyph::Close/>
                </button>
            </section>
        </Show>
    }
}
