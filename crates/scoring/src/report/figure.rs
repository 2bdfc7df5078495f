//! Scores for people, with three decimals. They are cut, so that a score never looks higher.

/// Three decimals always.
///
/// ```
/// use scoring::report::{figure, short_figure};
/// assert_eq!((figure(0.7996), short_figure(0.7996)), ("0.799".to_owned(), "0.799".to_owned()));
/// assert_eq!((figure(0.8), short_figure(0.8)), ("0.800".to_owned(), "0.8".to_owned()));
/// ```
#[must_use]
pub fn figure(score: f64) -> String {
    format!("{:.3}", cut(score))
}

/// Three decimals at most.
#[must_use]
pub fn short_figure(score: f64) -> String {
    format!("{}", cut(score))
}

fn cut(score: f64) -> f64 {
    // A score with three decimals must not lose the last one in the multiplication.
    let rounded = (score * 1000.0).round() / 1000.0;
    if (rounded - score).abs() < 1e-12 { rounded } else { (score * 1000.0).floor() / 1000.0 }
}
