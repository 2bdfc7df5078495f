//! Light, dark, or as the system says; remembered in this browser.
//!
//! `public/theme.js` sets the remembered theme before the first paint; here it is switched.

use leptos::prelude::*;

use crate::state::browser;

/// Where the choice is remembered. `public/theme.js` reads the same key.
const KEY: &str = "rehearsal.theme";

/// The reader's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Choice {
    /// The choice that is stored as `text`; anything else is the system's.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        match text {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    /// As it is stored; the system's theme is stored as nothing.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// As people read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.name().unwrap_or("system")
    }

    /// The one that the switch goes to.
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
    /// What was chosen.
    pub choice: RwSignal<Choice>,
}

/// The remembered theme.
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
    /// Chooses and remembers. For event handlers.
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
    fn the_switch_goes_round_and_what_is_stored_reads_back() {
        let mut choice = Choice::System;
        for _ in 0..3 {
            assert_eq!(Choice::parse(choice.name().unwrap_or_default()), choice);
            choice = choice.next();
        }
        assert_eq!(choice, Choice::System);
    }
}
