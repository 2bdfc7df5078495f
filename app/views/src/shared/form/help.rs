//! The help under a field: its title, description, limits and examples.

use json_text::JsonText;
use leptos::prelude::*;
use schema_form::{Bounds, Edit, Field, FieldKind, ListField};

use super::field_handle::FieldHandle;
use crate::shared::markdown::Markdown;
use crate::shared::state::markdown::{Node, Part, markdown};
use app::state::excerpt::{visible_name, visible_text};

/// How many examples are shown at once.
const EXAMPLES: usize = 3;

/// Description, limits, examples.
pub(super) fn help(place: &FieldHandle) -> AnyView {
    help_beside(place, place.slot.key())
}

/// As [`help`], for a field that is labeled `label`.
pub(super) fn help_beside(place: &FieldHandle, label: &str) -> AnyView {
    let field = place.field();
    let title = field.title.as_deref().filter(|title| says_more(title, label));
    let description = field.description.as_deref().map(str::trim).unwrap_or_default();
    let mut notes: Vec<&str> = Vec::new();
    if field.deprecated {
        notes.push("Deprecated");
    }
    if field.read_only {
        notes.push("Read-only: set by the tool");
    }
    let limits = limits(field);
    let mut examples: Vec<_> = field
        .examples
        .iter()
        .map(|example| {
            let (place, value) = (place.clone(), example.clone());
            view! {
                // A space instead of a margin: it disappears at the beginning of a line.
                " "
                <button
                    type="button"
                    class="example"
                    title="Fill in this example"
                    // The field keeps the focus: losing it could show a fault, which moves the button.
                    on:mousedown=|event| event.prevent_default()
                    on:click=move |_| {
                        place.edit(Edit::Fill(value.clone()));
                    }
                >
                    {visible_name(&shown(example.as_str()))}
                </button>
            }
        })
        .collect();
    let others = examples.split_off(examples.len().min(EXAMPLES));
    let others = (!others.is_empty()).then(|| {
        let count = others.len();
        view! {
            " "
            <details class="more-examples">
                <summary>{format!("{count} more")}</summary>
                {others}
            </details>
        }
    });
    if title.is_none()
        && description.is_empty()
        && notes.is_empty()
        && limits.is_empty()
        && examples.is_empty()
    {
        return ().into_any();
    }
    view! {
        <div class="field-help" id=place.part_id("help")>
            {title.map(|title| view! { <b class="field-title">{visible_name(title)}</b> " " })}
            {described(description)}
            {notes.into_iter().map(|note| view! { " " <i class="field-note">{note}</i> }).collect_view()}
            {(!limits.is_empty()).then(|| view! { " " <span class="limits">{visible_name(&limits)}</span> })}
            {examples}
            {others}
        </div>
    }
    .into_any()
}

