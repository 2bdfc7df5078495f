//! The results of several models beside each other.

use api::{RunCounts, RunDetail};
use leptos::prelude::*;

use super::head::{passed_text, share};
use super::state::fetched::Fetched;
use super::state::models::{ModelCell, ModelRow, ModelTable, model_table};
use crate::shared::run_address::case_address;
use app::state::excerpt::visible_name;

/// So many cases are drawn until the others are asked for.
const FEW: usize = 50;

/// A table of cases and models; nothing if no case runs with several models.
#[component]
pub(super) fn Models(
    /// The run.
    detail: Fetched<RunDetail>,
) -> impl IntoView {
    let table = Memo::new(move |_| detail.get().and_then(|detail| model_table(&detail.cases)));
    let has_suites = Memo::new(move |_| detail.get().is_some_and(|it| it.summary.suites.len() > 1));
    let is_whole = RwSignal::new(false);
    move || {
        let table = table.get()?;
        Some(drawn(table, has_suites.get(), is_whole))
    }
}

fn drawn(table: ModelTable, has_suites: bool, is_whole: RwSignal<bool>) -> AnyView {
    let ModelTable { models, rows, totals } = table;
    let cell = move |cell: Option<ModelCell>| match cell {
        None => view! { <td class="figure quiet">"–"</td> }.into_any(),
        Some(ModelCell { counts, id, .. }) => view! {
            <td class="figure">
                <a class="link" href=case_address(&id, has_suites, None)>{passed_text(counts)}</a>
                " " {share(counts)}
            </td>
        }
        .into_any(),
    };
    let row = move |row: ModelRow| {
        let ModelRow { suite, case, cells } = row;
        let suite =
            has_suites.then(|| view! { <span class="quiet">" " {visible_name(&suite)}</span> });
        view! {
            <tr>
                <th scope="row">{visible_name(&case)} {suite}</th>
                {cells.into_iter().map(cell).collect_view()}
            </tr>
        }
    };
    let head = |model: &String| view! { <th scope="col" class="figure">{visible_name(model)}</th> };
    let total = |counts: RunCounts| view! { <td class="figure">{passed_text(counts)} " " {share(counts)}</td> };
    let count = rows.len();
    let shown = move || if is_whole.get() { count } else { count.min(FEW) };
    let more = move || {
        let show = move |_| is_whole.set(true);
        (shown() < count).then(|| {
            view! {
                <p class="report-line">
                    <button type="button" class="link" on:click=show>{format!("Show all {count} cases")}</button>
                </p>
            }
        })
    };
    view! {
        <section class="runs-models" aria-label="Models">
            <table class="sets" aria-label="Passed by model">
                <thead>
                    <tr>
                        <th scope="col">"Case"</th>
                        {models.iter().map(head).collect_view()}
                    </tr>
                </thead>
                <tbody>{move || rows.iter().take(shown()).cloned().map(row).collect_view()}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row">"All cases"</th>
                        {totals.into_iter().map(total).collect_view()}
                    </tr>
                </tfoot>
            </table>
            {more}
        </section>
    }
    .into_any()
}
