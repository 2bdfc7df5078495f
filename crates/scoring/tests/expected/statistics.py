"""Prints, as JSON, what statsmodels and scipy give for runs that `tests/all/statistics.rs` lists."""

import json
import random

import numpy
from scipy import optimize, special, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

chance = random.Random(7)


def jeffreys() -> list:
    """Jeffreys' intervals of single runs."""
    counts = [(passed, cases) for cases in (1, 2, 5, 17, 200) for passed in {0, 1, cases // 2, cases}]
    return [[k, n, *map(float, proportion_confint(k, n, method="jeffreys"))] for k, n in counts]


def repeated(cases: list[tuple[int, int]]) -> tuple[float, float]:
    """The interval over every correlation, on a fine grid of `scipy.stats.betabinom`."""
    correlations = (numpy.arange(200) + 0.5) / 200
    rates = numpy.sin((numpy.arange(600) + 0.5) / 600 * numpy.pi / 2) ** 2
    weight = 1 / correlations - 1
    logarithms = sum(
        stats.betabinom.logpmf(k, n, rates[:, None] * weight, (1 - rates[:, None]) * weight)
        for k, n in cases
    )
    probability = numpy.exp(logarithms - logarithms.max()).sum(axis=0)
    probability /= probability.sum()
    mean = numpy.mean([k / n for k, n in cases])
    variance = sum((1 + (n - 1) * correlations) / n for _, n in cases) / len(cases) ** 2
    passed, failed = mean / variance + 0.5, (1 - mean) / variance + 0.5

    def end(tail: float) -> float:
        def beyond(rate: float) -> float:
            return float((probability * special.betainc(passed, failed, rate)).sum()) - tail

        return float(optimize.brentq(beyond, 0, 1))

    low = 0.0 if mean == 0 else end(0.025)
    return low, 1.0 if mean == 1 else end(0.975)


def draws() -> list:
    """Cases with the runs of each."""
    sets = [[(3, 3), (3, 3)], [(0, 4), (4, 4), (2, 4)], [(9, 10)] * 12, [(10, 10)] * 5, [(0, 5)] * 4]
    for _ in range(8):
        runs = [chance.randint(1, 10) for _ in range(chance.randint(2, 20))]
        sets.append([(chance.randint(0, n), n) for n in runs])
    return [[cases, *repeated(cases)] for cases in sets]


def tables() -> list:
    """McNemar's exact test."""
    counts = [(chance.randint(0, 30), chance.randint(0, 30), chance.randint(0, 30)) for _ in range(15)]
    counts += [(0, 5, 5), (0, 6, 0), (40, 40, 1)]
    return [
        [lost, gained, kept, float(mcnemar([[kept, lost], [gained, 3]], exact=True).pvalue)]
        for lost, gained, kept in counts
    ]


def signs() -> list:
    """All changes of signs of the cases' differences."""
    found = []
    for _ in range(12):
        cases = chance.randint(2, 9)
        before = [chance.randint(0, 5) for _ in range(cases)]
        after = [chance.randint(0, 5) for _ in range(cases)]
        # Whole numbers, so that equal sums are equal.
        test = stats.permutation_test(
            (numpy.array(after), numpy.array(before)),
            lambda new, old, axis: (new - old).sum(axis=axis),
            permutation_type="samples",
            n_resamples=numpy.inf,
        )
        found.append([before, after, float(min(1.0, test.pvalue))])
    return found


print(json.dumps({"single": jeffreys(), "repeated": draws(), "mcnemar": tables(), "signs": signs()}))