/// Whether a title differs from the name beside it: generators repeat the name.
fn says_more(title: &str, key: &str) -> bool {
    let letters = |text: &str| {
        text.chars()
            .filter(|letter| letter.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    letters(title) != letters(key)
}

/// An example as it fits on a button.
fn shown(example: &str) -> String {
    let mut shown: String = example.chars().take(60).collect();
    if shown.len() < example.len() {
        shown.push('…');
    }
    shown
}

/// A description, drawn as Markdown, or as plain text where that is enough.
fn described(text: &str) -> AnyView {
    if text.is_empty() {
        return ().into_any();
    }
    const MARKS: [char; 10] = ['*', '_', '`', '[', '<', '#', '>', '|', '~', '&'];
    if !text.contains(MARKS) && !text.contains('\n') {
        return view! { <span class="described">{visible_text(text)}</span> }.into_any();
    }
    let mut nodes = markdown(text, &[], "").nodes;
    // A single paragraph continues with what follows it.
    if let [Node::Part(Part::Paragraph, words)] = nodes.as_mut_slice() {
        nodes = std::mem::take(words);
    }
    let is_inline = nodes.iter().all(|node| match node {
        Node::Part(part, _) => {
            matches!(
                part,
                Part::Code
                    | Part::Strong
                    | Part::Emphasis
                    | Part::Strike
                    | Part::Link(_)
                    | Part::Image(_)
            )
        }
        Node::Words(_) | Node::Break => true,
        Node::Rule | Node::Task(_) => false,
    });
    let drawn = view! { <Markdown nodes at=Signal::stored(0)/> };
    if is_inline {
        view! { <span class="described">{drawn}</span> }.into_any()
    } else {
        view! { <div class="described prose">{drawn}</div> }.into_any()
    }
}

/// The limits in a few words, such as `0 to 26`, and a default that the input cannot show.
fn limits(field: &Field) -> String {
    let mut words = limits_alone(field);
    let says_default = !matches!(
        field.kind,
        FieldKind::Text(_) | FieldKind::Integer(_) | FieldKind::Number(_) | FieldKind::Choice(_)
    );
    // Compact: pretty-printed, its first line would be a bracket.
    let default = field.default.as_ref().map(JsonText::compact);
    let default = default.as_ref().map(JsonText::as_str);
    if let Some(default) =
        default.filter(|text| says_default && !matches!(*text, "null" | "[]" | "{}"))
    {
        let shown: String = default.chars().take(60).collect();
        let more = if shown.len() < default.len() { "…" } else { "" };
        if !words.is_empty() {
            words += ", ";
        }
        words += &format!("default {shown}{more}");
    }
    words
}

fn limits_alone(field: &Field) -> String {
    let count = |min: Option<u64>, max: Option<u64>, one: &str, many: &str| {
        let several = |count: u64| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {many}"),
        };
        match (min, max) {
            (None | Some(0), None) => String::new(),
            (None | Some(0), Some(max)) => format!("at most {}", several(max)),
            (Some(min), None) => format!("at least {}", several(min)),
            (Some(min), Some(max)) if min == max => format!("exactly {}", several(min)),
            (Some(min), Some(max)) => format!("{min} to {}", several(max)),
        }
    };
    match &field.kind {
        FieldKind::Text(text) => {
            let mut words = count(text.min_length, text.max_length, "character", "characters");
            let mut add = |note: String| {
                if !words.is_empty() {
                    words += ", ";
                }
                words += &note;
            };
            if let Some(format) = text.format.as_ref().or(text.encoding.as_ref()) {
                add(format.clone());
            }
            if let Some(pattern) = &text.pattern {
                add(format!("matches {pattern}"));
            }
            words
        }
        FieldKind::Integer(bounds) | FieldKind::Number(bounds) => range(bounds),
        FieldKind::List(ListField { min, max, unique, .. }) => {
            let mut words = count(*min, *max, "item", "items");
            if *unique {
                words += if words.is_empty() { "unique" } else { ", unique" };
            }
            words
        }
        FieldKind::Object(object) => count(object.min, object.max, "property", "properties"),
        _ => String::new(),
    }
}

fn range(bounds: &Bounds) -> String {
    let mut words = match (&bounds.minimum, &bounds.maximum) {
        (None, None) => String::new(),
        (Some(low), None) => format!("{} {}", if low.exclusive { ">" } else { "≥" }, low.number),
        (None, Some(high)) => format!("{} {}", if high.exclusive { "<" } else { "≤" }, high.number),
        (Some(low), Some(high)) if !low.exclusive && !high.exclusive => {
            format!("{} to {}", low.number, high.number)
        }
        (Some(low), Some(high)) => format!(
            "{} {}, {} {}",
            if low.exclusive { ">" } else { "≥" },
            low.number,
            if high.exclusive { "<" } else { "≤" },
            high.number
        ),
    };
    if let Some(step) = &bounds.multiple_of {
        words += &format!("{}in steps of {step}", if words.is_empty() { "" } else { ", " });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_that_repeats_the_name_is_hidden() {
        assert!(!says_more("Max Results", "max_results"));
        assert!(says_more("Temperature (°C)", "temperature"));
    }

    #[test]
    fn long_examples_are_cut_at_a_character() {
        assert_eq!(shown("\"ñ\""), "\"ñ\"");
        assert_eq!(shown(&"ñ".repeat(100)).chars().count(), 61);
    }
}
