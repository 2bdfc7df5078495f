//! Whether values that are generated from the schema pass through the form unchanged and valid.

use json_text::JsonText;
use schema_check::{Check, values};
use schema_form::{Content, Entered, FieldKind, Form, Slot};
use serde_json::{Value, json};

use crate::contradictions::Subject;
use crate::schema_values::short;
use crate::sub_schema::SubSchemas;
use crate::{Report, RoundTrip, Rule, drafts};

/// How many values are tried.
const TRIED: usize = 12;

pub(crate) fn check(subject: &Subject<'_, '_>, check: &Check, form: &Form, report: &mut Report) {
    let base = subject.base;
    let made = values(subject.text, check, TRIED);
    report.values = RoundTrip { made: made.len(), survived: 0 };
    if made.is_empty() && !report.has_error_within("") {
        let why = why(subject.places, base);
        report.find(Rule::NoValueFound, base, format!("No valid arguments were found: {why}"));
    }
    for value in &made {
        let Ok(before) = value.to_value() else { continue };
        let draft = form.fill(value);
        let reading = draft.read(form);
        let lost = match reading.json().map(JsonText::to_value) {
            Some(Ok(after)) if after == before && check.admits(&after) => None,
            Some(Ok(after)) => Some(format!("becomes {} in the form", short(&after))),
            _ => {
                let message = reading.messages().first();
                let place = message.map(|message| draft.name(form, &message.path));
                let text = message.map_or("", |message| message.text.as_str());
                Some(format!("is rejected by the form at `{}`: {text}", place.unwrap_or_default()))
            }
        };
        match lost {
            None => report.values.survived += 1,
            // One such value is enough.
            Some(_) if report.findings.iter().any(|finding| finding.rule == Rule::ValueLost) => {}
            Some(how) => {
                let message = format!("The valid value {} {how}", short(&before));
                report.find(Rule::ValueLost, base, message);
            }
        }
        if let Some(entered) = draft.at(&schema_form::Path::root())
            && let Some((name, text)) = in_json_mode(form.root(), entered, String::new())
        {
            let shown = JsonText::parse(&text).ok().and_then(|text| text.to_value().ok());
            let message = format!(
                "No widget can express {} at `{name}`: it has to be written in JSON mode.",
                short(&shown.unwrap_or(Value::String(text)))
            );
            let known = |finding: &crate::Finding| finding.rule == Rule::JsonModeOnly;
            if !report.findings.iter().any(known) {
                report.find(Rule::JsonModeOnly, base, message);
            }
        }
    }
}

/// The likely reason why no value was found at or below `pointer`, and the remedy.
pub(crate) fn why(places: &SubSchemas<'_>, pointer: &str) -> String {
    let draft_hint = drafts::hint(places, pointer);
    let mut within = places.all.iter().filter(|place| place.is_within(pointer));
    let unmatched = within.find_map(|place| {
        let pattern = place.get(&["pattern"])?.as_str()?;
        let alone = JsonText::from_value(&json!({"type": "string", "pattern": pattern}));
        let check = Check::of(&alone).ok()?;
        values(&alone, &check, 1).is_empty().then(|| (place.at("pattern"), pattern))
    });
    match unmatched {
        Some((at, pattern)) => format!(
            "no string was found that matches the pattern `{pattern}` (`{at}`). Simplify it, or add \
             `examples`.{draft_hint}"
        ),
        None => {
            format!("look for contradictory constraints, or add `examples`.{draft_hint}")
        }
    }
}

/// The first place that took JSON text although its schema has a widget.
fn in_json_mode(slot: &Slot, entered: &Entered, name: String) -> Option<(String, String)> {
    let shape = slot.shaped_for(entered);
    let field = shape.field();
    match (entered.sent()?, &field.kind) {
        (Content::Json { .. }, FieldKind::Json(_)) => None,
        (Content::Json { text, .. }, _) => Some((name, text.clone())),
        (Content::Object { members, entries, .. }, FieldKind::Object(object)) => {
            let named = object
                .members
                .iter()
                .zip(members)
                .map(|(slot, entered)| (slot.clone(), entered, slot.key().to_owned()));
            let extra = entries.iter().filter_map(|entry| {
                let slot = object.entry(entry.name.as_deref())?;
                Some((slot, &entry.entered, entry.name.clone().unwrap_or_default()))
            });
            named.chain(extra).find_map(|(slot, entered, key)| {
                let name = if name.is_empty() { key } else { format!("{name}.{key}") };
                in_json_mode(&slot, entered, name)
            })
        }
        (Content::List(items), FieldKind::List(list)) => {
            items.iter().enumerate().find_map(|(index, item)| {
                in_json_mode(list.item(index)?, &item.entered, format!("{name}[{index}]"))
            })
        }
        (Content::Union { branch, visited }, FieldKind::Union(branches)) => {
            let (_, entered) = visited.iter().find(|(at, _)| at == branch)?;
            in_json_mode(&branches.get(*branch)?.slot, entered, name)
        }
        _ => None,
    }
}
