//! [`Prices`]: what the tokens of a run cost.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{Entry, Event};

/// What models cost, by their names; empty if no price is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices(BTreeMap<String, Price>);

/// What a million tokens of a model cost, in any currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of requests.
    pub input: f64,
    /// Of responses.
    pub output: f64,
}

/// What a run cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cost {
    /// In the currency of the prices.
    pub amount: f64,
    /// Models that were used and have no price, so that the amount leaves them out.
    pub without_price: BTreeSet<String>,
}

impl Prices {
    /// The prices of these models.
    #[must_use]
    pub fn new(prices: impl IntoIterator<Item = (String, Price)>) -> Self {
        Self(prices.into_iter().collect())
    }

    /// What all models of a run cost together: the agent's, its users', simulated tools and judges. `None` without
    /// prices.
    #[must_use]
    pub fn cost(&self, events: &[Entry]) -> Option<Cost> {
        if self.0.is_empty() {
            return None;
        }
        let mut cost = Cost::default();
        for entry in events {
            let Event::ModelUsage { model, input, output, .. } = &entry.event else { continue };
            match self.of(model) {
                Some(price) => cost.amount += price.of(*input, *output),
                None => drop(cost.without_price.insert(model.clone())),
            }
        }
        Some(cost)
    }

    /// The price of a model. Frameworks record models without the service that suites may write before the name.
    fn of(&self, model: &str) -> Option<&Price> {
        let same = |(name, _): &(&String, &Price)| short(name) == short(model);
        self.0.get(model).or_else(|| self.0.iter().find(same).map(|(_, price)| price))
    }
}

impl Price {
    fn of(self, input: u64, output: u64) -> f64 {
        (tokens(input) * self.input + tokens(output) * self.output) / 1e6
    }
}

#[expect(clippy::cast_precision_loss, reason = "no run has 2^53 tokens")]
fn tokens(count: u64) -> f64 {
    count as f64
}

/// The name without a service: `gpt-5-mini` of `openai/gpt-5-mini`.
fn short(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Role;

    fn usage(role: Role, model: &str, input: u64, output: u64) -> Entry {
        let (agent, model) = ("a".to_owned(), model.to_owned());
        Entry { at_ms: 0, event: Event::ModelUsage { role, agent, model, input, output } }
    }

    #[test]
    fn all_roles_are_paid_and_models_without_a_price_are_named() {
        let events = [
            usage(Role::Subject, "gpt-5-mini", 1_000_000, 100_000),
            usage(Role::Judge, "openai/gpt-5-mini", 2_000_000, 0),
            usage(Role::UserAgent, "gemini-2.5-flash", 5, 5),
        ];
        assert_eq!(Prices::default().cost(&events), None);
        let price = Price { input: 0.25, output: 2.0 };
        let prices = Prices::new([("openai/gpt-5-mini".to_owned(), price)]);
        let cost = prices.cost(&events).expect("prices are known");
        assert!((cost.amount - 0.95).abs() < 1e-9, "{cost:?}");
        assert_eq!(cost.without_price, BTreeSet::from(["gemini-2.5-flash".to_owned()]));
    }
}
