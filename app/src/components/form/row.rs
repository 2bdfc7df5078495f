//! A row: label, input, help, faults, and what is nested in it.

use leptos::prelude::*;
use schema_form::{Bounds, Edit, Extras, Field, FieldKind, ListField, State, Step};

use super::choice::Choice;
use super::entries::Entries;
use super::json_area::JsonArea;
use super::list::{ItemRows, ListHead, Tags, are_tags};
use super::pills::{BooleanPills, BranchPills, OpenPills};
use super::place::Place;
use super::text::{NumberInput, TextInput};

/// The rows of an object's members, its entries, and their button.
pub(super) fn members(place: &Place) -> AnyView {
    let FieldKind::Object(object) = &place.field().kind else { return ().into_any() };
    let rows: Vec<_> = object
        .members
        .iter()
        .enumerate()
        .map(|(position, slot)| {
            row(&place.then(slot, Step::Member(position)), slot.key().to_owned().into_any())
        })
        .collect();
    let offered = matches!(object.extras, Extras::Offered(_));
    view! {
        {rows}
        <Entries place=place.clone() offered/>
    }
    .into_any()
}

/// One row of the form.
pub(super) fn row(place: &Place, label: AnyView) -> AnyView {
    let field = place.field();
    let star = place.slot.required() && !place.slot.key().is_empty();
    let name = view! {
        {label}
        {star.then(|| view! { <span class="star" aria-hidden="true"></span><span class="unseen">" (required)"</span> })}
    };
    let is_radio = matches!(field.kind, FieldKind::Boolean) || place.is_group();
    let label_id = place.part_id("label");
    let label = if is_radio {
        view! { <span class="field-label" id=label_id.clone()>{name}</span> }.into_any()
    } else {
        view! { <label class="field-label" id=label_id.clone() for=place.input_id()>{name}</label> }
            .into_any()
    };
    let group = place.is_group();
    view! {
        <div
            class="field"
            class:deprecated=field.deprecated
            role=group.then_some("group")
            aria-labelledby=group.then_some(label_id)
        >
            {label}
            <div class="field-control">{control(place)}</div>
            {help(place)}
            {faults(place)}
            {nested(place)}
        </div>
    }
    .into_any()
}

/// The input that stands beside the label.
pub(super) fn control(place: &Place) -> AnyView {
    let standing = place.standing();
    let always_json = matches!(place.field().kind, FieldKind::Json(_));
    let is_json = Memo::new(move |_| standing.get().is_json || always_json);
    let place = place.clone();
    (move || {
        if is_json.get() {
            view! { <JsonArea place=place.clone() rows=2/> }.into_any()
        } else {
            widget(&place)
        }
    })
    .into_any()
}

fn widget(place: &Place) -> AnyView {
    let place = place.clone();
    match &place.field().kind {
        FieldKind::Text(_) => view! { <TextInput place/> }.into_any(),
        FieldKind::Integer(_) | FieldKind::Number(_) => view! { <NumberInput place/> }.into_any(),
        FieldKind::Boolean => view! { <BooleanPills place/> }.into_any(),
        FieldKind::Choice(_) => view! { <Choice place/> }.into_any(),
        FieldKind::Object(_) => view! { <OpenPills place/> }.into_any(),
        FieldKind::List(list) if are_tags(list) => view! { <Tags place/> }.into_any(),
        FieldKind::List(_) => view! { <ListHead place/> }.into_any(),
        FieldKind::Union(_) => view! { <BranchPills place/> }.into_any(),
        FieldKind::Json(_) => view! { <JsonArea place rows=2/> }.into_any(),
    }
}

/// What is nested in the place, under the row.
pub(super) fn nested(place: &Place) -> AnyView {
    if !place.is_group() {
        return ().into_any();
    }
    let standing = place.standing();
    let is_open =
        Memo::new(move |_| standing.get().state == State::Value && !standing.get().is_json);
    let place = place.clone();
    let inside = move || match &place.field().kind {
        FieldKind::Object(_) => {
            let place = place.clone();
            view! { <div class="nest" id=place.part_id("nest")>{members(&place)}</div> }.into_any()
        }
        FieldKind::List(list) if !are_tags(list) => {
            view! { <ItemRows place=place.clone()/> }.into_any()
        }
        FieldKind::Union(_) => branch(&place),
        _ => ().into_any(),
    };
    view! { <Show when=move || is_open.get()>{inside.clone()}</Show> }.into_any()
}

