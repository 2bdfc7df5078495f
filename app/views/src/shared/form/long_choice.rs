//! A choice of very many options: typed text filters them, and the first ones are listed.
//!
//! The list opens below the input, in the form's flow: nothing cuts it off, and what is below moves.
//! The typed text is a search, not a value: leaving the field drops it, unless it equals the label
//! of an option.

use std::sync::Arc;

use leptos::ev;
use leptos::prelude::*;
use schema_form::{
    ChoiceOption, Content, Edit, Field, FieldKind, OptionMatches, OptionSearch, State,
};

use super::field_handle::FieldHandle;
use super::text::{Frame, described_by};
use app::state::browser;
use app::state::excerpt::{visible_name, visible_text};
use app::state::times::grouped;

/// How many options are listed at once.
const LISTED: usize = 200;
/// How many rows PageUp and PageDown move by.
const PAGE: usize = 10;

/// The list of options of one field: the search, its matches and the current row.
#[derive(Clone, Copy)]
struct OptionList {
    place: StoredValue<FieldHandle>,
    /// The position of the field's value among all options.
    chosen: Memo<Option<usize>>,
    /// The typed text; none while the list is closed.
    query: RwSignal<Option<String>>,
    /// The row that Enter chooses.
    current: RwSignal<usize>,
    matches: Memo<OptionMatches>,
    /// The index over all options, built when the list opens for the first time.
    search: StoredValue<Option<Arc<OptionSearch>>>,
}

impl OptionList {
    fn of(place: &FieldHandle) -> Self {
        let chosen = place.follow(|entered| match (entered.state(), entered.content()) {
            (State::Value, Some(Content::Choice(position))) => Some(*position),
            _ => None,
        });
        let query = RwSignal::new(None::<String>);
        let search = StoredValue::new(None);
        let place = StoredValue::new(place.clone());
        let matches = Memo::new(move |_| {
            query.with(|query| match query {
                Some(query) => index(place, search).matching(query, LISTED),
                None => OptionMatches::default(),
            })
        });
        Self {
            place,
            chosen: Memo::new(move |_| chosen.get().flatten()),
            query,
            current: RwSignal::new(0),
            matches,
            search,
        }
    }

    /// Tracked.
    fn is_open(self) -> bool {
        self.query.read().is_some()
    }

    fn option(self, position: usize) -> Option<ChoiceOption> {
        self.place.with_value(|place| options_of(place.field()).get(position).cloned())
    }

    fn label(self, position: usize) -> String {
        self.option(position).map(|option| visible_name(&option.label)).unwrap_or_default()
    }

    fn id(self) -> String {
        self.place.with_value(|place| place.part_id("options"))
    }

    fn row_id(self, row: usize) -> String {
        format!("{}-{row}", self.id())
    }

    /// The id of the current row while it is listed. Tracked.
    fn current_id(self) -> Option<String> {
        let current = self.current.get();
        let is_listed = current < self.matches.read().shown.len();
        (self.is_open() && is_listed).then(|| self.row_id(current))
    }

    /// Shows all options with the chosen one current, where that one is listed.
    fn open(self) {
        if self.query.read_untracked().is_some() {
            return;
        }
        self.query.set(Some(String::new()));
        let chosen = self.chosen.get_untracked();
        let listed = self.matches.read_untracked().shown.iter().position(|it| Some(*it) == chosen);
        // The list may open outside the visible part of the page.
        browser::after_drawing(move || browser::reveal(&self.id()));
        self.go_to(listed.unwrap_or(0));
    }

    fn close(self) {
        self.query.set(None);
    }

    fn go_to(self, row: usize) {
        self.current.set(row);
        browser::after_drawing(move || browser::reveal(&self.row_id(row)));
    }

    fn filter(self, query: String) {
        self.query.set(Some(query));
        self.current.set(0);
    }

    fn choose(self, position: usize) {
        self.close();
        self.place.with_value(|place| place.edit(Edit::Choose(position)));
    }

    fn press(self, event: &ev::KeyboardEvent) {
        if event.alt_key() || event.ctrl_key() || event.meta_key() || event.is_composing() {
            return;
        }
        let key = event.key();
        let current = self.current.get_untracked();
        if self.query.read_untracked().is_none() {
            if matches!(key.as_str(), "ArrowDown" | "ArrowUp") {
                event.prevent_default();
                self.open();
            }
            return;
        }
        match key.as_str() {
            "Enter" => {
                let position = self.matches.read_untracked().shown.get(current).copied();
                if let Some(position) = position {
                    self.choose(position);
                }
            }
            "Escape" => {
                event.stop_propagation();
                self.close();
            }
            key => {
                let count = self.matches.read_untracked().shown.len();
                let Some(row) = row_after(key, current, count) else { return };
                self.go_to(row);
            }
        }
        event.prevent_default();
    }

    /// Takes over a label typed in full, drops any other text.
    fn leave(self) {
        // A field that is removed while it has the focus loses it after the form is gone.
        let Some(query) = self.query.try_get_untracked() else { return };
        let query = query.filter(|query| !query.is_empty());
        match query.and_then(|query| index(self.place, self.search).exact_match(&query)) {
            Some(position) => self.choose(position),
            None => self.close(),
        }
        self.place.with_value(FieldHandle::touch);
    }
}

