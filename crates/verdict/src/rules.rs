//! [`verdict`]: from evidence to a cause.

use scoring::statistics::{CaseRuns, Effect, rate_interval};
use serde::Serialize;

use crate::curve::{Curve, Jump, ROOM, chance};

/// The model reaches the goal by itself if at least this share of its runs passes from the beginning: the lower end of
/// the interval.
const REACHES: f64 = 0.5;

/// How a path ends when it is given as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathEnd {
    /// It passes.
    Passes,
    /// It does not, for this reason.
    Fails(String),
}

/// What was tried at the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TriedKind {
    /// Other instructions.
    Instructions,
    /// Another description or schema of a tool, or recorded results in place of real ones.
    Tools,
    /// Another model, or another temperature.
    Model,
    /// Several of these at once.
    Several,
}

/// Something that was tried at the step where the model leaves the path, beside as many runs without it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// What it is.
    pub kind: TriedKind,
    /// Its name, for people, such as `the instruction`.
    pub name: String,
    /// The runs with it, and without it.
    pub effect: Effect,
}

/// How many runs something else than the agent ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uncounted {
    /// The simulated user.
    pub user: usize,
    /// A mock.
    pub mock: usize,
    /// A metric.
    pub metric: usize,
    /// The infrastructure.
    pub infrastructure: usize,
}

/// What is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// How the path ends.
    pub end: PathEnd,
    /// The curve.
    pub curve: Curve,
    /// Runs that count on neither side.
    pub uncounted: Uncounted,
    /// What was tried.
    pub tried: Vec<Tried>,
}

/// What is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Nothing: the model reaches the goal.
    Nothing,
    /// The tools.
    Tools,
    /// The instructions.
    Instructions,
    /// The model.
    Model,
    /// The case.
    Case,
    /// The simulated user.
    SimulatedUser,
    /// A mock.
    Mock,
    /// The infrastructure.
    Infrastructure,
    /// Each of several changes repairs it.
    Several,
    /// It is not known.
    Undecided,
}

/// A cause with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What is at fault.
    pub cause: Cause,
    /// Where the model leaves the path, if that is shown.
    pub jump: Option<Jump>,
    /// Why, in sentences.
    pub because: Vec<String>,
    /// What would decide, in sentences; empty if it is decided.
    pub next: Vec<String>,
}

