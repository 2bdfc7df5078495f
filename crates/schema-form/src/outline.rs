//! A form as indented text, for snapshots and logs.

use std::fmt;

use crate::Form;
use crate::bounds::Bounds;
use crate::document::NodeId;
use crate::field::{Branch, Extras, Field, FieldKind, Slot};

impl fmt::Display for Form {
    /// One line per field; a recursive schema is shown once and then as `…`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(formatter, self.root(), "", 0, &mut Vec::new())?;
        for diagnostic in self.diagnostics() {
            writeln!(formatter, "! {}: {}", diagnostic.pointer, diagnostic.reason)?;
        }
        Ok(())
    }
}

fn line(
    out: &mut fmt::Formatter<'_>,
    slot: &Slot,
    label: &str,
    depth: usize,
    open: &mut Vec<NodeId>,
) -> fmt::Result {
    let field = slot.field();
    let indent = "  ".repeat(depth);
    let name = if label.is_empty() { slot.key() } else { label };
    let star = if slot.required() && !slot.key().is_empty() { "*" } else { "" };
    write!(out, "{indent}{}{star}: {}", if name.is_empty() { "." } else { name }, words(field))?;
    if field.nullable {
        write!(out, " or null")?;
    }
    if let Some(default) = &field.default {
        write!(out, " = {default}")?;
    }
    if !field.unchecked.is_empty() {
        write!(out, " (host: {})", field.unchecked.join(", "))?;
    }
    let layers = &slot.source().layers;
    let nested =
        matches!(field.kind, FieldKind::Object(_) | FieldKind::List(_) | FieldKind::Union(_));
    if nested
        && layers.last().is_some_and(|layer| open.contains(layer))
        && slot.source().only.is_none()
    {
        return writeln!(out, " …");
    }
    writeln!(out)?;
    // Any value may be a list of any values, without end.
    let is_any = layers.is_empty()
        || matches!(&field.kind, FieldKind::Union(branches)
            if branches.len() == 5 && branches.iter().all(splits_types));
    if depth > 12 || is_any {
        return Ok(());
    }
    let before = open.len();
    open.extend(layers);
    match &field.kind {
        FieldKind::Object(object) => {
            for member in &object.members {
                line(out, member, "", depth + 1, open)?;
            }
            if let Extras::Offered(slot) = &object.extras {
                line(out, slot, "<name>", depth + 1, open)?;
            }
        }
        FieldKind::List(list) => {
            for (index, head) in list.prefix.iter().enumerate() {
                line(out, head, &format!("[{index}]"), depth + 1, open)?;
            }
            if let Some(rest) = &list.rest {
                line(out, rest, "[]", depth + 1, open)?;
            }
        }
        FieldKind::Union(branches) => {
            for branch in branches {
                // A branch's own layers only; its union's layers are open already.
                let held: Vec<_> = open.drain(before..).collect();
                line(out, &branch.slot, &format!("| {}", branch.label), depth + 1, open)?;
                open.extend(held);
            }
        }
        _ => {}
    }
    open.truncate(before);
    Ok(())
}

/// Whether the branch is one type of a field that admits several.
fn splits_types(branch: &Branch) -> bool {
    branch.slot.source().only.is_some_and(|types| types.each().len() == 1)
}

fn words(field: &Field) -> String {
    match &field.kind {
        FieldKind::Text(text) => {
            let mut words = "text".to_owned();
            words += &range("length", text.min_length, text.max_length);
            if let Some(format) = &text.format {
                words += &format!(" as {format}");
            }
            words
        }
        FieldKind::Integer(bounds) => format!("integer{}", limits(bounds)),
        FieldKind::Number(bounds) => format!("number{}", limits(bounds)),
        FieldKind::Boolean => "boolean".to_owned(),
        FieldKind::Choice(options) => {
            let values: Vec<_> = options.iter().map(|option| option.value.as_str()).collect();
            format!("one of {}", values.join(" "))
        }
        FieldKind::Object(object) => {
            let closed = if matches!(object.extras, Extras::Closed) { " closed" } else { "" };
            format!("object{closed}{}", range("members", object.min, object.max))
        }
        FieldKind::List(list) => {
            let unique = if list.unique { " unique" } else { "" };
            format!("list{unique}{}", range("items", list.min, list.max))
        }
        FieldKind::Union(branches) => format!("union of {}", branches.len()),
        FieldKind::Json(reason) => format!("JSON, {}", reason.name()),
    }
}

fn range(noun: &str, min: Option<u64>, max: Option<u64>) -> String {
    match (min, max) {
        (None, None) => String::new(),
        (min, max) => {
            let end = |end: Option<u64>| end.map_or_else(String::new, |end| end.to_string());
            format!(" {noun} {}..{}", end(min), end(max))
        }
    }
}

fn limits(bounds: &Bounds) -> String {
    let mut words = String::new();
    if let Some(limit) = &bounds.minimum {
        words += &format!(" {} {}", if limit.exclusive { ">" } else { "≥" }, limit.number);
    }
    if let Some(limit) = &bounds.maximum {
        words += &format!(" {} {}", if limit.exclusive { "<" } else { "≤" }, limit.number);
    }
    if let Some(step) = &bounds.multiple_of {
        words += &format!(" step {step}");
    }
    words
}
