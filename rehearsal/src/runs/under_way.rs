//! The cases that this host is running, as the page gets them, and who stands in where a person takes a part over.

use std::sync::{Arc, OnceLock};

use api::{CaseRun, CaseRunId, PlaceUnderWay};
use eval::ToolMock;
use eval::model::Models;
use eval::person::People;
use eval::take_over::StandIns;
use eval::under_way::CaseUnderWay;
use eval::user_agent::UserAgent;

use crate::run_views::case_run;

/// The people at this host, once its address is known.
pub(super) struct PeopleHere(pub(super) Arc<OnceLock<String>>);

impl PeopleHere {
    fn models(&self) -> Models {
        let models = Models::of_environment();
        match self.0.get() {
            Some(address) => models.with_host(address),
            None => models,
        }
    }
}

impl StandIns for PeopleHere {
    fn user(&self, case: &str) -> Arc<dyn UserAgent> {
        People::new(self.models()).user(case)
    }

    fn tool(&self, case: &str) -> ToolMock {
        People::new(self.models()).tool(case)
    }
}

/// A case that is running, as the page gets it.
pub(super) fn view(run: i64, case: &CaseUnderWay) -> api::CaseUnderWay {
    let session = Models::of_environment().person(&case.case).in_run(case.run_id());
    let places = case.places().into_iter();
    let place = |(place, is_taken): (eval::place::Place, bool)| PlaceUnderWay {
        place: place.to_string(),
        is_taken,
    };
    api::CaseUnderWay {
        id: id_of(run, case),
        lasted_ms: case.lasted_ms(),
        events: case.events().len() as u64,
        session: session.name().to_owned(),
        places: places.map(place).collect(),
    }
}

/// A case that is running as a result without a verdict.
pub(super) fn so_far(run: i64, case: &CaseUnderWay, repeats: Vec<u32>, is_fork: bool) -> CaseRun {
    let read = case_run(id_of(run, case), case.so_far(), repeats, Vec::new(), None, is_fork);
    CaseRun { under_way: Some(view(run, case)), ..read }
}

fn id_of(run: i64, case: &CaseUnderWay) -> CaseRunId {
    CaseRunId { run, suite: case.suite.clone(), case: case.case.clone(), repeat: case.repeat }
}
