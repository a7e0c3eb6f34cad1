"""Signature texts such as ``"float64[n,2], float32[:, :], int64"``."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..dtypes import NAMES
from ..errors import SignatureError, UnsupportedError, pointed
from ..signals import let_out
from .examples import placeholder

_PART = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[([^\]]*)\])?\s*(on\s+cuda\b)?\s*(?:,|$)")
_VALUE = re.compile(r"""\s*([+-]?\.?\d[\w.+-]*|True|False|None|'[^']*'|"[^"]*")\s*(?:,|$)""")
_PYTHON = {"float": 1.5, "int": 3, "complex": 1.5 + 0.5j}
_MOST_DIGITS = 19
# Sizes for named dimensions: no two are equal, and none is likely to be a constant of a program.
_SIZES = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149)


class Example:
    """An argument list that a signature describes, with arrays that take no memory.

    Attributes
    ----------
    args : tuple
    symbolic : set of (int, int)
        Argument and axis of the dimensions that are no numbers.
    names : dict of (int, int) to str
        The names that the text gives to some of these.
    values : set of int
        The arguments that are values, not types.

    Parameters
    ----------
    is_small : bool
        Whether the sizes that are no numbers are 1; else they are such as no program has.
    """

    def __init__(self, text: str, is_small: bool = False) -> None:
        self._is_small = is_small
        self.symbolic: set[tuple[int, int]] = set()
        self.names: dict[tuple[int, int], str] = {}
        self.values: set[int] = set()
        self._named: dict[str, int] = {}
        self.args = tuple(self._argument(k, text, *part) for k, part in enumerate(_parts(text)))

    def _argument(
        self, index: int, text: str, position: int, dtype: Any, dims: Any, is_on_device: bool
    ) -> Any:
        if position < 0:
            self.values.add(index)
            return dtype
        try:
            argument = self._typed(index, text, dtype, dims)
            if is_on_device and dims is None:
                raise SignatureError(f"{text!r}: only arrays are on devices: write {dtype}[]")
            return placeholder_on_device(argument) if is_on_device else argument
        except SignatureError as error:
            raise pointed(str(error), text, position) from None

    def _typed(self, index: int, text: str, dtype: str, dims: str | None) -> Any:
        if dims is None and dtype in _PYTHON:
            return _PYTHON[dtype]
        if dtype not in NAMES:
            raise SignatureError(f"{text!r}: {dtype!r} is none of {', '.join(NAMES)}")
        if dtype == "bfloat16" and importlib.util.find_spec("ml_dtypes") is None:
            raise SignatureError(f"{text!r}: bfloat16 needs the package ml_dtypes")
        if dtype == "bfloat16":
            importlib.import_module("ml_dtypes")
        if dims is None:
            return np.dtype(dtype).type(1)
        shape = tuple(
            self._size(index, axis, dim.strip(), text)
            for axis, dim in enumerate(dims.split(",") if dims.strip() else [])
        )
        try:
            return placeholder(shape, dtype)
        except (ValueError, OverflowError) as error:
            let_out(error)
            raise SignatureError(f"{text!r}: NumPy has no such array: {error}") from None

    def _size(self, index: int, axis: int, dim: str, text: str) -> int:
        if dim.isdecimal() and dim.isascii():
            return _number(dim, text)
        if dim == ":":
            dim = f":{index}.{axis}"
        elif not dim.isidentifier():
            raise SignatureError(f"{text!r}: {dim!r} is neither a size, a name nor ':'")
        else:
            self.names[index, axis] = dim
        self.symbolic.add((index, axis))
        if self._is_small:
            return 1
        if dim not in self._named:
            if len(self._named) == len(_SIZES):
                raise SignatureError(f"{text!r}: more than {len(_SIZES)} named sizes")
            self._named[dim] = _SIZES[len(self._named)]
        return self._named[dim]


def _number(dim: str, text: str) -> int:
    if len(dim) > _MOST_DIGITS:
        raise SignatureError(f"{text!r}: a size has at most {_MOST_DIGITS} digits")
    return int(dim)


class _Nowhere(NamedTuple):
    """Memory of the first device that isn't there."""

    address: int = 1 << 20
    device: int = 0


def placeholder_on_device(host: np.ndarray) -> Any:
    """A DeviceArray like an array, of which there are no elements."""
    from ..devices.array import DeviceArray
    from ..devices.headers import Layout

    return DeviceArray(_Nowhere(), Layout(0, host.shape, host.strides), host.dtype)


def _parts(text: str) -> list[tuple[int, Any, str | None, bool]]:
    """What each argument is.

    Where it begins, its type, its sizes if it is an array, and whether that is on a device; of a
    value -1 and the value itself.
    """
    parts: list[tuple[int, Any, str | None, bool]] = []
    position = 0
    while position < len(text):
        start = position + len(text[position:]) - len(text[position:].lstrip())
        value, match = _VALUE.match(text, position), _PART.match(text, position)
        if value is not None:
            parts.append((-1, _value(value[1], text, start), None, False))
        elif match is not None:
            parts.append((start, match[1], match[2], match[3] is not None))
        else:
            raise pointed(
                f"{text!r} can't be read at {text[position:]!r}; "
                "write for example 'float64[n,2], float32[:], int64, 3'",
                text,
                start,
            )
        position = (value or match).end()  # type: ignore[union-attr]
    return parts


def _value(literal: str, text: str, position: int) -> Any:
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError) as error:
        let_out(error)
        raise pointed(f"{text!r}: {literal!r} is no number", text, position) from None


def prepare(dispatcher: Any, text: str, small: bool = False) -> None:
    """Compile a function for a signature, or take the program from the cache.

    Parameters
    ----------
    small : bool
        Whether there is to be one for sizes of 0 and 1, too, where such a one can be compiled.

    Raises
    ------
    SignatureError
        Where the text can't be read, or the function can't be called like this.
    UnsupportedError
        Where the function can't be compiled, or not for any size that has a name.
    DeviceError
        Where the device isn't there.
    """
    example = Example(text)
    dispatcher = dispatcher.standing_for(example.args, {})
    dispatcher.options.check_device()
    _prepare(dispatcher, text, example)
    if small and example.symbolic:
        try:
            _prepare(dispatcher, text, Example(text, is_small=True))
        except Exception as error:  # what the function itself raises for such sizes, too
            let_out(error)


def _prepare(dispatcher: Any, text: str, example: Example) -> None:
    try:
        call = dispatcher.call_of(example.args, {})
    except IndexError:
        raise SignatureError(f"{text!r} has more arguments than the function") from None
    with sizes_varying(dispatcher, example, call):
        dispatcher.prepare(call, call.signature(set(), shapes=False))
    program = dispatcher.program_of(call)
    for k, axis in sorted(example.symbolic if program is not None else ()):
        if type(program.entry["parameters"][k][3][axis]) is int:
            raise fixed_size(axis, call.parameters[k].path, f"{text!r}: ")


@contextlib.contextmanager
def sizes_varying(dispatcher: Any, example: Example, call: Any) -> Iterator[set[tuple[str, int]]]:
    """While captures of an example's call have symbols for the sizes that are no numbers.

    Those are given, as paths of arguments and axes.
    """
    places = {(call.parameters[k].path, axis) for k, axis in example.symbolic}
    dispatcher.forced = places
    try:
        yield places
    finally:
        dispatcher.forced = None


def fixed_size(axis: int, path: str, start: str = "") -> UnsupportedError:
    """What is raised where such a size can't be a symbol."""
    return UnsupportedError(
        f"{start}the size of axis {axis} of `{path}` has to be part of the program",
        "write its number in the signature",
    )