/// The chosen branch of a union.
fn branch(place: &Place) -> AnyView {
    let chosen = place.follow(|entered| match entered.content() {
        Some(schema_form::Content::Union { branch, .. }) => Some(*branch),
        _ => None,
    });
    let place = place.clone();
    (move || {
        let FieldKind::Union(branches) = &place.field().kind else { return ().into_any() };
        let Some((position, branch)) =
            chosen.get().flatten().and_then(|at| Some((at, branches.get(at)?)))
        else {
            return ().into_any();
        };
        let inner = place.then(&branch.slot, Step::Branch(position));
        match &inner.field().kind {
            FieldKind::Object(_) => {
                view! { <div class="nest">{members(&inner)}{faults(&inner)}</div> }.into_any()
            }
            _ => view! {
                <div class="nest">{row(&inner, branch.label.clone().into_any())}</div>
            }
            .into_any(),
        }
    })
    .into_any()
}

/// Description, limits, examples.
fn help(place: &Place) -> AnyView {
    let field = place.field();
    let mut notes: Vec<String> = Vec::new();
    if let Some(description) = &field.description {
        notes.push(description.trim().to_owned());
    }
    if field.deprecated {
        notes.push("Deprecated.".to_owned());
    }
    let limits = limits(field);
    let examples: Vec<_> = field
        .examples
        .iter()
        .take(3)
        .map(|example| {
            let (place, value) = (place.clone(), example.clone());
            view! {
                <button
                    type="button"
                    class="example"
                    title="Fill in this example"
                    on:click=move |_| {
                        place.edit(Edit::Fill(value.clone()));
                    }
                >
                    {example.as_str().to_owned()}
                </button>
            }
        })
        .collect();
    if notes.is_empty() && limits.is_empty() && examples.is_empty() {
        return ().into_any();
    }
    view! {
        <small class="field-help" id=place.part_id("help")>
            {notes.join(" ")}
            {(!limits.is_empty()).then(|| view! { <span class="limits">{limits}</span> })}
            {examples}
        </small>
    }
    .into_any()
}

/// The faults at the place, heard when they come.
pub(super) fn faults(place: &Place) -> AnyView {
    let (state, path) = (place.state, place.path.clone());
    let texts = Memo::new(move |_| state.faults_at(&path));
    view! {
        <small class="field-faults" id=place.part_id("fault") aria-live="polite">
            {move || texts.get().join(" ")}
        </small>
    }
    .into_any()
}

/// The limits in a few words, such as `0 to 26`, and a default that the input has no room for.
fn limits(field: &Field) -> String {
    let mut words = limits_alone(field);
    let says_default = !matches!(
        field.kind,
        FieldKind::Text(_) | FieldKind::Integer(_) | FieldKind::Number(_) | FieldKind::Choice(_)
    );
    let default = field.default.as_ref().map(|default| default.as_str());
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
    let count = |min: Option<u64>, max: Option<u64>, noun: &str| match (min, max) {
        (None | Some(0), None) => String::new(),
        (None | Some(0), Some(max)) => format!("at most {max} {noun}"),
        (Some(min), None) => format!("at least {min} {noun}"),
        (Some(min), Some(max)) if min == max => format!("exactly {min} {noun}"),
        (Some(min), Some(max)) => format!("{min} to {max} {noun}"),
    };
    match &field.kind {
        FieldKind::Text(text) => {
            let mut words = count(text.min_length, text.max_length, "characters");
            let mut add = |note: String| {
                if !words.is_empty() {
                    words += ", ";
                }
                words += &note;
            };
            if let Some(format) = &text.format {
                add(format.clone());
            }
            if let Some(pattern) = &text.pattern {
                add(format!("matches {pattern}"));
            }
            words
        }
        FieldKind::Integer(bounds) | FieldKind::Number(bounds) => range(bounds),
        FieldKind::List(ListField { min, max, unique, .. }) => {
            let mut words = count(*min, *max, "items");
            if *unique {
                words += if words.is_empty() { "each once" } else { ", each once" };
            }
            words
        }
        FieldKind::Object(object) => count(object.min, object.max, "members"),
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
