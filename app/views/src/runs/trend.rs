//! The pass rates of a suite over its runs, as small bars.

use api::{RunCounts, RunSummary};
use leptos::prelude::*;

use super::head::Suites;
use super::state::list::{Trend, share_text};
use crate::shared::run_address::run_address;

/// How high the bars are, in units of the picture.
const HEIGHT: f64 = 28.0;
/// How wide a bar is with the gap behind it.
const STEP: f64 = 7.0;
/// A picture has room for at least so many bars.
const ROOM: usize = 20;

/// The trend of each suite with several runs.
#[component]
pub(super) fn Trends(
    /// The trends.
    trends: Vec<Trend>,
) -> impl IntoView {
    let trend = |trend: Trend| {
        let bars = trend.runs.iter().enumerate().map(|(place, run)| bar(place, run.counts));
        let width = STEP * columns(trend.runs.len().max(ROOM));
        let latest = trend.runs.last().map(latest);
        view! {
            <figure class="runs-trend">
                <figcaption>
                    <span class="runs-suites"><Suites suites=trend.suites.clone()/></span>
                    {latest}
                </figcaption>
                <svg viewBox=format!("0 0 {width} {}", HEIGHT + 1.0) preserveAspectRatio="none" role="img" aria-label=trend.label()>
                    {bars.collect_view()}
                    <line class="report-ground" x1="0" x2=width.to_string() y1=(HEIGHT + 0.5).to_string() y2=(HEIGHT + 0.5).to_string()></line>
                </svg>
            </figure>
        }
    };
    view! {
        <section class="runs-trends" aria-label="Trends">
            {trends.into_iter().map(trend).collect_view()}
        </section>
    }
}

fn latest(run: &RunSummary) -> AnyView {
    view! { <a class="link" href=run_address(run.run) title="Latest run">{share_text(run)}</a> }
        .into_any()
}

#[expect(clippy::cast_precision_loss, reason = "few bars")]
fn columns(count: usize) -> f64 {
    count as f64
}

/// A bar: what passed at the bottom, what did not above, unscored results at the top.
#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 results")]
fn bar(place: usize, counts: RunCounts) -> AnyView {
    let all = counts.all().max(1) as f64;
    let failed = counts.failed + counts.terminated + counts.errors;
    let high = |results: u64| results as f64 / all * HEIGHT;
    let (ok, bad, none) = (high(counts.passed), high(failed), high(counts.unscored));
    let x = (columns(place) * STEP).to_string();
    let part = |class: &'static str, top: f64, height: f64| {
        (height > 0.0).then(|| {
            view! { <rect class=class x=x.clone() width=(STEP - 2.0).to_string() y=top.to_string() height=height.to_string()></rect> }
        })
    };
    view! {
        {part("report-bar ok", HEIGHT - ok, ok)}
        {part("runs-bar bad", HEIGHT - ok - bad, bad)}
        {part("runs-bar none", HEIGHT - ok - bad - none, none)}
    }
    .into_any()
}
