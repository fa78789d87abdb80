"""Programs on large arrays: few operations, each on as much as memory brings."""

from __future__ import annotations

from typing import Any

import numpy

from whole_programs.program import Program, program

LARGE: dict[str, Program] = {}


def _prices(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(1)
    return rng.uniform(50, 150, n), rng.uniform(60, 140, n), rng.uniform(0.1, 2.0, n)


@program(LARGE, "large", _prices, size=2_000_000, tiny=50)
def black_scholes(np: Any, spot: Any, strike: Any, years: Any) -> Any:
    """Prices of options, with the normal distribution as a formula of Abramowitz and Stegun."""
    spot, strike, years = np.asarray(spot), np.asarray(strike), np.asarray(years)
    rate, spread = 0.03, 0.25

    def chance(x: Any) -> Any:
        t = 1 / (1 + 0.2316419 * np.abs(x))
        series = 0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * -1.821255978))
        tail = np.exp(-0.5 * x * x) / 2.5066282746310002 * t * series
        return np.where(x > 0, 1 - tail, tail)

    width = spread * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + spread**2 / 2) * years) / width
    paid = strike * np.exp(-rate * years)
    call = spot * chance(d1) - paid * chance(d1 - width)
    return call, call - spot + paid


def _plate(n: int) -> tuple[Any, ...]:
    return numpy.random.default_rng(2).random((n, n)), 12


@program(LARGE, "large", _plate, size=1500, tiny=12)
def heat_equation(np: Any, plate: Any, steps: int) -> Any:
    """Heat in a plate, step by step in place."""
    u = np.array(plate)
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] += 0.1 * (around - 4 * inner)
        u[0] = 1.0
    return u, u.mean()


