//! The distribution of each criterion's scores, as bars.

use leptos::prelude::*;
use report_view::{Bar, Distribution, Report};

use crate::reports::state::report_state::{ReportState, Shared};
use app::state::excerpt::visible_name;
use app::state::times::counted;

/// How high the bars are, in units of the picture.
const HEIGHT: f64 = 36.0;
/// How wide a bar is with the gap behind it.
const STEP: f64 = 10.0;

/// A figure for each criterion of the report.
#[component]
pub(super) fn ScoreDistributions(
    /// The report.
    report_state: ReportState,
    /// Read.
    report: Shared<Report>,
) -> impl IntoView {
    let (scored, unscored): (Vec<usize>, Vec<usize>) =
        (0..report.criteria.len()).partition(|criterion| report.is_scored(*criterion));
    let unscored: Vec<String> =
        unscored.iter().filter_map(|criterion| report.criteria.get(*criterion).cloned()).collect();
    let nowhere = (!unscored.is_empty()).then(|| {
        let names = unscored.iter().map(|name| view! { <code>{visible_name(name)}</code> " " });
        view! {
            <section class="report-nowhere">
                <h2>"Unscored in every case"</h2>
                <p>{names.collect_view()}</p>
            </section>
        }
    });
    let figures = scored.into_iter().map(|criterion| {
        let spread = Distribution::of(&report, criterion);
        let before = {
            let report = report.clone();
            move || {
                let since = report_state.since.get()?;
                let name = report.criteria.get(criterion)?;
                since.baseline.summary.criterion_stats.get(name)?.avg_score
            }
        };
        figure(&report, criterion, &spread, before)
    });
    view! { <div class="report-spreads" role="group" aria-label="Scores by criterion" tabindex="0">{figures.collect_view()} {nowhere}</div> }
}

fn figure(
    report: &Report,
    criterion: usize,
    spread: &Distribution,
    before: impl Fn() -> Option<f64> + Send + Sync + 'static,
) -> AnyView {
    let name = report.criteria.get(criterion).cloned().unwrap_or_default();
    let Some(stats) = report.summary.criterion_stats.get(&name) else { return ().into_any() };
    let (mean, passed, scored) = (stats.avg_score, stats.passed, stats.avg_score_cases);
    let unscored = spread.unscored;
    let name = visible_name(&name);
    let most = spread.most().max(1);
    let bars = spread.bars.iter().enumerate().map(|(place, bar)| drawn(place, *bar, most));
    let threshold = spread.threshold.map(|threshold| {
        let x = (threshold.clamp(0.0, 1.0) * STEP * 20.0).to_string();
        view! { <line class="report-threshold" x1=x.clone() x2=x y1="0" y2=HEIGHT.to_string()></line> }
    });
    let label = match mean {
        Some(mean) => format!(
            "{name}: {passed} of {} passed. Mean {}. {unscored} unscored.",
            counted(scored, "scored case", "scored cases"),
            report_view::figure(mean)
        ),
        None => format!("{name}: no case is scored"),
    };
    let mean_text = mean.map_or_else(|| "–".to_owned(), report_view::figure);
    let moved = move || {
        let by = mean? - before()?;
        let class = if by < 0.0 { "report-worse" } else { "report-better" };
        Some(view! { <span class=class>{signed(by)?}</span> })
    };
    view! {
        <figure class="report-spread">
            <figcaption>
                <span class="report-criterion" title=name>{name.clone()}</span>
                <span class="report-mean" title=format!("Mean score of {}", counted(scored, "case", "cases"))>{mean_text} {moved}</span>
            </figcaption>
            <svg viewBox=format!("0 0 {} {}", STEP * 20.0, HEIGHT + 1.0) preserveAspectRatio="none" role="img" aria-label=label>
                <line class="report-ground" x1="0" x2=(STEP * 20.0).to_string() y1=(HEIGHT + 0.5).to_string() y2=(HEIGHT + 0.5).to_string()></line>
                {bars.collect_view()}
                {threshold}
            </svg>
            <p class="report-legend">
                <span>"0"</span>
                <span>
                    {format!("{passed} of {scored} passed")}
                    {(unscored > 0).then(|| view! { <span class="report-unscored">{format!(" · {unscored} unscored")}</span> })}
                </span>
                <span>"1"</span>
            </p>
        </figure>
    }
    .into_any()
}

/// A change of a score: `+0.120`, `−0.200`; `None` if it is too small to be shown.
pub(super) fn signed(by: f64) -> Option<String> {
    let sign = if by < 0.0 { "−" } else { "+" };
    let size = report_view::figure(by.abs());
    (size != report_view::figure(0.0)).then(|| format!("{sign}{size}"))
}

#[expect(clippy::cast_precision_loss, reason = "no report has 2^53 cases")]
fn drawn(place: usize, bar: Bar, most: usize) -> AnyView {
    let high = |cases: usize| {
        // One case among thousands is still seen.
        if cases == 0 { 0.0 } else { (cases as f64 / most as f64 * HEIGHT).max(1.5) }
    };
    let (failed, passed) = (high(bar.failed), high(bar.passed));
    let x = (place as f64 * STEP + 0.5).to_string();
    let part = |class: &'static str, top: f64, height: f64| {
        (height > 0.0).then(|| {
            view! { <rect class=class x=x.clone() width=(STEP - 1.0).to_string() y=top.to_string() height=height.to_string()></rect> }
        })
    };
    view! {
        {part("report-bar bad", HEIGHT - failed, failed)}
        {part("report-bar ok", (HEIGHT - failed - passed).max(0.0), passed)}
    }
    .into_any()
}
