"""Programs on small arrays: loops in Python, where each operation is mostly overhead."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy

from whole_programs.program import Program, program

SMALL: dict[str, Program] = {}


def _track(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(1)
    steps = rng.normal(size=(n, 2)).cumsum(0)
    return (steps + rng.normal(0, 0.5, (n, 2)),)


@program(SMALL, "small", _track, size=150, tiny=6)
def kalman_filter(np: Any, measured: Any) -> Any:
    """Kalman filter of a position in the plane."""
    step = np.eye(4) + 0.1 * np.eye(4, k=2)
    observe = np.eye(2, 4)
    drift, noise = 0.02 * np.eye(4), 0.25 * np.eye(2)
    state, spread = np.zeros(4), 10.0 * np.eye(4)
    found = np.zeros((len(measured), 4))
    for i, z in enumerate(np.asarray(measured)):
        state = step @ state
        spread = step @ spread @ step.T + drift
        seen = spread @ observe.T
        gain = seen @ np.linalg.inv(observe @ seen + noise)
        state = state + gain @ (z - observe @ state)
        spread = spread - gain @ seen.T
        found[i] = state
    return found, spread


def _items(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(2)
    return rng.integers(1, 30, n).tolist(), rng.integers(1, 90, n).tolist()


@program(SMALL, "small", _items, size=120, tiny=8)
def knapsack(np: Any, weights: Any, values: Any) -> Any:
    """Dynamic programming: the knapsack of 200 places."""
    best = np.zeros(201, dtype=np.int64)
    taken = np.zeros((len(weights), 201), dtype=bool)
    for i, (weight, value) in enumerate(zip(weights, values, strict=True)):
        offered = best[:-weight] + value
        taken[i, weight:] = offered > best[weight:]
        best[weight:] = np.maximum(best[weight:], offered)
    place, chosen = 200, []
    for i in range(len(weights) - 1, -1, -1):
        if taken[i, place]:
            chosen.append(i)
            place -= weights[i]
    return best, np.array(chosen)


def _points(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(3)
    return (rng.normal(size=(n, 2)) + rng.integers(0, 3, (n, 1)) * 4.0,)


@program(SMALL, "small", _points, size=60, tiny=12)
def k_means(np: Any, points: Any) -> Any:
    """Ten steps of k-means on few points."""
    points = np.asarray(points)
    centres = points[:3].copy()
    for _ in range(10):
        apart = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = apart.argmin(axis=1)
        for k in range(3):
            mine = points[nearest == k]
            if len(mine):
                centres[k] = mine.mean(axis=0)
    return centres, nearest, apart.min(axis=1).sum()


def _time_steps(n: int) -> tuple[Any, ...]:
    return (n,)


@program(SMALL, "small", _time_steps, size=200, tiny=5, rtol=1e-6)
def runge_kutta(np: Any, steps: int) -> Any:
    """Lorenz's equations by the Runge-Kutta method of order 4."""

    def slope(y: Any) -> Any:
        return np.array(
            [10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]]
        )

    dt, y = 0.005, np.array([1.0, 1.0, 1.0])
    path = np.empty((steps + 1, 3))
    path[0] = y
    for i in range(steps):
        k1 = slope(y)
        k2 = slope(y + dt / 2 * k1)
        k3 = slope(y + dt / 2 * k2)
        k4 = slope(y + dt * k3)
        y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path[i + 1] = y
    return path


