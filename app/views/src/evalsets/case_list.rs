//! The cases of an eval set: searched, and chosen by their address.

use std::collections::HashMap;

use api::{CaseList, CaseOrder, CaseSummary, SetId};
use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos_router::hooks::use_location;

use crate::evalsets::state::case_list::{CaseListState, ListPage, PAGE};
use app::components::filter_box::FilterBox;
use app::state::browser;
use app::state::case_address::{case_address, in_order_of};
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::counted;

/// The id of the column in the document.
const LIST_ID: &str = "case-column";

/// The id of a case's line in the document, by its position in the file.
fn line_id(index: u64) -> String {
    format!("case-at-{index}")
}

/// The search field and the cases below it.
#[component]
pub(super) fn CaseColumn(
    /// The set.
    set: SetId,
    /// The cases.
    list: CaseListState,
    /// The id of the chosen case.
    case: Memo<Option<String>>,
    /// Its position in the file, once it is known.
    place: Memo<Option<u64>>,
) -> impl IntoView {
    keep_choice_in_sight(list, place);
    let set = StoredValue::new(set);
    let rows = move || {
        let page = list.with_list(CaseList::clone)?;
        Some(view! { <CasePage set=set.get_value() list page case place/> })
    };
    let count = move || {
        let whole = |cases: u64| usize::try_from(cases).unwrap_or(usize::MAX);
        list.with_list(|page| match list.searched.read().trim().is_empty() {
            true => counted(whole(page.all), "case", "cases"),
            false => format!("{} of {}", page.fitting, page.all),
        })
    };
    view! {
        <section class="case-column" id=LIST_ID tabindex="-1" aria-label="Cases">
            <FilterBox searched=list.searched placeholder="Filter cases" count=Signal::derive(move || count().unwrap_or_default())/>
            <label class="case-order">
                <span class="quiet">"Sorted:"</span>
                <select
                    aria-label="Sort order"
                    on:change=move |event| {
                        let chosen = event_target_value(&event);
                        list.set_order.run((CaseOrder::parse(&chosen) != CaseOrder::File).then_some(chosen));
                    }
                >
                    {CaseOrder::ALL
                        .into_iter()
                        .map(|(one, name, label)| view! {
                            <option value=name prop:selected=move || list.order.get() == one>{label}</option>
                        })
                        .collect_view()}
                </select>
            </label>
            {rows}
        </section>
    }
}

/// Scrolls to the top when the page is turned, and to the chosen case.
fn keep_choice_in_sight(list: CaseListState, place: Memo<Option<u64>>) {
    let skipped = Memo::new(move |_| list.with_list(|page| page.skipped));
    Effect::new(move |was: Option<Option<u64>>| {
        let (is, chosen) = (skipped.get(), place.get());
        let is_turned = was.is_some_and(|was| was != is);
        browser::after_drawing(move || {
            if is_turned {
                browser::scroll_to_top(LIST_ID);
            }
            if let Some(index) = chosen {
                browser::reveal(&line_id(index));
            }
        });
        is
    });
}

/// One page of the list, and the buttons that turn to the pages before and after it.
#[component]
fn CasePage(
    /// The set.
    set: SetId,
    /// The list.
    list: CaseListState,
    /// Its page.
    page: CaseList,
    /// The id of the chosen case.
    case: Memo<Option<String>>,
    /// Its position in the file, once it is known.
    place: Memo<Option<u64>>,
) -> impl IntoView {
    let (before, shown) = (page.skipped, page.cases.len() as u64);
    let after = page.fitting.saturating_sub(before + shown);
    let turn_to = move |from: u64| {
        list.page.set(ListPage::From(from));
        browser::focus(LIST_ID);
    };
    // An id is shown where it distinguishes: among equal titles, in an order or a filter by id.
    let mut times = HashMap::<String, usize>::new();
    for summary in &page.cases {
        *times.entry(title(summary).to_owned()).or_default() += 1;
    }
    let (sorted, wanted) = (list.order.get_untracked(), list.searched.get_untracked());
    let wanted = wanted.trim().to_lowercase();
    let shows_id = move |summary: &CaseSummary| {
        let title = title(summary);
        title != summary.eval_id
            && (sorted == CaseOrder::Id
                || times.get(title).is_some_and(|times| *times > 1)
                || !wanted.is_empty() && summary.eval_id.to_lowercase().contains(&wanted))
    };
    let none = match (page.all, &page.fault) {
        (0, Some(_)) => None,
        (0, None) => Some("The file has no cases."),
        _ => page.cases.is_empty().then_some("No matching cases"),
    };
    let lines = page.cases.into_iter().map(|summary| {
        let with_id = shows_id(&summary);
        view! { <CaseLine set=set.clone() summary with_id case place/> }
    });
    let lines = lines.collect_view();
    view! {
        {(before > 0).then(|| view! {
            <button type="button" class="link" on:click=move |_| turn_to(before.saturating_sub(PAGE))>
                {format!("Show {} earlier", before.min(PAGE))}
            </button>
        })}
        <ul class="cases" aria-label="Cases" on:keydown=walk>{lines}</ul>
        {none.map(|none| view! { <p class="quiet veil">{none}</p> })}
        {page.fault.map(|fault| view! { <p class="field-fault veil" role="alert">{visible_text(&fault)}</p> })}
        {(after > 0).then(|| view! {
            <button type="button" class="link" on:click=move |_| turn_to(before + shown)>
                {format!("Show {} more ({after} left)", after.min(PAGE))}
            </button>
        })}
    }
}

