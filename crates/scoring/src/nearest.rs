//! Suggestions for mistyped names.

/// Names the nearest of `known`, or all of them when none is near.
#[must_use]
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match closest(name, &known) {
        Some((best, distance)) if distance <= best.len().max(name.len()).div_ceil(3) => {
            format!("did you mean {best}?")
        }
        None => "there are none".to_owned(),
        Some(_) => format!("known are {}", known.join(", ")),
    }
}

/// The one of `known` that a mistyped name means, if it differs in less than a quarter of its letters. A name
/// that differs in more may be another program's.
#[must_use]
pub fn meant<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let known: Vec<&str> = known.into_iter().collect();
    let (best, distance) = closest(name, &known)?;
    (distance <= (best.len() / 4).max(1)).then_some(best)
}

fn closest<'n>(name: &str, known: &[&'n str]) -> Option<(&'n str, usize)> {
    let plain = |text: &str| text.to_lowercase().replace(['-', ' ', '_'], "");
    let name = plain(name);
    let distances =
        known.iter().map(|known| (*known, strsim::damerau_levenshtein(&name, &plain(known))));
    distances.min_by_key(|(_, distance)| *distance)
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
        assert_eq!(meant("treshold", known), Some("threshold"));
        assert_eq!(meant("matchType", known), Some("match_type"));
        assert_eq!(meant("min", ["max"]), None);
        assert_eq!(meant("comment", ["combine", "content"]), None);
    }
}
