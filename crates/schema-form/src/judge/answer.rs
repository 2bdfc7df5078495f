//! [`All`]: several answers become one.

/// All of several answers: a no decides, an undecided one stays in the way of a yes.
#[derive(Clone, Copy)]
pub(super) struct All {
    undecided: bool,
    no: bool,
}

impl All {
    pub(super) const YES: Self = Self { undecided: false, no: false };

    pub(super) fn and(&mut self, answer: Option<bool>) {
        match answer {
            Some(true) => {}
            Some(false) => self.no = true,
            None => self.undecided = true,
        }
    }

    /// Whether nothing that comes can change the answer.
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
