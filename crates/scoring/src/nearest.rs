//! Suggestions for mistyped names.

/// Names the nearest of `known`, or all of them when none is near.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let plain = |text: &str| text.to_lowercase().replace(['-', ' ', '_'], "");
    let distance = |candidate: &str| strsim::damerau_levenshtein(&plain(name), &plain(candidate));
    let best = known.iter().copied().min_by_key(|candidate| distance(candidate));
    match best {
        Some(best) if distance(best) <= best.len().max(name.len()).div_ceil(3) => {
            format!("did you mean {best}?")
        }
        _ => format!("known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_suggested() {
        let known = ["match_type", "threshold"];
        assert_eq!(nearest("matchtype", known), "did you mean match_type?");
        assert_eq!(nearest("treshold", known), "did you mean threshold?");
        assert_eq!(nearest("zzz", known), "known are match_type, threshold");
    }
}