def _classes(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(3)
    x = rng.normal(size=(n, 64))
    return x, (x @ rng.normal(size=(64, 10))).argmax(1)


@program(LARGE, "large", _classes, size=60_000, tiny=40)
def softmax_regression(np: Any, x: Any, labels: Any) -> Any:
    """Ten steps of gradient descent on ten classes."""
    x, labels = np.asarray(x), np.asarray(labels)
    wanted = (labels[:, None] == np.arange(10)).astype(np.float64)
    weights, losses = np.zeros((64, 10)), []
    for _ in range(10):
        scores = x @ weights
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        losses.append(-np.mean(np.log((chances * wanted).sum(axis=1))))
        weights -= 0.5 * (x.T @ (chances - wanted)) / len(x)
    return weights, np.array(losses)


def _samples(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(4)
    return (rng.normal(size=(n, 30)) * numpy.linspace(3.0, 0.1, 30),)


@program(LARGE, "large", _samples, size=150_000, tiny=60)
def pca(np: Any, x: Any) -> Any:
    """Five components of thirty columns, and how well they do."""
    x = np.asarray(x)
    centred = (x - x.mean(axis=0)) / x.std(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred / (len(x) - 1))
    first = vectors[:, ::-1][:, :5]
    first = first * np.sign(first[np.abs(first).argmax(axis=0), np.arange(5)])
    projected = centred @ first
    error = ((centred - projected @ first.T) ** 2).sum(axis=1)
    return values[::-1], np.abs(projected).mean(axis=0), error.mean()


def _walk(n: int) -> tuple[Any, ...]:
    return (100 + numpy.random.default_rng(5).normal(0, 0.05, n).cumsum(),)


@program(LARGE, "large", _walk, size=2_000_000, tiny=200, rtol=1e-7)
def rolling_statistics(np: Any, price: Any) -> Any:
    """Means, spreads and drops of a window that moves, by running sums."""
    price = np.asarray(price)
    width = 50
    total = np.cumsum(price - 100)
    squares = np.cumsum((price - 100) ** 2)
    mean = (total[width:] - total[:-width]) / width
    spread = np.sqrt(np.maximum((squares[width:] - squares[:-width]) / width - mean**2, 0))
    score = (price[width:] - 100 - mean) / np.maximum(spread, 1e-9)
    drop = 1 - price / np.maximum.accumulate(price)
    return mean, spread, np.count_nonzero(np.abs(score) > 2), drop.max()


def _sales(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(6)
    return rng.integers(0, 500, n), rng.gamma(2.0, 10.0, n), rng.random(n) < 0.1


@program(LARGE, "large", _sales, size=2_000_000, tiny=100)
def group_by(np: Any, shop: Any, amount: Any, is_returned: Any) -> Any:
    """Sums and means of groups, and the best of them."""
    shop, amount, is_returned = np.asarray(shop), np.asarray(amount), np.asarray(is_returned)
    signed = np.where(is_returned, -amount, amount)
    counts = np.bincount(shop, minlength=500)
    sums = np.bincount(shop, weights=signed, minlength=500)
    squares = np.bincount(shop, weights=signed**2, minlength=500)
    means = sums / np.maximum(counts, 1)
    spreads = np.sqrt(np.maximum(squares / np.maximum(counts, 1) - means**2, 0))
    above = np.bincount(shop[signed > means[shop]], minlength=500)
    return sums, means, spreads, above, np.argsort(-means, kind="stable")[:10]


def _image(n: int) -> tuple[Any, ...]:
    return (numpy.random.default_rng(7).integers(0, 256, (n, n, 3)).astype("uint8"),)


@program(LARGE, "large", _image, size=1200, tiny=16, rtol=1e-5)
def image_filter(np: Any, image: Any) -> Any:
    """Grey levels, blurred, with edges by Sobel's masks."""
    image = np.asarray(image).astype(np.float32)
    grey = 0.299 * image[:, :, 0] + 0.587 * image[:, :, 1] + 0.114 * image[:, :, 2]
    wide = np.pad(grey, 1, mode="edge")
    rows = wide[:-2] + 2 * wide[1:-1] + wide[2:]
    blurred = (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 16
    across = rows[:, 2:] - rows[:, :-2]
    columns = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    down = columns[2:] - columns[:-2]
    edges = np.sqrt(across**2 + down**2)
    sharp = np.clip(grey + 0.5 * (grey - blurred), 0, 255).astype(np.uint8)
    return blurred, edges / edges.max(), sharp.mean(axis=1)


def _noise(n: int) -> tuple[Any, ...]:
    return (numpy.random.default_rng(8).normal(size=(20, n)),)


@program(LARGE, "large", _noise, size=100_000, tiny=50)
def monte_carlo(np: Any, noise: Any) -> Any:
    """An option on the mean of a path, by many paths."""
    noise = np.asarray(noise)
    years, rate, spread = 1.0, 0.02, 0.3
    dt = years / len(noise)
    steps = (rate - spread**2 / 2) * dt + spread * np.sqrt(dt) * noise
    paths = 100 * np.exp(np.cumsum(steps, axis=0))
    paid = np.maximum(paths.mean(axis=0) - 100, 0)
    is_out = paths.max(axis=0) > 160
    paid = np.where(is_out, 0.0, paid) * np.exp(-rate * years)
    return paid.mean(), paid.std() / np.sqrt(len(paid)), np.percentile(paid, 95)


def _bodies(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(9)
    return rng.normal(size=(n, 3)), rng.normal(0, 0.1, (n, 3)), rng.uniform(0.5, 1.5, n) / n


@program(LARGE, "large", _bodies, size=1200, tiny=8)
def n_body(np: Any, place: Any, speed: Any, mass: Any) -> Any:
    """Gravity between all pairs, two steps."""
    place, speed, mass = np.array(place), np.array(speed), np.asarray(mass)

    def pull(p: Any) -> Any:
        apart = p[None, :, :] - p[:, None, :]
        near = (apart**2).sum(axis=2) + 0.01
        return ((mass / (near * np.sqrt(near)))[:, :, None] * apart).sum(axis=1)

    force = pull(place)
    for _ in range(2):
        speed += 0.005 * force
        place += 0.01 * speed
        force = pull(place)
        speed += 0.005 * force
    energy = 0.5 * (mass * (speed**2).sum(axis=1)).sum()
    return place, speed, energy


def _readings(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(10)
    x = rng.normal(20, 3, (n, 8))
    x[rng.random(x.shape) < 0.02] = numpy.nan
    x[rng.random(x.shape) < 0.01] *= 50
    return (x,)


@program(LARGE, "large", _readings, size=250_000, tiny=60)
def outlier_cleaning(np: Any, x: Any) -> Any:
    """Gaps filled, outliers cut, columns scaled."""
    x = np.array(x)
    is_gap = np.isnan(x)
    x[is_gap] = np.nanmean(x)
    centre = np.median(x, axis=0)
    width = 1.4826 * np.median(np.abs(x - centre), axis=0)
    is_far = np.abs(x - centre) > 4 * width
    x[is_far] = np.broadcast_to(centre, x.shape)[is_far]
    kept = x[~is_far.any(axis=1)]
    scaled = (x - kept.mean(axis=0)) / kept.std(axis=0)
    return scaled, is_far.sum(axis=0), np.corrcoef(kept, rowvar=False)
