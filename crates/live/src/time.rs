//! [`Timestamp`], [`Ticks`] and [`Moment`]: times on the clock of the day and on one that only moves forward.

/// Milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This many milliseconds later.
    #[must_use]
    pub fn plus(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }
}

/// Milliseconds of a clock that only moves forward: unlike a [`Timestamp`], it does not jump when the
/// time of day is corrected. Its zero is arbitrary, so it is compared but not stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub i64);

impl Ticks {
    /// This many milliseconds later.
    #[must_use]
    pub fn plus(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }
}

/// One moment on both clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time of day, for events.
    pub at: Timestamp,
    /// The time that leases are measured by.
    pub ticks: Ticks,
}

impl Moment {
    /// This many milliseconds later.
    #[must_use]
    pub fn plus(self, milliseconds: i64) -> Self {
        Self { at: self.at.plus(milliseconds), ticks: self.ticks.plus(milliseconds) }
    }
}