/// The verdict on a case.
///
/// ```
/// use scoring::statistics::CaseRuns;
/// use verdict::{Cause, Curve, Evidence, PathEnd, Point, Uncounted, verdict};
/// let point = |step, passed| Point { step, runs: CaseRuns { passed, runs: 10 } };
/// let found = verdict(&Evidence {
///     end: PathEnd::Passes,
///     curve: Curve { points: vec![point(2, 0), point(4, 1), point(6, 10)], looks: 1 },
///     uncounted: Uncounted::default(),
///     tried: Vec::new(),
/// });
/// assert_eq!((found.cause, found.jump.map(|jump| jump.step)), (Cause::Undecided, Some(4)));
/// ```
#[must_use]
pub fn verdict(evidence: &Evidence) -> Verdict {
    let Evidence { end, curve, uncounted, tried } = evidence;
    let jump = curve.jumps().into_iter().next();
    let found = |cause, because: Vec<String>, next| Verdict { cause, jump, because, next };
    if let PathEnd::Fails(why) = end {
        let said = format!("The path itself does not pass when it is given as a whole: {why}.");
        return found(Cause::Case, vec![said], Vec::new());
    }
    if let Some((cause, said)) = by_others(curve, *uncounted) {
        return found(cause, vec![said], Vec::new());
    }
    let Some(jump) = jump else { return without_jump(curve) };
    let mut because = vec![left_at(&jump)];
    let repairs: Vec<&Tried> = tried.iter().filter(|it| is_shown(it, tried.len())).collect();
    because.extend(tried.iter().map(|it| said_of(it, is_shown(it, tried.len()))));
    let mut kinds: Vec<TriedKind> = repairs.iter().map(|it| it.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let cause = match *kinds {
        [] => Cause::Undecided,
        [TriedKind::Instructions] => Cause::Instructions,
        [TriedKind::Tools] => Cause::Tools,
        [TriedKind::Model] => Cause::Model,
        _ => Cause::Several,
    };
    // That another model repairs it says something only if no text does.
    let untried = |kind| !tried.iter().any(|it| it.kind == kind);
    if cause == Cause::Model && untried(TriedKind::Instructions) {
        let next = vec![
            "Another model repairs it. Try a note in the instructions: if it repairs it too, the \
                         instructions lack something that the other model does not need."
                .to_owned(),
        ];
        return found(Cause::Undecided, because, next);
    }
    let next = match cause {
        Cause::Undecided => what_to_try(&jump, tried),
        _ => Vec::new(),
    };
    found(cause, because, next)
}

/// Who else ended most of the runs.
fn by_others(curve: &Curve, uncounted: Uncounted) -> Option<(Cause, String)> {
    let counted: usize = curve.points.iter().map(|point| point.runs.runs).sum();
    let Uncounted { user, mock, metric, infrastructure } = uncounted;
    let all = counted + user + mock + metric + infrastructure;
    let (most, cause, who) = [
        (user, Cause::SimulatedUser, "the simulated user"),
        (mock, Cause::Mock, "a mock"),
        (metric, Cause::Case, "a metric"),
        (infrastructure, Cause::Infrastructure, "the infrastructure"),
    ]
    .into_iter()
    .max_by_key(|(number, ..)| *number)?;
    (2 * most > all).then(|| {
        (cause, format!("{most} of {all} runs were ended by {who}, and say nothing of the agent."))
    })
}

fn without_jump(curve: &Curve) -> Verdict {
    let found =
        |cause, because: String, next| Verdict { cause, jump: None, because: vec![because], next };
    let first =
        curve.points.first().map(|point| point.runs).unwrap_or(CaseRuns { passed: 0, runs: 0 });
    let at_first = format!("From the beginning, {} of {} pass", first.passed, first.runs);
    let once = |at| CaseRuns { passed: usize::from(at < first.passed), runs: 1 };
    let reaches = rate_interval((0..first.runs).map(once)).is_some_and(|it| it.low >= REACHES);
    if reaches {
        return found(
            Cause::Nothing,
            format!("{at_first}: the model reaches the goal."),
            Vec::new(),
        );
    }
    let next = match curve.likeliest() {
        None => vec!["No run counts. See why they ended.".to_owned()],
        Some(jump) => {
            let more = match jump.effect.needed {
                Some(needed) => format!("about {needed} runs at each step"),
                None => "more runs at each step".to_owned(),
            };
            vec![format!("To show a rise at step {}, {more} would be needed.", jump.step)]
        }
    };
    found(Cause::Undecided, format!("{at_first}, and no step is shown at which that rises."), next)
}

fn left_at(jump: &Jump) -> String {
    let Jump { step, effect, .. } = jump;
    format!(
        "The model leaves the path at step {step}: with the path's step {} pass, without it {} ({}).",
        of(effect.with),
        of(effect.without),
        difference(effect)
    )
}

fn is_shown(tried: &Tried, number: usize) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "nobody tries 2^53 things")]
    let room = ROOM / number.max(1) as f64;
    chance(tried.effect.with, tried.effect.without) <= room
}

fn said_of(tried: &Tried, is_shown: bool) -> String {
    let Tried { name, effect, .. } = tried;
    let (with, without) = (of(effect.with), of(effect.without));
    match is_shown {
        true => format!(
            "Changing {name} repairs it: {with} pass, without the change {without} ({}).",
            difference(effect)
        ),
        false => format!(
            "Changing {name} is not shown to repair it: {with} pass, without the change {without}."
        ),
    }
}

/// What would tell model, instructions and tools from each other.
fn what_to_try(jump: &Jump, tried: &[Tried]) -> Vec<String> {
    let is_untried = |kind| !tried.iter().any(|it| it.kind == kind);
    let each = jump.effect.without.runs;
    let try_it = |kind, what: &str| {
        is_untried(kind).then(|| format!("{what} at step {} ({} runs).", jump.step, 2 * each))
    };
    let next = [
        try_it(
            TriedKind::Instructions,
            "Try what you know and the agent does not as a note in the instructions",
        ),
        try_it(TriedKind::Tools, "Try another description or schema of the tool"),
        try_it(TriedKind::Model, "Try another model"),
    ];
    let next: Vec<String> = next.into_iter().flatten().collect();
    match next.is_empty() {
        true => {
            vec!["Nothing that was tried repairs it. Try other texts, or another model.".to_owned()]
        }
        false => next,
    }
}

fn of(CaseRuns { passed, runs }: CaseRuns) -> String {
    format!("{passed} of {runs}")
}

