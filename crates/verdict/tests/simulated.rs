//! How often the step is right, wrong or undecided for models with a known fault, and what a repair that is none does.

use scoring::statistics::{CaseRuns, effect};
use verdict::{
    Cause, Curve, Evidence, PathEnd, Point, Tried, TriedKind, Uncounted, Verdict, verdict,
};

/// SplitMix64: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Of `times` runs, those that pass at this rate.
    fn runs(&mut self, rate: f64, times: usize) -> CaseRuns {
        #[expect(clippy::cast_precision_loss, reason = "a number of 53 bits")]
        let passes = |random: &mut Self| ((random.next() >> 11) as f64) < rate * 2_f64.powi(53);
        CaseRuns { passed: (0..times).filter(|_| passes(self)).count(), runs: times }
    }
}

/// A model that does each step of a path with its own chance, and passes if it does all that are left to it. Half of the
/// runs are made first, as `rehearsal diagnose` does.
fn of_model(chances: &[f64], times: usize, random: &mut Random) -> Curve {
    let rate = |at: usize| chances[at..].iter().product::<f64>();
    let half = times.div_ceil(2);
    let mut point = |at| Point { step: at, runs: random.runs(rate(at), half) };
    let points = (0..chances.len()).map(&mut point).collect();
    let mut curve = Curve { points, looks: 2 };
    for step in curve.undecided(times) {
        let more = random.runs(rate(step), times - half);
        let runs = &mut curve.points[step].runs;
        runs.passed += more.passed;
        runs.runs += more.runs;
    }
    curve
}

fn found(curve: Curve, tried: Vec<Tried>) -> Verdict {
    let uncounted = Uncounted::default();
    verdict(&Evidence { end: PathEnd::Passes, curve, uncounted, tried })
}

/// Right, wrong and undecided of `RUNS` models.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    undecided: usize,
    /// Of all runs that there could be, how many of 100 were made.
    made: usize,
}

const RUNS: usize = 2000;

#[expect(clippy::print_stdout, reason = "the figures of docs/design/verdict.md")]
fn tally(chance: f64, other: f64, times: usize) -> Tally {
    let mut random = Random(7);
    let mut tally = Tally::default();
    let (mut made, mut all) = (0, 0);
    for run in 0..RUNS {
        let steps = 2 + run % 5;
        let fault = (run / 5) % steps;
        let chances: Vec<f64> =
            (0..steps).map(|at| if at == fault { chance } else { other }).collect();
        let curve = of_model(&chances, times, &mut random);
        made += curve.points.iter().map(|point| point.runs.runs).sum::<usize>();
        all += steps * times;
        let found = found(curve, Vec::new());
        match found.jump.map(|jump| jump.step) {
            Some(step) if step == fault => tally.right += 1,
            Some(_) => tally.wrong += 1,
            None => tally.undecided += 1,
        }
    }
    tally.made = 100 * made / all;
    println!("{chance} at the fault, {other} elsewhere, {times} runs: {tally:?}");
    tally
}

#[test]
fn the_step_of_a_planted_fault_is_found_and_no_other() {
    for (chance, other) in [(0.0, 1.0), (0.2, 1.0), (0.4, 1.0), (0.2, 0.97)] {
        // For docs/design/verdict.md.
        tally(chance, other, 10);
        let Tally { right, wrong, undecided, .. } = tally(chance, other, 20);
        assert!(wrong * 50 <= RUNS, "wrong in at most 2 of 100");
        assert!(undecided * 10 <= 3 * RUNS, "undecided in at most 30 of 100");
        assert!(right * 100 >= 95 * (right + wrong), "right in 95 of 100 where it speaks");
    }
}

#[test]
fn a_model_that_reaches_the_goal_has_no_fault() {
    let mut random = Random(11);
    let spoken = (0..RUNS).filter(|run| {
        let steps = 2 + run % 5;
        // It fails once in 33 runs, at no step in particular.
        let chances = vec![0.97_f64.powf(1.0 / 4.0); steps];
        let found = found(of_model(&chances, 20, &mut random), Vec::new());
        found.jump.is_some() || found.cause != Cause::Nothing
    });
    assert!(spoken.count() * 50 <= RUNS, "at most 2 of 100");
}

#[test]
fn a_change_that_repairs_nothing_is_seldom_named() {
    let mut random = Random(13);
    let named = (0..RUNS).filter(|_| {
        let curve = of_model(&[1.0, 0.2, 1.0], 20, &mut random);
        let tried: Vec<Tried> = [TriedKind::Instructions, TriedKind::Tools, TriedKind::Model]
            .into_iter()
            .filter_map(|kind| {
                let (with, without) = (random.runs(0.2, 20), random.runs(0.2, 20));
                let effect = effect(with, without)?;
                Some(Tried { kind, name: String::new(), effect })
            })
            .collect();
        found(curve, tried).cause != Cause::Undecided
    });
    assert!(named.count() * 40 <= RUNS, "at most 2.5 of 100, over all that was tried");
}
