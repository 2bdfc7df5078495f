//! The list of eval sets: the file of every registered agent, and those in the configured folders.

use std::cmp::Ordering;
use std::collections::HashMap;

use api::{CaseQuery, EvalSetContents, EvalSetList, EvalSetSummary, SetId};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::format_name;
use crate::shared::folder_list::FolderList;
use crate::shared::sort_head::{self, SortHead, Sorting, use_order};
use api::host::{list_cases, list_eval_sets};
use app::components::filter_box::FilterBox;
use app::components::loading::Loading;
use app::state::base_path::address;
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::{ago, counted, grouped, size};

/// Longer lists have a filter.
const FEW: usize = 6;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// In the host's order: the agents' first.
    Given,
    Name,
    Agent,
    Cases,
    Size,
    Changed,
}

impl sort_head::Column for Column {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("name", Self::Name),
        ("agent", Self::Agent),
        ("cases", Self::Cases),
        ("size", Self::Size),
        ("changed", Self::Changed),
    ];
}

/// The contents of a file, once it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counted {
    cases: u64,
    format: String,
    /// Why there may be more cases.
    fault: Option<String>,
}

/// The contents by set, as far as they are read.
type Counts = RwSignal<HashMap<SetId, Counted>>;

/// The list of eval sets.
#[component]
pub fn EvalSets() -> impl IntoView {
    let sets = LocalResource::new(list_eval_sets);
    let draw = |list: EvalSetList| {
        match list.sets.is_empty() && list.folders.is_empty() {
        true => view! {
            <div class="empty centred">
                <h1>"No eval sets yet"</h1>
                <p>"Exports create eval sets. Register an agent, or add folders of eval sets to rehearsal.toml."</p>
                <p><a class="link" href=address("/")>"View agents"</a></p>
            </div>
        }
        .into_any(),
        false => view! { <Sets list/> }.into_any(),
    }
    };
    view! { <Loading arrived=move || sets.get() meanwhile="Loading eval sets…" draw/> }
}

#[component]
fn Sets(
    /// The sets, in the order of the agents, and the folders.
    list: EvalSetList,
) -> impl IntoView {
    let EvalSetList { sets, folders } = list;
    let description = match folders.is_empty() {
        true => "Cases exported from rehearsals and live sessions, one file per agent.",
        false => {
            "Cases exported from rehearsals and live sessions, one file per agent, and the files in the configured folders."
        }
    };
    let counts = use_counts(&sets);
    let searched = RwSignal::new(String::new());
    let order = use_order(Sorting { by: Column::Given, is_down: false });
    let all = sets.len();
    let sets = StoredValue::new(sets);
    let shown = Memo::new(move |_| {
        let wanted = searched.read().trim().to_lowercase();
        let holds = |set: &&EvalSetSummary| {
            [&set.name, &set.agent_name, &set.path]
                .iter()
                .any(|it| it.to_lowercase().contains(&wanted))
        };
        let mut shown: Vec<EvalSetSummary> =
            sets.with_value(|sets| sets.iter().filter(holds).cloned().collect());
        let Sorting { by, is_down } = order.get();
        if by != Column::Given {
            let counts = counts.read();
            shown.sort_by(|one, other| {
                let order = compare(by, one, other, &counts);
                if is_down { order.reverse() } else { order }
            });
        }
        shown
    });
    let count = Signal::derive(move || match shown.read().len() {
        found if found == all => counted(all, "set", "sets"),
        found => format!("{found} of {all}"),
    });
    let now = browser::now().as_millisecond();
    view! {
        <header class="sheet-head">
            <h1>"Eval sets"</h1>
            <p class="quiet">{description}</p>
        </header>
        {(all > FEW).then(|| view! { <FilterBox searched placeholder="Filter eval sets" count/> })}
        <table class="sets">
            <thead>
                <tr>
                    <SortHead column=Column::Name label="Eval set" order/>
                    <SortHead column=Column::Agent label="Agent" order/>
                    <SortHead column=Column::Cases label="Cases" order is_figure=true/>
                    <th scope="col">"Format"</th>
                    <SortHead column=Column::Size label="Size" order is_figure=true/>
                    <SortHead column=Column::Changed label="Modified" order is_figure=true/>
                </tr>
            </thead>
            <tbody>
                <For each=move || shown.get() key=|set| set.set.clone() let(set)>
                    <Set set counts now/>
                </For>
            </tbody>
        </table>
        {move || (all > 0 && shown.read().is_empty()).then(|| view! { <p class="quiet">"No matching eval sets"</p> })}
        <FolderList folders nothing="No eval sets. File names must end in .evalset.json or .test.json."/>
    }
}

