"""Functions of the user's own texts, as Python calls them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _runtime
from ..describe import type_text
from ..devices.array import DeviceArray
from ..errors import NoCompilerError
from .checks import (
    Sizes,
    argument_error,
    count_error,
    fits,
    negative_error,
    status_error,
    status_text,
)
from .glue import checked_entry, shapes_entry
from .signatures import Part, Signature

_KINDS = {"bool": "bool", "int64": "int", "float64": "float", "complex128": "complex"}


@dataclass(frozen=True)
class Text:
    """A text that has been compiled.

    Attributes
    ----------
    key : str
        A digest of all that decides what its functions do.
    form : dict
        What the compiler takes of it.
    object : bytes or None
        The shared object, or what a device loads of a text in CUDA C++; None where there is no
        compiler to make it.
    """

    key: str
    form: dict[str, Any]
    object: bytes | None

    def place_of(self, function: str) -> tuple[str, str, int]:
        """What a traceback has of a function: the file, its name, and the line that names it."""
        named = re.compile(rf"\b{function}\s*\(")
        found = (k for k, line in enumerate(self.form["lines"], 1) if named.search(line))
        return self.form["name"], function, next(found, 1)


class LoadedFunction(_runtime.Function):
    """A function of a user's text. Compiled functions that call it have a call of it themselves.

    Attributes
    ----------
    signature : Signature
    entry : str
        The name of its entry in the text.
    """

    text: Text
    signature: Signature
    entry: str


def loaded_function(name: str, signature: Signature, entry: str, text: Text) -> LoadedFunction:
    """The function of a text that has an entry.

    Raises
    ------
    OSError
        Where the object can't be loaded.
    """
    program = None if text.object is None else _runtime.Program.from_bytes(text.object, entry)

    made = called_by(
        lambda args: _called(name, signature, program, args), name, signature, entry, text
    )
    if program is not None:
        takes_numbers = any(part.dtype in _KINDS and part.sizes is None for part in signature.read)
        for kinds in ({}, _KINDS) if takes_numbers else ({},):
            _add_usual(made, kinds)
    return made


def called_by(
    call: Callable[[tuple], Any], name: str, signature: Signature, entry: str, text: Text
) -> LoadedFunction:
    """The function of a text that answers calls in Python by another one, which gets the tuple."""

    def plain(*args: Any, _text: str = f"{text.key} {entry}") -> Any:
        return call(args)

    def miss(args: tuple, kwargs: dict[str, Any]) -> Any:
        if kwargs:
            raise TypeError(f"{name}() takes no keyword arguments")
        return call(args)

    plain.__name__ = plain.__qualname__ = name
    plain.__doc__ = f"{name}: {signature.text}"
    made = LoadedFunction(plain, miss)
    plain.__quernel_node__ = functools.partial(_node, made)
    made.text, made.signature, made.entry = text, signature, entry
    return made


def _node(function: LoadedFunction) -> Any:
    """What captured code gets in a function's place."""
    from .nodes import node_of  # which only a capture needs

    return node_of(function)


def _add_usual(function: LoadedFunction, kinds: dict[str, str]) -> None:
    """Have calls that need nothing of Python answered without it, as far as there are such.

    These are calls with contiguous arrays of at least two elements along each axis that has a name,
    and numbers of the usual types.

    Parameters
    ----------
    kinds : dict
        The types of numbers by dtypes, where they aren't NumPy's.
    """
    signature, entry, name = function.signature, function.entry, function.__name__
    arguments = [size for part in signature.parameters for size in part.sizes or ()]
    numbers = [part.dtype for part in (*signature.read, *signature.results) if part.sizes is None]
    if "float16" in numbers or any(size.names and size.name is None for size in arguments):
        return
    inputs = {part.number: k for k, part in enumerate((*signature.read, *signature.written))}
    called = checked_entry(entry) if signature.has_status else entry
    shapes = shapes_entry(entry) if signature.has_shapes else None
    nodes = tuple(
        ("output" if part.is_array else "scalar", k) for k, part in enumerate(signature.results)
    )
    error = (RuntimeError, status_text(name), *function.text.place_of(name))
    answer = _runtime.Specialization(
        _runtime.Program.from_bytes(function.text.object, called, shapes),
        nargs=len(signature.parameters),
        parameters=[
            _guard(part, inputs[part.number], signature.names, kinds)
            for part in signature.parameters
        ],
        symbols=len(signature.names),
        outputs=[
            (part.dtype, tuple(None if size.names else size.value({}) for size in part.sizes or ()))
            for part in signature.results
        ],
        result=nodes[0] if len(nodes) == 1 else ("tuple", nodes) if nodes else ("const", None),
        errors=[error] if signature.has_status else [],
        loops=True,  # nobody knows how long it works
    )
    function.add(answer)


