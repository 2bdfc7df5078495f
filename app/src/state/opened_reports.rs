//! [`OpenedReports`]: reports that the person opened from their own disk. They never leave this tab,
//! and end with it.

use std::sync::Arc;

use leptos::prelude::*;

/// The mark that an opened report's id begins with; no id of the host does.
const MARK: char = '~';

/// A report as it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedReport {
    /// What the page's addresses call it.
    pub id: String,
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
}

/// The opened reports, as small as their handle.
#[derive(Clone, Copy)]
pub struct OpenedReports {
    reports: RwSignal<Vec<OpenedReport>>,
}

/// None yet.
#[must_use]
pub fn use_opened_reports() -> OpenedReports {
    OpenedReports { reports: RwSignal::new(Vec::new()) }
}

/// Whether an id in an address is that of an opened report.
#[must_use]
pub fn is_opened(id: &str) -> bool {
    id.starts_with(MARK)
}

impl OpenedReports {
    /// All of them, in the order in which they were opened. Tracked.
    #[must_use]
    pub fn all(self) -> Vec<OpenedReport> {
        self.reports.get()
    }

    /// The one of this id. Tracked.
    #[must_use]
    pub fn find(self, id: &str) -> Option<OpenedReport> {
        self.reports.with(|reports| reports.iter().find(|report| report.id == id).cloned())
    }

    /// Takes a report in, under `id` where an address names one already; answers with its id.
    pub fn take_in(self, id: Option<String>, name: String, text: String) -> String {
        let mut taken = String::new();
        self.reports.update(|reports| {
            let numbers = reports.iter().filter_map(|it| it.id.strip_prefix(MARK)?.parse().ok());
            let next = numbers.max().unwrap_or(0_u32) + 1;
            let id = id.unwrap_or_else(|| format!("{MARK}{next}"));
            reports.retain(|report| report.id != id);
            taken.clone_from(&id);
            reports.push(OpenedReport { id, name, text: text.into() });
        });
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_never_given_twice_and_never_the_hosts() {
        let owner = Owner::new();
        owner.set();
        let opened = use_opened_reports();
        assert_eq!(opened.take_in(None, "a".into(), "1".into()), "~1");
        assert_eq!(opened.take_in(None, "b".into(), "2".into()), "~2");
        assert_eq!(opened.take_in(Some("~1".into()), "c".into(), "3".into()), "~1");
        assert_eq!(opened.take_in(Some("~9".into()), "d".into(), "4".into()), "~9");
        assert_eq!(opened.take_in(None, "e".into(), "5".into()), "~10");
        assert_eq!(opened.find("~1").map(|it| it.name).as_deref(), Some("c"));
        assert_eq!(opened.all().len(), 4);
        assert!(is_opened("~1") && !is_opened("run"));
    }
}
