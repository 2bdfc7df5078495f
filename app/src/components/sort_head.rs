//! The head of a table's column, by which its rows are sorted.

use leptos::prelude::*;

use crate::components::icon::{Glyph, Icon};

/// By which column a table is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting<C> {
    /// The column.
    pub by: C,
    /// From its end.
    pub is_down: bool,
}

/// Sorts by the column, and the other way round where it is sorted by it already.
#[component]
pub fn SortHead<C: Copy + PartialEq + Send + Sync + 'static>(
    /// The column.
    column: C,
    /// Its name.
    label: &'static str,
    /// By which column the table is sorted.
    sorting: RwSignal<Sorting<C>>,
    /// Whether numbers stand in it: the largest come first.
    #[prop(optional)]
    is_figure: bool,
) -> impl IntoView {
    let sorted = move || Some(sorting.get()).filter(|it| it.by == column).map(|it| it.is_down);
    let told = move || match sorted() {
        Some(false) => "ascending",
        Some(true) => "descending",
        None => "none",
    };
    let sort = move |_| {
        let is_down = sorted().map_or(is_figure, |is_down| !is_down);
        sorting.set(Sorting { by: column, is_down });
    };
    view! {
        <th scope="col" class="report-head" class:figure=is_figure aria-sort=told>
            <button type="button" on:click=sort>
                <span>{label}</span>
                {move || sorted().map(|is_down| view! {
                    <span class="report-arrow" class:up=!is_down aria-hidden="true"><Icon glyph=Glyph::Down/></span>
                })}
            </button>
        </th>
    }
}