/// Moves the focus from case to case by the arrow keys.
fn walk(event: ev::KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        _ => return,
    };
    let within = event.current_target().and_then(|list| list.dyn_into::<web_sys::Element>().ok());
    let Some(within) = within else { return };
    if browser::focus_beside(&within, "a", by) {
        event.prevent_default();
    }
}

/// The title of a case in the list.
fn title(summary: &CaseSummary) -> &str {
    match (&summary.name, summary.query.trim()) {
        (Some(name), _) => name,
        (None, "") if summary.eval_id.is_empty() => "Case without an ID",
        (None, "") => &summary.eval_id,
        (None, _) => &summary.query,
    }
}

#[component]
fn CaseLine(
    /// The set.
    set: SetId,
    /// The case.
    summary: CaseSummary,
    /// Whether its id is shown below its title.
    with_id: bool,
    /// The id of the chosen case.
    case: Memo<Option<String>>,
    /// Its position in the file, once it is known.
    place: Memo<Option<u64>>,
) -> impl IntoView {
    let title = visible_text(title(&summary));
    let CaseSummary { index, eval_id, name, query, turns, tools, calls, tags, fault, repeats } =
        summary;
    // The link keeps the order.
    let search = use_location().search;
    let address = case_address(set.as_str(), &eval_id, repeats.then_some(index));
    let address = move || search.with(|search| in_order_of(search, &address));
    let own = eval_id.clone();
    let is_chosen = move || {
        case.with(|case| case.as_deref() == Some(own.as_str()))
            && (!repeats || place.get() == Some(index))
    };
    let shown_id = with_id.then(|| visible_name(&eval_id));
    let below = name.is_some().then_some(query).filter(|query| !query.trim().is_empty());
    let more = usize::try_from(calls).unwrap_or(usize::MAX).saturating_sub(tools.len());
    let mut summary_line = visible_name(&tools.join(" → "));
    if more > 0 {
        summary_line.push_str(&format!(" and {more} more"));
    }
    if summary_line.is_empty() {
        summary_line.push_str("no calls");
    }
    let is_faulty = fault.is_some();
    let turns = (turns > 1).then(|| format!("{turns} turns"));
    view! {
        <li>
            <a href=address id=line_id(index) class:faulty=is_faulty aria-current=move || is_chosen().then_some("true")>
                <span class="case-title">{title}</span>
                {shown_id.map(|id| view! { <span class="case-tools">{id}</span> })}
                {below.map(|query| view! { <span class="case-tools">{visible_text(&query)}</span> })}
                <span class="case-tools">
                    // Distinguishes cases that share an id.
                    {repeats.then(|| view! { <b>{format!("#{index}")}</b> " · " })}
                    {turns.map(|turns| view! { <b>{turns}</b> " · " })}
                    {summary_line}
                </span>
                {(!tags.is_empty()).then(|| view! {
                    <span class="case-tags">{tags.into_iter().map(|tag| view! { <span class="chip">{visible_name(&tag)}</span> }).collect_view()}</span>
                })}
                {fault.map(|fault| view! { <span class="field-fault">{visible_text(&fault)}</span> })}
            </a>
        </li>
    }
}
