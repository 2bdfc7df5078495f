//! The head of a table's column, which sorts by it.

use leptos::prelude::*;

use app::components::icon::{Glyph, Icon};
use app::state::in_address::{InAddress, use_in_address};

/// A column by which a table is sorted.
pub trait Column: Copy + PartialEq + Send + Sync + 'static {
    /// The name of each column in the address.
    const NAMED: &'static [(&'static str, Self)];
}

/// The column and the direction of a sorted table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting<C> {
    /// The column.
    pub by: C,
    /// Whether the order is descending.
    pub is_down: bool,
}

/// The sorting in the address: `?sort=size`, or `?sort=-size` for a descending order.
#[derive(Clone, Copy)]
pub struct Order<C> {
    given: Sorting<C>,
    address: InAddress,
}

/// The order of a table: the one in the address, else `given`.
#[must_use]
pub fn use_order<C: Column>(given: Sorting<C>) -> Order<C> {
    Order { given, address: use_in_address("sort") }
}

impl<C: Column> Order<C> {
    /// The current sorting. Tracked.
    #[must_use]
    pub fn get(self) -> Sorting<C> {
        self.address.get().and_then(|text| read(&text)).unwrap_or(self.given)
    }

    /// Sorts by the column, then in reverse, then in the original order.
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

/// Sorts by the column; the second click reverses, the third restores the original order.
#[component]
pub fn SortHead<C: Column>(
    /// The column.
    column: C,
    /// Its name.
    #[prop(into)]
    label: String,
    /// How the table is sorted.
    order: Order<C>,
    /// Whether it contains numbers: the largest come first.
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
            <button type="button" title=label on:click=sort>
                <span>{label.clone()}</span>
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
    fn reads_the_order_that_it_writes() {
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
