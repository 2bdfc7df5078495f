//! [`InAddress`]: a choice in the query of the page's address, so that a link restores it.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;

use crate::state::base_path::unresolved;

/// A choice in the query of the address. A new choice is readable at once, so that the next key
/// applies to it, while the router updates the address in the next frame. A change of the address,
/// such as by Back, changes the choice.
#[derive(Clone, Copy)]
pub struct InAddress {
    now: RwSignal<Option<String>>,
    address: SignalSetter<Option<String>>,
}

/// The choice in the query parameter `name`.
#[must_use]
pub fn use_in_address(name: &'static str) -> InAddress {
    let in_place = NavigateOptions { replace: true, scroll: false, ..unresolved() };
    let (from_url, address) = query_signal_with_options::<String>(name, in_place);
    let now = RwSignal::new(from_url.get_untracked());
    let follow = move |from_url: &Option<String>, _: Option<&_>, _| {
        if *now.read_untracked() != *from_url {
            now.set(from_url.clone());
        }
    };
    // Not derived: `now` is ahead of the address until the next frame.
    Effect::watch(move || from_url.get(), follow, false);
    InAddress { now, address }
}

impl InAddress {
    /// The choice. Tracked.
    #[must_use]
    pub fn get(self) -> Option<String> {
        self.now.get()
    }

    /// Changes the choice and the address. Does nothing once the page was left.
    pub fn set(self, choice: Option<String>) {
        if self.now.try_get_untracked().is_some_and(|now| now != choice) {
            self.now.set(choice.clone());
            self.address.set(choice);
        }
    }
}
