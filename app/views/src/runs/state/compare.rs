//! [`groups`]: the results of a comparison, as they are shown: what changed, and what is folded.

use api::ComparedResult;
use report_view::Change;

/// Results in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// What is worse, unclear, better or new.
    pub changed: Vec<ComparedResult>,
    /// What only the other run has.
    pub gone: Vec<ComparedResult>,
    /// What has not changed.
    pub same: Vec<ComparedResult>,
}

/// The groups of these results.
#[must_use]
pub fn groups(results: &[ComparedResult]) -> Group {
    let mut groups = Group::default();
    for result in results {
        let group = match result.change {
            Change::Regressed | Change::Unclear | Change::Improved | Change::New => {
                &mut groups.changed
            }
            Change::Gone => &mut groups.gone,
            Change::Same => &mut groups.same,
        };
        group.push(result.clone());
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_changed_is_apart() {
        let result = |change| ComparedResult { change, by: 0.0, before: None, after: None };
        let all = Change::ALL.map(result);
        let Group { changed, gone, same } = groups(&all);
        assert_eq!((changed.len(), gone.len(), same.len()), (4, 1, 1));
        assert_eq!(changed[0].change, Change::Regressed);
    }
}
