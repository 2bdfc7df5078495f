//! The model's input besides the conversation: instructions, tools, configuration and response schema.

use api::LiveTurn;
use jiff::Timestamp;
use leptos::prelude::*;

use crate::live::state::workspace::use_this_live_workspace;
use crate::rehearse::facts::Fold;
use crate::rehearse::instructions::Instructions;
use crate::shared::state::catalog::first_line;
use crate::shared::value::{ValueBody, ValueTools};
use app::components::icon::{Glyph, Icon};
use app::state::excerpt::{visible_name, visible_text};
use app::state::reading::{Reading, use_reading};
use app::state::times::{ago, counted, grouped};
use app::state::use_page;

/// The shown turn's request.
#[component]
pub(super) fn Request() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let texts = Memo::new(move |_| {
        workspace.turn.with(|turn| turn.as_ref().map(|turn| (turn.instruction.clone(), None)))
    });
    // Rebuilt for each turn, and not when its response arrives.
    let request = Memo::new(move |_| {
        workspace.turn.with(|turn| {
            turn.as_ref().map(|turn| LiveTurn {
                turn: turn.turn.clone(),
                agent: turn.agent.clone(),
                run: turn.run.clone(),
                sequence: turn.sequence,
                at_ms: turn.at_ms,
                model: turn.model.clone(),
                instruction: turn.instruction.clone(),
                // They may be many, and are not shown here.
                contents: Vec::new(),
                tools: turn.tools.clone(),
                config: turn.config.clone(),
                output_schema: turn.output_schema.clone(),
                warnings: turn.warnings.clone(),
                closed: None,
                results: Vec::new(),
                ended: None,
            })
        })
    });
    let missing = move || match workspace.turn_fault.get() {
        Some(error) => {
            view! { <p class="field-fault" role="alert">{error.to_string()}</p> }.into_any()
        }
        None if workspace.shown.read().is_none() => view! {
            <SessionFacts/>
            <p class="quiet">"Choose a request in the session's events to view it."</p>
        }
        .into_any(),
        None => ().into_any(),
    };
    let rest = move || match request.get() {
        Some(turn) => view! { <Facts turn/> }.into_any(),
        None => missing().into_any(),
    };
    view! {
        <Show when=move || texts.read().is_some()><Instructions texts/></Show>
        {rest}
    }
}

/// The facts about the session, while no turn is shown.
#[component]
fn SessionFacts() -> impl IntoView {
    let workspace = use_this_live_workspace();
    let clock = use_page().clock;
    let facts = move || {
        let summary = workspace.summary.get()?;
        let opened = Timestamp::from_millisecond(summary.created_ms).ok();
        let facts = [
            ("opened", opened.map(|at| ago(clock.since(at)))),
            ("agents", (!summary.agents.is_empty()).then(|| summary.agents.join(", "))),
            ("events", Some(grouped(usize::try_from(summary.events).unwrap_or(usize::MAX)))),
            ("session", Some(summary.id.to_string())),
        ];
        let facts = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Some(
            facts
                .map(|(name, value)| {
                    let value = visible_name(&value);
                    let title = value.clone();
                    view! { <dt>{name}</dt><dd title=title>{value}</dd> }
                })
                .collect_view(),
        )
    };
    view! {
        <Fold title="This session" open=RwSignal::new(true)><dl class="facts">{facts}</dl></Fold>
    }
}

#[component]
fn Facts(
    /// The request.
    turn: LiveTurn,
) -> impl IntoView {
    let LiveTurn {
        agent, run, model, tools, config, output_schema, warnings, turn, sequence, ..
    } = turn;
    let mut facts = vec![("agent", agent)];
    facts.extend(model.map(|model| ("model", model)));
    facts.extend((!run.is_empty()).then_some(("run", run)));
    facts.push(("turn", turn.to_string()));
    facts.push(("event", sequence.to_string()));
    let count = match tools.len() {
        0 => "none".to_owned(),
        count => counted(count, "tool", "tools"),
    };
    let tools = StoredValue::new(tools);
    let aside = move || view! { <span class="quiet">{count.clone()}</span> };
    view! {
        {(!warnings.is_empty()).then(|| view! {
            <ul class="warnings" aria-label="Warnings">
                {warnings.into_iter().map(|text| view! { <li><Icon glyph=Glyph::Warning/><span>{visible_text(&text)}</span></li> }).collect_view()}
            </ul>
        })}
        <Fold title="Tools" open=RwSignal::new(false) aside>
            <ul class="declared">
                {tools.get_value().into_iter().map(|tool| view! {
                    <li><code>{visible_name(tool.name.as_str())}</code> <span class="quiet">{first_line(&tool.description)}</span></li>
                }).collect_view()}
            </ul>
        </Fold>
        {config.map(|config| view! { <ValueFold title="Configuration" reading=use_reading(&config)/> })}
        {output_schema.map(|schema| view! { <ValueFold title="Response schema" reading=use_reading(&schema)/> })}
        <Fold title="Turn" open=RwSignal::new(true)>
            <dl class="facts">
                {facts.clone().into_iter().map(|(name, value)| {
                    let value = visible_name(&value);
                    let title = value.clone();
                    view! { <dt>{name}</dt><dd title=title>{value}</dd> }
                }).collect_view()}
            </dl>
        </Fold>
    }
}

#[component]
fn ValueFold(
    /// What it is.
    title: &'static str,
    /// The value.
    reading: Reading,
) -> impl IntoView {
    let aside = move || view! { <ValueTools reading/> };
    view! { <Fold title open=RwSignal::new(true) aside><ValueBody reading label=title/></Fold> }
}
