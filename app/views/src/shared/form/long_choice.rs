//! One of very many given values: typed text narrows them, and some are listed.
//!
//! The list opens below the input, in the form's flow: nothing cuts it off, and what is below moves.
//! What is typed is a search and no value; leaving the field takes it back, unless it reads exactly
//! as one of the options.

use std::sync::Arc;

use leptos::ev;
use leptos::prelude::*;
use schema_form::{Content, Edit, Field, FieldKind, OptionMatches, OptionSearch, State};

use super::place::Place;
use super::text::{Frame, described_by};
use app::state::browser;
use app::state::times::grouped;

/// How many options are listed at once.
const LISTED: usize = 200;
/// How far PageUp and PageDown go.
const PAGE: usize = 10;

/// The input of a choice of very many.
#[component]
pub(super) fn LongChoice(
    /// The place it belongs to.
    place: Place,
) -> impl IntoView {
    let field = place.field().clone();
    let count = options_of(&field).len();
    let chosen = place.follow(|entered| match (entered.state(), entered.content()) {
        (State::Value, Some(Content::Choice(position))) => Some(*position),
        _ => None,
    });
    let chosen = Memo::new(move |_| chosen.get().flatten());
    // What is typed; nothing while the list is closed.
    let typed = RwSignal::new(None::<String>);
    let current = RwSignal::new(0_usize);
    // Made when the list opens for the first time.
    let search = StoredValue::new(None::<Arc<OptionSearch>>);
    let searched = field.clone();
    let search = move || {
        search.with_value(Option::clone).unwrap_or_else(|| {
            let made = Arc::new(OptionSearch::of(options_of(&searched)));
            search.set_value(Some(Arc::clone(&made)));
            made
        })
    };
    let search_options = search.clone();
    let matches = Memo::new(move |_| {
        typed.with(|typed| {
            typed.as_ref().map(|typed| search_options().matching(typed, LISTED)).unwrap_or_default()
        })
    });
    let is_open = Memo::new(move |_| typed.with(Option::is_some));
    let list_id = place.part_id("options");
    let option_id = {
        let id = list_id.clone();
        move |row: usize| format!("{id}-{row}")
    };
    let show_current = {
        let option_id = option_id.clone();
        move || {
            let id = option_id(current.get_untracked());
            browser::after_drawing(move || browser::reveal(&id));
        }
    };
    // Opens the whole list, at what is chosen where that is listed.
    let open = {
        let (show_current, whole_list) = (show_current.clone(), list_id.clone());
        move || {
            if !is_open.get_untracked() {
                typed.set(Some(String::new()));
                let chosen = chosen.get_untracked();
                let listed =
                    matches.read_untracked().shown.iter().position(|it| Some(*it) == chosen);
                current.set(listed.unwrap_or(0));
                // The list may open below what is in sight.
                let list = whole_list.clone();
                browser::after_drawing(move || browser::reveal(&list));
                show_current();
            }
        }
    };
    let choose = {
        let place = place.clone();
        move |position: usize| {
            typed.set(None);
            place.edit(Edit::Choose(position));
        }
    };
    let on_key = {
        let (open, choose) = (open.clone(), choose.clone());
        move |event: ev::KeyboardEvent| {
            if event.alt_key() || event.ctrl_key() || event.meta_key() || event.is_composing() {
                return;
            }
            let last = matches.read_untracked().shown.len().saturating_sub(1);
            let here = current.get_untracked();
            let to = match (event.key().as_str(), is_open.get_untracked()) {
                ("ArrowDown" | "ArrowUp", false) => {
                    event.prevent_default();
                    return open();
                }
                ("ArrowDown", true) => {
                    if here >= last {
                        0
                    } else {
                        here + 1
                    }
                }
                ("ArrowUp", true) => here.checked_sub(1).unwrap_or(last),
                ("PageDown", true) => (here + PAGE).min(last),
                ("PageUp", true) => here.saturating_sub(PAGE),
                ("Enter", true) => {
                    event.prevent_default();
                    let position = matches.read_untracked().shown.get(here).copied();
                    if let Some(position) = position {
                        choose(position);
                    }
                    return;
                }
                ("Escape", true) => {
                    event.prevent_default();
                    event.stop_propagation();
                    typed.set(None);
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            current.set(to);
            show_current();
        }
    };
    let leave = {
        let (place, choose) = (place.clone(), choose.clone());
        move |_| {
            // A field that leaves the page with the focus is left once the form is gone.
            let Some(typed_last) = typed.try_get_untracked() else { return };
            let searched = typed_last.filter(|typed| !typed.is_empty());
            match searched.and_then(|searched| search().exact_match(&searched)) {
                Some(position) => choose(position),
                None => typed.set(None),
            }
            place.touch();
        }
    };
    let label_of = {
        let field = field.clone();
        move |position: usize| {
            options_of(&field).get(position).map(|option| option.label.clone()).unwrap_or_default()
        }
    };
    let value = {
        let label_of = label_of.clone();
        move || match typed.get() {
            Some(typed) => typed,
            None => chosen.get().map(&label_of).unwrap_or_default(),
        }
    };
    let hint = hint(&place, count);
    // While somebody looks for another, what is chosen still stands there faintly.
    let placeholder = move || chosen.get().map_or_else(|| hint.clone(), &label_of);
    let said = move || is_open.get().then(|| said(&matches.read(), count));
    let invalid = place.is_faulty();
    let inner = place.clone();
    let said_id = place.part_id("options-said");
    let described = format!("{} {said_id}", described_by(&place));
    let listed = {
        let option_id = option_id.clone();
        move |(row, position): (usize, usize)| {
            let choose = choose.clone();
            let option = options_of(&field).get(position).cloned()?;
            Some(view! {
                <li
                    id=option_id(row)
                    role="option"
                    class:current=move || current.get() == row
                    aria-selected=move || (chosen.get() == Some(position)).to_string()
                    title=option.description
                    // The input keeps the focus.
                    on:mousedown=|event| event.prevent_default()
                    on:click=move |_| choose(position)
                >
                    {option.label}
                </li>
            })
        }
    };
    let (active_id, drawn_id, opened) = (option_id, list_id.clone(), open);
    let list_label = format!("Options for {}", place.slot.key());
    view! {
        <Frame place>
            <input
                id=inner.input_id()
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                aria-autocomplete="list"
                aria-expanded=move || is_open.get().to_string()
                aria-controls=list_id
                aria-activedescendant=move || {
                    let is_listed = current.get() < matches.read().shown.len();
                    (is_open.get() && is_listed).then(|| active_id(current.get()))
                }
                aria-describedby=described
                aria-invalid=move || invalid.get().to_string()
                placeholder=placeholder
                prop:value=value
                on:click=move |_| opened()
                on:input=move |event| {
                    typed.set(Some(event_target_value(&event)));
                    current.set(0);
                }
                on:keydown=on_key
                on:blur=leave
            />
        </Frame>
        <small class="long-choice-said" id=said_id role="status">{said}</small>
        <ul
            class="long-choice"
            class:gone=move || !is_open.get()
            id=drawn_id
            role="listbox"
            aria-label=list_label
        >
            <For
                each=move || matches.get().shown.into_iter().enumerate()
                key=|row| *row
                children=listed
            />
        </ul>
    }
}

fn options_of(field: &Field) -> &[schema_form::ChoiceOption] {
    match &field.kind {
        FieldKind::Choice(options) => options,
        _ => &[],
    }
}

/// What stands in the input while nothing is chosen.
fn hint(place: &Place, count: usize) -> String {
    let field = place.field();
    let default = field.default.as_ref().filter(|_| !place.slot.required());
    match default {
        Some(default) => {
            let label = options_of(field).iter().find(|option| option.value == *default);
            label.map_or(default.as_str(), |option| option.label.as_str()).to_owned()
        }
        None => format!("one of {}", grouped(count)),
    }
}

/// How much of the options is listed.
fn said(matches: &OptionMatches, count: usize) -> String {
    let (shown, total, count) = (matches.shown.len(), matches.total, grouped(count));
    if total == 0 {
        format!("None of {count} options match.")
    } else if shown < total {
        format!("{shown} of {} shown. Type to filter.", grouped(total))
    } else {
        format!("{shown} of {count}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_counted() {
        let said = |shown: usize, total| {
            said(&OptionMatches { shown: (0..shown).collect(), total }, 20_000)
        };
        assert_eq!(said(200, 20_000), "200 of 20,000 shown. Type to filter.");
        assert_eq!(said(200, 1_230), "200 of 1,230 shown. Type to filter.");
        assert_eq!(said(3, 3), "3 of 20,000.");
        assert_eq!(said(0, 0), "None of 20,000 options match.");
    }
}
