"""Jumps and exceptions that data decide go through `try` statements as in Python."""

from __future__ import annotations

import contextlib
import io
import itertools
import linecache
import random

import numpy as np
import pytest
from tries import Writer

import quernel as qn


def function_of(text, path):
    path.write_text(text)
    linecache.checkcache(str(path))
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return names["function"]


def outcome(function, x):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        return *returned_or_raised(function, x), printed.getvalue()


def returned_or_raised(function, x):
    out = np.array([1, 2, 3])
    try:
        return function(x, out), out.tolist()
    except Exception as error:
        chain = []
        while error is not None:
            chain.append((type(error).__name__, str(error)))
            error = error.__cause__ or error.__context__
        return chain, out.tolist()


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("prints", [False, True], ids=["", "prints"])
def test_random_functions(seed, prints, tmp_path):
    writer, values = Writer(seed, prints), random.Random(seed)
    function = function_of(writer.text, tmp_path / "program.py")
    compiled = qn.compile(function)
    for _ in range(10):
        x = np.array([values.choice([0.0, 0.0, 1.0, -2.0]) for _ in range(max(writer.bits, 1))])
        assert str(outcome(compiled, x.copy())) == str(outcome(function, x)), writer.text


def else_behind_a_jump(x, out):
    try:
        if x[0] > 0:
            return 0.0
        y = x[0]
    except IndexError:
        y = -1.0
    else:
        y = y + 1
    return y


def jump_in_finally(x, out):
    n = 0
    for v in x:
        try:
            if v < 0:
                continue
            n += 1
        finally:
            if v > 0:
                break  # noqa: B012
        n += 10
    return n


def other_result_in_finally(x, out):
    try:
        return out[0] + 10
    finally:
        if x[0] > 0:
            return 2.0  # noqa: B012


def finally_ends_an_exception(x, out):
    for k in range(3):
        try:
            out[k] = 5
            raise ValueError
        finally:
            if x[k] > 0:
                break  # noqa: B012
    return out.sum()


def finally_reads_what_a_branch_has_bound(x, out):
    y = 1
    try:
        if x[0] > 0:
            y = 5
            if x[1] > 0:
                return y + 1
        y = 2
    finally:
        out[0] = y
    return y


def handler_reads_what_a_branch_has_bound(x, out):
    try:
        y = 6
        if x[0] > 0:
            y = 5
        z = 1 // int(x[1] > 0)
        y = 2
    except ZeroDivisionError:
        z = y + 1
    return y, z


def context_ends_what_a_branch_has_bound(x, out):
    y = 0
    with contextlib.suppress(ZeroDivisionError):
        if x[0] > 0:
            y = 5
        out[0] = 1 // int(x[1] > 0)
        y = 2
    return y


@pytest.mark.parametrize(
    "function",
    [
        else_behind_a_jump, jump_in_finally, other_result_in_finally, finally_ends_an_exception,
        finally_reads_what_a_branch_has_bound, handler_reads_what_a_branch_has_bound,
        context_ends_what_a_branch_has_bound,
    ],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_each_way(function):
    compiled = qn.compile(function, fullgraph=True)
    for values in itertools.product([1.0, 0.0, -1.0], repeat=3):
        x = np.array(values)
        assert outcome(compiled, x) == outcome(function, x)
    assert compiled.stats()["compiles"] == 1
