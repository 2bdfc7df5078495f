//! Numbers and strings.

use serde_json::{Number, Value, json};

use super::layers::{Layers, each};
use super::{Generator, MAX_NODES};
use crate::{pattern, text};

impl Generator<'_> {
    pub(super) fn number(&mut self, layers: &Layers<'_>, whole: bool) -> Option<Value> {
        let bound = |keywords: [&'static str; 2]| {
            keywords.into_iter().flat_map(move |keyword| {
                each(layers, keyword).filter_map(Value::as_f64).map(move |it| (it, keyword))
            })
        };
        let exclusive = |keyword: &str| keyword.starts_with("exclusive");
        let least = bound(["minimum", "exclusiveMinimum"]).max_by(|a, b| a.0.total_cmp(&b.0));
        let most = bound(["maximum", "exclusiveMaximum"]).min_by(|a, b| a.0.total_cmp(&b.0));
        let step = each(layers, "multipleOf").filter_map(Value::as_f64).find(|step| *step > 0.0);
        let step = step.unwrap_or(if whole { 1.0 } else { 0.25 });
        let (low, high) = match (least, most) {
            (Some((low, _)), Some((high, _))) => (low, high),
            (Some((low, _)), None) => (low, low + 100.0 * step),
            (None, Some((high, _))) => (high - 100.0 * step, high),
            (None, None) if self.random.one_in(8) => {
                let far = [json!(9_007_199_254_740_993_i64), json!(-1), json!(1e21), json!(1e-7)];
                let end = if whole { 2 } else { far.len() };
                return far.get(self.random.below(end)).cloned();
            }
            (None, None) => (-20.0 * step, 100.0 * step),
        };
        let mut first = (low / step).ceil();
        if least.is_some_and(|(low, keyword)| exclusive(keyword) && first * step <= low) {
            first += 1.0;
        }
        let mut last = (high / step).floor();
        if most.is_some_and(|(high, keyword)| exclusive(keyword) && last * step >= high) {
            last -= 1.0;
        }
        if first > last {
            // No multiple in range: take the middle, valid without `multipleOf`.
            return Number::from_f64(low.midpoint(high)).map(Value::Number);
        }
        let span = (last - first).min(1e6);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the span lies between 0 and a million"
        )]
        let place = match self.random.below(4) {
            0 => 0.0,
            1 => last - first,
            _ => self.random.below(span as usize + 1) as f64,
        };
        number_of((first + place) * step)
    }

    pub(super) fn string(&mut self, layers: &Layers<'_>) -> String {
        let count = |keyword| each(layers, keyword).filter_map(Value::as_u64);
        let text_of = |keyword| each(layers, keyword).find_map(Value::as_str);
        let least = count("minLength").max().unwrap_or(0).min(MAX_NODES as u64);
        let most = count("maxLength").min();
        let pattern = text_of("pattern");
        let mut generated = pattern
            .and_then(|pattern| text::text_matching(pattern, &mut self.random))
            .or_else(|| text::text_of_format(text_of("format")?, &mut self.random))
            .unwrap_or_else(|| text::word(&mut self.random));
        if let Some(pattern) = pattern {
            generated = extended(generated, pattern, least);
        } else {
            while (generated.chars().count() as u64) < least {
                generated += if generated.is_empty() { "tea" } else { " and more" };
            }
            if let Some(most) = most {
                generated =
                    generated.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect();
            }
        }
        generated
    }
}

/// `generated` extended to `least` characters if its pattern allows.
fn extended(generated: String, pattern: &str, least: u64) -> String {
    let short = least.saturating_sub(generated.chars().count() as u64);
    if short == 0 {
        return generated;
    }
    let last: String = generated.chars().last().into_iter().collect();
    let longer = [last.as_str(), "a", "0", " "].map(|more| {
        let more = more.repeat(usize::try_from(short).unwrap_or(0));
        [format!("{generated}{more}"), format!("{more}{generated}")]
    });
    longer.into_iter().flatten().find(|text| pattern::matches(pattern, text)).unwrap_or(generated)
}

/// The number as an integer if it is whole: `5`, not `5.0`.
fn number_of(value: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and within an i64's reach")]
    if value.fract() == 0.0 && value.abs() < 9e18 {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}