def _words(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(4)
    return rng.integers(0, 5, n), rng.integers(0, 5, n + 7)


@program(SMALL, "small", _words, size=100, tiny=9)
def levenshtein(np: Any, one: Any, two: Any) -> Any:
    """Edit distance of two words, row by row."""
    two = np.asarray(two)
    places = np.arange(len(two) + 1)
    row = places.copy()
    for i, letter in enumerate(one.tolist()):
        above = np.minimum(row[:-1] + (two != letter), row[1:] + 1)
        new = np.concatenate([np.array([i + 1]), above])
        row = np.minimum.accumulate(new - places) + places
    return row[-1], row


def _layers(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(5)
    shapes = [(16, 32), (32, 32), (32, 4)]
    weights = [rng.normal(0, 0.3, shape).astype("float32") for shape in shapes]
    return rng.normal(size=(n, 16)).astype("float32"), weights


@program(SMALL, "small", _layers, size=80, tiny=3, rtol=1e-5)
def mlp_inference(np: Any, inputs: Any, weights: Any) -> Any:
    """A network of three layers, asked for one answer after another."""
    layers = [(np.asarray(w), np.zeros(w.shape[1], dtype=np.float32)) for w in weights]
    votes = np.zeros(4, dtype=np.int64)
    for x in np.asarray(inputs):
        for w, b in layers[:-1]:
            x = np.maximum(x @ w + b, 0)
        w, b = layers[-1]
        scores = x @ w + b
        chances = np.exp(scores - scores.max())
        chances = chances / chances.sum()
        votes[int(chances.argmax())] += 1
    return votes, chances


@program(SMALL, "small", _time_steps, size=400, tiny=10)
def pid_control(np: Any, steps: int) -> Any:
    """A controller of three motors."""
    gain = np.array([2.0, 1.5, 1.0])
    place, speed, total, before = (np.zeros(3) for _ in range(4))
    goal = np.array([1.0, -2.0, 0.5])
    record = np.zeros((steps, 3))
    for i in range(steps):
        error = goal - place
        total += error * 0.01
        force = np.clip(gain * error + 0.3 * total + 0.1 * (error - before) / 0.01, -5.0, 5.0)
        before = error
        speed += (force - 0.8 * speed) * 0.01
        place += speed * 0.01
        record[i] = place
    return record, np.abs(goal - place).max()


def _matrix(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(6)
    return rng.normal(size=(n, n)) + n * numpy.eye(n), rng.normal(size=n)


@program(SMALL, "small", _matrix, size=40, tiny=5)
def lu_by_hand(np: Any, matrix: Any, right: Any) -> Any:
    """A system of equations by elimination with pivots."""
    a, b = np.array(matrix), np.array(right)
    n = len(b)
    for k in range(n - 1):
        pivot = k + int(np.abs(a[k:, k]).argmax())
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            b[[k, pivot]] = b[[pivot, k]]
        factors = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= factors[:, None] * a[k, k:]
        b[k + 1 :] -= factors * b[k]
    x = np.zeros(n)
    for k in range(n - 1, -1, -1):
        x[k] = (b[k] - a[k, k + 1 :] @ x[k + 1 :]) / a[k, k]
    return x


def _cells(n: int) -> tuple[Any, ...]:
    return ((numpy.random.default_rng(7).random((32, 32)) < 0.3).astype("int64"), n)


@program(SMALL, "small", _cells, size=50, tiny=3)
def game_of_life(np: Any, cells: Any, steps: int) -> Any:
    """Conway's game on 32 x 32 cells."""
    cells = np.array(cells)
    alive = []
    for _ in range(steps):
        near = sum(
            np.roll(cells, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
        )
        cells = ((near == 3) | ((cells == 1) & (near == 2))).astype(np.int64)
        alive.append(int(cells.sum()))
    return cells, np.array(alive)


@program(SMALL, "small", _time_steps, size=40, tiny=3)
def newton(np: Any, starts: int) -> Any:
    """Newton's method for two equations, from many starts."""
    found = np.zeros((starts, 2))
    for i in range(starts):
        x = np.array([1.0 + i / starts, 0.5])
        for _ in range(8):
            value = np.array([x[0] ** 2 + x[1] ** 2 - 4.0, np.exp(x[0]) + x[1] - 1.0])
            slope = np.array([[2 * x[0], 2 * x[1]], [np.exp(x[0]), 1.0]])
            x = x - np.linalg.solve(slope, value)
            if np.abs(value).max() < 1e-12:
                break
        found[i] = x
    return found


def _series(n: int) -> tuple[Any, ...]:
    return (numpy.random.default_rng(8).normal(size=n).cumsum(),)


@program(SMALL, "small", _series, size=500, tiny=30)
def moving_average_loop(np: Any, series: Any) -> Any:
    """Averages and spreads of a window that moves, one at a time."""
    series = np.asarray(series)
    width = 20
    count = len(series) - width + 1
    means, spreads = np.empty(count), np.empty(count)
    for i in range(count):
        window = series[i : i + width]
        means[i] = window.mean()
        spreads[i] = window.std()
    return means, spreads


def _tree(n: int) -> tuple[Any, ...]:
    rng = numpy.random.default_rng(9)
    count = 127
    return rng.random((n, 6)), rng.integers(0, 6, count), rng.random(count), rng.random(count + 1)


@program(SMALL, "small", _tree, size=60, tiny=4)
def tree_traversal(np: Any, samples: Any, feature: Any, threshold: Any, leaf: Any) -> Any:
    """A decision tree in arrays, asked for samples one by one."""
    samples, feature = np.asarray(samples), np.asarray(feature)
    threshold, leaf = np.asarray(threshold), np.asarray(leaf)
    answers = np.zeros(len(samples))
    for i in range(len(samples)):
        node = 0
        while node < len(feature):
            is_right = samples[i, feature[node]] > threshold[node]
            node = 2 * node + (2 if is_right else 1)
        answers[i] = leaf[node - len(feature)]
    return answers


def _cities(n: int) -> tuple[Any, ...]:
    return numpy.random.default_rng(10).random((15, 2)), n


@program(SMALL, "small", _cities, size=300, tiny=10)
def simulated_annealing(np: Any, cities: Any, steps: int) -> Any:
    """A short way through 15 cities, by reversing parts of it."""
    cities = np.asarray(cities)
    draw = random.Random(11)

    def length(order: Any) -> Any:
        path = cities[order]
        return np.sqrt(((path - np.roll(path, 1, axis=0)) ** 2).sum(axis=1)).sum()

    order = np.arange(len(cities))
    cost, heat = length(order), 1.0
    for _ in range(steps):
        first, last = sorted(draw.sample(range(len(cities)), 2))
        other = order.copy()
        other[first : last + 1] = order[first : last + 1][::-1]
        new, chance = length(other), draw.random()
        if new < cost or chance < math.exp(-(new - cost) / heat):
            order, cost = other, new
        heat *= 0.99
    return order, cost
