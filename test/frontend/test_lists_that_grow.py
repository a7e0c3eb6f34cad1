"""Lists that loops and branches fill: compiled as arrays, and given back as what NumPy has."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from control import Cases, check_program, name_of

import quernel as qn

X = np.linspace(-3, 5, 40)
SEEDED = np.random.default_rng(0).normal(size=60)
cases = Cases()


@cases(X, 40)
@cases(X, 3)
def history_of_sums(x, n):
    history = []
    total = 0.0
    for i in range(n):
        total += x[i]
        history.append(total)
    return np.array(history)


@cases(SEEDED, 0.5)
@cases(SEEDED, 1e9)
def until_a_sum(x, most):
    history = []
    total = 0.0
    for value in x:
        total += value * value
        if total > most:
            break
        history.append(float(total))
    return history, len(history)


@cases(X, 1e-3)
def halves_until_small(x, tolerance):
    norms = [np.abs(x).sum()]
    while norms[-1] > tolerance:
        x = x / 2
        norms.append(np.abs(x).sum())
    return np.array(norms), norms, x


@cases(X)
@cases(-np.abs(X))
def places_of_positives(x):
    places = []
    for i, value in enumerate(x):
        if value > 0:
            places.append(i)
    return places


@cases(np.diag([0.5, 0.3]), np.ones(2))
def vectors_until_small(a, x):
    seen = []
    for _ in range(30):
        x = a @ x
        seen.append(x)
        if np.linalg.norm(x) < 1e-3:
            break
    return np.array(seen), x


@cases(SEEDED)
@cases(np.arange(20)[::-1])
def sorted_by_a_stack(a):
    a = a.copy()
    stack = [(0, len(a) - 1)]
    swaps = 0
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                swaps += 1
                i += 1
                j -= 1
        stack.append((low, j))
        stack.append((i, high))
    return a, swaps


@cases(X)
def pairs_as_an_array(x):
    pairs = []
    for i in range(len(x) - 1):
        if x[i + 1] > 1 and x[i] < 4:
            pairs.append((i, x[i]))
    return np.array(pairs), len(pairs)


@cases(X)
def a_list_for_each_row(x):
    counts = np.zeros(5, dtype=int)
    for row in range(5):
        found = []
        for k in range(row, 40, 5):
            if x[k] > row:
                found.append(x[k])
        counts[row] = len(found)
    return counts


@cases(SEEDED > 0)
def backwards(mask):
    path = [0]
    for k in range(59, 0, -1):
        path.append(k if mask[k] else path[-1])
    return path[::-1], path[2], path[1:4]


@cases(X, 30)
def parts_of_lists(x, n):
    values, other = [], [0]
    for k in range(n):
        if x[k] > -2:
            values.append(x[k])
            other.append(k)
    return np.array(values[::-1]), np.diff(other[1:]), other[:3]


@cases(X)
def lists_in_a_list(x):
    rows = []
    for k in range(3):
        row = []
        for value in x[k::10]:
            row.append(value + k)
        rows.append(row)
    return np.array(rows), rows


@cases(X)
@cases(SEEDED)
def next_greater(x):
    stack, found = [], np.full(x.size, -1)
    for k in range(x.size):
        while stack and x[stack[-1]] < x[k]:
            found[stack.pop()] = k
        stack.append(k)
    return found


@cases(X)
def popped_amid_statements(x):
    stack, other, sums = [0, 1], [], np.zeros(x.size)
    k = 1
    while len(stack) > 0 and k < x.size:
        sums[stack.pop()] += x[k]
        k += 1
        if k < x.size:
            stack.append(k)
            stack.append(k - 1)
            other.append(2 * stack.pop())
    return sums, other


@cases(X, 25)
def integers_of_a_loop(x, n):
    ends, count = [], 0
    for k in range(n):
        count += 2 if x[k] > 0 else 1
        ends.append(count)
        if count > 30:
            ends.pop()
            break
    if not ends:
        return None
    return ends


@cases(X)
def a_list_of_one_side(x):
    signs = []
    if x.sum() > 0:
        signs.append(1.0)
        signs.append(2.0)
    return signs


@cases(X, np.float32(0.5))
def types_of_items(x, factor):
    small, flags = [], []
    for k in range(len(x)):
        if x[k] < 2:
            small.append(factor * np.float32(k))
            flags.append(bool(x[k] > 0))
    return small, flags, np.mean(small), np.asarray(flags)


@cases(np.outer(X, np.arange(3.0)))
def rows_put_together(x):
    rows, large = [], []
    for row in x:
        if row[1] > 0:
            rows.append(row * 2)
            large.append(row[2] > 4)
    return np.stack(rows), np.vstack(rows), np.stack(large), np.asarray(large).sum()


@cases(np.outer(X, np.arange(3.0)))
def parts_one_after_the_other(x):
    parts = []
    for k in range(20):
        parts.append(x[2 * k : 2 * k + 2] + k)
    return np.concatenate(parts), np.column_stack(parts)


@cases(X, 1.0)
def numbers_of_several_types(x, step):
    times, values, t = [0.0], [0], 0.0
    for value in x:
        step = min(step, value + 4) if value > 0 else step * 0.5
        t += step
        times.append(t)
        values.append(np.int64(t))
    return np.array(times), len(times), np.array(values)


@cases(X)
def array_in_place_after(x):
    seen = []
    for _ in range(30):
        x = x + 1
        seen.append(x)
    x[0] = -5
    return np.array(seen)


@cases(X)
def array_in_place_before(x):
    seen = []
    for _ in range(30):
        x[0] = -5
        x = x + 1
        seen.append(x)
    return np.array(seen)


@cases(X)
def one_array_in_all_items(x):
    seen = []
    for _ in range(30):
        x[0] += 1
        seen.append(x)
    return np.array(seen)


@cases(X)
@cases(-X)
@cases(X[:0])
def tuples_that_data_choose(x):
    found = []
    for i in range(len(x)):
        if x[i] > 1:
            found.append((i, x[i], float(x[i]) * 2, bool(x[i] > 3)))
    return found, len(found)


@cases(X)
def runs(x):
    found = []
    i = 0
    while i < len(x):
        j = i
        while j + 1 < len(x) and x[j + 1] > x[j]:
            j += 1
        found.append((i, j))
        i = j + 1
    return {"runs": found[1:]}


@cases(X)
def the_last_array(x):
    seen = [x]
    for _ in range(20):
        seen.append(seen[-1] * 0.5)
    return np.array(seen), seen[3].sum()


@cases(SEEDED)
def list_and_array_of_one_name(u):
    chain = []
    x = 0.0
    for s in u:
        x = x * 0.5 + s
        if x > 0.3:
            chain.append(x)
    chain = np.array(chain)
    return chain[::-1], chain.shape


@cases(SEEDED)
def a_list_in_each_turn_of_one_name(u):
    rows = np.zeros((3, 60))
    for k in range(3):
        row = []
        for s in u:
            row.append(s * k)
        row = np.array(row)
        rows[k] = row
    return rows, row


@cases(SEEDED)
def lists_and_arrays_of_one_name(u):
    a = []
    for s in u:
        a.append(s + 1)
    a = np.asarray(a)
    b = a[3]
    a = []
    for s in u:
        a.append(s * b)
    a = np.asarray(a) + b
    return a, b


@cases(X)
def a_turn_that_ends_with_the_list(x):
    for k in range(3):
        found = []
        for value in x[:4]:
            found.append(value * k)
        if k == 2:
            break
        found = np.array(found)
    return found


@cases(np.random.default_rng(0).random((9, 11)) > 0.4)
@cases(np.zeros((3, 4), bool))
def labels_of_components(mask):
    height, width = mask.shape
    labels = np.zeros((height, width), dtype=np.int32)
    count = 0
    stack = []
    for i in range(height):
        for j in range(width):
            if mask[i, j] and labels[i, j] == 0:
                count += 1
                stack.append((i, j))
                labels[i, j] = count
                while stack:
                    y, x = stack.pop()
                    for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                        yy, xx = y + dy, x + dx
                        inside = 0 <= yy < height and 0 <= xx < width
                        if inside and mask[yy, xx] and labels[yy, xx] == 0:
                            labels[yy, xx] = count
                            stack.append((yy, xx))
    return labels, count


@pytest.mark.parametrize(("function", "args"), cases.rows, ids=name_of)
def test_lists_that_grow(function: Any, args: tuple) -> None:
    check_program(function, args)


def last_of_two(x):
    parts = [x]
    if x.sum() > 0:
        parts.append(x + 1)
    return parts[-1]


@pytest.mark.parametrize("x", [X, -X])
def test_an_array_of_a_list_is_the_array_itself(x) -> None:
    compiled = qn.compile(last_of_two)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qn.errors.FallbackWarning)
        got = compiled(x)
    assert (got is x) == (last_of_two(x) is x)


def beyond(x, n):
    values = []
    while len(values) < n:
        values.append(x[0])
    return values


def test_a_list_without_room_is_left_to_numpy() -> None:
    compiled = qn.compile(beyond)
    assert compiled(X, 5) == beyond(X, 5)
    with pytest.warns(qn.errors.FallbackWarning, match="more items than there is room for"):
        assert compiled(X, 5000) == beyond(X, 5000)


def of_no_items(x, least):
    found = []
    for value in x:
        if value > least:
            found.append(int(value))
    return np.array(found)


def test_an_array_of_no_items_has_numpys_dtype() -> None:
    compiled = qn.compile(of_no_items)
    assert compiled(X, 1).dtype == np.dtype(int)
    with pytest.warns(qn.errors.FallbackWarning, match="a list without items"):
        assert compiled(X, 100).dtype == np.dtype(float)


def pops_too_often(x, n):
    values = [x[0]]
    for k in range(n):
        if x[k] > 0:
            values.append(x[k])
        else:
            values.pop()
    return values


def reads_behind(x, n):
    values = []
    for k in range(30):
        if x[k] > 4:
            values.append(x[k])
    return values[n]


@pytest.mark.parametrize(
    ("function", "args"),
    [(pops_too_often, (X, 30)), (reads_behind, (X, 0)), (reads_behind, (X, -1))],
    ids=name_of,
)
def test_errors_of_lists(function: Any, args: tuple) -> None:
    with pytest.raises(IndexError) as want:
        function(*copy.deepcopy(args))
    with pytest.raises(IndexError) as got:
        qn.compile(function, fullgraph=True)(*args)
    assert str(got.value) == str(want.value)


def test_rooms_of_sizes_that_vary() -> None:
    compiled = qn.compile(places_of_positives, fullgraph=True)
    for size in (40, 30, 12, 90):
        x = np.linspace(-3, 5, size)
        assert compiled(x) == places_of_positives(x)
    assert compiled.stats()["compiles"] == 2


def test_a_stack_is_not_copied() -> None:
    report = qn.compile(labels_of_components).explain(np.ones((40, 40), bool))
    assert report.copies == []
