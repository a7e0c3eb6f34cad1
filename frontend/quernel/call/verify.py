"""``verify=True``: each call runs NumPy too, and the answers are compared."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arguments.plain_objects import is_plain_object, own_attributes
from ..arguments.python_random import is_random
from ..errors import VerificationError

# Relative to the greatest magnitude in an array: reductions add in another order than NumPy.
_BOUNDS = {"float32": 1e-4, "float64": 1e-11, "complex64": 1e-4, "complex128": 1e-11}


class Verifier:
    """Answers calls by the compiled function after comparing with the plain one."""

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled

    def miss(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The compiled answer.

        Raises
        ------
        VerificationError
            Where NumPy's answer, or its effect on an argument, is another one.
        """
        plain_args, plain_kwargs = copied((args, kwargs))
        state = random.getstate()
        with np.errstate(all="ignore"):  # the compiled function gives the warnings
            expected = self.compiled.__wrapped__(*plain_args, **plain_kwargs)
        random.setstate(state)
        before = _entropy()
        answer = self.compiled(*args, **kwargs)
        if _entropy() != before:  # generators without a seed give others at each call
            return answer
        compare(answer, expected, "the result")
        compare(args, plain_args, "the arguments")
        compare(kwargs, plain_kwargs, "the arguments")
        return answer


def _entropy() -> Any:
    """Where the streams are that stand for generators without a seed, if there are any."""
    module = sys.modules.get("quernel.numpy.entropy")
    return None if module is None else module.position()


def copied(obj: Any) -> Any:
    """A copy of nested containers with their arrays, which share memory where those do.

    Objects of the user's classes count as containers.
    """
    roots: dict[int, list[np.ndarray]] = {}
    for array in _arrays(obj):
        roots.setdefault(id(_root(array)), []).append(array)
    copies: dict[int, Any] = {}
    for arrays in roots.values():
        root = _root(arrays[0])
        if len(arrays) == 1 or not root.flags.forc:
            copies.update((id(array), array.copy(order="K")) for array in arrays)
            continue
        copy = root.copy(order="K")
        flat = copy.ravel(order="K")
        for array in arrays:
            offset = _address(array) - _address(root)
            made = np.ndarray(array.shape, array.dtype, flat, offset, array.strides)
            copies[id(array)] = copy if array is root else made
    for array in _arrays(obj):
        copies[id(array)].flags.writeable = array.flags.writeable
    return _rebuilt(obj, copies)


def _arrays(obj: Any) -> Iterator[np.ndarray]:
    waiting, seen = [obj], set()
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, np.ndarray):
            yield item
        elif type(item) in (tuple, list):
            waiting[:0] = item
        elif type(item) is dict:
            waiting[:0] = item.values()
        elif is_plain_object(item) and id(item) not in seen:
            seen.add(id(item))
            waiting[:0] = own_attributes(item).values()


def _root(array: np.ndarray) -> np.ndarray:
    """The array that owns an array's memory, as far as NumPy knows it."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _rebuilt(obj: Any, copies: dict[int, Any]) -> Any:
    if isinstance(obj, np.ndarray):
        return copies[id(obj)]
    if is_plain_object(obj):
        if id(obj) not in copies:
            made = copies[id(obj)] = type(obj).__new__(type(obj))
            for name, value in own_attributes(obj).items():
                object.__setattr__(made, name, _rebuilt(value, copies))
            if is_random(obj):
                made.setstate(obj.getstate())
        return copies[id(obj)]
    if type(obj) in (tuple, list):
        return type(obj)(_rebuilt(item, copies) for item in obj)
    if type(obj) is dict:
        return {key: _rebuilt(item, copies) for key, item in obj.items()}
    return obj


def compare(answer: Any, expected: Any, where: str, seen: set[int] | None = None) -> None:
    """Compare two results, containers and all.

    Parameters
    ----------
    seen : set, optional
        The identities of the objects of the user's that are compared already.

    Raises
    ------
    VerificationError
    """
    seen = set() if seen is None else seen
    if type(answer) is not type(expected):
        raise VerificationError(
            f"{where}: {type(answer).__name__} instead of {type(expected).__name__}"
        )
    if type(answer) in (tuple, list):
        if len(answer) != len(expected):
            raise VerificationError(f"{where}: {len(answer)} items instead of {len(expected)}")
        for k, pair in enumerate(zip(answer, expected, strict=True)):
            compare(*pair, f"{where}[{k}]", seen)
    elif type(answer) is dict:
        if answer.keys() != expected.keys():
            raise VerificationError(f"{where}: other keys")
        for key in answer:
            compare(answer[key], expected[key], f"{where}[{key!r}]", seen)
    elif is_plain_object(answer):
        if id(answer) not in seen:
            seen.add(id(answer))
            pair = own_attributes(answer), own_attributes(expected)
            compare(*pair, f"the attributes of {where}", seen)
    elif isinstance(answer, np.ndarray | np.generic | bool | float | complex):
        _compare_arrays(np.asarray(answer), np.asarray(expected), where)
    elif type(answer) in (int, str) and answer != expected:
        raise VerificationError(f"{where}: {answer!r} instead of {expected!r}")


def _compare_arrays(answer: np.ndarray, expected: np.ndarray, where: str) -> None:
    if answer.dtype != expected.dtype or answer.shape != expected.shape:
        raise VerificationError(
            f"{where}: {answer.dtype}{list(answer.shape)} instead of "
            f"{expected.dtype}{list(expected.shape)}"
        )
    bound = _BOUNDS.get(answer.dtype.name)
    if bound is None or not answer.size:
        wrong = answer != expected
    else:
        finite = np.abs(expected[np.isfinite(expected)])
        bound *= max(finite.max(initial=0), 1)
        wrong = ~np.isclose(answer, expected, rtol=0, atol=bound, equal_nan=True)
    if np.any(wrong):
        place = tuple(int(k) for k in np.argwhere(wrong)[0])
        raise VerificationError(
            f"{where}: {np.count_nonzero(wrong)} of {answer.size} elements differ, first at "
            f"{list(place)}: {answer[place]!r} instead of {expected[place]!r}"
        )