/// Reads one file after the other, while the page is open.
fn use_counts(sets: &[EvalSetSummary]) -> Counts {
    let counts = RwSignal::new(HashMap::new());
    let is_file = |set: &&EvalSetSummary| matches!(set.contents, EvalSetContents::File { .. });
    let wanted: Vec<SetId> = sets.iter().filter(is_file).map(|set| set.set.clone()).collect();
    spawn_local(async move {
        for set in wanted {
            let counted = match list_cases(set.clone(), CaseQuery::default()).await {
                Ok(list) => Counted { cases: list.all, format: list.format, fault: list.fault },
                Err(error) => {
                    let fault = Some(error.to_string());
                    Counted { cases: 0, format: String::new(), fault }
                }
            };
            let is_gone = counts.try_update(|counts| counts.insert(set, counted)).is_none();
            if is_gone {
                break;
            }
        }
    });
    counts
}

fn compare(
    by: Column,
    one: &EvalSetSummary,
    other: &EvalSetSummary,
    counts: &HashMap<SetId, Counted>,
) -> Ordering {
    let cases = |set: &EvalSetSummary| counts.get(&set.set).map(|counted| counted.cases);
    let file = |set: &EvalSetSummary| match set.contents {
        EvalSetContents::File { bytes, changed } => (Some(bytes), changed),
        _ => (None, None),
    };
    match by {
        Column::Given => Ordering::Equal,
        Column::Name => one.name.to_lowercase().cmp(&other.name.to_lowercase()),
        Column::Agent => one.agent_name.to_lowercase().cmp(&other.agent_name.to_lowercase()),
        Column::Cases => cases(one).cmp(&cases(other)),
        Column::Size => file(one).0.cmp(&file(other).0),
        Column::Changed => file(one).1.cmp(&file(other).1),
    }
}

#[component]
fn Set(
    /// The set.
    set: EvalSetSummary,
    /// The contents of the files.
    counts: Counts,
    /// The time, in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    let EvalSetSummary { set, name, agent, agent_name, path, contents } = set;
    let (name, path) = (visible_name(&name), visible_name(&path));
    // The name is shown above it.
    let folder = path.strip_suffix(name.as_str()).unwrap_or(&path).to_owned();
    let (bytes, changed, fault) = match contents {
        EvalSetContents::File { bytes, changed } => (Some(bytes), changed, None),
        EvalSetContents::Nothing => (None, None, None),
        EvalSetContents::Unreadable(reason) => (None, None, Some(reason)),
    };
    let shown = match bytes {
        Some(_) => view! { <a href=address(&format!("/evalsets/{set}"))>{name}</a> }.into_any(),
        None if fault.is_none() => view! { <span class="quiet">{name}</span> }.into_any(),
        None => name.into_any(),
    };
    let is_missing = bytes.is_none() && fault.is_none();
    let counted = Memo::new(move |_| counts.with(|counts| counts.get(&set).cloned()));
    let cases = move || match (counted.get(), bytes) {
        (Some(counted), _) if counted.fault.is_some() && counted.cases == 0 => "—".to_owned(),
        (Some(counted), _) => {
            let known = grouped(usize::try_from(counted.cases).unwrap_or(usize::MAX));
            if counted.fault.is_some() { format!("{known} +") } else { known }
        }
        (None, Some(_)) => "…".to_owned(),
        (None, None) if is_missing => "no cases".to_owned(),
        (None, None) => "—".to_owned(),
    };
    let format = move || counted.get().map(|counted| format_name(&counted.format));
    let fault = move || fault.clone().or_else(|| counted.get().and_then(|counted| counted.fault));
    view! {
        <tr>
            <th scope="row">
                {shown}
                <p class="path" title=path><bdi>{folder}</bdi></p>
                {move || fault().map(|fault| view! { <p class="field-fault">{visible_text(&fault)}</p> })}
            </th>
            <td>{agent.map(|agent| view! { <a class="link" href=address(&format!("/rehearse/{agent}"))>{visible_name(&agent_name)}</a> })}</td>
            <td class="figure" class:quiet=is_missing>{cases}</td>
            <td>{format}</td>
            <td class="figure">{bytes.map(size)}</td>
            <td class="figure">{changed.map(|changed| ago(now - changed))}</td>
        </tr>
    }
}
