"""Each public function of NumPy does what docs/coverage.md says of it."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from .cases import CASES, Case
from .judge import judge
from .table import DOCUMENT, row, rows

# What is otherwise than in NumPy, by the kind of difference, and why that is so.
EXPECTED = {
    "np.broadcast_arrays": "alias",  # ours can't be written; NumPy warns where one is
    "np.histogram2d": "alias",  # NumPy's counts are a part of a larger array
    "np.histogramdd": "alias",
    "np.mask_indices": "alias",  # NumPy's are columns of one array
}
ROWS = rows(DOCUMENT.read_text())


def by_ufunc() -> list[list[Case]]:
    """The cases; those of one ufunc, which may have several names, together."""
    found: dict[Any, list[Case]] = {}
    for case in CASES:
        ufunc = getattr(np, case.name.removeprefix("np."), None)
        forms = tuple(text.replace(case.name, "{0}") for text in case.expressions)
        key = (ufunc, forms) if isinstance(ufunc, np.ufunc) else case
        found.setdefault(key, []).append(case)
    return list(found.values())


@pytest.mark.parametrize("cases", by_ufunc(), ids=lambda cases: cases[0].name)
def test_their_rows_are_true(cases: list[Case], tmp_path):
    verdict = judge(cases[0], tmp_path)
    kinds = {kind for kind, _ in verdict.different}
    expected = EXPECTED.get(cases[0].name)
    assert kinds == {expected} if expected else not verdict.different
    for case in cases:
        got, told = row(case, verdict).split(" | "), ROWS[case.name].split(" | ")
        assert got[:3] == told[:3]
        # Which reason comes first may vary.
        assert bool(got[3].strip(" |")) == bool(told[3].strip(" |"))
    for case in cases[1:]:  # the other names lead to the same ufunc
        folder = tmp_path / case.name
        folder.mkdir()
        called = replace(case, expressions=case.expressions[:1])
        assert not judge(called, folder).different


def test_no_function_is_left_out():
    named = {case.name for case in CASES}
    public = [
        f"{prefix}.{name}"
        for prefix, module in (("np", np), ("np.linalg", np.linalg), ("np.fft", np.fft))
        for name in module.__all__
        if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))
    ]
    methods = [f"ndarray.{name}" for name in dir(np.ndarray) if not name.startswith("_")]
    assert set(public) | set(methods) <= named
    assert set(ROWS) == named
