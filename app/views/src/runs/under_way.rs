//! Cases that are running: the list of them, and what a person takes over in one.

use std::time::Duration;

use api::host::{list_live_sessions, take_over};
use api::{ApiError, CaseRun, CaseUnderWay, LiveList, PlaceUnderWay, RunDetail};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_navigate;

use super::head::duration_text;
use super::state::fetched::{Fetched, use_fetched};
use crate::shared::keys::listen;
use crate::shared::run_address::case_address;
use app::state::base_path::{address, unresolved};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::counted;

/// How often it is asked whether a request waits for a person.
const PERIOD: Duration = Duration::from_secs(1);
/// The place of the agents' models.
const AGENT: &str = "agent";

/// The cases of a run that are running here.
#[component]
pub(super) fn UnderWay(
    /// The run.
    detail: Fetched<RunDetail>,
) -> impl IntoView {
    let cases = Memo::new(move |_| detail.get().map(|it| it.under_way.clone()).unwrap_or_default());
    let has_suites = Memo::new(move |_| detail.get().is_some_and(|it| it.summary.suites.len() > 1));
    let row = move |case: CaseUnderWay| {
        let CaseUnderWay { id, lasted_ms, events, places, .. } = case;
        let href = case_address(&id, has_suites.get(), None);
        let repeat = (id.repeat > 1).then(|| format!(", repeat {}", id.repeat));
        let events = counted(usize::try_from(events).unwrap_or(usize::MAX), "event", "events");
        let taken = places.into_iter().filter(|it| it.is_taken).map(|it| {
            view! { <span class="chip live">{visible_name(&it.place)} " taken over"</span> }
        });
        view! {
            <tr>
                <th scope="row"><a href=href>{visible_name(&id.case)} {repeat}</a></th>
                <td>{taken.collect_view()}</td>
                <td class="figure">{events}</td>
                <td class="figure">{duration_text(lasted_ms)}</td>
            </tr>
        }
    };
    move || {
        let cases = cases.get();
        (!cases.is_empty()).then(|| {
            view! {
                <section class="runs-forks" aria-label="Under way">
                    <h2 class="report-title">"Under way"</h2>
                    <table class="sets">
                        <tbody>{cases.into_iter().map(row).collect_view()}</tbody>
                    </table>
                </section>
            }
        })
    }
}

/// The places of a case that is running, to take over and to hand back.
#[component]
pub(super) fn TakeOver(
    /// The result.
    result: Fetched<CaseRun>,
) -> impl IntoView {
    let under_way = Memo::new(move |_| result.get().and_then(|it| it.under_way.clone()));
    let session = Memo::new(move |_| under_way.get().map(|it| it.session));
    let names = Memo::new(move |_| {
        let name = |it: &PlaceUnderWay| it.place.clone();
        under_way.read().as_ref().map(|it| it.places.iter().map(name).collect::<Vec<_>>())
    });
    let is_taken = move |place: &str| {
        under_way.with(|it| {
            it.as_ref()
                .is_some_and(|it| it.places.iter().any(|it| it.is_taken && it.place == place))
        })
    };
    let error = RwSignal::new(None::<ApiError>);
    let toggle = move |place: String| {
        let Some(id) = under_way.get_untracked().map(|it| it.id) else { return };
        let takes = !untrack(|| is_taken(&place));
        spawn_local(async move {
            let answer = take_over(id, place, takes).await;
            error.try_set(answer.err());
            result.again();
        });
    };
    listen(move |event| {
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        if !is_plain || browser::is_typing() || under_way.read_untracked().is_none() {
            return false;
        }
        let is_it = event.key() == "t";
        if is_it {
            toggle(AGENT.to_owned());
        }
        is_it
    });
    let button = move |place: String| {
        let (label, title) = match place.as_str() {
            AGENT => {
                ("Agent", "You respond in place of the agents' models, from their next request on")
            }
            "user" => ("User", "You respond as the user, from the next turn on"),
            tool => (
                tool.trim_start_matches("tool "),
                "You say what the tool returns, from its next call on",
            ),
        };
        let label = visible_name(label);
        let key = (place == AGENT).then(|| view! { " " <kbd>"T"</kbd> });
        let (pressed, sent) = (place.clone(), place);
        view! {
            <button
                type="button"
                title=title
                aria-pressed=move || is_taken(&pressed).to_string()
                on:click=move |_| toggle(sent.clone())
            >
                {label} {key}
            </button>
        }
    };
    let buttons = move || {
        let names = names.get()?;
        Some(view! {
            <span class="switch" role="group" aria-label="Take over">
                {names.into_iter().map(button).collect_view()}
            </span>
        })
    };
    let is_any_taken = Memo::new(move |_| {
        under_way.with(|it| it.as_ref().is_some_and(|it| it.places.iter().any(|it| it.is_taken)))
    });
    move || {
        let session = session.get()?;
        Some(view! {
            <section class="report-line case-run-taken" aria-label="Take over">
                <b>"Take over"</b>
                {buttons}
                <Waits session is_any_taken/>
                {move || error.get().map(|error| view! { <span class="field-fault" role="alert">{visible_text(&error.to_string())}</span> })}
            </section>
        })
    }
}

/// The link to the request that waits for a person, once there is one.
#[component]
fn Waits(
    /// The name of the live session.
    session: String,
    /// Whether the next request comes to a person.
    is_any_taken: Memo<bool>,
) -> impl IntoView {
    let name = session.clone();
    let listed =
        use_fetched(move || list_live_sessions(name.clone(), None), PERIOD, |_: &LiveList| true);
    let waiting = Memo::new(move |_| {
        let listed = listed.get()?;
        let found = listed.sessions.iter().find(|it| it.description == session && it.depth > 0)?;
        Some(format!("/live/{}", found.id))
    });
    let go = StoredValue::new_local(use_navigate());
    listen(move |event| {
        let is_plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
        if !is_plain || event.key() != "r" || browser::is_typing() {
            return false;
        }
        let Some(path) = waiting.get_untracked() else { return false };
        go.with_value(|go| go(&address(&path), unresolved()));
        true
    });
    let said = move || match (waiting.get(), is_any_taken.get()) {
        (Some(path), _) => view! {
            "A request waits for you. "
            <a class="button primary" href=address(&path)>"Respond" " " <kbd>"R"</kbd></a>
        }
        .into_any(),
        (None, true) => "The next request comes to you.".into_any(),
        (None, false) => ().into_any(),
    };
    view! { <span class="quiet" role="status">{said}</span> }
}
