//! Suggestions for mistyped names.

/// Names the nearest of `known`, or all of them when none is near.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let distance = |candidate: &str| {
        strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase())
    };
    let best = known.iter().copied().min_by_key(|candidate| distance(candidate));
    match best {
        Some(best) if distance(best) <= best.len().max(name.len()).div_ceil(3) => {
            format!("did you mean {best}?")
        }
        None => "there are none".to_owned(),
        Some(_) => format!("known are {}", known.join(", ")),
    }
}
