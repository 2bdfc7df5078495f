//! [`SliderRange`]: the positions of a slider, and the steps of the arrow keys.
//!
//! Positions are integers; the number at each is computed in decimal, so that a step of 0.1 never
//! shows 0.30000000000000004. The typed text stays authoritative.

use json_text::Decimal;

use crate::bounds::Bounds;

/// With more positions than this, the steps become coarser.
const MAX_POSITIONS: i128 = 1_000;
/// There is no slider with steps so many times coarser, such as one up to 2^53: it could not select a
/// useful value.
const COARSEST: i128 = 1_000;

/// The numbers that a slider offers, from the least to the greatest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliderRange {
    low: i128,
    step: i128,
    /// Digits after the point.
    scale: u32,
    /// The last position; the first is 0.
    pub last: u32,
}

impl Bounds {
    /// The slider for these bounds, if both ends are given and the range is not too large.
    ///
    /// ```
    /// use json_text::JsonText;
    /// use schema_form::{FieldKind, Form};
    /// let schema = r#"{"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.1}"#;
    /// let form = Form::of_schema(&JsonText::parse(schema)?);
    /// let FieldKind::Number(bounds) = &form.root().field().kind else { panic!() };
    /// let range = bounds.range(false).ok_or("no range")?;
    /// assert_eq!((range.last, range.number_at(3)), (10, "0.3".to_owned()));
    /// assert_eq!(range.position_of("0.30"), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn range(&self, is_whole: bool) -> Option<SliderRange> {
        let (least, most) = (self.minimum.as_ref()?, self.maximum.as_ref()?);
        let (low, high) = (Decimal::parse(&least.number)?, Decimal::parse(&most.number)?);
        let given = self.multiple_of.as_deref().and_then(Decimal::parse);
        let given_scale = given.as_ref().map_or(0, Decimal::scale);
        let scale = low.scale().max(high.scale()).max(given_scale);
        // Without a step of its own a number moves in hundredths of its range.
        let scale = if is_whole { 0 } else { scale.max(u32::from(given.is_none()) * 2) };
        let (low, high) = (low.scaled(scale)?, high.scaled(scale)?);
        let unit = match given {
            Some(step) => step.scaled(scale)?,
            None if is_whole => 1,
            None => (high.checked_sub(low)? / 100).max(1),
        };
        if unit <= 0 || high <= low {
            return None;
        }
        let positions = high.checked_sub(low)? / unit;
        let coarser = (positions + MAX_POSITIONS - 1) / MAX_POSITIONS;
        if coarser > COARSEST {
            return None;
        }
        let step = unit.checked_mul(coarser.max(1))?;
        // Only multiples of the step are valid, wherever the range begins.
        let low = match self.multiple_of {
            Some(_) => low.checked_add((step - low.rem_euclid(step)) % step)?,
            None => low,
        };
        let low = if least.exclusive && self.at(low, scale) == Decimal::parse(&least.number) {
            low.checked_add(step)?
        } else {
            low
        };
        let span = high.checked_sub(low)? - i128::from(most.exclusive);
        let last = u32::try_from(span.div_euclid(step)).ok()?;
        (last > 0).then_some(SliderRange { low, step, scale, last })
    }

    fn at(&self, number: i128, scale: u32) -> Option<Decimal> {
        Decimal::parse(&written(number, scale))
    }

    /// The number `by` steps from `text`, for the arrow keys: a step is `multipleOf`, else 1. Where
    /// nothing is typed the steps go from `default`, as the slider's do; text other than a number
    /// starts at the lower end, else at 0. Limits stop it.
    #[must_use]
    pub fn stepped(&self, text: &str, default: Option<&str>, by: i32) -> Option<String> {
        let step = self.multiple_of.as_deref().and_then(Decimal::parse);
        let step = step.or_else(|| Decimal::parse("1"))?;
        let standing = Some(text.trim()).filter(|text| !text.is_empty()).or(default);
        let here = standing.and_then(Decimal::parse);
        let start = || {
            let least = self.minimum.as_ref().map(|limit| limit.number.as_str());
            Decimal::parse(least.unwrap_or("0"))
        };
        let (from, by) = match here {
            Some(here) => (here, by),
            None => (start()?, 0),
        };
        let scale = from.scale().max(step.scale());
        let moved = step.scaled(scale)?.checked_mul(by.into())?;
        let number = written(from.scaled(scale)?.checked_add(moved)?, scale);
        let limits = Self { multiple_of: None, ..self.clone() };
        let stops = crate::check::number(&limits, &number).is_empty();
        (stops && number != text).then_some(number)
    }
}

impl SliderRange {
    /// The JSON number at a position.
    #[must_use]
    pub fn number_at(&self, position: u32) -> String {
        written(self.low + self.step * i128::from(position.min(self.last)), self.scale)
    }

