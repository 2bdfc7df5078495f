//! [`places`]: where a text stands in a file that is not Python.

use super::Found;

/// The places of a text: the whole file, a value in JSON or YAML, or a block of lines in YAML.
pub(super) fn places(text: &str, own: &str, new: &str, is_yaml: bool) -> Vec<Found> {
    let wanted = own.trim();
    if text.trim() == wanted {
        let begin = text.len() - text.trim_start().len();
        let place = begin..begin + wanted.len();
        return vec![Found { place, replacement: new.trim().to_owned() }];
    }
    let quoted = serde_json::Value::from(new).to_string();
    let json = serde_json::Value::from(own).to_string();
    let found = text
        .match_indices(&json)
        .map(|(at, _)| Found { place: at..at + json.len(), replacement: quoted.clone() });
    let mut found: Vec<Found> = found.collect();
    if is_yaml {
        let mut begin = 0;
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            lines.push((begin, line.trim_end_matches(['\n', '\r'])));
            begin += line.len();
        }
        found.extend(values(&lines, wanted, &quoted));
        found.extend(blocks(&lines, wanted, new.trim()));
    }
    found
}

/// Values on a line, without quotes or with single ones.
fn values(lines: &[(usize, &str)], wanted: &str, quoted: &str) -> Vec<Found> {
    let single = format!("'{}'", wanted.replace('\'', "''"));
    let found = lines.iter().filter_map(|(begin, line)| {
        let (key, value) = line.split_once(": ")?;
        let value = value.trim();
        if value != wanted && value != single {
            return None;
        }
        let at = begin + key.len() + 2 + line[key.len() + 2..].find(value)?;
        Some(Found { place: at..at + value.len(), replacement: quoted.to_owned() })
    });
    found.collect()
}

/// Blocks of lines below a `|`.
fn blocks(lines: &[(usize, &str)], wanted: &str, new: &str) -> Vec<Found> {
    let height = wanted.lines().count();
    let found = lines.windows(height + 1).filter_map(|window| {
        let (head, block) = window.split_first()?;
        let head = head.1.trim_end_matches(['-', '+']);
        if !head.ends_with('|') {
            return None;
        }
        let (begin, first) = block.first()?;
        let indent = first.get(..first.len() - first.trim_start().len())?;
        let is_it = block
            .iter()
            .zip(wanted.lines())
            .all(|((_, line), wanted)| line.strip_prefix(indent).unwrap_or(line.trim()) == wanted);
        let (last, text) = block.last()?;
        let lines = new.lines().map(|line| match line.is_empty() {
            true => String::new(),
            false => format!("{indent}{line}"),
        });
        let replacement = lines.collect::<Vec<_>>().join("\n");
        (is_it && !indent.is_empty())
            .then(|| Found { place: *begin..last + text.len(), replacement })
    });
    // A longer block only begins so.
    let goes_on = |found: &Found| {
        let end = found.place.end;
        let next = lines.iter().find(|(begin, line)| *begin > end && !line.trim().is_empty());
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = lines.iter().find(|(begin, _)| *begin == found.place.start);
        next.zip(own).is_some_and(|(next, own)| indent(next.1) >= indent(own.1))
    };
    found.filter(|found| !goes_on(found)).collect()
}
