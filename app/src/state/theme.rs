//! The theme: light, dark, or the system's. Stored in this browser.
//!
//! `public/theme.js` applies the stored theme before the first paint.

use leptos::prelude::*;

use crate::state::browser;

/// The storage key of the choice. `public/theme.js` reads the same key.
const KEY: &str = "rehearsal.theme";

/// The chosen theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The system's theme.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Choice {
    /// The choice that is stored as `text`; [`Choice::System`] for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    /// The stored text; `None` for the system's theme, which is not stored.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// The shown name.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.name().unwrap_or("system")
    }

    /// The choice that the button switches to.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

/// The theme of the page.
#[derive(Clone, Copy)]
pub struct Theme {
    /// The choice.
    pub choice: RwSignal<Choice>,
}

/// The stored theme. The browser reads it after the first paint.
#[must_use]
pub fn use_theme() -> Theme {
    let choice = RwSignal::new(Choice::default());
    Effect::new(move |_| {
        if let Some(stored) = browser::stored(KEY) {
            choice.set(Choice::parse(&stored));
        }
    });
    Theme { choice }
}

impl Theme {
    /// Applies and stores a choice. For event handlers.
    pub fn choose(self, choice: Choice) {
        self.choice.set(choice);
        browser::store(KEY, choice.name());
        if let Some(root) = document().document_element() {
            let _ = match choice.name() {
                Some(name) => root.set_attribute("data-theme", name),
                None => root.remove_attribute("data-theme"),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_button_cycles_through_choices_that_are_read_back() {
        let mut choice = Choice::System;
        for _ in 0..3 {
            assert_eq!(Choice::parse(choice.name().unwrap_or_default()), choice);
            choice = choice.next();
        }
        assert_eq!(choice, Choice::System);
    }
}
