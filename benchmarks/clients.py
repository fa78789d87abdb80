"""What clients cost: the same SciPy and scikit-learn programs on NumPy arrays and on buffers.

Each row is one program on 1,000 rows of 20 numbers, run in turns on both kinds of array in this
one process; the least time of each counts, because noise on a shared machine only adds. Both use
one BLAS thread: on small matrices a second one measures how busy the machine is. The ratio is what
the client's user pays for a buffer, and its target is at most 2. Run with::

    make bench-clients
    python benchmarks/clients.py [--json FILE] [--only TEXT]
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"  # read when SciPy is imported

import numpy as np
import scipy.cluster.vq
import scipy.fft
import scipy.signal
import scipy.special
import scipy.stats
import sklearn
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, mean_squared_error, r2_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import onebuf

TARGET = 2.0
ROWS, COLUMNS = 1000, 20
LEAST_SAMPLES, LEAST_SECONDS = 7, 0.4

Program = Callable[[Any, Any, Any], Any]
"""Of features, a continuous target and classes to whatever is computed last."""


def prepare(x: Any, y: Any, classes: Any) -> Any:
    """Split, then scale what was split off for training."""
    train, test, *_ = train_test_split(x, classes, random_state=0)
    return StandardScaler().fit(train).transform(test)


def pca(x: Any, y: Any, classes: Any) -> Any:
    """Project on the first components and back."""
    model = PCA(n_components=5, svd_solver="full").fit(x)
    return model.inverse_transform(model.transform(x))


def ridge(x: Any, y: Any, classes: Any) -> Any:
    """Fit a line and judge it."""
    predicted = Ridge(solver="svd").fit(x, y).predict(x)
    return r2_score(y, predicted) + mean_squared_error(y, predicted)


def discriminant(x: Any, y: Any, classes: Any) -> Any:
    """Separate the classes."""
    model = LinearDiscriminantAnalysis().fit(x, classes)
    return accuracy_score(classes, model.predict(x))


def logistic(x: Any, y: Any, classes: Any) -> Any:
    """Fit class probabilities."""
    return LogisticRegression(max_iter=50, tol=1e-3).fit(x, classes).predict_proba(x)


def mixture(x: Any, y: Any, classes: Any) -> Any:
    """Fit a mixture of normal distributions."""
    model = GaussianMixture(n_components=3, init_params="random_from_data", random_state=0)
    return model.fit(x).predict(x)


PROGRAMS: dict[str, Program] = {
    "sklearn split + StandardScaler": prepare,
    "sklearn PCA": pca,
    "sklearn Ridge + metrics": ridge,
    "sklearn LinearDiscriminantAnalysis": discriminant,
    "sklearn LogisticRegression": logistic,
    "sklearn GaussianMixture": mixture,
    "scipy.stats.ttest_ind": lambda x, y, c: scipy.stats.ttest_ind(x[:500, :], x[500:, :]).pvalue,
    "scipy.stats.describe": lambda x, y, c: scipy.stats.describe(x).kurtosis,
    "scipy.stats.zscore": lambda x, y, c: scipy.stats.zscore(x),
    "scipy.special.logsumexp": lambda x, y, c: scipy.special.logsumexp(x, axis=1),
    "scipy.cluster.vq.whiten + vq": lambda x, y, c: scipy.cluster.vq.vq(
        scipy.cluster.vq.whiten(x), x[:8, :]
    )[0],
    "scipy.fft.rfft": lambda x, y, c: scipy.fft.rfft(x, axis=0),
    "scipy.signal.detrend": lambda x, y, c: scipy.signal.detrend(x, axis=0),
}


def data() -> tuple[np.ndarray[Any, Any], ...]:
    """Features, a continuous target that they explain in part, and three classes."""
    numbers = np.random.default_rng(0)
    classes = numbers.integers(0, 3, ROWS)
    x = numbers.normal(size=(ROWS, COLUMNS)) + classes[:, None]
    return x, x @ numbers.normal(size=COLUMNS) + numbers.normal(size=ROWS), classes


def seconds(program: Program, arguments: tuple[Any, ...]) -> tuple[float, Any]:
    """How long one run takes, its result computed and in memory, and that result."""
    start = perf_counter()
    result = program(*arguments)
    if isinstance(result, onebuf.Buffer):
        result.realize()
    return perf_counter() - start, result


def measure(program: Program) -> tuple[float, float]:
    """The least time on NumPy arrays and on buffers; an error if the answers differ."""
    arrays = data()
    buffers = tuple(onebuf.asarray(array, copy=True) for array in arrays)
    (_, expected), (_, found) = seconds(program, arrays), seconds(program, buffers)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6, atol=1e-9)
    ours, theirs, begun, samples = [], [], perf_counter(), 0
    while samples < LEAST_SAMPLES or perf_counter() - begun < LEAST_SECONDS:
        theirs.append(seconds(program, arrays)[0])
        ours.append(seconds(program, buffers)[0])
        samples += 1
    return min(theirs), min(ours)


def main() -> None:
    """Measure every program and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--only", default="", help="only programs whose name holds this text")
    options = parser.parse_args()
    table = []
    print(f"{'program, 1,000 x 20':36} {'NumPy ms':>9} {'onebuf ms':>9} {'ratio':>6}")
    with sklearn.config_context(array_api_dispatch=True), threadpool_limits(1):
        for name, program in PROGRAMS.items():
            if options.only not in name:
                continue
            numpy_time, onebuf_time = measure(program)
            ratio = onebuf_time / numpy_time
            table.append({"program": name, "numpy": numpy_time, "onebuf": onebuf_time})
            mark = "" if ratio <= TARGET else f"  above {TARGET}"
            print(f"{name:36} {numpy_time * 1e3:9.3f} {onebuf_time * 1e3:9.3f} {ratio:6.2f}{mark}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=2)


if __name__ == "__main__":
    main()
