"""What a first call may take, parts and repeated attempts included: counts, not seconds."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.call import known_refusals
from quernel.call.budgets import Budget
from quernel.capture import trace
from quernel.capture.interpreter import Interpreter

X = np.arange(6.0) + 1


@pytest.fixture
def attempts(monkeypatch):
    """The attempts that captures make, by the operations of all before each."""
    made = []
    one = trace._attempt

    def noted(*args):
        made.append(args[0].__name__)
        return one(*args)

    monkeypatch.setattr(trace, "_attempt", noted)
    return made


@pytest.fixture
def steps(monkeypatch):
    """The calls and iterations that captures carry out."""
    made = []
    step = Interpreter.step

    def noted(self):
        made.append(self.depth)
        step(self)

    monkeypatch.setattr(Interpreter, "step", noted)
    return made


def refused(plain, *args, **options):
    """Why a function isn't compiled."""
    with pytest.raises(qn.errors.UnsupportedError) as caught:
        qn.compile(plain, fullgraph=True, **options)(*args)
    return str(caught.value)


# One budget for a call


def test_parts_share_what_the_whole_leaves():
    calls = [1]
    budget = Budget(5.0, lambda: calls[0])
    assert budget.seconds(is_whole=True) == 5
    budget.spend(1.0, is_whole=True, is_vain=True)
    assert budget.seconds(is_whole=False) == 4
    budget.spend(3.0, is_whole=False, is_vain=False)
    assert budget.seconds(is_whole=False) == 1
    budget.spend(0.75, is_whole=False, is_vain=True)
    text = "other compiles of the call have used up its 5 s"
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        budget.seconds(is_whole=False)
    calls[0] += 1
    assert budget.seconds(is_whole=False) == 5


def test_a_whole_that_takes_all_leaves_a_fifth_to_its_parts():
    budget = Budget(5.0, lambda: 1)
    budget.seconds(is_whole=True)
    budget.spend(5.0, is_whole=True, is_vain=True)
    assert budget.seconds(is_whole=False) == 1


def test_calls_that_take_much_in_vain_leave_half_to_later_ones():
    calls = [1]
    budget = Budget(4.0, lambda: calls[0])
    for left in (4.0, 2.0, 1.0):
        assert budget.seconds(is_whole=True) == left
        budget.spend(left, is_whole=True, is_vain=True)
        calls[0] += 1
    assert budget.seconds(is_whole=True) == 0.5
    budget.spend(0.2, is_whole=True, is_vain=True)
    calls[0] += 1
    assert budget.seconds(is_whole=True) == 0.5


def test_without_a_limit_there_is_no_budget():
    budget = Budget(None, lambda: 1)
    budget.spend(100.0, is_whole=True, is_vain=True)
    assert budget.seconds(is_whole=False) is None


def test_parts_have_the_budget_of_the_whole():
    def f(x):
        y = np.sin(x) * 2
        print(end="")
        return np.cos(y) + 1

    compiled = qn.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(compiled(X), f(X))
    whole = compiled.stats.__self__
    parts = list(whole.parts())
    assert parts and all(part.budget is whole.budget for part in parts)


def test_what_a_short_budget_refuses_is_not_kept_for_other_processes(monkeypatch):
    def f(x):
        for k in range(40):
            x = np.sin(x) * (k + len(str(k)))
        return x

    kept = []
    monkeypatch.setattr(known_refusals, "keep", lambda index, plain, error: kept.append(error))
    for limit, taken in ((0.02, 0.0), (5.0, 4.99)):
        compiled = qn.compile(f, fullgraph=True, compile_limit=limit)
        budget = compiled.stats.__self__.budget
        monkeypatch.setattr(budget, "seconds", lambda is_whole, left=limit - taken: left)
        with pytest.raises(qn.errors.UnsupportedError, match="compiling it would take more than"):
            compiled(X)
    assert [error.demands is None for error in kept] == [False, True]


# What items of lists have in common


def cells(x, places):
    out = np.zeros(50)
    for k in places:
        out[:k] += x[0]
    return out


def shifted(rows):
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            rows[i][j] = rows[i][j] * 2 + 1
    return rows


def test_numbers_of_a_list_are_known_together(attempts):
    def lengths(x, sizes):
        return [np.zeros(n) + x[0] for n in sizes]

    sizes = list(range(3, 43))
    got = qn.compile(lengths, fullgraph=True)(X, sizes)
    assert [len(part) for part in got] == sizes
    few = len(attempts)
    attempts.clear()
    qn.compile(lengths, fullgraph=True)(X, sizes[:10])
    assert len(attempts) == few < 10


