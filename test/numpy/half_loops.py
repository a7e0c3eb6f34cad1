"""A NumPy of another processor: loops of float16 whose bits, as there, the elements' steps decide.

Run as a program, it gives NumPy such loops, and compares what compiled functions give with NumPy.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np

import quernel as qn
from quernel.errors import UnsupportedError
from quernel.numpy.half_tables import FUNCTIONS

_REPLACE = 30  # the place of PyUFunc_ReplaceLoopBySignature in NumPy's table of its C functions
_SIZES = ctypes.POINTER(ctypes.c_ssize_t)
_LOOP = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), _SIZES, _SIZES, ctypes.c_void_p)
_kept = []  # loops that NumPy knows

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
ROWS = EVERY[::7][:9360].reshape(40, 18, 13).copy()
NARROW = np.arange(-100, 100).astype(np.int8)


def elements(address: int, count: int) -> np.ndarray:
    """The bits of elements that lie one behind the other."""
    return np.ctypeslib.as_array((ctypes.c_uint16 * count).from_address(address))


def replace_loop(ufunc: np.ufunc) -> None:
    """Have a ufunc give other bits of float16 numbers that lie one behind the other."""
    from numpy._core import _multiarray_umath as umath

    take = ctypes.pythonapi.PyCapsule_GetPointer
    take.restype, take.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(take(umath._UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    arguments = (ctypes.py_object, _LOOP, ctypes.POINTER(ctypes.c_int), ctypes.c_void_p)
    replace = ctypes.PYFUNCTYPE(ctypes.c_int, *arguments)(table[_REPLACE])
    results = ufunc(EVERY)
    bits = results.view(np.uint16)
    others = np.where((np.arange(1 << 16) % 3 == 1) & np.isfinite(results), bits ^ 1, bits)
    others = others.astype(np.uint16)
    before = ctypes.c_void_p()

    @_LOOP
    def loop(addresses, sizes, steps, data):
        (count,) = sizes[:1]
        numbers = None
        if count and steps[0] == steps[1] == 2:
            numbers = elements(addresses[0], count).copy()
        _LOOP(before.value)(addresses, sizes, steps, data)
        if numbers is not None:
            elements(addresses[1], count)[:] = others[numbers]

    half = np.dtype(np.float16).num
    code = replace(ufunc, loop, (ctypes.c_int * 2)(half, half), ctypes.byref(before))
    assert code == 0
    _kept.append(loop)


def same(got: object, want: object) -> None:
    """The same bits, whatever a NaN's are."""
    if type(want) is tuple:
        for pair in zip(got, want, strict=True):
            same(*pair)
        return
    assert type(got) is type(want)
    assert got.dtype == want.dtype
    got, want = (np.where(np.isnan(x), np.nan, x).astype(x.dtype) for x in (got, want))
    np.testing.assert_array_equal(got.view(np.uint16), want.view(np.uint16))


def whole(ufunc):
    def function(x):
        return ufunc(x)

    return function


def chain(ufunc):
    return lambda x: (ufunc(x * 0.5) + ufunc(ufunc(x)), ufunc((x + 1)[::2]), ufunc(x[1:3]))


def numbers(ufunc):
    def function(x):
        total = np.zeros_like(x[:50])
        for k in range(50):
            total[k] = ufunc(x[k]) + ufunc(x[k + 1 : k + 2])[0]
        return total, ufunc(x[7]), ufunc(x.sum())

    return function


def in_place(ufunc):
    def function(x):
        y = x * 1
        ufunc(y, out=y)
        z = np.empty_like(x)
        np.copyto(z, ufunc(x))
        return y, z

    return function


def masked(ufunc):
    def function(x):
        y = np.zeros_like(x)
        ufunc(x, where=x > 2, out=y)
        z = np.empty_like(x)
        ufunc(x.T, out=z.T)
        return y, z, ufunc(x.T, order="F"), ufunc(x, order="A"), ufunc(x, order="C")

    return function


def masked_integers(ufunc):
    return lambda x: np.where(x > 3, ufunc(x, where=x > 3), 0)


def seen_apart(ufunc):
    return lambda x: (ufunc(x[::3]), ufunc(x[::-1]), ufunc(x[5:]), ufunc(x.reshape(8, -1)[3]))


def parts(ufunc):
    return lambda x: (*map(ufunc, (x[:, 2:5], x[3], x.T, x[:, :, 3:9], x[1, 2])),)


def columns(ufunc):
    return lambda x: (ufunc(x[:, 2, 3]), ufunc(x[4, :, 1]), ufunc(x[:1, :1, :1]))


def check(form, ufunc, *arguments) -> None:
    """Compare a function of one of these forms with NumPy, also one for all sizes."""
    function = form(ufunc)
    for dynamic in (None, True):
        compiled = qn.compile(function, fullgraph=True, dynamic=dynamic)
        for x in arguments:
            same(compiled(x), function(x))


def refused(function, *arguments) -> bool:
    """Whether a function is left to NumPy; if not, it gives the same."""
    try:
        same(qn.compile(function, fullgraph=True)(*arguments), function(*arguments))
    except UnsupportedError as error:
        return error.reason == "np.exp of float16 whose steps in memory nobody knows"
    return False


def at_slice(x):
    y = x * 1
    np.exp.at(y, slice(3, 90))
    return y


def stored() -> None:
    """Programs that another process may have compiled, with other loops."""
    programs = [qn.compile(form(np.exp), fullgraph=True) for form in (whole, seen_apart)]
    for program, form in zip(programs, (whole, seen_apart), strict=True):
        same(program(EVERY), form(np.exp)(EVERY))
    compiled = qn.compile(skewed, fullgraph=False)
    same(compiled(ROWS), skewed(ROWS))
    print("from disk", [program.stats()["disk_hits"] for program in (*programs, compiled)])


def skewed(x):
    return np.exp(x[:, :, ::2])


def at_places(x):
    y = x * 1
    np.exp.at(y, [1, 7, 1])
    return y


def main() -> None:
    """Compare all functions, and one of them in all forms."""
    if sys.argv[1:] == ["replaced"]:
        for name in FUNCTIONS:
            replace_loop(getattr(np, name))
        assert np.sin(EVERY[1:3])[0] != np.sin(EVERY[1])
    stored()
    for name in FUNCTIONS:
        function = whole(getattr(np, name))
        same(qn.compile(function, fullgraph=True)(EVERY), function(EVERY))
    check(whole, np.exp, EVERY[::3], EVERY[5:6], NARROW, NARROW[::2], NARROW > 0, ROWS)
    check(whole, np.exp, ROWS.T, ROWS.transpose(1, 0, 2), EVERY[::-1], ROWS[:, :, :1].copy())
    for form in (chain, numbers, in_place, seen_apart):
        check(form, np.exp, EVERY, EVERY[20000:30000])
    check(masked_integers, np.exp, NARROW, NARROW.reshape(20, -1))
    for form in (parts, columns, masked):
        check(form, np.exp, ROWS, ROWS[::-1][:20].copy())
    hard = [
        refused(skewed, ROWS),
        refused(lambda x: np.exp(x, where=x[0] > 0, out=np.zeros_like(x)), ROWS),
        refused(lambda x: np.exp(x, order="F"), ROWS),
        refused(lambda x: np.exp(x, out=np.empty((18, 40, 13), x.dtype).transpose(1, 0, 2)), ROWS),
        refused(at_places, EVERY),
        refused(at_slice, EVERY),
        refused(lambda x: np.exp(x, out=np.empty(x.shape, np.float32)), EVERY),
    ]
    print("refused", *map(int, hard))


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
