//! [`Ledger`]: what happened in a run, entry by entry, with the steps at which it can fork.

use std::ops::Range;

use api::StepView;
use json_text::JsonText;
use report_view::{TimelineEntry, timeline};

/// So many entries are drawn at once, and more at each press of the button.
pub const BATCH: usize = 200;

/// What happened, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// The entries.
    pub entries: Vec<TimelineEntry>,
    /// The places of the steps' events in the ledger, in order.
    events: Vec<usize>,
    /// The entry of each step.
    step_entries: Vec<usize>,
    /// The longest duration, in milliseconds.
    longest: u64,
}

/// Where an entry is in a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the step: given as it happened.
    Given,
    /// The step itself.
    Move,
    /// After the step: a fork goes on in another way.
    After,
}

impl Ledger {
    /// Of the events of a ledger, and the steps at which it can fork.
    #[must_use]
    pub fn of(events: &JsonText, steps: &[StepView]) -> Self {
        let entries = timeline(events);
        let events: Vec<usize> = steps.iter().map(|step| step.event).collect();
        let last = entries.len().saturating_sub(1);
        let entry = |event: &usize| entries.partition_point(|it| it.event < *event).min(last);
        let step_entries = events.iter().map(entry).collect();
        let longest = entries.iter().filter_map(|it| it.took_ms).max().unwrap_or_default();
        Self { entries, events, step_entries, longest }
    }

    /// How many steps there are.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.events.len()
    }

    /// The steps, from 1, that begin at an entry.
    #[must_use]
    pub fn steps_at(&self, entry: usize) -> Vec<usize> {
        let steps = self.step_entries.iter().enumerate();
        steps.filter(|(_, at)| **at == entry).map(|(step, _)| step + 1).collect()
    }

    /// The entry at which a step begins, the first being step 1.
    #[must_use]
    pub fn entry_of(&self, step: usize) -> Option<usize> {
        self.step_entries.get(step.checked_sub(1)?).copied()
    }

    /// Where an entry is in a fork at `step`.
    #[must_use]
    pub fn place(&self, entry: usize, step: usize) -> Place {
        let event = self.entries.get(entry).map_or(0, |entry| entry.event);
        // A step that shares its entry with one before it begins there, too.
        let begun = self.events.partition_point(|it| *it <= event);
        let begun = begun.max(self.steps_at(entry).last().copied().unwrap_or_default());
        match begun.cmp(&step) {
            std::cmp::Ordering::Less => Place::Given,
            std::cmp::Ordering::Equal => Place::Move,
            std::cmp::Ordering::Greater => Place::After,
        }
    }

    /// How long an entry took, as a part of the longest, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no run takes 2^53 milliseconds")]
    pub fn part(&self, took_ms: u64) -> f64 {
        if self.longest == 0 { 0.0 } else { took_ms as f64 / self.longest as f64 }
    }

    /// The entries to draw at first, with that of `step` in sight.
    #[must_use]
    pub fn first_drawn(&self, step: Option<usize>) -> Range<usize> {
        let count = self.entries.len();
        match step.and_then(|step| self.entry_of(step)) {
            Some(entry) if entry >= BATCH => {
                entry.saturating_sub(BATCH / 2)..(entry + BATCH / 2).min(count)
            }
            _ => 0..BATCH.min(count),
        }
    }

    /// `drawn` with the entry of `step`.
    #[must_use]
    pub fn drawn_with(&self, drawn: &Range<usize>, step: usize) -> Range<usize> {
        let Some(entry) = self.entry_of(step) else { return drawn.clone() };
        let is_near = entry + BATCH >= drawn.start && entry < drawn.end + BATCH;
        match is_near {
            true => {
                let end = if entry < drawn.end { drawn.end } else { entry + BATCH / 2 };
                drawn.start.min(entry)..end.min(self.entries.len())
            }
            false => self.first_drawn(Some(step)),
        }
    }
}

#[cfg(test)]
mod tests {
    use api::StepViewKind;

    use super::*;

    fn step(event: usize) -> StepView {
        let edit = JsonText::parse("{}").expect("JSON");
        StepView { event, kind: StepViewKind::Response, who: "agent".to_owned(), edit }
    }

    fn events(text: &str) -> JsonText {
        JsonText::parse(text).expect("JSON")
    }

    #[test]
    fn steps_begin_at_the_entries_of_their_events() {
        let events = events(
            r#"[
            {"at_ms": 0, "type": "user_message", "text": "go"},
            {"at_ms": 10, "type": "model_request", "agent": "root"},
            {"at_ms": 30, "type": "tool_call", "agent": "root", "call_id": "1", "name": "book"},
            {"at_ms": 70, "type": "tool_result", "call_id": "1", "name": "book", "result": 1},
            {"at_ms": 80, "type": "termination", "reason": "", "state": {}}
        ]"#,
        );
        let ledger = Ledger::of(&events, &[step(0), step(1), step(3)]);
        assert_eq!(ledger.entries.len(), 4);
        let at: Vec<Vec<usize>> = (0..4).map(|entry| ledger.steps_at(entry)).collect();
        assert_eq!(at, [vec![1], vec![2], vec![3], vec![]]);
        let places: Vec<Place> = (0..4).map(|entry| ledger.place(entry, 2)).collect();
        assert_eq!(places, [Place::Given, Place::Move, Place::After, Place::After]);
        assert!((ledger.part(20) - 0.5).abs() < 0.01, "the longest takes 40 ms");
    }

    #[test]
    fn a_step_after_the_last_entry_is_at_it() {
        let ledger =
            Ledger::of(&events(r#"[{"type": "user_message", "text": "go"}]"#), &[step(0), step(5)]);
        assert_eq!(ledger.steps_at(0), [1, 2]);
        let none = Ledger::of(&events("[]"), &[]);
        assert_eq!((none.steps(), none.entry_of(1), none.first_drawn(Some(3))), (0, None, 0..0));
    }

    #[test]
    fn a_part_of_a_long_ledger_is_drawn() {
        let event =
            |at: usize| format!(r#"{{"at_ms": {at}, "type": "user_message", "text": "go"}}"#);
        let all: Vec<String> = (0..10_000).map(event).collect();
        let steps: Vec<StepView> = (0..10_000).map(step).collect();
        let ledger = Ledger::of(&events(&format!("[{}]", all.join(","))), &steps);
        assert_eq!(ledger.first_drawn(None), 0..BATCH);
        let drawn = ledger.first_drawn(Some(5_001));
        assert_eq!(drawn, 4_900..5_100);
        assert_eq!(ledger.drawn_with(&drawn, 5_101), 4_900..5_200);
        assert_eq!(ledger.drawn_with(&drawn, 4_900), 4_899..5_100);
        assert_eq!(ledger.drawn_with(&drawn, 1), 0..BATCH);
    }
}
