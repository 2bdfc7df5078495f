//! [`Latest`]: of several answers that are on their way, the one that was asked for last.

use leptos::prelude::*;

/// Counts what was asked, so that an answer which others have overtaken is known.
#[derive(Debug, Clone, Copy)]
pub struct Latest(StoredValue<u64>);

/// What was asked once.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    latest: Latest,
    number: u64,
}

/// Nothing is asked yet. It belongs to the current owner.
#[must_use]
pub fn use_latest() -> Latest {
    Latest(StoredValue::new(0))
}

impl Latest {
    /// Starts a new request: the one before is no longer wanted.
    #[must_use]
    pub fn ask(self) -> Asked {
        self.0.update_value(|number| *number += 1);
        self.asked()
    }

    /// What was asked last.
    #[must_use]
    pub fn asked(self) -> Asked {
        Asked { latest: self, number: self.0.try_get_value().unwrap_or_default() }
    }

    /// Wants none of what was asked.
    pub fn give_up(self) {
        let _ = self.ask();
    }
}

impl Asked {
    /// Whether nothing was asked since. Not once the page that asked is gone.
    #[must_use]
    pub fn is_wanted(self) -> bool {
        self.latest.0.try_get_value() == Some(self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_request_is_wanted() {
        let owner = Owner::new();
        owner.set();
        let latest = use_latest();
        let first = latest.ask();
        assert!(first.is_wanted() && latest.asked().is_wanted());
        let second = latest.ask();
        assert!(!first.is_wanted() && second.is_wanted());
        latest.give_up();
        assert!(!second.is_wanted());
        let last = latest.ask();
        owner.cleanup();
        assert!(!last.is_wanted(), "its page is gone");
    }
}
