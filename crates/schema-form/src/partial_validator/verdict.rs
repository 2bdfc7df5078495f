//! [`AllOf`]: combines answers that may be yes, no or undecided.

/// Combines several answers: no if any is no, else undecided if any is undecided, else yes.
#[derive(Clone, Copy)]
pub(super) struct AllOf {
    undecided: bool,
    no: bool,
}

impl AllOf {
    pub(super) const YES: Self = Self { undecided: false, no: false };

    pub(super) fn and(&mut self, answer: Option<bool>) {
        match answer {
            Some(true) => {}
            Some(false) => self.no = true,
            None => self.undecided = true,
        }
    }

    /// Whether further answers cannot change the result.
    pub(super) fn is_settled(self) -> bool {
        self.no
    }

    pub(super) fn answer(self) -> Option<bool> {
        match self {
            Self { no: true, .. } => Some(false),
            Self { undecided: true, .. } => None,
            _ => Some(true),
        }
    }
}
