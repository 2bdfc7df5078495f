//! The icons: strokes on a 16 by 16 grid, in the color of the text around them.

use leptos::prelude::*;

/// What an icon shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// A person.
    User,
    /// A wrench.
    Tool,
    /// An exclamation mark in a circle.
    Error,
    /// An exclamation mark in a triangle.
    Warning,
    /// A speech bubble.
    Answer,
    /// A square in a circle.
    Stopped,
    /// A magnifying glass.
    Search,
    /// Points down.
    Down,
    /// Points right.
    Right,
    /// Runs.
    Play,
    /// Two sheets.
    Copy,
    /// Done.
    Check,
    /// Turns back.
    Retry,
    /// A cross.
    Close,
    /// A clock.
    Clock,
    /// A question mark in a circle.
    Question,
    /// A sun.
    Light,
    /// A moon.
    Dark,
    /// A screen.
    System,
    /// Points down into a tray.
    Export,
    /// A sheet of a calendar.
    Calendar,
    /// A bell.
    Bell,
    /// A sheet with a corner turned down.
    File,
}

impl Glyph {
    fn path(self) -> &'static str {
        match self {
            Self::User => {
                "M8 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6M2.500 14c.6-3 2.800-4.500 5.500-4.500s4.900 1.500 5.500 4.500"
            }
            Self::Tool => {
                "M13.700 4.200 11.500 6.400 9.600 4.500l2.200-2.200a3.600 3.600 0 0 0-4.700 4.700l-4.700 4.700a1.350 1.350 0 0 0 1.900 1.900L9 8.900a3.600 3.600 0 0 0 4.700-4.700"
            }
            Self::Error => "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 4.800v3.800M8 11.100v.1",
            Self::Warning => "M8 2.300 14.300 13.500H1.700zM8 6.500v3.200M8 11.600v.1",
            Self::Answer => "M2.500 3.500h11v7.500H7l-3 2.800V11H2.500z",
            Self::Stopped => "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M6 6h4v4H6z",
            Self::Search => {
                "M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9m3.500 8 3.500 3.500"
            }
            Self::Down => "m4 6 4 4 4-4",
            Self::Right => "m6 4 4 4-4 4",
            Self::Play => "M5 3.500v9l7-4.500z",
            Self::Copy => "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
            Self::Check => "m3 8.500 3.500 3.500L13 4.500",
            Self::Retry => "M13 8a5 5 0 1 1-1.600-3.700L13 5.800M13 2.500v3.300H9.700",
            Self::Close => "m4 4 8 8M12 4l-8 8",
            Self::Clock => "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2m0 2.800V8l2.200 1.600",
            Self::Question => {
                "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M6.300 6.400a1.750 1.750 0 1 1 2.600 1.500c-.6.35-.9.7-.9 1.300M8 11.200v.1"
            }
            Self::Light => {
                "M8 5.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600M8 1.500v1.200M8 13.300v1.200M1.500 8h1.200M13.300 8h1.200M3.400 3.400l.9.9M11.700 11.700l.9.9M3.400 12.600l.9-.9M11.700 4.300l.9-.9"
            }
            Self::Dark => "M13.500 9.500A5.800 5.800 0 0 1 6.500 2.500a5.800 5.800 0 1 0 7 7",
            Self::System => "M2 3h12v8H2zM6 14h4M8 11v3",
            Self::Calendar => "M2.500 4h11v9.500h-11zM2.500 7h11M5.500 2.200V5M10.500 2.200V5",
            Self::File => "M4 2h5l3.500 3.500V14H4zM9 2v3.500h3.500",
            Self::Bell => "M4 11.500V7a4 4 0 0 1 8 0v4.500M2.500 11.500h11M6.800 13.500h2.400",
            Self::Export => "M8 2.500v7.500M4.800 7 8 10.200 11.200 7M2.500 10.500v3h11v-3",
        }
    }
}

/// An icon; it has no text of its own, so a text is beside it or in its button's label.
#[component]
pub fn Icon(
    /// What it shows.
    glyph: Glyph,
) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
            <path d=glyph.path()/>
        </svg>
    }
}
