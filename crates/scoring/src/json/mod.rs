//! JSON values compared by what they mean, digits kept.
//!
//! Values are read through [`json_text::JsonIndex`]: nothing here recurses over a value and no
//! integer passes through a floating-point number, so depth and length of hostile values cost
//! time in proportion and nothing else.

mod difference;
mod equality;
mod subset;

pub use difference::{Change, Difference, differences, members};
pub(crate) use difference::{Fitting, ValueComparison, compare, pointer_step};
pub(crate) use equality::equal_values;
pub use equality::{Equality, equal};
pub use subset::subset;
