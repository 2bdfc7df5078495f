//! [`OpenedReports`]: reports that the person opened from their disk. They exist only in this tab.

use std::sync::Arc;

use leptos::prelude::*;

/// The prefix of the ids of opened reports. The host's ids do not have it.
const MARK: char = '~';

/// An opened report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedReport {
    /// Its id in the page's addresses.
    pub id: String,
    /// The name of its file.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
}

/// The opened reports.
#[derive(Clone, Copy)]
pub struct OpenedReports {
    reports: RwSignal<Vec<OpenedReport>>,
}

/// No reports yet.
#[must_use]
pub fn use_opened_reports() -> OpenedReports {
    OpenedReports { reports: RwSignal::new(Vec::new()) }
}

/// Whether `id` is the id of an opened report.
#[must_use]
pub fn is_opened(id: &str) -> bool {
    id.starts_with(MARK)
}

impl OpenedReports {
    /// All reports, in the order in which they were opened. Tracked.
    #[must_use]
    pub fn all(self) -> Vec<OpenedReport> {
        self.reports.get()
    }

    /// The report with this id. Tracked.
    #[must_use]
    pub fn find(self, id: &str) -> Option<OpenedReport> {
        self.reports.with(|reports| reports.iter().find(|report| report.id == id).cloned())
    }

    /// Adds a report, under `id` if an address already has one, and returns its id.
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
    fn ids_are_unique_and_differ_from_the_hosts() {
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
