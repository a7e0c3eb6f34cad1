"""Calls whose arguments share memory where one is written: programs on the memory they share.

Arrays that overlap become views of one array, the base, which the program takes in their place.
How they lie in it is the pattern of the call; each pattern has a function of its own, which makes
the views and calls the user's function, and is compiled as any other.
"""

from __future__ import annotations

import ast
import types
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from .._runtime import DeviceBuffer, HandOver, arrangement, device_header, placed
from ..arguments.calls import Call
from ..arguments.layouts import device_of, header_of
from ..arguments.leaves import ARRAY_TYPES, Leaf
from ..capture.source import definition_of, made_function
from ..dtypes import have_same_bytes
from ..errors import UnsupportedError
from .subarrays import expression_of

_MOST_PATTERNS = 32
_MOST_RECIPES = 256
_WHOLE = "_quernel_whole"


class Shared:
    """The programs of one function for arguments that share memory.

    Parameters
    ----------
    dispatcher : type
        What makes the dispatchers.

    Attributes
    ----------
    parts : dict
        The dispatchers of the functions that make the views, by pattern.
    seen : set
        The signatures of calls that the program for separate arguments hasn't taken.
    recipes : dict
        How calls are made, by the arrangement of their arguments.
    """

    def __init__(self, plain: types.FunctionType, options: Any, dispatcher: Any) -> None:
        self.plain, self.options = plain, options
        self._dispatcher = dispatcher
        self.parts: dict[tuple, Any] = {}
        self.seen: set[tuple] = set()
        self.recipes: dict[bytes, Recipe] = {}

    def bound(self, call: Call) -> Bound | None:
        """The call as one of a part; None where its arrays don't overlap.

        Raises
        ------
        UnsupportedError
            Where the arrays can't be views of one array.
        """
        groups = _groups(call)
        if not groups:
            return None
        parts = [_placed(group) for group in groups]
        is_on_device = bool(call.devices())
        bases = [base for base, _ in parts]
        forms = {id(leaf): (k, form) for k, (_, views) in enumerate(parts) for leaf, form in views}
        pattern, rest, views = _pattern(call, forms)
        if pattern not in self.parts:
            if len(self.parts) >= _MOST_PATTERNS:
                raise UnsupportedError(
                    "arguments that are written share memory with others in too many ways",
                    "pass arrays that don't overlap",
                )
            self.parts[pattern] = self._part(pattern, call, len(bases))
        if not is_on_device:
            self._remember(call, self.parts[pattern], bases, pattern[2])
        return Bound(self.parts[pattern], (*bases, *rest), views)

    def again(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The answer to a call of an arrangement that is known, else NotImplemented."""
        recipe = self.recipes.get(arrangement(args, kwargs, False))
        if recipe is None:
            recipe = self.recipes.get(arrangement(args, kwargs, True))
        if recipe is None:
            return NotImplemented
        return recipe.bound([*args, *kwargs.values()]).run()

    def _remember(self, call: Call, part: Any, bases: list[np.ndarray], items: tuple) -> None:
        """Note how a call is made, for others of the same arrangement."""
        recipe = Recipe(part, bases, items, [*call.args, *call.kwargs.values()])
        key = arrangement(call.args, call.kwargs, not recipe.is_between)
        if key is None or call.converted:
            return
        if len(self.recipes) >= _MOST_RECIPES:
            self.recipes.clear()
        self.recipes[key] = recipe

    def _part(self, pattern: tuple, call: Call, bases: int) -> Any:
        """A dispatcher of the function that makes the views of a pattern."""
        definition = definition_of(self.plain.__code__, self.plain.__globals__)
        if definition is None:
            raise UnsupportedError("the function's source can't be found")
        code = ast.parse(_written(pattern, call, bases)).body[0]
        for node in ast.walk(code):
            if hasattr(node, "lineno"):
                node.lineno = node.end_lineno = definition.node.lineno  # type: ignore[attr-defined]
        cells = {_WHOLE: types.CellType(self.plain)}
        made = made_function(code, definition.file, self.plain, cells)  # type: ignore[arg-type]
        return self._dispatcher(made, self.options)


class Recipe:
    """How a call of a part is made from the arguments of calls of one arrangement.

    Parameters
    ----------
    bases : list of (int, int, tuple, tuple)
        Of each base: an argument in the same memory, the bytes from there, shape and strides.
    rest, views : list of int
        The arguments that stay, and those that are views.

    Attributes
    ----------
    is_between : bool
        Whether the bases lie between the ends of their views: no matter whose the memory is.
    """

    def __init__(self, part: Any, bases: list[np.ndarray], items: tuple, values: list) -> None:
        self.part = part
        self.rest = [k for k, item in enumerate(items) if item is None]
        self.views = list({item: k for k, item in enumerate(items) if item is not None}.values())
        self.bases = []
        self.is_between = True
        for base in bases:
            group = [k for k in self.views if np.may_share_memory(values[k], base)]
            offset = _address(base) - _address(values[group[0]])
            self.bases.append((group[0], offset, base.shape, base.strides))
            ends = [byte_bounds(values[k]) for k in group]
            low, high = byte_bounds(base)
            self.is_between &= min(ends)[0] <= low and high <= max(end for _, end in ends)

    def bound(self, values: list[Any]) -> Bound:
        """A call with other arguments of the same arrangement."""
        bases = [
            placed(values[near], offset, shape, strides)
            for near, offset, shape, strides in self.bases
        ]
        rest = [values[k] for k in self.rest]
        views = [values[k] for k in self.views]
        return Bound(self.part, (*bases, *rest), views)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Bound:
    """A call of a part, whose arguments are bases and what stays of the call's own arguments."""

    def __init__(self, part: Any, args: tuple, views: list[np.ndarray]) -> None:
        self.part, self.args, self.views = part, args, views

    def prepare(self) -> None:
        """Compile the program of the call; nothing of the user's function has run.

        Raises
        ------
        UnsupportedError
        Exception
            Whatever the user's function raises.
        """
        call = self.part.call_of(self.args, {})
        generic = call.signature(set(), shapes=False)
        exact = call.signature(self.part._values(generic))
        if exact in self.part.refused:
            raise self.part.refused[exact]
        try:
            self.part.prepare(call, generic)
        except UnsupportedError as error:
            self.part.refused[call.signature(self.part._values(generic))] = error
            raise

    def run(self) -> Any:
        """The answer, or NotImplemented where no program takes the call."""
        answer = self.part.tiers.retry(self.args, {})
        if answer is NotImplemented:
            return answer
        if type(answer) is HandOver:
            answer = answer.function(*self.args)
        result, made = answer
        own = {id(new): old for new, old in zip(made, self.views, strict=True)}
        return _restored(result, own)


def _groups(call: Call) -> list[list[Leaf]]:
    """The arrays whose ranges of addresses overlap, together."""
    spans = sorted(
        ((*byte_bounds(header_of(leaf.obj)), leaf) for leaf in call.arrays() if leaf.obj.size),
        key=lambda span: span[:2],
    )
    groups: list[list[Leaf]] = []
    end = 0
    for low, high, leaf in spans:
        if groups and low < end:
            groups[-1].append(leaf)
        else:
            groups.append([leaf])
        end = max(end, high)
    found = [group for group in groups if len(group) > 1]
    return [group for group in found if any(leaf.writeable for leaf in group)]


def _placed(group: list[Leaf]) -> tuple[Any, list[tuple[Leaf, str]]]:
    """A base of arrays that overlap, and the expression of each as a view of ``{0}``, the base.

    Those on devices are compared by their headers; the base is an array on the device, too.
    """
    if any(leaf.original is not None or not leaf.writeable for leaf in group):
        _refuse(group, "some are read-only or need a copy")
    headers = {id(leaf.obj): header_of(leaf.obj) for leaf in group}
    arrays = list(headers.values())
    if not all(have_same_bytes(array.dtype, arrays[0].dtype) for array in arrays):
        _refuse(group, "their dtypes differ")
    largest = sorted(arrays, key=lambda array: -array.size)
    for base in (*largest, *_regions(arrays)):
        forms = {id(x): "{0}" if x is base else _expression(base, x) for x in arrays}
        if None not in forms.values():
            pairs = [(leaf, forms[id(headers[id(leaf.obj)])]) for leaf in group]
            return _shown(base, group), pairs  # type: ignore[return-value]
    _refuse(group, "they aren't slices of one array")


def _shown(base: np.ndarray, group: list[Leaf]) -> Any:
    """What a program takes as the base: the argument that it is, or on a device a new array."""
    for leaf in group:
        if header_of(leaf.obj) is base:
            return leaf.obj
    near = group[0].obj
    return base if device_of(near) is None else near.beside(base)


def _expression(base: np.ndarray, part: np.ndarray) -> str | None:
    """An expression of a part of a base, which may show the bytes as another dtype."""
    text = expression_of(base, part.view(base.dtype))
    return text if text is None or part.dtype == base.dtype else f"{text}.view('{part.dtype}')"


def _regions(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The run of elements that contains all the arrays, and the arrays whose memory that is."""
    low = min(byte_bounds(array)[0] for array in arrays)
    high = max(byte_bounds(array)[1] for array in arrays)
    found: list[np.ndarray] = []
    runs: list[np.ndarray] = []
    owner: Any = arrays[0]
    while owner is not None:
        if type(owner) in ARRAY_TYPES and _is_memory(owner):
            start, end = byte_bounds(owner)
            if start <= low and high <= end:
                flat = owner.reshape(-1, order="C" if owner.flags.c_contiguous else "F")
                if not runs:
                    memory = flat.view(np.uint8)
                    runs = _runs(memory, low - start, high - start, arrays)
                if owner.dtype == arrays[0].dtype:
                    found.append(owner)
        owner = _owner(owner)
    return [*runs, *found]


def _owner(array: Any) -> Any:
    """What an array, or the header of one, is a view of: all bytes of a device's buffer at last."""
    base = getattr(array, "base", None)
    if type(base) is not DeviceBuffer:
        return base
    if array.dtype == np.uint8 and array.shape == (base.nbytes,):
        return None
    return device_header(base, base.address, (base.nbytes,), (1,), np.dtype(np.uint8), True)


def _is_memory(owner: np.ndarray) -> bool:
    """Whether an array can be seen as a run of bytes that may be written."""
    flags = owner.flags
    return flags.writeable and flags.forc and owner.itemsize > 0 and not owner.dtype.hasobject


def _runs(memory: np.ndarray, low: int, high: int, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The elements between two places of a memory of bytes: as one row, and as the arrays' rows."""
    dtype = arrays[0].dtype
    if (high - low) % dtype.itemsize:
        return []
    found = [memory[low:high].view(dtype)]
    steps = {abs(step) for a in arrays for n, step in zip(a.shape, a.strides, strict=True) if n > 1}
    lengths = sorted(steps | {dtype.itemsize}, reverse=True)
    pairs = list(pairwise(lengths))
    if not pairs or 0 in lengths or any(outer % inner for outer, inner in pairs):
        return found
    rows = -(-(high - low) // lengths[0])
    for start in (low, high - rows * lengths[0]):
        end = start + rows * lengths[0]
        if start >= 0 and end <= memory.size:
            shape = (rows, *(outer // inner for outer, inner in pairs))
            found.append(memory[start:end].view(dtype).reshape(shape))
    return found


def _refuse(group: list[Leaf], why: str) -> Any:
    names = ", ".join(leaf.path for leaf in group)
    raise UnsupportedError(
        f"arguments that are written share memory with others (among {names}), and {why}",
        "pass arrays that don't overlap",
    )


def _pattern(call: Call, forms: dict[int, tuple]) -> tuple[tuple, list[Any], list[np.ndarray]]:
    """How each argument is made: the pattern, the arguments that stay, the arrays that are views.

    An item of the pattern is None for an argument that stays, or the number of its view; the last
    item has the views, each once.
    """
    items: list[int | None] = []
    rest, views, made = [], [], []
    numbers: dict[int, int] = {}
    values = [*call.args, *call.kwargs.values()]
    for leaf, value in zip(call.parameters, values, strict=True):
        inner = [part for part in leaf.leaves() if id(part) in forms]
        if not inner:
            items.append(None)
            rest.append(value)
            continue
        if inner != [leaf]:
            _refuse(inner, "some are in a container")
        if id(leaf.obj) not in numbers:
            numbers[id(leaf.obj)] = len(made)
            made.append(forms[id(leaf)])
            views.append(leaf.obj)
        items.append(numbers[id(leaf.obj)])
    return (call.nargs, call.kwnames, tuple(items), tuple(made)), rest, views


def _written(pattern: tuple, call: Call, bases: int) -> str:
    """The source of the function of a pattern."""
    _, kwnames, items, made = pattern
    rest = [f"a{k}" for k, item in enumerate(items) if item is None]
    lines = [f"def shared({', '.join([f'b{k}' for k in range(bases)] + rest)}):"]
    lines += [f"    v{k} = {form.format(f'b{base}')}" for k, (base, form) in enumerate(made)]
    given = [f"a{k}" if item is None else f"v{item}" for k, item in enumerate(items)]
    given[call.nargs :] = [
        f"{name}={value}" for name, value in zip(kwnames, given[call.nargs :], strict=True)
    ]
    views = "".join(f"v{k}, " for k in range(len(made)))
    lines.append(f"    return {_WHOLE}({', '.join(given)}), ({views})")
    return "\n".join(lines)


def _restored(result: Any, objects: dict[int, np.ndarray]) -> Any:
    """The result with the call's own arrays in place of the views that stand for them."""
    kind = type(result)
    if kind in ARRAY_TYPES or device_of(result) is not None:
        return objects.get(id(result), result)
    if kind is tuple:
        items = tuple(_restored(item, objects) for item in result)
        same = all(new is old for new, old in zip(items, result, strict=True))
        return result if same else items
    if kind is list:
        result[:] = [_restored(item, objects) for item in result]
    elif kind is dict:
        for key, item in result.items():
            result[key] = _restored(item, objects)
    return result
