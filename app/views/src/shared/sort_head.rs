//! The head of a table's column, by which its rows are sorted.

use leptos::prelude::*;

use app::components::icon::{Glyph, Icon};
use app::state::in_address::{InAddress, use_in_address};

/// A column by which a table is sorted.
pub trait Column: Copy + PartialEq + Send + Sync + 'static {
    /// What the address calls each of them.
    const NAMED: &'static [(&'static str, Self)];
}

/// By which column a table is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting<C> {
    /// The column.
    pub by: C,
    /// From its end.
    pub is_down: bool,
}

/// The sorting that the address names: `?sort=size`, or `?sort=-size` from its end.
#[derive(Clone, Copy)]
pub struct Order<C> {
    given: Sorting<C>,
    address: InAddress,
}

/// The order of a table that is sorted as `given` unless the address says otherwise.
#[must_use]
pub fn use_order<C: Column>(given: Sorting<C>) -> Order<C> {
    Order { given, address: use_in_address("sort") }
}

impl<C: Column> Order<C> {
    /// How the table is sorted. Tracked.
    #[must_use]
    pub fn get(self) -> Sorting<C> {
        self.address.get().and_then(|text| read(&text)).unwrap_or(self.given)
    }

    /// Sorts by the column, then the other way round, then as it was given.
    fn press(self, column: C, is_figure: bool) {
        let now = untrack(|| self.get());
        let next = match now.by == column {
            false => Sorting { by: column, is_down: is_figure },
            true if now.is_down == is_figure => Sorting { by: column, is_down: !is_figure },
            true => self.given,
        };
        self.address.set((next != self.given).then(|| written(next)));
    }
}

fn read<C: Column>(text: &str) -> Option<Sorting<C>> {
    let (name, is_down) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
    let (_, by) = C::NAMED.iter().find(|(known, _)| *known == name)?;
    Some(Sorting { by: *by, is_down })
}

fn written<C: Column>(sorting: Sorting<C>) -> String {
    let name = C::NAMED.iter().find(|(_, column)| *column == sorting.by).map_or("", |(it, _)| it);
    let sign = if sorting.is_down { "-" } else { "" };
    format!("{sign}{name}")
}

/// Sorts by the column; pressed again the other way round, and at last as it was given.
#[component]
pub fn SortHead<C: Column>(
    /// The column.
    column: C,
    /// Its name.
    label: &'static str,
    /// How the table is sorted.
    order: Order<C>,
    /// Whether numbers stand in it: the largest come first.
    #[prop(optional)]
    is_figure: bool,
) -> impl IntoView {
    let sorted = move || Some(order.get()).filter(|it| it.by == column).map(|it| it.is_down);
    let direction = move || match sorted() {
        Some(false) => "ascending",
        Some(true) => "descending",
        None => "none",
    };
    let sort = move |_| order.press(column, is_figure);
    view! {
        <th scope="col" class="report-head" class:figure=is_figure aria-sort=direction>
            <button type="button" on:click=sort>
                <span>{label}</span>
                {move || sorted().map(|is_down| view! {
                    <span class="report-arrow" class:up=!is_down aria-hidden="true"><Icon glyph=Glyph::Down/></span>
                })}
            </button>
        </th>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Column for u8 {
        const NAMED: &'static [(&'static str, Self)] = &[("name", 1), ("size", 2)];
    }

    #[test]
    fn an_order_is_read_as_it_is_written() {
        for (by, is_down) in [(1, false), (1, true), (2, false), (2, true)] {
            let sorting = Sorting::<u8> { by, is_down };
            assert_eq!(read(&written(sorting)), Some(sorting));
        }
        assert_eq!(written(Sorting { by: 2_u8, is_down: true }), "-size");
        for nonsense in ["", "-", "Size", "--size", "nothing"] {
            assert_eq!(read::<u8>(nonsense), None, "{nonsense}");
        }
    }
}
