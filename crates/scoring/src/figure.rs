//! Scores for people, rounded to three decimals.

/// Three decimals always.
///
/// ```
/// use scoring::report::{figure, short_figure};
/// assert_eq!((figure(0.7996), short_figure(0.7996)), ("0.800".to_owned(), "0.8".to_owned()));
/// assert_eq!((figure(0.25), short_figure(0.25)), ("0.250".to_owned(), "0.25".to_owned()));
/// ```
#[must_use]
pub fn figure(score: f64) -> String {
    format!("{score:.3}")
}

/// Three decimals at most.
#[must_use]
pub fn short_figure(score: f64) -> String {
    format!("{}", rounded(score, 3))
}

/// A score with its threshold, with as many decimals as tell them apart.
///
/// ```
/// use scoring::report::figures_apart;
/// assert_eq!(figures_apart(0.5, 0.8), ("0.5".to_owned(), "0.8".to_owned()));
/// assert_eq!(figures_apart(0.79996, 0.8), ("0.79996".to_owned(), "0.8".to_owned()));
/// ```
#[must_use]
pub fn figures_apart(score: f64, threshold: f64) -> (String, String) {
    let at = |decimals| (rounded(score, decimals), rounded(threshold, decimals));
    let is_same = |(score, threshold): &(f64, f64)| (score - threshold).abs() < f64::EPSILON;
    let (score, threshold) =
        (3..=15).map(at).find(|figures| !is_same(figures)).unwrap_or_else(|| at(3));
    (format!("{score}"), format!("{threshold}"))
}

fn rounded(score: f64, decimals: i32) -> f64 {
    let times = 10_f64.powi(decimals);
    (score * times).round() / times
}
