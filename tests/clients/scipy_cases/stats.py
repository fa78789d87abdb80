"""`scipy.stats`: summaries, tests of hypotheses, resampling."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy import special, stats

_DRAW = np.random.default_rng(17)
SAMPLE = _DRAW.normal(size=24)
OTHER = _DRAW.normal(0.5, 1.5, size=24)
THIRD = _DRAW.normal(-0.2, 0.8, size=24)
TABLE = _DRAW.normal(size=(24, 3))
POSITIVE = _DRAW.gamma(2.0, size=(12, 5))
COUNTS = [16.0, 18.0, 16.0, 14.0, 12.0, 12.0]
TIED = [[1, 2, 2, 3], [3, 3, 1, 1], [2, 2, 2, 5]]
CHANCES = [0.01, 0.04, 0.3, 0.2, 0.005]

SUMMARIES: dict[str, dict[str, object]] = {
    "circmean": {},
    "circstd": {},
    "circvar": {},
    "describe": {},
    "gstd": {},
    "gzscore": {},
    "iqr": {},
    "kstat": {"n": 3},
    "kstatvar": {},
    "kurtosis": {"bias": False},
    "lmoment": {},
    "median_abs_deviation": {},
    "moment": {"order": 3},
    "sem": {},
    "skew": {"bias": False},
    "tmax": {"upperlimit": 2.0},
    "tmean": {"limits": (0.5, 3.0)},
    "tmin": {"lowerlimit": 0.5},
    "tsem": {"limits": (0.5, 3.0)},
    "tstd": {"limits": (0.5, 3.0)},
    "tvar": {"limits": (0.5, 3.0)},
    "variation": {},
    "zscore": {},
}
"""Functions of one sample, and arguments of interest."""

ONE_SAMPLE = ("jarque_bera", "kurtosistest", "normaltest", "skewtest")
TWO_SAMPLES = (
    "ansari",
    "brunnermunzel",
    "chatterjeexi",
    "cramervonmises_2samp",
    "epps_singleton_2samp",
    "mannwhitneyu",
    "mood",
    "spearmanrho",
    "wilcoxon",
)
MANY_SAMPLES = (
    "alexandergovern",
    "bartlett",
    "f_oneway",
    "fligner",
    "friedmanchisquare",
    "kruskal",
    "levene",
)


def described(result: object) -> object:
    """A result object as its parts; SciPy has several kinds of them."""
    if hasattr(result, "_fields"):
        return tuple(result)  # type: ignore[arg-type]
    if isinstance(result, dict):
        return {key: described(part) for key, part in result.items()}
    names = [name for name in ("statistic", "pvalue", "df") if hasattr(result, name)]
    return {name: getattr(result, name) for name in names} if names else result


def summary(name: str) -> Case:
    """Along an axis, over everything, and in single precision."""

    def case(a: Maker) -> list[object]:
        function = getattr(stats, name)
        return [
            described(function(a(POSITIVE), axis=0)),
            described(function(a(POSITIVE), axis=1)),
            described(function(a(POSITIVE), axis=None)),
            described(function(a(POSITIVE, "float32"), axis=0)),
            described(function(a(POSITIVE), axis=0, **SUMMARIES[name])),
        ]

    return case


def tested(name: str, samples: int) -> Case:
    """A test of samples, in one and in two dimensions."""

    def case(a: Maker) -> list[object]:
        function = getattr(stats, name)
        flat = [a(values) for values in (SAMPLE, OTHER, THIRD)[:samples]]
        wide = [a(TABLE + 0.3 * place * np.cos(TABLE)) for place in range(samples)]
        return [described(function(*flat)), described(function(*wide, axis=0))]

    return case


CASES: dict[str, Case] = {f"stats.{name}": summary(name) for name in SUMMARIES}
CASES |= {f"stats.{name}": tested(name, 1) for name in ONE_SAMPLE}
CASES |= {f"stats.{name}": tested(name, 2) for name in TWO_SAMPLES}
CASES |= {f"stats.{name}": tested(name, 3) for name in MANY_SAMPLES}


def resampled(a: Maker) -> dict[str, object]:
    """A bootstrap, whose draws a seed makes the same for both libraries."""
    result = stats.bootstrap(
        (a(SAMPLE),), a.xp.mean, n_resamples=50, rng=np.random.default_rng(3), method="basic"
    )
    return {
        "low": result.confidence_interval.low,
        "high": result.confidence_interval.high,
        "error": result.standard_error,
    }


def permuted(a: Maker) -> object:
    """A permutation test of a difference of means."""

    def difference(x: object, y: object, axis: int) -> object:
        return a.xp.mean(x, axis=axis) - a.xp.mean(y, axis=axis)

    result = stats.permutation_test(
        (a(SAMPLE), a(OTHER)),
        difference,
        n_resamples=40,
        vectorized=True,
        rng=np.random.default_rng(3),
    )
    return described(result)


def simulated(a: Maker) -> object:
    """A Monte Carlo test of skewness."""
    draw = np.random.default_rng(5)
    result = stats.monte_carlo_test(
        a(SAMPLE),
        lambda size: a(draw.normal(size=size)),
        lambda x, axis: stats.skew(x, axis=axis),
        n_resamples=40,
    )
    return described(result)


def powered(a: Maker) -> object:
    """The power of a test by simulation."""
    draw = np.random.default_rng(5)
    result = stats.power(
        stats.ttest_1samp,
        lambda size: a(draw.normal(0.5, size=size)),
        a(12),
        n_resamples=40,
        vectorized=True,
        significance=0.05,
        kwargs={"popmean": a(0.0)},
    )
    return result.power, result.pvalues


CASES |= {
    "stats.bootstrap": resampled,
    "stats.permutation_test": permuted,
    "stats.monte_carlo_test": simulated,
    "stats.power": powered,
    "stats.boxcox_llf": lambda a: [
        stats.boxcox_llf(1.5, a(POSITIVE)),
        stats.boxcox_llf(0, a(POSITIVE, "float32"), axis=1),
    ],
    "stats.yeojohnson_llf": lambda a: [
        stats.yeojohnson_llf(1.5, a(TABLE)),
        stats.yeojohnson_llf(0, a(TABLE)),
        stats.yeojohnson_llf(2, a(TABLE), axis=1),
    ],
    "stats.chisquare": lambda a: [
        described(stats.chisquare(a(COUNTS))),
        described(stats.chisquare(a(COUNTS), f_exp=a([16.0, 16.0, 16.0, 16.0, 16.0, 8.0]))),
    ],
    "stats.power_divergence": lambda a: [
        described(stats.power_divergence(a(COUNTS), lambda_="log-likelihood")),
        described(stats.power_divergence(a(COUNTS), lambda_=0.5)),
    ],
    "stats.combine_pvalues": lambda a: [
        described(stats.combine_pvalues(a(CHANCES), method=method))
        for method in ("fisher", "pearson", "tippett", "stouffer", "mudholkar_george")
    ],
    "stats.false_discovery_control": lambda a: [
        stats.false_discovery_control(a(CHANCES)),
        stats.false_discovery_control(a(CHANCES), method="by"),
    ],
    "stats.cramervonmises": lambda a: described(stats.cramervonmises(a(SAMPLE), special.ndtr)),
    "stats.ks_1samp": lambda a: [
        described(stats.ks_1samp(a(SAMPLE), special.ndtr)),
        described(stats.ks_1samp(a(SAMPLE), special.ndtr, alternative="less", method="asymp")),
    ],
    "stats.differential_entropy": lambda a: [
        stats.differential_entropy(a(SAMPLE), method=method)
        for method in ("vasicek", "van es", "correa", "ebrahimi", "auto")
    ],
    "stats.directional_stats": lambda a: (
        lambda found: {"direction": found.mean_direction, "length": found.mean_resultant_length}
    )(stats.directional_stats(a(TABLE))),
    "stats.entropy": lambda a: [
        stats.entropy(a(COUNTS)),
        stats.entropy(a(COUNTS), a(COUNTS[::-1]), base=2.0),
        stats.entropy(a(POSITIVE), axis=1),
    ],
    "stats.gmean": lambda a: [
        stats.gmean(a(POSITIVE)),
        stats.gmean(a(POSITIVE), axis=1, weights=a([1.0, 2.0, 3.0, 2.0, 1.0])),
        stats.gmean(a(POSITIVE, "float32"), axis=None),
    ],
    "stats.hmean": lambda a: [
        stats.hmean(a(POSITIVE)),
        stats.hmean(a(POSITIVE), axis=1, weights=a([1.0, 2.0, 3.0, 2.0, 1.0])),
    ],
    "stats.pmean": lambda a: [stats.pmean(a(POSITIVE), 2.5), stats.pmean(a(POSITIVE), 0, axis=1)],
    "stats.mode": lambda a: [
        described(stats.mode(a(TIED), axis=0)),
        described(stats.mode(a(TIED), axis=1, keepdims=True)),
        described(stats.mode(a(TIED), axis=None)),
    ],
    "stats.pearsonr": lambda a: [
        (lambda found: (found.statistic, found.pvalue, tuple(found.confidence_interval())))(
            stats.pearsonr(a(SAMPLE), a(OTHER))
        ),
        described(stats.pearsonr(a(TABLE), a(np.sin(TABLE)), axis=0)),
    ],
    "stats.quantile": lambda a: [
        stats.quantile(a(POSITIVE), a([0.25, 0.5, 0.9]), axis=None),
        stats.quantile(a(SAMPLE), a(0.3), method="hazen"),
        stats.quantile(a(SAMPLE), a([0.1, 0.7]), method="harrell-davis"),
    ],
    "stats.rankdata": lambda a: [
        stats.rankdata(a(TIED), method=method, axis=axis)
        for method in ("average", "min", "max", "dense", "ordinal")
        for axis in (None, 1)
    ],
    "stats.sigmaclip": lambda a: tuple(stats.sigmaclip(a(SAMPLE), 1.5, 1.5)),
    "stats.trim_mean": lambda a: [
        stats.trim_mean(a(POSITIVE), 0.1),
        stats.trim_mean(a(SAMPLE), 0.2),
    ],
    "stats.ttest_1samp": lambda a: [
        (
            lambda found: (
                found.statistic,
                found.pvalue,
                found.df,
                tuple(found.confidence_interval(0.9)),
            )
        )(stats.ttest_1samp(a(SAMPLE), 0.1, alternative=alternative))
        for alternative in ("two-sided", "less", "greater")
    ],
    "stats.ttest_ind": lambda a: (
        [
            (
                lambda found: (
                    found.statistic,
                    found.pvalue,
                    found.df,
                    tuple(found.confidence_interval()),
                )
            )(stats.ttest_ind(a(TABLE), a(np.sin(TABLE)), equal_var=equal))
            for equal in (True, False)
        ]
        + [described(stats.ttest_ind(a(SAMPLE, "float32"), a(OTHER, "float32")))]
    ),
    "stats.ttest_ind_from_stats": lambda a: tuple(
        stats.ttest_ind_from_stats(a(1.0), a(0.5), 12, a(1.5), a(0.7), 14, equal_var=False)
    ),
    "stats.ttest_rel": lambda a: described(stats.ttest_rel(a(SAMPLE), a(OTHER))),
    "stats.zmap": lambda a: [
        stats.zmap(a(SAMPLE), a(OTHER)),
        stats.zmap(a(TABLE), a(np.sin(TABLE)), axis=0, ddof=1),
    ],
}