def test_lists_of_a_list_are_changed_together(attempts):
    def rows(n):
        return [[float(i * j) for i in range(4)] for j in range(n)]

    counts = []
    for n in (8, 24):
        given, wanted = rows(n), rows(n)
        got, want = qn.compile(shifted, fullgraph=True)(given), shifted(wanted)
        assert got == want and given == wanted
        counts.append(len(attempts))
        attempts.clear()
    assert counts[0] == counts[1] < 12


def test_numbers_of_another_type_stay_data():
    def mixed(x, given):
        sizes = [np.zeros(n).sum() + x[0] for n in given[:5]]
        return sum(sizes) * given[5]

    compiled = qn.compile(mixed, fullgraph=True)
    for factor in (0.5, 1.5, 2.5):
        given = [3, 4, 5, 6, 7, factor]
        assert compiled(X, given) == mixed(X, given)
    assert compiled.stats()["compiles"] == 1


# Recursions that nothing known ends


def below(x):
    if x >= 0.0:
        return 1.0 - 0.32 * np.exp(-x)
    return 1.0 - below(-x)


def of_one(s):
    return s * below(np.log(np.maximum(s, 1e-10)))


class Folding:
    def value(self, x):
        return x * 2 if x > 1 else self.value(x + 1) + self.value(x + 2)

    def run(self, x):
        return self.value(x[0])


def halves(x):
    if len(x) < 2:
        return x
    if x.sum() > 3:
        return halves(x[::2]) + 1
    return halves(x[1::2]) * 2


def test_a_recursion_on_data_alone_is_refused_early(steps):
    # A side on which it goes on is left to NumPy.
    compiled = qn.compile(of_one, fullgraph=True)
    for s in (1.5, 20.0):
        assert compiled(s) == pytest.approx(of_one(s), rel=1e-15)
    assert len(steps) < 200


def test_a_method_that_calls_itself_on_data_alone(steps):
    compiled = qn.compile(Folding.run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in (0.25, 3.0, -2.0):
            assert compiled(Folding(), X * start) == Folding().run(X * start)
    assert len(steps) < 400


def test_a_recursion_that_sizes_end_goes_on():
    x = np.linspace(-1, 1, 16)
    np.testing.assert_array_equal(qn.compile(halves, fullgraph=True)(x), halves(x))


# Iterations that multiply


def nearest(distances, angles, size):
    kept = [float("inf") for _ in range(size)]
    for i in range(len(angles)):
        place = math.floor(angles[i] * size)
        kept[place] = min(kept[place], distances[i])
    return kept


def test_kinds_that_data_choose_in_each_iteration_are_given_up(attempts):
    distances, angles = map(list, np.random.default_rng(0).random((2, 24)))
    text = refused(nearest, distances, angles, 40)
    assert "a loop whose values are of kinds that data decide: compiling it would take" in text
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        got = qn.compile(nearest)(distances, angles, 40)
    assert got == nearest(distances, angles, 40)
    assert sum(one.category is qn.FallbackWarning for one in seen) == 1


def test_a_few_such_iterations_are_captured():
    args = list(np.array([0.5, 0.25, 0.75])), list(np.array([0.1, 0.6, 0.2])), 2
    assert qn.compile(nearest, fullgraph=True)(*args) == nearest(*args)


def grid(x, cells):
    for k in range(6):
        for row in cells:
            for j in range(len(row)):
                row[j] = math.exp(-((row[j] - x[k]) ** 2)) * (j + k)
    return cells


def test_nested_loops_are_foreseen_in_the_innermost_one(monkeypatch):
    counts = []
    fail = trace.Tracer.fail

    def noted(self, *args):
        counts.append(self.operations)
        fail(self, *args)

    monkeypatch.setattr(trace.Tracer, "fail", noted)
    cells = [[float(i + j) for i in range(15)] for j in range(15)]
    text = refused(grid, X, cells)
    assert "iterations that are captured one by one: compiling it would take more than 5 s" in text
    assert min(counts) < 500


# Rooms of arrays that grow


def best(x, limits):
    least, found = float("inf"), np.array([x])
    for v in limits:
        for w in limits:
            path, t = np.array(x), 0
            while t <= 1.0:
                path = np.vstack((path, x + v * w * t))
                t += 0.1
            cost = abs(path[-1, 0] - x[1])
            if least >= cost:
                least, found = cost, path
    return found


def test_rooms_of_loops_within_loops_do_not_multiply():
    limits = [0.5, -0.25, 1.5]
    x = X[:3].copy()
    compiled = qn.compile(best, fullgraph=True)
    np.testing.assert_array_equal(compiled(x, limits), best(x, limits))
    sizes = [math.prod(map(int, found)) for found in _temporaries(str(compiled.explain(x, limits)))]
    assert max(sizes) < 1 << 19


def _temporaries(text):
    for line in text.splitlines():
        name, _, sizes = line.strip().partition("[")
        if name == "float64" and sizes.endswith("]") and "?" not in sizes:
            yield sizes[:-1].split(", ")
