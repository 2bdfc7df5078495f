//! [`LatestRequest`]: which of several pending requests was started last.

use leptos::prelude::*;

/// Counts requests, so that the response to an earlier one can be ignored.
#[derive(Debug, Clone, Copy)]
pub struct LatestRequest(StoredValue<u64>);

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    latest: LatestRequest,
    number: u64,
}

/// No request yet. It belongs to the current owner.
#[must_use]
pub fn use_latest_request() -> LatestRequest {
    LatestRequest(StoredValue::new(0))
}

impl LatestRequest {
    /// Starts a new request. The one before is no longer wanted.
    #[must_use]
    pub fn ask(self) -> Asked {
        self.0.update_value(|number| *number += 1);
        self.asked()
    }

    /// The latest request.
    #[must_use]
    pub fn asked(self) -> Asked {
        Asked { latest: self, number: self.0.try_get_value().unwrap_or_default() }
    }

    /// Makes no request wanted.
    pub fn give_up(self) {
        let _ = self.ask();
    }
}

impl Asked {
    /// Whether this is the latest request. False once its owner is cleaned up.
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
        let latest = use_latest_request();
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
