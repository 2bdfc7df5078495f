//! [`Path`]: the path from a form's root to one of its places.
//!
//! Items and entries have identities, so that a path stays valid after its list was reordered.

use std::fmt;

/// The identity of a list's item or an object's extra entry, unique in its draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub(crate) u32);

impl fmt::Display for ItemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// One step of a [`Path`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// Into a member that the schema names, by its position in [`crate::ObjectField::members`].
    Member(usize),
    /// Into an entry that the person named.
    Entry(ItemId),
    /// Into a list's item.
    Item(ItemId),
    /// Into a branch of a union, by its position.
    Branch(usize),
}

/// The steps from the root; empty for the root itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Vec<PathStep>);

impl Path {
    /// The root.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// The place one step further.
    #[must_use]
    pub fn then(&self, step: PathStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The steps in order.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Whether `other` is this place or within it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    pub(crate) fn push(&mut self, step: PathStep) {
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl fmt::Display for Path {
    /// Letters, digits and hyphens only, such as `m0-i3`: fit for an element's id.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str("-")?;
            }
            match step {
                PathStep::Member(position) => write!(formatter, "m{position}")?,
                PathStep::Entry(id) => write!(formatter, "e{id}")?,
                PathStep::Item(id) => write!(formatter, "i{id}")?,
                PathStep::Branch(position) => write!(formatter, "b{position}")?,
            }
        }
        Ok(())
    }
}