/// The index over the options of `place`.
fn index(
    place: StoredValue<FieldHandle>,
    search: StoredValue<Option<Arc<OptionSearch>>>,
) -> Arc<OptionSearch> {
    search.with_value(Option::clone).unwrap_or_else(|| {
        let built = place.with_value(|place| OptionSearch::of(options_of(place.field())));
        let built = Arc::new(built);
        search.set_value(Some(Arc::clone(&built)));
        built
    })
}

/// The row of `count` that `key` moves to from row `current`; none for other keys.
fn row_after(key: &str, current: usize, count: usize) -> Option<usize> {
    let last = count.saturating_sub(1);
    match key {
        "ArrowDown" if current >= last => Some(0),
        "ArrowDown" => Some(current + 1),
        "ArrowUp" => Some(current.checked_sub(1).unwrap_or(last)),
        "PageDown" => Some((current + PAGE).min(last)),
        "PageUp" => Some(current.saturating_sub(PAGE)),
        _ => None,
    }
}

/// The input of a choice of very many options, with its list.
#[component]
pub(super) fn LongChoice(
    /// The field.
    place: FieldHandle,
) -> impl IntoView {
    let list = OptionList::of(&place);
    let count = options_of(place.field()).len();
    let hint = hint(&place, count);
    let input_id = place.input_id();
    let status_id = place.part_id("options-said");
    let described = format!("{} {status_id}", described_by(&place));
    let invalid = place.is_faulty();
    let label = format!("Options for {}", place.name());
    let chosen_label = move || list.chosen.get().map(|position| list.label(position));
    let value = move || list.query.get().or_else(chosen_label).unwrap_or_default();
    // During a search the chosen option stays visible as the placeholder.
    let placeholder = move || chosen_label().unwrap_or_else(|| hint.clone());
    let status = move || list.is_open().then(|| status(&list.matches.read(), count));
    view! {
        <Frame place>
            <input
                id=input_id
                type="text"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                aria-autocomplete="list"
                aria-expanded=move || list.is_open().to_string()
                aria-controls=list.id()
                aria-activedescendant=move || list.current_id()
                aria-describedby=described
                aria-invalid=move || invalid.get().to_string()
                placeholder=placeholder
                prop:value=value
                on:click=move |_| list.open()
                on:input=move |event| list.filter(event_target_value(&event))
                on:keydown=move |event| list.press(&event)
                on:blur=move |_| list.leave()
            />
        </Frame>
        <small class="long-choice-said" id=status_id role="status">{status}</small>
        <ul
            class="long-choice"
            class:gone=move || !list.is_open()
            id=list.id()
            role="listbox"
            aria-label=label
        >
            <For
                each=move || list.matches.get().shown.into_iter().enumerate()
                key=|row| *row
                children=move |(row, position)| option_row(list, row, position)
            />
        </ul>
    }
}

/// One listed option.
fn option_row(list: OptionList, row: usize, position: usize) -> impl IntoView {
    let option = list.option(position)?;
    Some(view! {
        <li
            id=list.row_id(row)
            role="option"
            class:current=move || list.current.get() == row
            aria-selected=move || (list.chosen.get() == Some(position)).to_string()
            title=option.description.as_deref().map(visible_text)
            // The input keeps the focus.
            on:mousedown=|event| event.prevent_default()
            on:click=move |_| list.choose(position)
        >
            {visible_name(&option.label)}
        </li>
    })
}

fn options_of(field: &Field) -> &[ChoiceOption] {
    match &field.kind {
        FieldKind::Choice(options) => options,
        _ => &[],
    }
}

/// The placeholder while nothing is chosen.
fn hint(place: &FieldHandle, count: usize) -> String {
    let field = place.field();
    let default = field.default.as_ref().filter(|_| !place.slot.required());
    match default {
        Some(default) => {
            let label = options_of(field).iter().find(|option| option.value == *default);
            visible_name(label.map_or(default.as_str(), |option| option.label.as_str()))
        }
        None => format!("one of {}", grouped(count)),
    }
}

/// How many of the options are listed.
fn status(matches: &OptionMatches, count: usize) -> String {
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
    fn status_counts_the_listed_options() {
        let status = |shown: usize, total| {
            status(&OptionMatches { shown: (0..shown).collect(), total }, 20_000)
        };
        assert_eq!(status(200, 20_000), "200 of 20,000 shown. Type to filter.");
        assert_eq!(status(200, 1_230), "200 of 1,230 shown. Type to filter.");
        assert_eq!(status(3, 3), "3 of 20,000.");
        assert_eq!(status(0, 0), "None of 20,000 options match.");
    }

    #[test]
    fn arrows_wrap_and_pages_stop_at_the_ends() {
        assert_eq!(row_after("ArrowDown", 0, 3), Some(1));
        assert_eq!(row_after("ArrowDown", 2, 3), Some(0));
        assert_eq!(row_after("ArrowUp", 0, 3), Some(2));
        assert_eq!(row_after("PageDown", 1, 30), Some(11));
        assert_eq!(row_after("PageDown", 25, 30), Some(29));
        assert_eq!(row_after("PageUp", 4, 30), Some(0));
        assert_eq!(row_after("ArrowDown", 0, 0), Some(0));
        assert_eq!(row_after("x", 0, 3), None);
    }
}
