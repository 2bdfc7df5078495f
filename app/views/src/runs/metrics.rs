//! The metrics of a result: a cell of the table, and the list with their evidence.

use api::MetricSummary;
use leptos::prelude::*;
use report_view::figure;

use app::state::excerpt::{visible_name, visible_text};

/// The verdict of a metric: its class, and its score or its word.
fn shown(metric: &MetricSummary) -> (&'static str, String) {
    let (class, word) = match metric.passed {
        Some(true) => ("", "passed"),
        Some(false) => ("bad", "failed"),
        None => ("unscored", "unscored"),
    };
    let text = metric.score.filter(|_| metric.passed.is_some());
    (class, text.map_or_else(|| word.to_owned(), figure))
}

/// The cell of a metric.
pub(super) fn metric_cell(metric: Option<&MetricSummary>) -> AnyView {
    match metric.map(shown) {
        Some((class, text)) => {
            view! { <td class=format!("figure runs-metric {class}")>{text}</td> }.into_any()
        }
        None => view! { <td class="figure quiet">"–"</td> }.into_any(),
    }
}

/// The cell of all metrics: those that did not pass, by their names.
pub(super) fn metrics_cell(metrics: &[MetricSummary]) -> AnyView {
    let open: Vec<String> = metrics
        .iter()
        .filter(|metric| metric.passed != Some(true))
        .map(|metric| format!("{} {}", visible_name(&metric.name), shown(metric).1))
        .collect();
    let passed = metrics.len() - open.len();
    let text = match open.is_empty() {
        true => format!("{passed} passed"),
        false => format!("{passed} of {} passed · {}", metrics.len(), open.join(" · ")),
    };
    view! { <td title=text>{text.clone()}</td> }.into_any()
}

/// The metrics of a result with their evidence, those that failed first.
#[component]
pub(super) fn Metrics(
    /// The metrics.
    metrics: Vec<MetricSummary>,
) -> impl IntoView {
    let mut ordered = metrics;
    ordered.sort_by_key(|metric| match metric.passed {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    });
    let line = |metric: MetricSummary| {
        let (_, text) = shown(&metric);
        let (is_good, is_bad) = (metric.passed == Some(true), metric.passed == Some(false));
        let evidence = metric
            .evidence
            .into_iter()
            .map(|line| view! { <li dir="auto">{visible_text(&line)}</li> });
        view! {
            <li class="report-score" class:good=is_good class:bad=is_bad>
                <b>{text}</b>
                <p><code>{visible_name(&metric.name)}</code></p>
                <ul class="why">{evidence.collect_view()}</ul>
            </li>
        }
    };
    (!ordered.is_empty()).then(|| {
        view! {
            <ul class="report-scores runs-metrics" aria-label="Metrics">
                {ordered.into_iter().map(line).collect_view()}
            </ul>
        }
    })
}
