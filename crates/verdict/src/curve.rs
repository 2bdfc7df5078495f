//! [`Curve`]: the share of runs that pass, by how much of a path is given.

use scoring::statistics::{CaseRuns, Effect, effect};
use serde::{Deserialize, Serialize};
use statrs::distribution::{DiscreteCDF as _, Hypergeometric};

/// The chance of a rise that is shown although nothing rises, over all steps together, or of a repair over all that were
/// tried.
pub const ROOM: f64 = 0.025;

/// A rise with at most this chance may be shown by more runs.
const MAY_RISE: f64 = 0.25;

/// The runs that go on from a step of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// The step, from 1, that the model does by itself; those before it are given.
    pub step: usize,
    /// The runs that count.
    pub runs: CaseRuns,
}

/// The points of a path, by their steps, and what the whole path gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Curve {
    /// The points, at the steps at which the model responds.
    pub points: Vec<Point>,
    /// How often it is looked at in all before more runs are made or not, at least once.
    pub looks: usize,
}

/// A step at which the model leaves the path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Jump {
    /// The step.
    pub step: usize,
    /// The runs in which the step was given, as the path has it, beside those in which the model did it. Where it is the
    /// last step, the former are the path itself, counted as often as the model was asked.
    pub effect: Effect,
    /// The chance of such a rise if there is none, by Fisher's exact test.
    pub chance: f64,
}

impl Curve {
    /// The rises that are shown, the largest first: the chance of any without a cause is [`ROOM`] for all steps and looks
    /// together.
    #[must_use]
    pub fn jumps(&self) -> Vec<Jump> {
        let compared = self.rises();
        #[expect(clippy::cast_precision_loss, reason = "no path has 2^53 steps")]
        let room = ROOM / (compared.len() * self.looks).max(1) as f64;
        let mut shown: Vec<Jump> = compared.into_iter().filter(|it| it.chance <= room).collect();
        shown.sort_by(|one, other| other.effect.difference.total_cmp(&one.effect.difference));
        shown
    }

    /// The step whose rise is likeliest, whether or not it is shown.
    #[must_use]
    pub fn likeliest(&self) -> Option<Jump> {
        self.rises().into_iter().min_by(|one, other| one.chance.total_cmp(&other.chance))
    }

    /// The steps at which more runs may decide, if each can have `most`: none once a rise is shown. Else those on both sides of
    /// a rise that may be one, and the first, which says whether the model reaches the goal.
    #[must_use]
    pub fn undecided(&self, most: usize) -> Vec<usize> {
        if !self.jumps().is_empty() {
            return Vec::new();
        }
        let rises = self.rises();
        let may_rise = |at: usize| {
            let step = self.points[at].step;
            rises.iter().any(|rise| rise.step == step && rise.chance <= MAY_RISE)
        };
        let open = |at: &usize| *at == 0 || may_rise(*at) || may_rise(*at - 1);
        let lacks = |at: &usize| self.points[*at].runs.runs < most;
        let places = (0..self.points.len()).filter(|at| lacks(at) && open(at));
        places.map(|at| self.points[at].step).collect()
    }

    /// Each step beside the next one.
    fn rises(&self) -> Vec<Jump> {
        let next = |at: usize| match self.points.get(at + 1) {
            Some(next) => next.runs,
            None => {
                let asked = self.points[at].runs.runs;
                CaseRuns { passed: asked, runs: asked }
            }
        };
        let rise = |(at, point): (usize, &Point)| {
            let effect = effect(next(at), point.runs)?;
            Some(Jump { step: point.step, effect, chance: chance(effect.with, effect.without) })
        };
        self.points.iter().enumerate().filter_map(rise).collect()
    }
}

/// The chance that `with` passes at least so often beside `without` although both pass at the same rate.
pub(crate) fn chance(with: CaseRuns, without: CaseRuns) -> f64 {
    let all = (with.runs + without.runs) as u64;
    let passed = (with.passed + without.passed) as u64;
    match (Hypergeometric::new(all, passed, with.runs as u64), with.passed) {
        (Ok(drawn), 1..) => drawn.sf(with.passed as u64 - 1),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(runs: &[(usize, usize)]) -> Curve {
        let point = |(at, (passed, runs)): (usize, &(usize, usize))| Point {
            step: 2 * at + 2,
            runs: CaseRuns { passed: *passed, runs: *runs },
        };
        Curve { points: runs.iter().enumerate().map(point).collect(), looks: 1 }
    }

    /// Of the 184,756 ways to choose the ten runs with the step among twenty.
    #[test]
    fn the_chance_is_that_of_fishers_test() {
        let of = |passed, runs| CaseRuns { passed, runs };
        for (with, without, ways) in [
            (of(9, 10), of(3, 10), 220.0 * 8.0 + 66.0),
            (of(10, 10), of(0, 10), 1.0),
            (of(3, 10), of(3, 10), 20.0 * 3432.0 + 15.0 * 3003.0 + 6.0 * 2002.0 + 1001.0),
            (of(0, 10), of(3, 10), 184_756.0),
        ] {
            let found = chance(with, without);
            assert!((found * 184_756.0 - ways).abs() < 1e-4, "{found}, {ways} ways");
        }
    }

    #[test]
    fn the_step_at_which_the_curve_rises_is_where_the_model_leaves_the_path() {
        let jumps = curve(&[(1, 10), (2, 10), (10, 10)]).jumps();
        assert_eq!(jumps.iter().map(|it| it.step).collect::<Vec<_>>(), [4]);
        assert_eq!((jumps[0].effect.with.passed, jumps[0].effect.without.passed), (10, 2));
        // The last step is compared with the path itself.
        let last: Vec<usize> =
            curve(&[(0, 10), (0, 10)]).jumps().iter().map(|it| it.step).collect();
        assert_eq!(last, [4]);
    }

    #[test]
    fn more_runs_go_where_they_may_decide() {
        // Shown, so that no more are needed, although it is looked at twice.
        assert_eq!(Curve { looks: 2, ..curve(&[(0, 5), (0, 5), (5, 5)]) }.undecided(10), [0; 0]);
        // Between the second and the third, and the first.
        assert_eq!(curve(&[(1, 5), (1, 5), (4, 5), (5, 5)]).undecided(10), [2, 4, 6]);
        assert_eq!(curve(&[(4, 5), (5, 5), (5, 5)]).undecided(10), [2]);
        assert_eq!(curve(&[(4, 10), (6, 10), (9, 10)]).undecided(10), [0; 0], "all have as many");
    }

    #[test]
    fn a_rise_that_chance_explains_is_none() {
        assert_eq!(curve(&[(4, 10), (6, 10), (9, 10)]).jumps(), []);
        let likeliest = curve(&[(4, 10), (6, 10), (9, 10)]).likeliest().expect("runs");
        assert_eq!(likeliest.step, 4);
        assert_eq!(curve(&[]).likeliest(), None);
        assert_eq!(curve(&[(0, 0)]).jumps(), [], "nothing counts");
    }
}
