//! [`InAddress`]: a choice that stands in the address, so that a link restores it.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;

/// A choice in the query of the address. What is chosen here is seen at once, so that the next key
/// meets it; the address follows with the next frame, and leads where it changes by itself.
#[derive(Clone, Copy)]
pub struct InAddress {
    now: RwSignal<Option<String>>,
    address: SignalSetter<Option<String>>,
}

/// The choice that the address calls `name`.
#[must_use]
pub fn use_in_address(name: &'static str) -> InAddress {
    let in_place = NavigateOptions { replace: true, scroll: false, ..Default::default() };
    let (from_url, address) = query_signal_with_options::<String>(name, in_place);
    let now = RwSignal::new(from_url.get_untracked());
    let follow = move |from_url: &Option<String>, _: Option<&_>, _| {
        if *now.read_untracked() != *from_url {
            now.set(from_url.clone());
        }
    };
    Effect::watch(move || from_url.get(), follow, false);
    InAddress { now, address }
}

impl InAddress {
    /// What is chosen. Tracked.
    #[must_use]
    pub fn get(self) -> Option<String> {
        self.now.get()
    }

    /// Chooses. Nothing happens once the page that it belongs to is gone: the address is another's.
    pub fn set(self, choice: Option<String>) {
        if self.now.try_get_untracked().is_some_and(|now| now != choice) {
            self.now.set(choice.clone());
            self.address.set(choice);
        }
    }
}