    /// The position nearest to a number; `None` when the text is none. Beyond the ends: the end.
    #[must_use]
    pub fn position_of(&self, text: &str) -> Option<u32> {
        let number = Decimal::parse(text.trim())?;
        let ends = [0, self.last].map(|end| Decimal::parse(&self.number_at(end)));
        if ends[0].as_ref().is_some_and(|low| number <= *low) {
            return Some(0);
        }
        if ends[1].as_ref().is_some_and(|high| number >= *high) {
            return Some(self.last);
        }
        let scale = number.scale().max(self.scale);
        let finer = 10_i128.checked_pow(scale - self.scale)?;
        let (low, step) = (self.low.checked_mul(finer)?, self.step.checked_mul(finer)?);
        let beyond = number.scaled(scale)?.checked_sub(low)?.checked_add(step / 2)?;
        u32::try_from(beyond / step).ok()
    }
}

/// `number` with `scale` digits after the point, without zeros at the end.
fn written(number: i128, scale: u32) -> String {
    let digits = number.unsigned_abs().to_string();
    let scale = scale as usize;
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    let sign = if number < 0 { "-" } else { "" };
    match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Limit;

    fn bounds(low: &str, high: &str, step: Option<&str>) -> Bounds {
        let limit = |number: &str| Some(Limit { number: number.into(), exclusive: false });
        Bounds { minimum: limit(low), maximum: limit(high), multiple_of: step.map(str::to_owned) }
    }

    #[test]
    fn positions_are_exact_numbers() {
        let range = bounds("0", "1", None).range(false).expect("a range");
        assert_eq!((range.last, range.number_at(30)), (100, "0.3".into()));
        let range = bounds("-5", "5", None).range(true).expect("a range");
        assert_eq!(
            (range.last, range.number_at(0), range.number_at(10)),
            (10, "-5".into(), "5".into())
        );
        let range = bounds("1", "10", Some("3")).range(true).expect("a range");
        assert_eq!(
            (0..=range.last).map(|at| range.number_at(at)).collect::<Vec<_>>(),
            ["3", "6", "9"]
        );
        let mut open = bounds("0", "3", None);
        open.minimum = Some(Limit { number: "0".into(), exclusive: true });
        open.maximum = Some(Limit { number: "3".into(), exclusive: true });
        let range = open.range(true).expect("a range");
        assert_eq!((range.number_at(0), range.number_at(range.last)), ("1".into(), "2".into()));
    }

    #[test]
    fn invalid_and_too_large_ranges_have_no_slider() {
        for (low, high) in [("1", "1"), ("2", "1"), ("0", "1e300"), ("1e-300", "1")] {
            assert_eq!(bounds(low, high, None).range(false), None, "{low} to {high}");
        }
        assert_eq!(Bounds::default().range(true), None);
        assert_eq!(bounds("1", "9007199254740992", None).range(true), None);
        let wide = bounds("0", "1000000", None).range(true).expect("a range");
        assert!(wide.last <= 1_000 && wide.number_at(wide.last) == "1000000");
    }

    #[test]
    fn a_number_is_at_its_nearest_position() {
        let range = bounds("0", "10", None).range(true).expect("a range");
        for (text, position) in
            [("3", Some(3)), ("3.6", Some(4)), ("-7", Some(0)), ("1e9", Some(10)), ("1e", None)]
        {
            assert_eq!(range.position_of(text), position, "{text}");
        }
    }

    #[test]
    fn arrow_keys_step_and_stop_at_the_ends() {
        let tenths = bounds("0", "1", Some("0.1"));
        assert_eq!(tenths.stepped("0.2", None, 1).as_deref(), Some("0.3"));
        assert_eq!(tenths.stepped("1", None, 1), None);
        assert_eq!(tenths.stepped("", None, 1).as_deref(), Some("0"));
        let whole = Bounds::default();
        let stepped = |text: &str, by| whole.stepped(text, None, by);
        assert_eq!(stepped("9007199254740993", -1).as_deref(), Some("9007199254740992"));
        assert_eq!(stepped("-", 1).as_deref(), Some("0"));
        assert_eq!(stepped("1e3", 1).as_deref(), Some("1001"));
    }

    #[test]
    fn steps_go_from_the_default_where_nothing_is_typed() {
        let bounds = bounds("0", "5", None);
        assert_eq!(bounds.stepped("", Some("3"), 1).as_deref(), Some("4"));
        assert_eq!(bounds.stepped(" ", Some("3"), -1).as_deref(), Some("2"));
        assert_eq!(bounds.stepped("1", Some("3"), 1).as_deref(), Some("2"));
        assert_eq!(bounds.stepped("-", Some("3"), 1).as_deref(), Some("0"), "typed, so no default");
        assert_eq!(bounds.stepped("", Some("5"), 1), None, "the limit stops it");
        assert_eq!(bounds.stepped("", Some("null"), 1).as_deref(), Some("0"));
    }
}