def _guard(part: Part, number: int, names: tuple[str, ...], kinds: dict[str, str]) -> tuple:
    if part.sizes is None:
        return ("scalar", number, kinds.get(part.dtype, f"np.{part.dtype}"))
    shape = tuple(("sym", names.index(s.tree), 2) if s.names else s.value({}) for s in part.sizes)
    return ("array", number, part.dtype, shape, "C", part.is_written)


def _called(name: str, signature: Signature, program: Any, args: tuple) -> Any:
    """A call of a function on NumPy's arrays."""
    if program is None:
        raise NoCompilerError(
            f"{name}() is a function of a text that this installation has no compiler for",
            "call it in a function of a bundle",
        )
    arrays, sizes = checked(name, signature, args)
    targets = _apart(signature, arrays)
    shapes = [sizes.shape(part) for part in signature.results]
    results = [
        np.empty(shape, part.dtype) for part, shape in zip(signature.results, shapes, strict=True)
    ]
    status = [np.zeros((), np.int64)] if signature.has_status else []
    inputs = [arrays[part.number] for part in (*signature.read, *signature.written)]
    named = [sizes.known[one] for one in signature.names]
    code, _ = program.run([*inputs, *results, *status], named)
    for target, array in targets:
        target[...] = array
    if status and status[0] != 0:
        raise status_error(name, int(status[0]))
    if code:
        raise RuntimeError(f"{name}() has ended with the code {code}")
    answers = [
        array[()] if part.sizes is None else array
        for part, array in zip(signature.results, results, strict=True)
    ]
    return None if not answers else answers[0] if len(answers) == 1 else tuple(answers)


def checked(name: str, signature: Signature, args: tuple) -> tuple[dict[int, Any], Sizes]:
    """The arrays and numbers of a call, by the arguments' places, and its sizes.

    Raises
    ------
    TypeError, ValueError
        Where they aren't what the signature says.
    """
    if len(args) != len(signature.parameters):
        raise count_error(name, signature, len(args))
    sizes = Sizes(name, signature)
    arrays = {}
    for part, arg in zip(signature.parameters, args, strict=True):
        array = _number(name, part, arg) if part.sizes is None else _array(name, part, arg)
        sizes.take(part, array.shape)
        arrays[part.number] = array
    sizes.check()
    if any(size < 0 for part in signature.results for size in sizes.shape(part)):
        raise negative_error()
    return arrays, sizes


def _number(name: str, part: Part, arg: Any) -> np.ndarray:
    if isinstance(arg, np.ndarray) and arg.ndim:
        raise argument_error(name, part, f"has the shape {arg.shape}")
    kind = type(arg)
    if kind not in (bool, int, float, complex) and not isinstance(arg, np.generic | np.ndarray):
        raise argument_error(name, part, f"is of the type {type_text(arg)}")
    given = kind if kind in (int, float, complex) else np.asarray(arg).dtype
    if not fits(given, part.dtype):
        raise argument_error(name, part, f"is of the type {getattr(given, 'name', kind.__name__)}")
    return np.array(arg, part.dtype)


def _array(name: str, part: Part, arg: Any) -> Any:
    if not isinstance(arg, (np.ndarray, DeviceArray)):
        raise argument_error(name, part, f"is of the type {type_text(arg)}")
    if arg.dtype != part.dtype:
        raise argument_error(name, part, f"has the dtype {arg.dtype}")
    if arg.ndim != part.rank:
        raise argument_error(name, part, f"has the shape {arg.shape}")
    if part.is_written and not arg.flags.writeable:
        raise ValueError("output array is read-only")
    return arg


def _apart(signature: Signature, arrays: dict[int, np.ndarray]) -> list[tuple]:
    """Have all arrays contiguous, and those that are written apart from all others.

    Gives what has to be written back: the user's array, and what the function writes.
    """
    targets, given = [], dict(arrays)
    for part in signature.parameters:
        array = given[part.number]
        overlaps = any(
            np.may_share_memory(array, given[other.number])
            for other in (signature.parameters if part.is_written else signature.written)
            if other is not part
        )
        if array.flags.c_contiguous and array.flags.aligned and not overlaps:
            continue
        arrays[part.number] = own = np.array(array, order="C", subok=False)
        if part.is_written:
            targets.append((array, own))
    return targets
