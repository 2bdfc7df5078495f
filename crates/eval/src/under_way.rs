//! [`CasesUnderWay`]: the cases that a program is running, to watch them and take parts of them over.

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;

use crate::gate::Gate;
use crate::ledger::{Entry, Event, Role};
use crate::place::Place;
use crate::result::{EvalResult, Status, TokenUsage};
use crate::take_over::StandIns;

/// The cases that a program is running. Cases that have it in [`EvalCase::under_way`] are listed while they run.
///
/// [`EvalCase::under_way`]: crate::EvalCase::under_way
pub struct CasesUnderWay {
    run: i64,
    people: Box<dyn StandIns>,
    cases: Mutex<Vec<Arc<CaseUnderWay>>>,
}

/// One run of a case that is under way.
pub struct CaseUnderWay {
    /// The file of the suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// The repeat, from 1.
    pub repeat: u32,
    gate: Arc<Gate>,
}

impl CasesUnderWay {
    /// None yet, of the stored run of this number. `people` stand in where a part is taken over.
    #[must_use]
    pub fn new(run: i64, people: impl StandIns + 'static) -> Arc<Self> {
        Arc::new(Self { run, people: Box::new(people), cases: Mutex::default() })
    }

    /// The gate of a run that can be taken over.
    pub(crate) fn open(&self, gate: Gate) -> Gate {
        gate.open_to(self.run, &*self.people)
    }

    /// Those that run now, in the order in which they began.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<CaseUnderWay>> {
        self.lock().clone()
    }

    /// Lists a run until the value is dropped.
    pub(crate) fn enter(
        self: &Arc<Self>,
        (suite, case, repeat): (&str, &str, u32),
        gate: &Arc<Gate>,
    ) -> Entered {
        let case = Arc::new(CaseUnderWay {
            suite: suite.to_owned(),
            case: case.to_owned(),
            repeat,
            gate: Arc::clone(gate),
        });
        self.lock().push(Arc::clone(&case));
        Entered { of: Arc::clone(self), case }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<CaseUnderWay>>> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CaseUnderWay {
    /// What has happened so far.
    #[must_use]
    pub fn events(&self) -> Vec<Entry> {
        self.gate.ledger.look(<[_]>::to_vec)
    }

    /// A result with what has happened so far, without a verdict.
    #[must_use]
    pub fn so_far(&self) -> EvalResult {
        let events = self.events();
        let messages = events.iter().filter(|it| matches!(it.event, Event::UserMessage { .. }));
        EvalResult {
            name: self.case.clone(),
            repeat: self.repeat,
            model: None,
            tags: Vec::new(),
            status: Status::Unscored,
            metrics: IndexMap::new(),
            notes: Vec::new(),
            names: None,
            duration_ms: self.lasted_ms(),
            turns: u32::try_from(messages.count().saturating_sub(1)).unwrap_or(u32::MAX),
            token_usage: TokenUsage::of(Role::Subject, &events),
            events,
            error: None,
            termination_reason: None,
        }
    }

    /// Milliseconds since it began.
    #[must_use]
    pub fn lasted_ms(&self) -> u64 {
        self.gate.ledger.now_ms()
    }

    /// The id of the run, unlike that of any other.
    #[must_use]
    pub fn run_id(&self) -> &str {
        self.gate.run_id()
    }

    /// The places that can be taken over, and whether they are.
    #[must_use]
    pub fn places(&self) -> Vec<(Place, bool)> {
        self.gate.places()
    }

    /// Takes a place from the next step on, or hands it back: then what a person has not answered yet is asked as before.
    pub fn set_taken(&self, place: &Place, is_taken: bool) {
        self.gate.set_taken(place, is_taken);
    }
}

/// Lists a run while it lives.
pub(crate) struct Entered {
    of: Arc<CasesUnderWay>,
    case: Arc<CaseUnderWay>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.of.lock().retain(|other| !Arc::ptr_eq(other, &self.case));
    }
}
