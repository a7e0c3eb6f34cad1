"""Calls by which NumPy's own tests have found another answer: values, types, errors, warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from support import assert_same

import quernel as qn

NAN = np.nan
GAPS = np.array([[NAN, 1, 2], [NAN, NAN, NAN], [NAN, 4, 6], [NAN, NAN, 0.5]])
CUBE = np.arange(30.0).reshape(2, 3, 5)
NAN_FUNCTIONS = ("nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "nanmedian")
CALLS = [
    # Numbers around differences have to fit.
    "np.ediff1d(np.arange(3), to_begin=np.array([5, 7], np.float32))",
    "np.ediff1d(np.arange(3), to_end=NAN)",
    "np.ediff1d(np.arange(3, dtype=np.int16), to_begin=2**16)",
    # What lies behind two calls of a library, whose sizes turn out to be constants.
    "np.pad(CUBE[0], 1, mode='median')",
    "np.pad(CUBE[0, 0], 1, mode='median')",
    # Copies where NumPy makes some, and an error where it mustn't.
    *(
        f"np.array(CUBE{more}, copy={copy})"
        for more in ("", ".T, order='F'", ", order='F'", ", dtype=int")
        for copy in (False, True, None, "np._CopyMode.IF_NEEDED")
    ),
    "np.array([CUBE, CUBE], copy=False)",
    "np.array(CUBE[0, 0, 0], copy=False)",
    # A recurrence of numbers.
    "np.i0(0.5)",
    "np.round(np.i0(np.float64(9.5)), 6)",
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
    # Slices without numbers, or without elements, are warned of.
    *(f"np.{name}(GAPS, axis={axis})" for name in NAN_FUNCTIONS for axis in (None, 0, 1)),
    *(f"np.{name}(GAPS[:0], axis={axis})" for name in NAN_FUNCTIONS[2:] for axis in (None, 0, 1)),
    *(
        f"np.{name}(GAPS, {q}, axis=1)"
        for name in ("nanquantile", "quantile")
        for q in (0.3, [0, 1])
    ),
    "np.nanquantile(GAPS[:0], 0.3, axis=0)",
    "np.median(GAPS[:0])",
    "np.nanmin(np.array([NAN, 3 + 1j, 3 + 2j]))",
    "np.nanmin(np.array([NAN, 3 + 1j, 3 + 2j]), initial=4, where=[True, False, True])",
    "np.nanmax(np.array([[np.inf, 1], [NAN, -np.inf]]), axis=1)",
    "np.fmin.reduce(GAPS, axis=1)",
    "np.nanvar(GAPS, axis=1, ddof=3)",
    "np.nanstd(GAPS, axis=1, ddof=2)",
    "np.var(GAPS, ddof=1, correction=1)",
    # Shapes without elements, or with more than there may be.
    "np.unravel_index([1], [2**32 - 1, 2**31 + 1])",
    "np.ravel_multi_index(([1], [0], [0]), [2**32 - 1, 2**31 + 1, 3])",
    *(f"np.ravel_multi_index(([0], [1]), (0, 2), mode='{mode}')" for mode in ("raise", "clip")),
    "np.ravel_multi_index(np.zeros((3, 0), int), (2, 1, 0))",
    # Arguments that NumPy checks.
    *(f"np.linalg.norm(GAPS, {order}, {axes})" for order in (1, 2) for axes in ((0, 0), (0, 3))),
    *(f"np.unpackbits(np.arange(3, dtype=np.uint8), count={count})" for count in (-25, -24, 3)),
    "np.take_along_axis(GAPS, np.ones((4, 2), bool), axis=1)",
    "np.put_along_axis(GAPS, np.ones((4, 2), bool), 0, axis=1)",
    "np.reshape(GAPS, (12, 1), order='F', copy=False)",
    "np.reshape(GAPS.T, 12, copy=False)",
    "np.reshape(GAPS, 12, copy=False)",
    "np.fromiter([1, 2], int, count=5)",
    "np.rollaxis(GAPS, 0, -5)",
    # Numbers of Python's leave the dtype alone, and tolerances are finite.
    "np.isclose(np.array(1, 'f4'), 2, atol=0, rtol=(1 - 2**-53) / 2)",
    *(f"np.isclose(GAPS, 2, {name}={x})" for name in ("rtol", "atol") for x in ("NAN", "-np.inf")),
    "np.isclose(GAPS, 2, rtol=np.array([0.5, np.inf, 1]))",
    "np.allclose(np.arange(3), [0, 1, 2 + 1e-6], 1)",
    # Orders of arrays that are like others.
    "np.ones_like(np.ones((2, 3), order='F'), order='A', shape=(5, 6, 7)).strides",
    # NumPy judges what isn't used, and says how the result lies.
    "np.einsum('', 0, 0)",
    "np.einsum('i->i', GAPS[0], casting='blah')",
    "np.einsum('ij->j', [GAPS, GAPS], casting='same_value')",
    "np.einsum(GAPS, [0, 52], GAPS, [52, 2], [0, 2])",
    "np.einsum('a,a,a->a', *GAPS[:3], optimize=['einsum_path', (1,), (0, 1)])",
    "np.einsum('i->i', GAPS[0], dtype='i4')",
    *(
        f"np.einsum('...ft,mf->...mt', CUBE{turn}, GAPS, optimize={how}).strides"
        for turn in ("", ".copy('F')")
        for how in (True, False)
    ),
    # Of nothing, nothing can be chosen; arguments that NumPy checks.
    *(f"np.put(GAPS[:0], [0], 1, mode='{mode}')" for mode in ("raise", "wrap", "clip")),
    *(f"np.take(GAPS[:0], [0], mode='{mode}')" for mode in ("raise", "wrap", "clip")),
    "np.put(GAPS[:0], [], 1, mode='clip')",
    "np.putmask(GAPS, [True], 1)",
    *(f"np.searchsorted(np.arange(3), 1, sorter={s})" for s in ([0, 1], [-1, 0, 5], [0, 1, 2])),
    "np.where(GAPS > 1, x=1, y=2)",
    "np.where(GAPS > 1, 1)",
    *(f"np.arange({args})" for args in ("", "step=3", "start=4", "stop=3", "4, stop=None")),
    *(f"np.arange({stop}, dtype=bool)" for stop in (2, 3)),
    "np.frombuffer(b'12345678').flags.writeable",
    *(f"np.array(GAPS, copy={copy})" for copy in ("'string'", 0, 1, None, False)),
    "np.asarray(GAPS, copy=False) is GAPS",
    *(f"np.{name}(GAPS, where=False)" for name in ("mean", "var", "std")),
    *(f"np.{call}, device='{d}')" for call in ("zeros(2", "arange(2") for d in ("cpu", "gpu")),
    "np.divmod(2, 3, out=...)",
    "np.add(np.float32(1), 2, out=...)",
    "np.add(GAPS, 2, out=...)",
    "np.vecdot(np.float64(1), np.float64(2))",
    # Python's integers have to fit.
    *(f"np.{call}" for call in ("array(128, 'i1')", "full(2, 128, 'i1')", "full(2, -1, 'u8')")),
    "np.full_like(np.ones(2, 'i1'), 1000)",
    "np.full(2, 2.7, 'i1')",
    "np.array(2.7, 'i1')",
    "np.take(GAPS, [0], False)",
    "np.power(np.int64(0), 2**63)",
    "np.power(np.uint64(1), 2**63)",
    "np.concatenate([np.float32(1), 1.0], axis=None)",
    "np.concatenate([np.float32(1), np.float64(1)], axis=None)",
    *(f"np.vecdot(np.ones((2, 3)), np.ones({shape}))" for shape in ((2, 1), (1, 3))),
    *(f"np.copyto(np.ones(2, 'u1'), 3, casting='{rule}')" for rule in ("equiv", "safe")),
    "np.add.reduceat(np.arange(300, dtype='i2'), [0, 9], out=np.zeros(2, 'i2'))",
    *(f"np.arange({x})" for x in ("0, 1, np.inf", "0.0, 1e-300, 1e300", "0, -1, 0.3", "0, 1, 0.3")),
    "np.zeros(2, ('i4', [('a', 'i2'), ('b', 'i2')])).dtype.names",
    "np.sort(np.zeros(2, ('i4', [('a', 'i2'), ('b', 'i2')]))).dtype.names",
    *(f"np.{call}" for call in ("reshape(GAPS, (True, -1))", "zeros(True)", "full((True,), 2)")),
    # What NumPy warns of is warned of at each call.
    "np.bincount(['0', '1', '1'])",
    # Numbers stay numbers.
    *(f"np.{name}({x})" for name in ("real", "imag", "nan_to_num") for x in (1.5, 2, 1 - 1j)),
    "np.nan_to_num(np.array(1.5))",
    "np.nan_to_num(np.array(2), copy=False)",
]


def observed(call: str, namespace: Any) -> tuple[Any, list[tuple[type, str]]]:
    """What a call gives or raises, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", qn.FallbackWarning)
        try:
            answer = eval(call, {"np": namespace, "NAN": NAN, "GAPS": GAPS, "CUBE": CUBE})
        except Exception as error:
            answer = (type(error), str(error))
    return answer, [(one.category, str(one.message)) for one in caught]


@pytest.mark.parametrize("call", CALLS)
def test_calls_give_what_numpys_give(call: str) -> None:
    (want, expected), (got, warned) = observed(call, np), observed(call, qn.numpy)
    assert_same(got, want)
    assert warned == expected
