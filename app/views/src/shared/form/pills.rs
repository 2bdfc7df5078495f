//! Pills: a few states side by side, one of them chosen. They are radio buttons, so the arrow keys
//! move among them and one Tab passes them.

use leptos::prelude::*;
use schema_form::{Content, Edit, FieldKind, State};

use super::field_handle::FieldHandle;
use super::text::described_by;
use app::state::excerpt::visible_name;

/// More branches than this, or longer names, are chosen from a list.
const MOST_PILLS: usize = 4;
const LONGEST_PILLS: usize = 34;

/// One pill.
struct Pill {
    label: String,
    edit: Edit,
    /// The value of the memo when the pill is on.
    when: On,
}

/// Which pill is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    NotSent,
    Null,
    Open,
    Is(bool),
    Branch(usize),
}

/// `true`, `false`, and the other values that may be sent.
#[component]
pub(super) fn BooleanPills(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let mut pills = around(&place);
    for value in [true, false] {
        let label = value.to_string();
        pills.push(Pill { label, edit: Edit::SetBool(value), when: On::Is(value) });
    }
    draw(&place, pills)
}

/// Whether an optional object is sent.
#[component]
pub(super) fn OpenPills(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let mut pills = around(&place);
    let status = place.status();
    if pills.is_empty() {
        // A required object is open, except one inside itself.
        let is_open = Memo::new(move |_| status.get().state == State::Value);
        return (move || {
            let place = place.clone();
            (!is_open.get()).then(|| {
                view! {
                    <button
                        type="button"
                        class="add"
                        on:click=move |_| {
                            place.edit(Edit::SetValue);
                        }
                    >
                        "open"
                    </button>
                }
            })
        })
        .into_any();
    }
    let name = place.field().title.as_deref().map_or_else(|| "object".to_owned(), visible_name);
    pills.push(Pill { label: name, edit: Edit::SetValue, when: On::Open });
    draw(&place, pills)
}

/// The branches of a union, and the other values that may be sent.
#[component]
pub(super) fn BranchPills(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let field = place.field().clone();
    let FieldKind::Union(branches) = &field.kind else { return ().into_any() };
    let mut pills = around(&place);
    pills.extend(branches.iter().enumerate().map(|(position, branch)| Pill {
        label: visible_name(&branch.label),
        edit: Edit::ChooseBranch(position),
        when: On::Branch(position),
    }));
    let length: usize = pills.iter().map(|pill| pill.label.chars().count() + 2).sum();
    if branches.len() <= MOST_PILLS && length <= LONGEST_PILLS {
        draw(&place, pills)
    } else {
        draw_list(&place, pills)
    }
}

/// The pills for `null` and for nothing, where they may be sent.
fn around(place: &FieldHandle) -> Vec<Pill> {
    let mut pills = Vec::new();
    if !place.slot.required() {
        pills.push(Pill { label: "not sent".into(), edit: Edit::Unset, when: On::NotSent });
    }
    if place.field().nullable {
        pills.push(Pill { label: "null".into(), edit: Edit::SetNull, when: On::Null });
    }
    pills
}

fn on(place: &FieldHandle) -> Memo<Option<On>> {
    let on = place.follow(|entered| match (entered.state(), entered.content()) {
        (State::NotSent, _) => Some(On::NotSent),
        (State::Null, _) => Some(On::Null),
        (State::Value, Some(Content::Bool(value))) => Some(On::Is(*value)),
        (State::Value, Some(Content::Union { branch, .. })) => Some(On::Branch(*branch)),
        (State::Value, Some(Content::Object { .. })) => Some(On::Open),
        _ => None,
    });
    Memo::new(move |_| on.get().flatten())
}

fn draw(place: &FieldHandle, pills: Vec<Pill>) -> AnyView {
    let on = on(place);
    let invalid = place.is_faulty();
    let name = place.input_id();
    let leaving = place.clone();
    let drawn = pills
        .into_iter()
        .enumerate()
        .map(|(index, Pill { label, edit, when })| {
            // The first one has the id of the field's input, so that it can be focused.
            let id = if index == 0 { name.clone() } else { format!("{name}-{index}") };
            let place = place.clone();
            view! {
                <label class="pill" class:nothing={when == On::NotSent} class:on=move || on.get() == Some(when)>
                    <input
                        type="radio"
                        id=id
                        name=name.clone()
                        prop:checked=move || on.get() == Some(when)
                        on:change=move |_| {
                            place.edit(edit.clone());
                        }
                    />
                    <span>{label}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <span
            class="pills"
            class:bad=move || invalid.get()
            role="radiogroup"
            aria-labelledby=place.part_id("label")
            aria-describedby=described_by(place)
            aria-invalid=move || invalid.get().to_string()
            on:focusout=move |_| leaving.touch()
        >
            {drawn}
        </span>
    }
    .into_any()
}

fn draw_list(place: &FieldHandle, pills: Vec<Pill>) -> AnyView {
    let on = on(place);
    let invalid = place.is_faulty();
    let options = pills
        .iter()
        .enumerate()
        .map(|(index, pill)| {
            let when = pill.when;
            view! {
                <option value=index.to_string() prop:selected=move || on.get() == Some(when)>
                    {pill.label.clone()}
                </option>
            }
        })
        .collect_view();
    let none = view! {
        <option value="" hidden=true prop:selected=move || {
            on.get().is_none_or(|on| on == On::NotSent)
        }>"choose…"</option>
    };
    let edits: Vec<Edit> = pills.into_iter().map(|pill| pill.edit).collect();
    let choosing = place.clone();
    let choose = move |event| {
        let edit = event_target_value(&event).parse::<usize>().ok().and_then(|at| edits.get(at));
        if let Some(edit) = edit {
            choosing.edit(edit.clone());
        }
    };
    view! {
        <span class="framed chosen" class:bad=move || invalid.get()>
            <select
                id=place.input_id()
                class:has-value=move || matches!(on.get(), Some(On::Branch(_)))
                aria-label="Kind of value"
                aria-describedby=described_by(place)
                aria-invalid=move || invalid.get().to_string()
                on:change=choose
            >
                {none}
                {options}
            </select>
        </span>
    }
    .into_any()
}
