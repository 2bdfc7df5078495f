//! Models as the judge of criteria, for `--judge`.

use eval::model::Models;
use eval::model_judge::ModelJudge;
use score_report::ScoredCase;
use score_run::Pair;
use scoring::config::{Config, Metric, Tools};
use tokio::runtime::{Builder, Runtime};

use super::ScoreError;

/// The models that judge, and where their requests run.
pub(super) struct Judges {
    models: Models,
    runtime: Runtime,
}

/// The judges that `--judge` names, and the config with their names; an empty name is for those of the config.
///
/// # Errors
/// [`ScoreError::Judge`] if the model cannot be asked.
pub(super) fn judges(
    named: Option<&str>,
    mut config: Config,
) -> Result<(Option<Judges>, Config), ScoreError> {
    let Some(named) = named else { return Ok((None, config)) };
    let mut models = Models::of_environment();
    if !named.is_empty() {
        models = models.with_judge(named);
        models.judge(None).map_err(|error| ScoreError::Judge(error.to_string()))?;
    }
    for criterion in &mut config.criteria {
        if let Metric::Judged(judged) = &mut criterion.metric {
            models.judge_name(&judged.model).to_owned().clone_into(&mut judged.model);
        }
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| ScoreError::Judge(error.to_string()))?;
    Ok((Some(Judges { models, runtime }), config))
}

/// Scores a case, with the judges if there are any.
pub(super) fn scored(
    judges: Option<&Judges>,
    pair: &mut Pair,
    config: &Config,
    tools: &mut Tools<'_>,
) -> ScoredCase {
    let Some(Judges { models, runtime }) = judges else { return pair.scored(config, tools) };
    // As in google-adk, the rubrics are those of the expected case.
    let rubrics = pair.expected.as_ref().map(|case| case.rubrics.clone());
    let mut judge =
        ModelJudge::new(models.clone(), config, runtime).with_rubrics(rubrics.unwrap_or_default());
    let rouge = std::mem::take(&mut tools.rouge);
    let mut judged = Tools { rouge, judge: Some(&mut judge) };
    let case = pair.scored(config, &mut judged);
    tools.rouge = judged.rouge;
    case
}