fn difference(effect: &Effect) -> String {
    let [difference, low, high] =
        [effect.difference, effect.low, effect.high].map(|it| format!("{it:.2}").replace('-', "−"));
    format!("difference {difference}, 95 % {low} to {high}")
}

#[cfg(test)]
mod tests {
    use scoring::statistics::effect;

    use super::*;
    use crate::curve::Point;

    fn runs(passed: usize, runs: usize) -> CaseRuns {
        CaseRuns { passed, runs }
    }

    /// A path of three steps, of which the second is the one that the model does not find.
    fn evidence(tried: Vec<Tried>) -> Evidence {
        let point = |step, passed| Point { step, runs: runs(passed, 10) };
        Evidence {
            end: PathEnd::Passes,
            curve: Curve { points: vec![point(2, 0), point(4, 1), point(6, 10)], looks: 1 },
            uncounted: Uncounted::default(),
            tried,
        }
    }

    fn tried(kind: TriedKind, with: usize, without: usize) -> Tried {
        let effect = effect(runs(with, 10), runs(without, 10)).expect("runs");
        Tried { kind, name: "the instruction".to_owned(), effect }
    }

    #[test]
    fn what_repairs_it_is_the_cause() {
        use TriedKind::{Instructions, Model, Tools};
        for (cause, changes) in [
            (Cause::Undecided, vec![]),
            (Cause::Instructions, vec![tried(Instructions, 10, 1)]),
            (Cause::Tools, vec![tried(Instructions, 2, 1), tried(Tools, 9, 0)]),
            (Cause::Model, vec![tried(Instructions, 1, 1), tried(Model, 10, 0)]),
            (Cause::Several, vec![tried(Instructions, 10, 1), tried(Model, 10, 0)]),
            (Cause::Undecided, vec![tried(Instructions, 3, 1)]),
            // A note may say what the other model knows.
            (Cause::Undecided, vec![tried(Model, 10, 0)]),
        ] {
            let found = verdict(&evidence(changes.clone()));
            assert_eq!(found.cause, cause, "{changes:?}");
            assert_eq!(found.jump.map(|jump| jump.step), Some(4));
            assert_eq!(found.next.is_empty(), cause != Cause::Undecided, "{found:?}");
            assert_eq!(
                found.because[0],
                "The model leaves the path at step 4: with the path's step 10 of 10 pass, without it 1 of 10 \
                 (difference 0.90, 95 % 0.49 to 0.98)."
            );
        }
    }

    #[test]
    fn a_repair_is_corrected_for_the_number_of_tries() {
        let one = tried(TriedKind::Instructions, 7, 1);
        assert_eq!(verdict(&evidence(vec![one.clone()])).cause, Cause::Instructions);
        let none = tried(TriedKind::Tools, 1, 1);
        let several = vec![one, none.clone(), none.clone(), none.clone(), none];
        assert_eq!(verdict(&evidence(several)).cause, Cause::Undecided);
    }

    #[test]
    fn what_ended_most_runs_is_at_fault() {
        let with = |uncounted| verdict(&Evidence { uncounted, ..evidence(Vec::new()) }).cause;
        assert_eq!(with(Uncounted { mock: 31, ..Uncounted::default() }), Cause::Mock);
        assert_eq!(
            with(Uncounted { user: 40, mock: 3, ..Uncounted::default() }),
            Cause::SimulatedUser
        );
        assert_eq!(
            with(Uncounted { infrastructure: 29, ..Uncounted::default() }),
            Cause::Undecided
        );
        let end = PathEnd::Fails("degrees is 25; wanted: 22".to_owned());
        assert_eq!(verdict(&Evidence { end, ..evidence(Vec::new()) }).cause, Cause::Case);
    }

    #[test]
    fn thin_evidence_says_what_is_missing() {
        let of = |times, passed: [usize; 2]| {
            let point = |step, passed| Point { step, runs: runs(passed, times) };
            let curve = Curve { points: vec![point(2, passed[0]), point(4, passed[1])], looks: 1 };
            verdict(&Evidence { curve, ..evidence(Vec::new()) })
        };
        let found = of(3, [1, 2]);
        assert_eq!(found.cause, Cause::Undecided);
        assert!(found.next[0].contains("runs at each step"), "{found:?}");
        // Three of three is what a model gives that fails every third time.
        assert_eq!(of(3, [3, 3]).cause, Cause::Undecided);
        assert_eq!(of(10, [9, 9]).cause, Cause::Nothing);
        assert_eq!(of(10, [6, 9]).cause, Cause::Undecided);
    }
}
