//! AgentFlow's config model and the config that cases are scored by say the same.

use case_trace::criteria;
use evalset::agentflow::{CriterionConfig, EvalConfig, MatchType};
use scoring::config::Config;
use scoring::trajectory::NoSchemas;

/// Every criterion as far as it can be compared: metrics have no equality of their own.
fn messages(config: &Config) -> Vec<String> {
    config.criteria.iter().map(|criterion| format!("{criterion:?}")).collect()
}

#[test]
fn the_defaults_are_the_same() {
    let reading = criteria(&EvalConfig::default(), &NoSchemas);
    assert_eq!(reading.faults, []);
    assert_eq!(messages(&reading.config), messages(&Config::agentflow_default()));
}

#[test]
fn criterion_defaults_match() {
    // Unset fields are not written, so both readers' defaults meet here.
    for name in ["trajectory_match", "response_match", "llm_judge"] {
        let criteria_of = [(name.to_owned(), CriterionConfig::default())].into();
        let config = EvalConfig { criteria: criteria_of, ..EvalConfig::default() };
        let bare = criteria(&config, &NoSchemas);
        assert_eq!(bare.faults, []);
        let [criterion] = bare.config.criteria.as_slice() else { panic!("{bare:?}") };
        let default = CriterionConfig::default();
        assert_eq!(criterion.threshold.to_bits(), default.threshold.to_f64().to_bits(), "{name}");
        if name == "llm_judge" {
            assert!(format!("{criterion:?}").contains(&default.judge_model), "{criterion:?}");
        }
    }
}

#[test]
fn every_match_type_is_known_to_both() {
    for (match_type, expected) in [
        (MatchType::Exact, "Exact"),
        (MatchType::InOrder, "InOrder"),
        (MatchType::AnyOrder, "AnyOrder"),
    ] {
        let criterion = CriterionConfig { match_type, ..CriterionConfig::default() };
        let criteria_of = [("trajectory_match".to_owned(), criterion)].into();
        let config = EvalConfig { criteria: criteria_of, ..EvalConfig::default() };
        let reading = criteria(&config, &NoSchemas);
        assert_eq!(reading.faults, []);
        let text = format!("{:?}", reading.config.criteria[0]);
        assert!(text.contains(&format!("match_type: {expected}")), "{text}");
    }
    let off = CriterionConfig { enabled: false, ..CriterionConfig::default() };
    let mut config = EvalConfig::default();
    config.criteria.insert("response_match".to_owned(), off);
    assert_eq!(criteria(&config, &NoSchemas).config.criteria.len(), 2);
}
