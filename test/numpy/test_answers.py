"""Calls by which NumPy's own tests have found another answer: values, types, errors, warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn

NAN = np.nan
CALLS = [
    # Numbers around differences have to fit.
    "np.ediff1d(np.arange(3), to_begin=np.array([5, 7], np.float32))",
    "np.ediff1d(np.arange(3), to_end=NAN)",
    "np.ediff1d(np.arange(3, dtype=np.int16), to_begin=2**16)",
    # A line's rows are its elements.
    "np.unique(np.array([NAN, 0, 0, NAN]), axis=0)",
    "np.unique(np.array([2, 1, 2]), axis=-1, return_inverse=True)",
    "np.unique(np.array([2, 1, 2]), axis=1)",
    # kind= is checked, and a table may be too long.
    "np.isin(np.arange(3), np.arange(2), kind='quicksort')",
    "np.isin(np.array([0, 1], np.int16), np.array([-128, 127], np.int8), kind='table')",
    # A dtype that is asked for is that of the result.
    "np.cov(np.arange(6, dtype=np.float32).reshape(2, 3), dtype=np.float32)",
    "np.corrcoef(np.arange(6).reshape(2, 3), dtype=np.complex64)",
    "np.digitize(np.arange(3), np.arange(3) * 1j)",
]


def observed(call: str, namespace: Any) -> tuple[Any, list[tuple[type, str]]]:
    """What a call gives or raises, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", qn.FallbackWarning)
        try:
            answer = eval(call, {"np": namespace, "NAN": NAN})
        except Exception as error:
            answer = (type(error), str(error))
    return answer, [(one.category, str(one.message)) for one in caught]


@pytest.mark.parametrize("call", CALLS)
def test_calls_give_what_numpys_give(call: str) -> None:
    (want, expected), (got, warned) = observed(call, np), observed(call, qn.numpy)
    assert_same(got, want)
    assert warned == expected
