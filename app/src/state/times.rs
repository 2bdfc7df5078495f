//! Times as people read them.

/// How long a call took: `4 ms`, `1.24 s`, `2 min 3 s`.
#[must_use]
pub fn took(milliseconds: f64) -> String {
    if milliseconds < 0.95 {
        "<1 ms".to_owned()
    } else if milliseconds < 999.5 {
        format!("{milliseconds:.0} ms")
    } else if milliseconds < 59_995.0 {
        format!("{:.2} s", milliseconds / 1000.0)
    } else {
        let seconds = whole_seconds(milliseconds);
        format!("{} min {} s", seconds / 60, seconds % 60)
    }
}

/// A running stopwatch: `0:03.4`.
#[must_use]
pub fn stopwatch(milliseconds: i64) -> String {
    let tenths = milliseconds.max(0) / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// How long a session has been under way: `1:42`, `1:02:03`.
#[must_use]
pub fn elapsed(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// How long ago: `now`, `12 s ago`, `3 min ago`, `2 h ago`.
#[must_use]
pub fn ago(milliseconds: i64) -> String {
    match milliseconds.max(0) / 1000 {
        0..=4 => "now".to_owned(),
        seconds @ 5..=59 => format!("{seconds} s ago"),
        seconds @ 60..=3599 => format!("{} min ago", seconds / 60),
        seconds @ 3600..=172_799 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// A number of bytes: `812 bytes`, `256 KB`, `5.2 MB`. A kilobyte has 1000.
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..=999 => format!("{bytes} bytes"),
        1_000..=999_499 => format!("{} KB", (bytes + 500) / 1000),
        _ => format!("{}.{} MB", (bytes + 50_000) / 1_000_000, (bytes + 50_000) / 100_000 % 10),
    }
}

/// `1 entry`, `2 entries`: the number with the word in its right form.
#[must_use]
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A count with its thousands apart: `4,000,000`.
#[must_use]
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An amount of something in few characters: `3`, `33.333`, `1.5e12`, `1e308`.
#[must_use]
pub fn amount(number: f64) -> String {
    let magnitude = number.abs();
    let is_plain = number == 0.0 || (1e-3..1e9).contains(&magnitude);
    let (text, exponent) = match is_plain {
        true => (format!("{number:.3}"), String::new()),
        false => {
            let text = format!("{number:.3e}");
            match text.split_once('e') {
                Some((digits, exponent)) => (digits.to_owned(), format!("e{exponent}")),
                None => (text, String::new()),
            }
        }
    };
    let digits = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{digits}{exponent}")
}

#[expect(clippy::cast_possible_truncation, reason = "a duration in seconds fits an i64")]
fn whole_seconds(milliseconds: f64) -> i64 {
    (milliseconds / 1000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (3.0, "3"),
            (100.0 / 3.0, "33.333"),
            (0.1 + 0.2, "0.3"),
            (-2.5, "-2.5"),
            (100_000.0, "100000"),
            (1_234_567_890.0, "1.235e9"),
            (1e308, "1e308"),
            (-1.5e-7, "-1.5e-7"),
            (999_999_999.999_9, "1000000000"),
        ] {
            assert_eq!(amount(number), text, "{number}");
        }
    }

    #[test]
    fn durations_have_a_suitable_unit() {
        for (milliseconds, text) in [
            (0.03, "<1 ms"),
            (4.2, "4 ms"),
            (999.4, "999 ms"),
            (1240.0, "1.24 s"),
            (123_000.0, "2 min 3 s"),
        ] {
            assert_eq!(took(milliseconds), text);
        }
    }

    #[test]
    fn clocks_carry_over() {
        assert_eq!(stopwatch(3_449), "0:03.4");
        assert_eq!(stopwatch(61_000), "1:01.0");
        assert_eq!(stopwatch(-5), "0:00.0");
        assert_eq!(elapsed(102_999), "1:42");
        assert_eq!(elapsed(3_723_000), "1:02:03");
    }

    #[test]
    fn ages_and_sizes_round() {
        assert_eq!(ago(2_000), "now");
        assert_eq!(ago(59_999), "59 s ago");
        assert_eq!(ago(3_600_000), "1 h ago");
        assert_eq!(ago(172_799_000), "47 h ago");
        assert_eq!(ago(31_536_000_000), "365 days ago");
        assert_eq!(size(812), "812 bytes");
        assert_eq!(size(262_144), "262 KB");
        assert_eq!(size(5_242_880), "5.2 MB");
        assert_eq!(size(999_999), "1.0 MB");
        assert_eq!([0, 999, 1_000, 4_000_000].map(grouped), ["0", "999", "1,000", "4,000,000"]);
    }
}
